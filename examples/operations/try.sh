#!/bin/sh
# Tries the alerts and the dashboard on the replays of ../amok-controller, before and after the change, with promtool. Needs
# `make examples`, promtool and python3. BIN: where apfctl and the generator are.
set -eu
cd "$(dirname "$0")"
bin=${BIN:-../../build/release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${GENERATOR:-$bin/generate-amok-controller}" -o "$work/audit.log"
cp alerts.yaml dashboard.json "$work"
for side in before after; do
  "$bin/apfctl" replay "$work/audit.log" -q -f "../amok-controller/$side.yaml" --objects ../amok-controller/objects.txt \
    --max-requests-inflight 100 --max-mutating-requests-inflight 50 -o text=/dev/null --metrics-series "$work/$side.txt"
  cp "expected-$side.yaml" "$work"
  (cd "$work" && python3 "$OLDPWD/series.py" "$side.txt" alerts.yaml dashboard.json "expected-$side.yaml" 15 >"test-$side.yaml" && promtool test rules "test-$side.yaml")
done
