#!/bin/bash
# Runs the golden tests: each folder <command>/<case>/ holds `cmd`, a shell line that is run there with apfctl in
# PATH and an empty folder $OUT to write to, and what must come out of it: `stdout`, `stderr` and `code`, byte for byte.
# A case with a file `skip-if` (a shell condition) is skipped where that holds, and says so.
#
#   tests/golden/run.sh [COMMAND[/CASE]]...     all, or those named
#   UPDATE=1 tests/golden/run.sh ...            write what comes out as what must come out
#   APFCTL=path/to/apfctl                       the binary (default build/release/bin/apfctl)
set -u
cd "$(dirname "$0")" || exit 2
apfctl=$(realpath "${APFCTL:-../../build/release/bin/apfctl}") || exit 2
[ -x "$apfctl" ] || { echo "$apfctl cannot be run: make first, or set APFCTL"; exit 2; }

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$apfctl" "$work/bin/apfctl"
PATH=$work/bin:$PATH
# What a user's terminal and shell may have set must not matter.
unset NO_COLOR CLICOLOR_FORCE COLUMNS
export TERM=xterm PATH

run_case() {  # CASE: leaves its outcome in $work/CASE/verdict
  local dir=$work/cases/$1
  mkdir -p "$dir/out"
  if [ -f "$1/skip-if" ] && (cd "$1" && bash ./skip-if) >/dev/null 2>&1; then
    echo skipped >"$dir/verdict"
    return
  fi
  (cd "$1" && OUT=$dir/out timeout 120 bash ./cmd >"$dir/stdout" 2>"$dir/stderr" </dev/null)
  echo $? >"$dir/code"
  local verdict=passed file
  for file in stdout stderr code; do
    if [ "${UPDATE:-}" = 1 ]; then
      cp "$dir/$file" "$1/$file"
    elif ! cmp -s "$1/$file" "$dir/$file"; then
      verdict=failed
      { echo "--- $1/$file"; diff -u "$1/$file" "$dir/$file" | tail -n +3 | head -40; } >>"$dir/report" 2>&1
    fi
  done
  echo $verdict >"$dir/verdict"
}

if [ $# -eq 0 ]; then
  cases=$(printf '%s\n' */*/cmd)
else
  cases=$(for name in "$@"; do case $name in */*) echo "$name/cmd" ;; *) printf '%s\n' "$name"/*/cmd ;; esac; done)
fi
jobs=$(nproc)
for file in $cases; do
  case=${file%/cmd}
  [ -f "$file" ] || { echo "there is no case $case"; exit 2; }
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  run_case "$case" &
done
wait

passed=0 failed=0
for file in $cases; do
  case=${file%/cmd}
  case $(cat "$work/cases/$case/verdict" 2>/dev/null) in
    passed) passed=$((passed + 1)) ;;
    skipped) echo "skipped $case: $(sed -n 's/^# //p' "$case/skip-if" | head -1)" ;;
    *)
      failed=$((failed + 1))
      echo "FAILED $case: $(head -1 "$case/cmd")"
      cat "$work/cases/$case/report" 2>/dev/null
      ;;
  esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
