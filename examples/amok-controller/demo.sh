#!/bin/sh
# What `make demo` shows: a controller runs amok, and a change of the configuration is tried on the log of it: compared,
# and each side replayed. The whole reports and the pages go to build/demo.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
bin=$root/build/release/bin
work=$root/build/demo
mkdir -p "$work"
cp before.yaml after.yaml objects.txt "$work"
cd "$work"

bold() { printf '\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || bold() { echo "$*"; }
server='--objects objects.txt --max-requests-inflight 100 --max-mutating-requests-inflight 50'

"$bin/generate-amok-controller" -o audit.log
requests=$(wc -l <audit.log)
for side in before after; do
  echo "Replaying $requests lines of audit log: $side.yaml"
  # shellcheck disable=SC2086
  "$bin/apfctl" replay audit.log -f $side.yaml $server -o "text=$side.txt" -o "html=$side.html"
done
# shellcheck disable=SC2086
"$bin/apfctl" compare before.yaml after.yaml --log audit.log $server -o text=compare.txt -o html=compare.html

echo
echo "A controller in namespace shop asks without pause, on a server of 150 seats. The"
echo "change under test, after.yaml, gives it a FlowSchema and a level of its own:"
bold '$ apfctl compare before.yaml after.yaml --log audit.log'
sed '/^$/,$d' compare.txt
echo
bold "Look at"
echo "  build/demo/before.html, after.html (seats, waits and refusals over time)"
echo "  build/demo/compare.txt, before.txt, after.txt (the whole reports)"
bold "Type next"
echo "  export PATH=$root/build/release/bin:\$PATH"
echo "  apfctl log build/demo/audit.log              # who was refused, and why"
echo "  apfctl lint examples/lint-review/before.yaml # what a configuration gets wrong"
echo "  apfctl explain list pods -n shop --as sa:shop/order-sync"
echo "To keep it: make user-install (below ~/.local, no root)."
