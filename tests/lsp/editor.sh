#!/bin/bash
# A real client: an editor, with its own LSP client and the recipe of tools/editors, opens examples/lint-review, sees what
# `apfctl lint` finds at the same places, and applies a fix. Last line: "N passed, N failed".
#
#   editor.sh neovim|emacs|vscode    Emacs (160 MB of packages, which .ci/deps.sh leaves out) and VS Code, whose part Node.js
#                                    plays, are skipped where they are missing
set -u
cd "$(dirname "$0")/../.." || exit 2
export REPO=$PWD PATH=$PWD/build/release/bin:$PATH
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp examples/lint-review/before.yaml "$work"
passed=0 failed=0
verdict() {  # verdict NAME EXPECTED GOT
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$1"
    diff <(echo "$2") <(echo "$3")
  fi
}
case $1 in
  neovim) command=(nvim --headless -u NONE -i NONE -n -S "$REPO/tests/lsp/neovim.lua") ;;
  emacs) command=(emacs --batch -l "$REPO/tests/lsp/emacs.el") ;;
  vscode) command=(node "$REPO/tests/lsp/vscode.js") ;;
esac
missing=
[ "$1" != emacs ] || emacs --batch -f package-initialize -l eglot -l yaml-mode >/dev/null 2>&1 ||
  missing="Emacs with eglot and yaml-mode (Debian's emacs-nox, elpa-eglot and elpa-yaml-mode)"
[ "$1" != vscode ] || node --version >/dev/null 2>&1 || missing="Node.js (Debian's nodejs)"
if [ -n "$missing" ]; then
  echo "skipped: there is no $missing"
  echo "0 passed, 0 failed"
  exit
fi
lint=$(cd "$work" && apfctl lint before.yaml -o json -q | jq -r '.findings[] | "\(.line):\(.column): \(.code) \(.message)"' | LC_ALL=C sort)
got=$(cd "$work" && HOME=$work XDG_STATE_HOME=$work timeout 90 "${command[@]}" 2>"$work/said" | tr -d '\r')
got=${got:-$(tail -n 1 "$work/said")}
verdict "findings and their places" "$lint" "$(grep -E '^[0-9]+:[0-9]+: ' <<<"$got" | LC_ALL=C sort)"
verdict "a fix is offered first" 'action APF101: replace it with "tenants" (unsafe: requests may be treated otherwise)' "$(grep -m1 '^action ' <<<"$got")"
verdict "it is applied" "    name: tenants" "$(grep '^    name: ' <<<"$got")"
verdict "no failure" "" "$(grep -i 'failed\|error' <<<"$(grep -vE '^[0-9]+:' <<<"$got")")"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
