#!/bin/bash
# The report and the decisions of a replay are the same bytes for any number of threads. Built with VARIANT=tsan, it also
# finds races. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
apfctl=$PWD/build/${VARIANT:-release}/bin/apfctl
example=examples/amok-controller
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/release/bin/generate-amok-controller --requests "${REQUESTS:-30000}" -o "$work/audit.log" || exit 2

passed=0 failed=0
for threads in 1 2 3 8; do
  if ! "$apfctl" replay "$work/audit.log" -f $example/before.yaml --objects $example/objects.txt --max-requests-inflight 100 \
    --max-mutating-requests-inflight 50 --threads $threads -o json --decisions "$work/decisions-$threads" \
    >"$work/report-$threads" 2>"$work/errors"; then
    echo "FAILED replay with $threads threads"
    tail -n 60 "$work/errors"
    failed=$((failed + 1))
    continue
  fi
  for part in report decisions; do
    if [ -s "$work/$part-$threads" ] && cmp "$work/$part-1" "$work/$part-$threads"; then
      passed=$((passed + 1))
    else
      echo "FAILED $part with $threads threads differs from that with 1"
      failed=$((failed + 1))
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
