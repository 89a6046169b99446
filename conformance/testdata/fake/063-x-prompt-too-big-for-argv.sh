#!/bin/sh
n=$(wc -c)   # the prompt must come on stdin
if [ "$n" -lt 200000 ]; then echo "prompt not on stdin ($n bytes)" >&2; exit 1; fi
cat "$CASE_DIR/stdout.ndjson"
