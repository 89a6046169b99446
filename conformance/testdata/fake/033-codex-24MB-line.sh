#!/bin/sh
d=$CASE_DIR; sed -n 1,2p "$d/stdout.ndjson"
printf '{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"rg x","aggregated_output":"'
head -c 25165824 /dev/zero | tr "\0" a
printf '","exit_code":0,"status":"completed"}}\n'
sed -n 4,5p "$d/stdout.ndjson"
