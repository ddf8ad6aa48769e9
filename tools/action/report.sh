#!/bin/bash
# The action's last step: what the others found, as the job's summary and as one comment of the pull request, which later runs
# write anew.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mark='<!-- apfctl -->'
mkdir -p "$report"
{
  echo "$mark"
  for part in lint test; do
    if [ -s "$report/$part.txt" ]; then
      printf '### apfctl %s\n\n```text\n' "$part"
      head -c 20000 "$report/$part.txt" | sed 's/```/` ` `/g'
      printf '\n```\n\n'
    fi
  done
  for part in diff compare; do
    if [ -s "$report/$part.md" ]; then head -c 20000 "$report/$part.md" && echo; fi
  done
} >"$report/comment.md"
cat "$report/comment.md" >>"$GITHUB_STEP_SUMMARY"
if [ "$APFCTL_COMMENT" != true ] || [ -z "${APFCTL_PULL_REQUEST:-}" ]; then
  exit 0
fi
comments=repos/$GITHUB_REPOSITORY/issues
number=$(gh api --paginate "$comments/$APFCTL_PULL_REQUEST/comments" \
  --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | sed -n 1p)
if [ -n "$number" ]; then
  gh api --silent --method PATCH "$comments/comments/$number" -F "body=@$report/comment.md"
else
  gh api --silent --method POST "$comments/$APFCTL_PULL_REQUEST/comments" -F "body=@$report/comment.md"
fi
