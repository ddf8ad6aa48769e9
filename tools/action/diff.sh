#!/bin/bash
# The action's fourth step: what the change moves, as annotations and for the report. Differences fail nothing: they are what
# the change is for. The inputs come in the environment, so that nothing in them is run.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mkdir -p "$report"
arguments=(diff -o github -o "markdown=$report/diff.md")
[ -z "$APFCTL_KUBERNETES_VERSION" ] || arguments+=("--kubernetes-version=$APFCTL_KUBERNETES_VERSION")
[ -z "$APFCTL_SEATS" ] || arguments+=("--server-concurrency=$APFCTL_SEATS")
[ -z "$APFCTL_SERVER" ] || arguments+=("--server=$APFCTL_SERVER")
# shellcheck disable=SC2206
arguments+=(-- "$APFCTL_BASE" $APFCTL_FILES)
code=0
apfctl "${arguments[@]}" || code=$?
[ "$code" -gt 1 ] || code=0
printf '%d diff: %s\n' "$code" "what it shows fails nothing: it is what the change is for" >>"$report/verdicts.txt"
exit "$code"
