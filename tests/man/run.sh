#!/bin/bash
# Compares the manual with the program: every command has a page, a page and the help list the same long flags, every
# page passes mandoc's lint, and every page that is referred to exists. Also checks the words that users read.
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
apfctl=$(realpath "${APFCTL:-build/release/bin/apfctl}") || exit 2
[ -x "$apfctl" ] || { echo "$apfctl cannot be run: make first, or set APFCTL"; exit 2; }
# The pages as they are installed: what is kept in man/, and what follows from tables.
manual=$(dirname "$apfctl")/../man
[ -f "$manual/apfctl-rules.7" ] || { echo "there is no manual in $manual: make first"; exit 2; }

passed=0 failed=0
verdict() {  # verdict NAME FOUND: passes when FOUND is empty
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$1" "$2"
  fi
}
flags_of_help() { sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | sort -u; }
flags_of_page() { sed -n 's/^\.It Fl //p' "$1" | grep -o 'Fl -[a-z-]*\|^-[a-z-]*' | sed 's/^Fl //; s/^-//' | sort -u; }

commands=$("$apfctl" help --all | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^apfctl$')
[ "$(wc -w <<<"$commands")" -ge 5 ] || { echo "no commands in the help"; exit 2; }
for command in $commands; do
  page=$manual/apfctl-$command.1
  if [ ! -f "$page" ]; then
    verdict "page of $command" "there is no man/apfctl-$command.1"
    continue
  fi
  help=$("$apfctl" "$command" --help=all | flags_of_help)
  [ -n "$help" ] || help="(no flags in the help)"
  verdict "flags of $command: help (<) and page (>)" "$(diff <(echo "$help") <(flags_of_page "$page") | grep '^[<>]')"
  grep -q "^\.It Cm $command$" "$manual/apfctl.1"
  verdict "$command in apfctl(1)" "$([ $? = 0 ] || echo "it is not in the list of commands")"
done
for page in man/apfctl-*.1; do
  name=${page#man/apfctl-}
  verdict "$page" "$(grep -qx "${name%.1}" <<<"$commands" || echo "there is no such command")"
done
# Mistakes in what is kept are found where the pages are made.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
verdict "the pages are made of man/ and of tables" "$(python3 tools/docs/pages.py "$made" 2>&1)"
for page in "$made"/*; do
  verdict "$(basename "$page") is as it is made anew" "$(diff "$manual/$(basename "$page")" "$page")"
done
verdict "apfctl-rules.7 is as it is made anew" \
  "$("$apfctl" rules -o json | python3 tools/docs/rules_page.py | diff "$manual/apfctl-rules.7" - | head -20)"
verdict "there is no other page" "$(diff <(cd "$made" && ls; echo apfctl-rules.7) <(ls "$manual") | grep '^[<>]' | sort -k2 | uniq -uf1)"
verdict "kinds of remarks: the table and remarks.h" "$(python3 tools/docs/remarks.py --check 2>&1)"
# The table of log formats, against the names that an unknown one is answered with.
formats=$("$apfctl" trace - --log-format none 2>&1 | sed -n 's/.*expected one of auto, //p' | tr -d ' ' | tr ',' '\n' | sort)
[ -n "$formats" ] || formats="(no formats in the message)"
verdict "log formats: program (<) and apfctl-logs(5) (>)" \
  "$(diff <(echo "$formats") <(sed -n '/^\.Sh FORMATS/,/^\.Sh TIMES/s/^\.It Cm //p' "$manual/apfctl-logs.5" | tr -d ' ' | tr ',' '\n' | sort) | grep '^[<>]')"
# What a reader of the manual, the help or the README sees is plain English. The rules have their own test.
stilted='told|mends?|mended|stands? (alone|there|in)|led here|put back|likewise|of its like'
for page in "$manual"/* README.md; do
  [ "$page" = "$manual/apfctl-rules.7" ] && continue
  verdict "plain words in $(basename "$page")" "$(grep -niwE "$stilted" "$page")"
done
for schema in "$manual"/../schemas/*; do
  verdict "plain words in $(basename "$schema")" "$(grep -niwE "$stilted" "$schema")"
done
verdict "flags that schemas name have a page" "$(grep -oh -- '--[a-z][a-z-]*' "$manual"/../schemas/* | sort -u |
  while read -r flag; do grep -q "^\.It Fl .*-${flag#--}\b" "$manual"/*.1 || [ "$flag" = --admission-control-config-file ] || echo "$flag"; done)"
for command in "" $commands; do
  verdict "plain words in the help of $command" "$("$apfctl" help --all $command | grep -niwE "$stilted")"
done
for page in "$manual"/*; do
  # groff calls a manual a BSD manual unless the page names another system; man(1) shows that title.
  if command -v groff >/dev/null; then
    verdict "title of $(basename "$page")" "$(groff -mandoc -Tascii "$page" 2>/dev/null | grep BSD)"
  fi
  verdict "lint of $(basename "$page")" "$(mandoc -T lint -W warning "$page" 2>&1)"
  verdict "references of $(basename "$page")" "$(grep -ho '^\.Xr [^ ]* [0-9]' "$page" | sort -u | while read -r _ name section; do [ -f "$manual/$name.$section" ] || echo "$name($section)"; done)"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
