#!/bin/sh
if [ -n "${CLAUDECODE+x}" ]; then echo "Error: cannot be launched inside another session." >&2; exit 1; fi
if [ -z "$ANTHROPIC_BASE_URL" ]; then echo "gateway setting was stripped" >&2; exit 3; fi
cat "$CASE_DIR/stdout.ndjson"
