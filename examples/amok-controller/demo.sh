#!/bin/sh
# What `make demo` shows: the log is generated and replayed, first with the configuration as it was, then with a level of
# its own for the controller that ran amok; and what the linter says to a configuration that the server would take.
set -eu
cd "$(dirname "$0")"
bin=$PWD/../../build/release/bin
work=$PWD/../../build/demo
mkdir -p "$work"
cp before.yaml after.yaml objects.txt "$work"
cd "$work"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
replay() {
  page=${1%.yaml}.html
  say "\$ apfctl replay audit.log -f $1 --objects objects.txt --max-requests-inflight 100 --max-mutating-requests-inflight 50 -o text -o html=$page"
  "$bin/apfctl" replay audit.log -f "$1" --objects objects.txt --max-requests-inflight 100 --max-mutating-requests-inflight 50 -o text -o "html=$page"
}

say "An audit log of five minutes; a controller in namespace shop runs amok, then all log shippers restart."
"$bin/generate-amok-controller" -o audit.log
ls -l audit.log | awk '{printf "build/demo/audit.log: %d MB\n", $5 / 1e6}'

replay before.yaml
say "The same traffic, but the controller has a FlowSchema and a priority level of its own (after.yaml):"
replay after.yaml
say "Seats, waits and refusals over time, for a browser: build/demo/before.html and build/demo/after.html"
say "Who was refused, who waited, and why: examples/amok-controller/README.md"

say "No log is needed to see that a configuration does not do what was meant:"
cd "$OLDPWD/../lint-review"
say "\$ apfctl lint before.yaml --select unreachable-schema,takes-system-traffic"
"$bin/apfctl" lint before.yaml --select unreachable-schema,takes-system-traffic || [ $? = 1 ]
say "All of it, and how to fix it: examples/lint-review/README.md"
