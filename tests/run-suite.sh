#!/bin/bash
# Builds and runs every suite, keeps their logs in build/check/, and sums up. The last line is "N passed, N failed".
# A suite fails as a whole when it ends early, reports no tests, or its build fails.
#
#   tests/run-suite.sh [SUITE]...    all of them, or those named (tests/run-suite.sh -l lists them)
set -u
cd "$(dirname "$0")/.." || exit 2
make="${MAKE:-make} --no-print-directory -s -j$(nproc)"
logs=build/check
mkdir -p $logs
rm -f $logs/summary

# The script of a suite says "N passed, N failed" at its end; the unit tests say it as Catch2 does.
# With a sanitizer, a report ends the program with an exit code of its own.
export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
# Suppressions: none. Libraries of the system are not instrumented, so a race inside them is not seen either.
export TSAN_OPTIONS=exitcode=99
unset NO_COLOR CLICOLOR_FORCE APFCTL APFCTL_CONFIG
export LC_ALL=C.UTF-8 TERM=dumb

suites="build arrows unit symbols install golden memory man schema metrics html completion action examples readme build-asan unit-asan golden-asan examples-asan build-tsan threads-tsan"
run_build() { $make VARIANT="$1" "${@:2}" && echo "1 passed, 0 failed"; }
run_suite() {
  case $1 in
    build) run_build release tests benches ;;
    arrows) tests/arch/arrows.sh ;;
    unit) build/release/bin/unit-tests ;;
    symbols) tests/install/symbols.sh ;;
    install) tests/install/install.sh ;;
    golden) APFCTL=$PWD/build/release/bin/apfctl tests/golden/run.sh ;;
    memory) python3 tests/memory/run.py build/release/bin/apfctl ;;
    man) tests/man/run.sh ;;
    schema) tests/schema/run.sh ;;
    completion) tests/completion/run.sh ;;
    action) tests/action/run.sh ;;
    metrics) python3 tests/metrics/check.py ;;
    html) python3 tests/html/check.py ;;
    examples) VARIANT=release tests/examples/run.sh ;;
    readme) python3 tests/readme/run.py README.md ;;
    build-asan) run_build asan tests ;;
    unit-asan) build/asan/bin/unit-tests ;;
    golden-asan) APFCTL=$PWD/build/asan/bin/apfctl tests/golden/run.sh ;;
    examples-asan) VARIANT=asan tests/examples/run.sh ;;
    build-tsan) run_build tsan apfctl ;;
    threads-tsan) VARIANT=tsan tests/examples/threads.sh ;;
    *) echo "no such suite: $1 (there are: $suites)"; return 2 ;;
  esac
}

# "PASSED FAILED" of a log.
count() {
  awk '
    /^[0-9]+ passed, [0-9]+ failed$/ { passed = $1; failed = $3 }
    /^All tests passed \([0-9]+ assertions? in [0-9]+ test cases?\)$/ { passed = $7; failed = 0 }
    /^test cases: / {
      passed = 0; failed = 0
      for (i = 1; i < NF; i++) { if ($(i + 1) == "passed") passed = $i; if ($(i + 1) == "failed") failed = $i }
    }
    END { print passed + 0, failed + 0 }' "$1"
}

[ "${1:-}" = -l ] && { printf '%s\n' $suites; exit 0; }
total_passed=0 total_failed=0
for suite in ${*:-$suites}; do
  log=$logs/$suite.log
  started=$(date +%s)
  run_suite "$suite" >$log 2>&1 </dev/null
  status=$?
  read -r passed failed < <(count $log)
  # What went wrong outside of a counted test is one failure.
  if [ $status -ne 0 ] && [ "$failed" = 0 ]; then
    failed=1
    echo "$suite: ended with status $status" >>$log
  elif [ "$passed" = 0 ] && [ "$failed" = 0 ]; then
    failed=1
    echo "$suite: reported no tests" >>$log
  fi
  printf '%-14s %5d passed %4d failed  %4d s\n' "$suite" "$passed" "$failed" $(($(date +%s) - started))
  if [ "$failed" != 0 ]; then
    tail -n 40 $log | sed 's/^/    /'
    echo "    (all of it: $log)"
  fi
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
done
echo "$total_passed passed, $total_failed failed" | tee $logs/summary
[ $total_failed = 0 ]
