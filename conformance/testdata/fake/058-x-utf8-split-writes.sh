#!/bin/sh
# writes every byte of record 2 by itself
d=$CASE_DIR; sed -n 1p "$d/stdout.ndjson"
L=$(sed -n 2p "$d/stdout.ndjson" | wc -c); i=1
while [ $i -le $L ]; do sed -n 2p "$d/stdout.ndjson" | tail -c +$i | head -c 1; i=$((i+1)); done
sed -n 3p "$d/stdout.ndjson"
