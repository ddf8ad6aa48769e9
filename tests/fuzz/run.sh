#!/bin/bash
# Runs every fuzzer of build/fuzz for FUZZ_SECONDS each, from its seeds. What crashes is kept in build/fuzz/findings/.
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=${FUZZ_SECONDS:-60}
findings=build/fuzz/findings
mkdir -p $findings

passed=0 failed=0
for program in build/fuzz/bin/*_fuzz; do
  [ -x "$program" ] || continue
  name=$(basename "$program")
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  # Seeds stand in a folder spelt as the fuzzer, with or without its ending; a fuzzer without seeds starts from nothing.
  seeds=()
  for dir in tests/fuzz/seeds/"$name" tests/fuzz/seeds/"${name%_fuzz}"; do [ -d "$dir" ] && seeds+=("$dir"); done
  # The bad and good cases of every rule.
  [ "$name" = lint_fuzz ] && seeds+=(tests/golden/lint/APF*/)
  echo "== $name, $seconds s"
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "$corpus" "${seeds[@]}" >build/fuzz/"$name".log 2>&1; then
    grep -E 'number_of_executed_units|Done' build/fuzz/"$name".log
    passed=$((passed + 1))
  else
    tail -n 30 build/fuzz/"$name".log
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
