#!/bin/bash
# The public headers: each compiles alone, opens with a tutorial whose examples compile with that header, and is one of
# a closed list. Usage: tutorials.sh [INCLUDE_DIR]. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
include=${1:-libapf/include}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
verdict() {  # verdict NAME FOUND: passes when FOUND is empty
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$1" "$2"
  fi
}

for header in "$include"/apf/*.h; do
  name=$(basename "$header" .h)
  # An example: lines of the first comment that are indented by three spaces.
  sed '/^#pragma once/,$d' "$header" | sed -n 's|^//   ||p' >"$work/$name.example"
  verdict "$name.h opens with an example" "$([ -s "$work/$name.example" ] || echo "$header has none")"
  {
    printf '#include <apf/%s.h>\n#include <cstdio>\nvoid example() {\n' "$name"
    cat "$work/$name.example"
    printf '}\n'
  } >"$work/$name.cc"
  verdict "the example of $name.h compiles" \
    "$(g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable \
      -I"$include" "$work/$name.cc" 2>&1)"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
