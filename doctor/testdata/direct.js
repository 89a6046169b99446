#!/opt/node/bin/node
