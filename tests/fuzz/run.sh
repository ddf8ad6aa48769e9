#!/bin/bash
# Runs every fuzzer of a build (build/fuzz) for FUZZ_SECONDS each, from its seeds. What crashes is kept in findings/ there.
#
#   run.sh [build/fuzz|build/asan] [FUZZER]...
#
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=${FUZZ_SECONDS:-60}
build=${1:-build/fuzz}
shift
findings=$build/findings
mkdir -p "$findings"

# Files of the golden tests that are what the fuzzer reads.
inputs_of() {
  case $1 in
    audit_fuzz) find tests/golden/inputs tests/golden/replay tests/golden/trace -name '*audit*' -type f ;;
    klog_fuzz) find tests/golden/inputs tests/golden/replay tests/golden/trace -name '*.log' -type f ;;
    trace_fuzz | replay_fuzz) find tests/golden/inputs tests/golden/replay tests/golden/trace -name '*.log' -o -name '*.jsonl' -type f ;;
    lint_fuzz | config_fuzz) find tests/golden/lint tests/golden/inputs -name '*.yaml' -type f ;;
    test_file_fuzz) find tests/golden/inputs/test -name "*.yaml" -type f ;;
    sweep_fuzz) find tests/golden/inputs/sweep -type f ;;
    settings_fuzz) find tests/golden -name '.apfctl.yaml' -o -name '*settings*.yaml' -o -name '*baseline*.json' -type f ;;
    objects_fuzz) find tests/golden examples -name '*counts*' -o -name '*objects*.txt' -o -name '*.prom' -type f ;;
    policy_fuzz) find tests/golden -name '*policy*.yaml' -type f && find tests/golden/inputs/policies -type f ;;
    scrape_fuzz) find tests/golden -name 'before.txt' -o -name 'after.txt' -o -name '*scrape*.txt' -type f ;;
    dump_fuzz) find tests/golden/inputs/inspect tests/golden/inspect -name '*.txt' -type f ;;
    times_fuzz) ;;  # its own seeds
  esac | xargs -r -d "\n" sh -c 'find "$@" -maxdepth 0 -type f -size -64k' sh
}

passed=0 failed=0
for program in "$build"/bin/*_fuzz; do
  [ -x "$program" ] || continue
  name=$(basename "$program")
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  # Seeds are in a folder spelt as the fuzzer, with or without its ending, and the inputs of other tests.
  seeds=()
  for dir in tests/fuzz/seeds/"$name" tests/fuzz/seeds/"${name%_fuzz}"; do [ -d "$dir" ] && seeds+=("$dir"); done
  given=$build/given/$name
  mkdir -p "$given"
  mapfile -t files < <(inputs_of "$name")
  for file in "${files[@]}"; do cp "$file" "$given/$(tr / - <<<"${file#tests/}")"; done
  [ ${#files[@]} = 0 ] || seeds+=("$given")
  echo "== $name, $seconds s"
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "$corpus" "${seeds[@]}" >"$build/$name.log" 2>&1; then
    grep -E 'number_of_executed_units|Done' "$build/$name.log"
    passed=$((passed + 1))
  else
    tail -n 30 "$build/$name.log"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
