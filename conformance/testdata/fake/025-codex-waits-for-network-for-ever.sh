#!/bin/sh
head -n 3 "$CASE_DIR/stdout.ndjson"
while :; do echo '{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}'; sleep 1; done
