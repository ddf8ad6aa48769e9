#!/bin/bash
# The examples: their logs are what a server writes, and their pages show what the commands print.
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
passed=0 failed=0
add() {
  local status=$? p f
  printf '%s\n' "$1"
  read -r p f < <(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' <<<"$1")
  [ "$status" = 0 ] || [ "${f:-0}" != 0 ] || f=1
  passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}
add "$(python3 tests/examples/log.py build/release/bin/generate-amok-controller)"
add "$(python3 tests/examples/suggest.py build/release/bin/generate-amok-controller build/release/bin/apfctl)"
add "$(python3 tests/examples/demo.py)"
add "$(python3 tests/readme/run.py examples/*/README.md)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
