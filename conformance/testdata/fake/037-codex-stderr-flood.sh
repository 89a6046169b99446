#!/bin/sh
d=$CASE_DIR; head -n 2 "$d/stdout.ndjson"
i=0; while [ $i -lt 60000 ]; do echo "2026-01-01T00:00:00Z ERROR demo::layer: line $i of noise, padding padding padding padding padding"; i=$((i+1)); done >&2
printf "%s" "stderr-without-newline-" >&2; head -c 3145728 /dev/zero | tr "\0" z >&2
sed -n 3,4p "$d/stdout.ndjson"
