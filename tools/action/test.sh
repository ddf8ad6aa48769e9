#!/bin/bash
# The action's third step: failed tests as annotations of the pull request and as JUnit XML. The inputs come in the
# environment, so that nothing in them is run.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mkdir -p "$report"
arguments=(test --require-objects -o github -o "junit=$APFCTL_JUNIT" -o "text=$report/test.txt")
[ -z "$APFCTL_KUBERNETES_VERSION" ] || arguments+=("--kubernetes-version=$APFCTL_KUBERNETES_VERSION")
[ -z "$APFCTL_MIN_COVERAGE" ] || arguments+=("--expect=coverage >= ${APFCTL_MIN_COVERAGE%\%}%")
# The files that globs name: apfctl test takes files alone.
set +f
# shellcheck disable=SC2206
arguments+=(-- $APFCTL_TESTS)
echo "junit=$APFCTL_JUNIT" >>"$GITHUB_OUTPUT"
code=0
apfctl "${arguments[@]}" || code=$?
printf '%d test: %s\n' "$code" "$(sed -n '1p' "$report/test.txt" 2>/dev/null || true)" >>"$report/verdicts.txt"
exit "$code"
