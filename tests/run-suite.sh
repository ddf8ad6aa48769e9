#!/bin/bash
# Builds and runs suites, keeps their logs in build/check/, and sums up. The last line is "N passed, N failed".
# A suite fails as a whole when it ends early, reports no tests, or its build fails.
#
#   tests/run-suite.sh [SUITE|SET]...    those named, in this order; -l lists the suites by set (default: check)
set -u
cd "$(dirname "$0")/.." || exit 2
make="${MAKE:-make} --no-print-directory -s -j$(nproc)"
logs=build/check
mkdir -p $logs
rm -f $logs/summary

# With a sanitizer, a report ends the program with an exit code of its own.
export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
# Suppressions: none. Libraries of the system are not instrumented, so a race inside them is not seen either.
export TSAN_OPTIONS=exitcode=99
unset NO_COLOR CLICOLOR_FORCE APFCTL APFCTL_CONFIG UPDATE WITHOUT_SLOW
export LC_ALL=C.UTF-8 TERM=dumb

# What every change needs, and what takes sanitizers, a browser, other shells, Prometheus or a clean Debian.
check="build format scope additions methods names portable unit golden arrows link-arrows memory examples install width formats wrappings repositories fidelity verdicts order threads symbols hardening man docs schema metrics completion help new action recipes readme lsp-memory merge commands walks tasks"
rest="build-benches toy-rows libcxx html promtool neovim emacs vscode shells fleet campaign build-asan unit-asan golden-asan fuzz-asan campaign-asan wasm-smoke"
# Fetches sources and a clean Debian.
packages="static deb arm64"
# Sweeps on engines, Slurm among them: `make check-fleet`.
engines="fleet slurm"
# Takes hours: what `make check-all` does in small, and the fuzzers (FUZZ_SECONDS each).
long="build build-benches together libcxx growth build-wasm golden-wasm npm playground build-asan golden-asan-long examples-asan campaign-long build-tsan threads-tsan-long fuzz"

run_build() { $make VARIANT="$1" "${@:2}" && echo "1 passed, 0 failed"; }
# The demo's: five minutes, 132 MB.
long_log() { [ -e $logs/long.log ] || { $make VARIANT=release examples && build/release/bin/generate-amok-controller -o $logs/long.log; }; }
run_suite() {
  case $1 in
    build) run_build release tests ;;
    build-benches) run_build release benches ;;
    format) tests/arch/format.sh ;;
    arrows) tests/arch/arrows.sh ;;
    link-arrows) python3 tests/arch/link_arrows.py build/release ;;
    scope) python3 tests/arch/scope.py ;;
    additions) python3 tests/arch/additions.py ;;
    methods) python3 tests/arch/methods.py ;;
    toy-rows) python3 tests/arch/toy_rows.py ;;
    portable) python3 tests/arch/portable.py ;;
    names) python3 tests/arch/names.py ;;
    together) $make together && echo "1 passed, 0 failed" ;;
    libcxx) $make libcxx && echo "1 passed, 0 failed" ;;
    unit) tests/unit/run.py build/release/bin/unit-tests ;;
    symbols) tests/install/symbols.sh ;;
    hardening) python3 tests/install/hardening.py ;;
    install) tests/install/install.sh ;;
    static) $make all static && python3 tests/packages/static.py ;;
    deb) $make all static && python3 tests/packages/deb.py ;;
    arm64) .ci/deps.sh arm64 && $make dist-binary-arm64 deb-static-arm64 && python3 tests/packages/arm64.py ;;
    golden) APFCTL=$PWD/build/release/bin/apfctl tests/golden/run.sh ;;
    width) python3 tests/golden/width.py ;;
    formats) python3 tests/golden/formats.py ;;
    wrappings) python3 tests/wrappings/check.py build/release/bin/apfctl && python3 tests/wrappings/scrapes.py build/release/bin/apfctl ;;
    repositories) python3 tests/repositories/check.py build/release/bin/apfctl ;;
    fidelity) python3 tests/fidelity/check.py build/release/bin/apfctl ;;
    verdicts) python3 tests/fidelity/verdicts.py build/release/bin/apfctl ;;
    order) python3 tests/order/check.py build/release/bin/apfctl ;;
    threads) python3 tests/threads/check.py build/release/bin/apfctl ;;
    memory) python3 tests/memory/run.py build/release/bin/apfctl ;;
    lsp-memory) python3 tests/memory/lsp.py build/release/bin/apfctl ;;
    merge) python3 tests/memory/merge.py build/release/bin/apfctl ;;
    growth) python3 tests/growth/run.py build/release/bin/apfctl ;;
    man) tests/man/run.sh ;;
    docs) python3 tests/man/docs.py build/release/bin/apfctl ;;
    schema) tests/schema/run.sh ;;
    completion) tests/completion/run.sh bash ;;
    shells) tests/completion/run.sh zsh fish ;;
    help) python3 tests/help/run.py ;;
    new) python3 tests/new/run.py ;;
    action) tests/action/run.sh ;;
    commands | walks) python3 tests/walks/run.py "$1" ;;
    tasks) python3 tests/tasks/run.py build/release/bin/apfctl ;;
    metrics) python3 tests/metrics/check.py names ;;
    promtool) python3 tests/metrics/check.py promtool ;;
    neovim | emacs | vscode) tests/lsp/editor.sh "$1" ;;
    recipes) python3 tests/lsp/recipes.py ;;
    html) python3 tests/html/check.py ;;
    fleet) tests/fleet/run.sh ;;
    slurm) tests/fleet/slurm.sh ;;
    examples) VARIANT=release tests/examples/run.sh ;;
    readme) python3 tests/readme/run.py README.md libapf/README.md ;;
    # A few cases of each command; golden-wasm has them all.
    wasm-smoke)
      .ci/deps.sh wasm || { echo "skipped: Emscripten, or the sources of the libraries, cannot be had from the distribution's archive"; return 0; }
      for script in tools/wasm/npm/*.mjs tools/playground/*.js tests/playground/*.mjs; do node --check "$script" || return; done
      $make wasm-smoke && APFCTL=$PWD/build/wasm-smoke/cli.mjs python3 tests/wasm/golden.py 'lint/a*' 'validate/a*' 'default/[a-c]*' \
        'convert/[a-c]*' 'explain/a[a-m]*' 'hand/[a-b]*' 'limits/[a-b]*' 'ladder/[a-e]*' 'diff/[a-c]*' 'test/[a-b]*' 'log/a*' 'replay/a*' \
        'compare/a*' 'inspect/[a-b]*' 'quota/[a-c]*'
      ;;
    build-wasm) $make wasm && echo "1 passed, 0 failed" ;;
    golden-wasm) python3 tests/wasm/golden.py ;;
    npm) $make npm && long_log && python3 tests/wasm/npm.py build/npm/apfctl-*.tgz build/release/bin/apfctl build/check/long.log ;;
    playground) $make playground && long_log && tests/playground/run.sh build/check/long.log ;;
    build-asan) run_build asan tests ;;
    unit-asan) tests/unit/run.py build/asan/bin/unit-tests ;;
    # Without some thirty cases that take half of the time, which run in golden-asan-long, and in golden without sanitizers; and
    # without the search for leaks, which takes a third of a short run: golden-asan-long has it, and unit-asan.
    golden-asan) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 WITHOUT_SLOW=1 APFCTL=$PWD/build/asan/bin/apfctl tests/golden/run.sh ;;
    golden-asan-long) APFCTL=$PWD/build/asan/bin/apfctl tests/golden/run.sh ;;
    examples-asan) VARIANT=asan tests/examples/run.sh ;;
    campaign) python3 tests/fuzz/campaign.py --count "${CAMPAIGN:-2000}" build/release/bin/apfctl ;;
    campaign-asan) python3 tests/fuzz/campaign.py --count "${CAMPAIGN:-500}" build/asan/bin/apfctl ;;
    campaign-long) python3 tests/fuzz/campaign.py --count "${CAMPAIGN:-20000}" build/asan/bin/apfctl ;;
    build-tsan) run_build tsan apfctl ;;
    threads-tsan) VARIANT=tsan tests/examples/threads.sh ;;
    threads-tsan-long) VARIANT=tsan REQUESTS="${REQUESTS:-200000}" tests/examples/threads.sh ;;
    fuzz) $make VARIANT=fuzz fuzzers && tests/fuzz/run.sh ;;
    # The seeds, and a little beyond them.
    fuzz-asan) $make VARIANT=asan fuzzers && FUZZ_SECONDS="${FUZZ_SECONDS:-2}" tests/fuzz/run.sh build/asan ;;
    *) echo "no such suite: $1 (there are: $check $rest $packages $engines $long)"; return 2 ;;
  esac
}

# These use all processors themselves, or measure; the others run beside each other.
alone() { case $1 in deb | arm64 | build* | wasm-smoke | unit* | golden* | threads* | merge | growth | fleet | slurm | campaign* | fuzz | npm | playground) true ;; *) false ;; esac; }

# "PASSED FAILED" of a log: what its last line says.
count() { tail -n 1 "$1" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p'; }

run_and_report() {
  local suite=$1 log=$logs/$1.log started status passed failed
  started=$(date +%s)
  run_suite "$suite" >"$log" 2>&1 </dev/null
  status=$?
  read -r passed failed < <(count "$log")
  passed=${passed:-0} failed=${failed:-0}
  # What went wrong outside of a counted test is one failure.
  if [ $status -ne 0 ] && [ "$failed" = 0 ]; then
    failed=1
    echo "$suite: ended with status $status" >>"$log"
  elif [ "$passed" = 0 ] && [ "$failed" = 0 ] && ! grep -q '^skipped: ' "$log"; then
    failed=1
    echo "$suite: reported no tests" >>"$log"
  fi
  echo "$passed $failed" >"$logs/$suite.count"
  (
    flock 9
    printf '%-14s %5d passed %4d failed  %4d s\n' "$suite" "$passed" "$failed" $(($(date +%s) - started))
    sed -n 's/^skipped: /    &/p' "$log"
    if [ "$failed" != 0 ]; then
      tail -n 40 "$log" | sed 's/^/    /'
      echo "    (all of it: $log)"
    fi
  ) 9>"$logs/report.lock"
}

[ "${1:-}" = -l ] && { printf 'check: %s\nrest: %s\npackages: %s\nengines: %s\nlong: %s\n' "$check" "$rest" "$packages" "$engines" "$long"; exit 0; }
suites=
for name in "${@:-check}"; do
  case $name in
    check) suites+=" $check" ;;
    rest) suites+=" $rest" ;;
    packages) suites+=" $packages" ;;
    engines) suites+=" $engines" ;;
    long) suites+=" $long" ;;
    *) suites+=" $name" ;;
  esac
done
for suite in $suites; do
  # The tree is formatted as one version of clang-format does it.
  if [ "$suite" = format ] && ! tests/arch/format.sh -q; then
    echo "format         not checked: clang-format is not installed, or is another version (tests/arch/format.sh)"
    suites=${suites/ format/}
  fi
  rm -f "$logs/$suite.count"
done
for suite in $suites; do
  if alone "$suite"; then
    wait
    run_and_report "$suite"
  else
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    run_and_report "$suite" &
  fi
done
wait

passed=0 failed=0
for suite in $suites; do
  read -r p f <"$logs/$suite.count" || { p=0 f=1; }
  passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed" | tee $logs/summary
[ $failed = 0 ]
