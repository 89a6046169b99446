#!/bin/sh
# works until a signal comes; INT is an exit 1, and there is no terminal record
[ -n "$INTERRUPTED" ] || { cat "$CASE_DIR/stdout.ndjson"; kill -TERM $$; }
trap "exit 1" INT
cat "$CASE_DIR/stdout.ndjson"
i=0; while [ $i -lt 600 ]; do sleep 1; i=$((i+1)); done
