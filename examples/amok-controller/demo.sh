#!/bin/sh
# What `make demo` shows, in one screen: a controller runs amok, a level of its own for it is tried on the log, and who is
# better off with that. Says what it does while it does it; the whole reports go to build/demo/.
#
#   demo.sh compile COMMAND...    runs make, and counts what it compiles
#   demo.sh                       the demo
set -eu

# One line that is written over on a terminal, a line a step elsewhere.
step() { if [ -t 1 ]; then printf '\r\033[K%s' "$*"; else printf '%s\n' "$*"; fi; }
finish() { [ ! -t 1 ] || printf '\r\033[K'; }

if [ "${1:-}" = compile ]; then
  shift
  all=$("$@" --dry-run 2>/dev/null | grep -c ' -c ') || all=0
  [ "$all" -gt 0 ] || exit 0
  mkdir -p build/demo
  # make prints a command when it starts.
  { "$@" 2>build/demo/errors.txt && echo ended; } | {
    begun=0 ended=
    while read -r line; do
      case $line in
        ended) ended=yes ;;
        *' -c '*) begun=$((begun + 1)) && step "Compiling: $begun/$all objects (minutes, the first time)" ;;
      esac
    done
    finish
    [ -n "$ended" ]
  } || { cat build/demo/errors.txt >&2; exit 1; }
  exit 0
fi

cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
PATH=$root/build/release/bin:$PATH
mkdir -p "$root/build/demo"
cp before.yaml after.yaml objects.txt "$root/build/demo"
cd "$root/build/demo"
# What that server runs, for every command in this folder.
cat >.apfctl.yaml <<END
max-requests-inflight: 100
max-mutating-requests-inflight: 50
objects: [objects.txt]
END

step "Writing the log: five minutes of a server, in which a controller runs amok"
generate-amok-controller -o audit.log
step "Replaying the log with before.yaml, as text"
apfctl replay audit.log -f before.yaml -q -o text=before.txt
step "Comparing both: each is replayed four times, so that chance does not decide"
apfctl compare before.yaml after.yaml --log audit.log -q -o text=compare.txt --pages compare.html
finish

cat <<END
A log of five minutes, $(($(wc -c <audit.log) / 1000000)) MB: order-sync of namespace shop lists all pods
again and again, and then all log shippers restart. The change (after.yaml): a
FlowSchema and a level for order-sync, which nobody lends seats to. Compared:

END
sed -e '/^$/,$d' -e 's/   */  /g' compare.txt | head -9
cat <<END

Seats, waits and refusals over time, for a browser:
  build/demo/compare.html, which leads to compare.old.html and compare.new.html
Type next (the first line once a shell; make user-install spares you the PATH):
  export PATH=$root/build/release/bin:\$PATH; cd $root/build/demo
  apfctl log audit.log                                 # by the log alone
  apfctl suggest audit.log -f before.yaml --isolate auto   # what would you do?
  apfctl explain list pods -A --as sa:shop/order-sync -f after.yaml
END
