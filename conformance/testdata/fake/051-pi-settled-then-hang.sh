#!/bin/sh
cat "$CASE_DIR/stdout.ndjson"
exec sleep 600
