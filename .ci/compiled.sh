#!/bin/sh
# Runs a compiler, then says how much of a build is done: "compiled 12/62". For `make demo`, which takes minutes the first time.
#
#   compiled.sh COUNTER TOTAL COMPILER [ARGUMENT]...     COUNTER: an empty file to begin with
counter=$1 total=$2
shift 2
"$@" || exit
(
  flock 9
  echo >&9
  done=$(wc -l <"$counter")
  # In a terminal in the same line.
  if [ -t 1 ]; then printf '\r  compiled %d/%d' "$done" "$total"; else printf '  compiled %d/%d\n' "$done" "$total"; fi
  [ "$done" -lt "$total" ] || [ ! -t 1 ] || echo
) 9>>"$counter"
