#!/bin/bash
# Every source is formatted as .clang-format says. Last line: "N passed, N failed".
#
#   format.sh -q    only whether this can be checked here: other versions of clang-format break lines differently
set -u
cd "$(dirname "$0")/../.." || exit 2
version=14

here=$(clang-format --version 2>/dev/null | sed -nE 's/.*version ([0-9]+).*/\1/p')
[ "${1:-}" = -q ] && { [ "$here" = $version ]; exit; }
[ "$here" = $version ] || { echo "clang-format $version is needed, ${here:-none} is here"; exit 2; }

sources=$(find libapf tools tests examples \( -name '*.h' -o -name '*.cc' \) | sort)
# One line for each difference: FILE:LINE:COLUMN: error: ...
differing=$(xargs -P"$(nproc)" -n16 clang-format --dry-run -Werror --ferror-limit=1 <<<"$sources" 2>&1 |
  sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: error: .*/\1/p' | sort -u)
[ -z "$differing" ] || printf 'FAILED %s: run `make format`\n' $differing
failed=$(wc -w <<<"$differing")
echo "$(($(wc -l <<<"$sources") - failed)) passed, $failed failed"
[ "$failed" = 0 ]
