#!/bin/bash
# What libapf.so exports: the functions that public headers declare, and nothing else.
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
so=$(ls build/"${VARIANT:-release}"/lib/libapf.so.*.*.*) || exit 2

passed=0 failed=0
verdict() {
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$1" "$2"
  fi
}

exported=$(nm -D --defined-only "$so" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | c++filt | sort -u)
verdict "something is exported" "$([ "$(wc -l <<<"$exported")" -gt 50 ] || echo "$exported")"
verdict "nothing outside apf::" "$(grep -vE '^((typeinfo|typeinfo name|vtable) for )?apf::' <<<"$exported")"

# Both ways: a function that a public header declares and that is not exported would show in a user's link only.
verdict "what public headers declare is exported, and nothing else" \
  "$(python3 tests/install/public_functions.py libapf/include <<<"$exported")"
# The comparison finds what is missing, and what is too much.
found=$(grep -v '^apf::ClientLimits::of' <<<"$exported"; echo 'apf::forgotten(int)')
verdict "the comparison notices a missing and a superfluous function" \
  "$(python3 tests/install/public_functions.py libapf/include <<<"$found" | diff - <(
    echo 'apf::ClientLimits::of: declared 1 times, exported 0 times'
    echo 'apf::forgotten: exported, but no public header declares it'))"

soname=$(objdump -p "$so" | awk '$1 == "SONAME" {print $2}')
part() { sed -n "s/^#define APF_VERSION_$1 //p" libapf/include/apf/version.h; }
# Before 1.0 every minor version may change the layout of public types.
wanted=libapf.so.$(part MAJOR)$([ "$(part MAJOR)" != 0 ] || echo ".$(part MINOR)")
verdict "the soname changes with every version that may break its users" \
  "$([ "$soname" = "$wanted" ] || echo "is $soname, not $wanted")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
