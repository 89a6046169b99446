#!/bin/sh
# play.sh: act as the vendor of the case in $CASE_DIR, whatever the arguments.
# Where timing, signals or size matter there is a script in fake/; else the case's
# stdout and stderr are printed, and the end is what exit_code says.
fake=$(dirname "$0")/fake/$(basename "$CASE_DIR").sh
[ -x "$fake" ] && exec "$fake"
cat "$CASE_DIR/stdout.ndjson"
[ ! -e "$CASE_DIR/stderr.txt" ] || cat "$CASE_DIR/stderr.txt" >&2
end=$(head -n 1 "$CASE_DIR/exit_code")
case $end in
SIG:*) kill -"${end#SIG:}" $$ ;;
-*) kill "$end" $$ ;;
*) exit "$end" ;;
esac
