#!/bin/bash
# What libapf.so exports: symbols of namespace apf that a public header names, and nothing else.
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

# Each name (apf::Classifier::levels) must stand in a public header.
words=$(cat libapf/include/apf/*.h | sed 's|//.*||' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u)
found=$(sed -E 's/^(typeinfo|typeinfo name|vtable) for //; s/\[abi:[a-z0-9]+\]//; s/\(.*//; s/<.*//' <<<"$exported" | sort -u | while read -r name; do
  for part in ${name//::/ }; do
    part=${part#\~}
    case $part in operator*) continue ;; esac
    grep -qx "$part" <<<"$words" || echo "$name: no public header names $part"
  done
done)
verdict "every exported name stands in a public header" "$found"

# And every function marked APF_API is there: a forgotten definition would show in a user's link only.
found=$(grep -hE '^APF_API [^;{]*\(' libapf/include/apf/*.h | sed -E 's/\(.*//; s/.*[ *&>]//' | sort -u | while read -r name; do
  grep -qE "^apf::$name(\[abi:[a-z0-9]+\])?\(" <<<"$exported" || echo "apf::$name is declared APF_API and not exported"
done)
verdict "every function marked APF_API is exported" "$found"

soname=$(objdump -p "$so" | awk '$1 == "SONAME" {print $2}')
verdict "soname" "$([[ $soname =~ ^libapf\.so\.[0-9]+$ ]] || echo "$soname")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
