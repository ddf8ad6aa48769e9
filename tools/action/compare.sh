#!/bin/bash
# The action's fifth step: who waits longer or is refused on the traffic of a log, as annotations and for the report. What must
# hold stands in `expect`, one expectation a line. The inputs come in the environment, so that nothing in them is run.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mkdir -p "$report"
arguments=(compare -o github -o "markdown=$report/compare.md")
[ -z "$APFCTL_KUBERNETES_VERSION" ] || arguments+=("--kubernetes-version=$APFCTL_KUBERNETES_VERSION")
while IFS= read -r expectation; do
  [ -z "$expectation" ] || arguments+=("--expect=$expectation")
done <<<"$APFCTL_EXPECT"
# shellcheck disable=SC2206
logs=($APFCTL_LOG)
for log in "${logs[@]}"; do arguments+=("--log=$log"); done
# shellcheck disable=SC2206
arguments+=(-- "$APFCTL_BASE" $APFCTL_FILES)
exec apfctl "${arguments[@]}"
