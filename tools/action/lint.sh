#!/bin/bash
# The action's second step: findings as annotations of the pull request and as SARIF. The inputs come in the environment, so
# that nothing in them is run.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mkdir -p "$report"
arguments=(lint --require-objects -o github -o "sarif=$APFCTL_SARIF" -o "concise=$report/lint.txt")
[ -z "$APFCTL_KUBERNETES_VERSION" ] || arguments+=("--kubernetes-version=$APFCTL_KUBERNETES_VERSION")
[ -z "$APFCTL_FAIL_ON" ] || arguments+=("--fail-on=$APFCTL_FAIL_ON")
# Words, without globs of the shell: apfctl reads those itself.
# shellcheck disable=SC2206
arguments+=($APFCTL_ARGS -- $APFCTL_FILES)
echo "sarif=$APFCTL_SARIF" >>"$GITHUB_OUTPUT"
code=0
apfctl "${arguments[@]}" || code=$?
least=${APFCTL_FAIL_ON:-"fail-on of .apfctl.yaml, or warning,"}
case $code in
  0) said="no finding of severity $least or higher; $(wc -l <"$report/lint.txt") below it" ;;
  1) said="findings of severity $least or higher" ;;
  *) said="not decided: apfctl lint could not read its input" ;;
esac
printf '%d lint: %s\n' "$code" "$said" >>"$report/verdicts.txt"
exit "$code"
