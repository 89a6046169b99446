#!/usr/bin/env -S node --no-warnings
