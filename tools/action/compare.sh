#!/bin/bash
# The action's fifth step: who waits longer or is refused on the traffic of a log, as annotations and for the report. What must
# hold stands in `expect`, one expectation a line: by default nobody is refused more often; `none` expects nothing. The inputs
# come in the environment, so that nothing in them is run.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mkdir -p "$report"
arguments=(compare -o github -o "markdown=$report/compare.md")
[ -z "$APFCTL_KUBERNETES_VERSION" ] || arguments+=("--kubernetes-version=$APFCTL_KUBERNETES_VERSION")
[ -z "$APFCTL_SEATS" ] || arguments+=("--server-concurrency=$APFCTL_SEATS")
[ -z "$APFCTL_SERVER" ] || arguments+=("--server=$APFCTL_SERVER")
[ -z "$APFCTL_OBJECTS" ] || arguments+=("--objects=$APFCTL_OBJECTS")
expected=
while IFS= read -r expectation; do
  [ -n "$expectation" ] && [ "$expectation" != none ] || continue
  arguments+=("--expect=$expectation")
  expected+="${expected:+, }$expectation"
done <<<"$APFCTL_EXPECT"
# shellcheck disable=SC2206
logs=($APFCTL_LOG)
for log in "${logs[@]}"; do arguments+=("--log=$log"); done
# shellcheck disable=SC2206
arguments+=(-- "$APFCTL_BASE" $APFCTL_FILES)
code=0
apfctl "${arguments[@]}" || code=$?
case $code in
  0) why="holds on this traffic" ;;
  1) why="does not hold on this traffic" ;;
  *) why="is not decided: apfctl compare could not say" ;;
esac
if [ -z "$expected" ] && [ "$code" = 0 ]; then said="nothing is expected (input expect), so that nothing fails"
else said="${expected:-the comparison} $why"; fi
printf '%d compare: %s\n' "$code" "$said" >>"$report/verdicts.txt"
exit "$code"
