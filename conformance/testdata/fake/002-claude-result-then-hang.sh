#!/bin/sh
# prints a good result, then never exits; a child (stand-in for an MCP server) holds stdout too
cat "$CASE_DIR/stdout.ndjson"
sleep 600 &
wait
