#!/bin/bash
# The action's last step: what the others found, as the job's summary and as one comment of the pull request, which later runs
# write anew. A summary may have 1 MiB, and a comment 65,536 characters: what is cut says so.
set -euf
report=${RUNNER_TEMP:-/tmp}/apfctl-report
mark='<!-- apfctl -->'
mkdir -p "$report"

# FILE MOST: whole lines of at most so many bytes. What is open in Markdown when it is cut is closed.
part() {
  local size cut
  size=$(wc -c <"$1")
  if [ "$size" -le "$2" ]; then
    cat "$1"
    return
  fi
  cut=$(head -c "$2" "$1" | sed '$d')
  printf 'Cut to the first %d of %d bytes.\n\n%s\n' "${#cut}" "$size" "$cut"
  case $1 in *.txt) return ;; esac
  if [ $(($(grep -c '^ *```' <<<"$cut") % 2)) = 1 ]; then echo '```'; fi
  local open
  open=$(($(grep -o '<details' <<<"$cut" | wc -l) - $(grep -o '</details' <<<"$cut" | wc -l)))
  while [ "$open" -gt 0 ]; do
    echo '</details>'
    open=$((open - 1))
  done
}

# MOST: bytes of each part.
whole() {
  echo "$mark"
  local name code said
  # Why the check is green or red.
  if [ -s "$report/verdicts.txt" ]; then
    while read -r code said; do
      if [ "$code" = 0 ]; then echo "- ✅ $said"; else echo "- ❌ $said"; fi
    done <"$report/verdicts.txt"
    echo
  fi
  for name in lint test; do
    if [ -s "$report/$name.txt" ]; then
      printf '### apfctl %s\n\n```text\n' "$name"
      part "$report/$name.txt" "$1" | sed 's/```/` ` `/g'
      printf '\n```\n\n'
    fi
  done
  for name in diff compare; do
    if [ -s "$report/$name.md" ]; then part "$report/$name.md" "$1" && echo; fi
  done
}

whole 240000 >>"$GITHUB_STEP_SUMMARY"
if [ "$APFCTL_COMMENT" != true ] || [ -z "${APFCTL_PULL_REQUEST:-}" ]; then
  exit 0
fi
whole 15000 >"$report/comment.md"
comments=repos/$GITHUB_REPOSITORY/issues
# Anybody may write a comment that begins with the mark.
author=$(gh api graphql -f query='{viewer{login}}' --jq .data.viewer.login)
number=$(gh api --paginate "$comments/$APFCTL_PULL_REQUEST/comments" \
  --jq ".[] | select((.body | startswith(\"$mark\")) and .user.login == \"${author:-github-actions[bot]}\") | .id" | sed -n 1p)
if [ -n "$number" ]; then
  gh api --silent --method PATCH "$comments/comments/$number" -F "body=@$report/comment.md"
else
  gh api --silent --method POST "$comments/$APFCTL_PULL_REQUEST/comments" -F "body=@$report/comment.md"
fi
