#!/bin/sh
cat "$CASE_DIR/stdout.ndjson"
(sleep 300) &
exit 0
