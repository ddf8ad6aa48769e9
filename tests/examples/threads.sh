#!/bin/bash
# What reads logs writes the same bytes for any number of threads: replays of one server and of several, decisions, traces,
# the requests that findings are about. Built with VARIANT=tsan, it also finds races. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
apfctl=$PWD/build/${VARIANT:-release}/bin/apfctl
example=examples/amok-controller
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/release/bin/generate-amok-controller --requests "${REQUESTS:-30000}" -o "$work/audit.log" || exit 2
# Logs of three servers: every third line each, one of them packed.
for server in 0 1 2; do awk -v of="$server" 'NR % 3 == of' "$work/audit.log" >"$work/server-$server.log"; done
gzip "$work/server-2.log"

passed=0 failed=0
# same NAME "PART..." ARGUMENT...: runs apfctl with 1, 2, 3 and 8 threads; standard output and the files PART are the same.
same() {
  local name=$1 parts=$2 threads part
  shift 2
  for threads in 1 2 3 8; do
    mkdir "$work/$threads"
    if ! (cd "$work/$threads" && "$apfctl" "$@" --threads $threads >report 2>../errors); then
      echo "FAILED $name with $threads threads"
      tail -n 60 "$work/errors"
      failed=$((failed + 1))
      continue
    fi
    for part in report $parts; do
      if [ -s "$work/$threads/$part" ] && cmp "$work/1/$part" "$work/$threads/$part"; then
        passed=$((passed + 1))
      else
        echo "FAILED $name: $part with $threads threads differs from that with 1"
        failed=$((failed + 1))
      fi
    done
  done
  rm -rf "$work"/[1238]
}

before=$PWD/$example/before.yaml
same replay decisions replay ../audit.log -f "$before" --objects "$PWD/$example/objects.txt" --max-requests-inflight 100 \
  --max-mutating-requests-inflight 50 -o json --decisions decisions
same "replay of several servers" "decisions timeline" replay -f "$before" --server a=../server-0.log --server b=../server-1.log \
  --server c=../server-2.log.gz --max-requests-inflight 40 --max-mutating-requests-inflight 20 -o json --decisions decisions --timeline timeline
# The second pass goes on beside the first one.
same "replay of a log of another configuration" decisions replay ../audit.log -f "$before" --objects "$PWD/$example/objects.txt" \
  --recorded config=same --recorded server-concurrency=900 --max-requests-inflight 100 --max-mutating-requests-inflight 50 -o json \
  --decisions decisions
# What the first pass kept is replayed side by side.
after=$PWD/$example/after.yaml
seats="--max-requests-inflight 100 --max-mutating-requests-inflight 50"
same comparison "d.old.jsonl d.new.jsonl" compare "$before" "$after" --log ../audit.log $seats --spread 3 -o json --decisions d.jsonl
same "comparison of a log whose clients wait" "" compare "$before" "$after" --log ../audit.log $seats --spread 2 --client-model auto -o json
same "replay of a log of another configuration, with a spread" decisions replay ../audit.log -f "$after" \
  --recorded config="$before" $seats --spread 3 --client-model auto --retries -o json --decisions decisions
# These have no flag for it: one processor, then all.
alike() {
  local name=$1
  shift
  if taskset -c "$(taskset -cp $$ | grep -o '[0-9]*$')" "$apfctl" "$@" >"$work/one" 2>"$work/errors" && "$apfctl" "$@" >"$work/all" 2>"$work/errors" &&
    [ -s "$work/one" ] && cmp "$work/one" "$work/all"; then
    passed=$((passed + 1))
  else
    echo "FAILED $name on one processor and on all"
    tail -n 60 "$work/errors"
    failed=$((failed + 1))
  fi
}
alike trace trace "$work/audit.log" "$work/server-2.log.gz" --redact=key
alike log log "$work/audit.log" -o json
alike "log, wide" log "$work/audit.log" -o wide
alike "findings by traffic" lint "$before" --no-config --fail-on error --log "$work/audit.log" -o json
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
