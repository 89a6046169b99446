#!/bin/sh
echo "Reading additional input from stdin..." >&2
cat >/dev/null   # returns only on EOF
cat "$CASE_DIR/stdout.ndjson"
