#!/bin/bash
# Installs into an empty DESTDIR, compiles and runs a client against what is there, and uninstalls again.
# Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
make=${MAKE:-make}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
check() {  # check NAME COMMAND...: passes when the command succeeds
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name"
    cat "$work/log"
  fi
}
without_python() {
  local tools=$work/tools
  mkdir "$tools"
  ln -s $(for name in sh sed seq tr cut head mkdir touch uname grep awk ls cat; do command -v $name; done) "$tools/"
  PATH=$tools "$(command -v "$make")" -n BUILD="$work/none" "$work/none/schemas/log.schema.json" 2>&1 | grep -F 'python3 writes the schemas and the manual'
}
is() { [ "$1" = "$2" ] || { printf 'got:      %s\nexpected: %s\n' "$1" "$2"; false; }; }

prefix=/opt/apf
root=$work/root
check "install" $make --no-print-directory install DESTDIR="$root" PREFIX=$prefix
in=$root$prefix
check "apfctl runs where it was installed" "$in/bin/apfctl" version
check "apfctl finds the installed library by its own path" sh -c "ldd '$in/bin/apfctl' | grep -F '$in/bin/../lib/libapf.so'"
version=$(sed -n 's/^#define APF_VERSION_M[A-Z]* //p;s/^#define APF_VERSION_PATCH //p' libapf/include/apf/version.h | paste -sd.)
check "pkg-config knows the version" is "$(PKG_CONFIG_PATH=$in/lib/pkgconfig pkg-config --modversion apf)" "$version"

expected="service-accounts workload-low hand of 6, 8 levels, error caught"
flags=$(PKG_CONFIG_PATH=$in/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs apf)
check "a client compiles with pkg-config's flags" sh -c "g++ -std=c++20 -Wall -Wextra -Werror tests/install/client.cc $flags -o '$work/client'"
check "and runs" is "$(LD_LIBRARY_PATH=$in/lib "$work/client")" "$expected"
# What an embedder gets from lint_project() is what the command finds: findings, their order and the verdict.
same_findings() {
  local dir compared=0
  for dir in tests/golden/lint/*/; do
    (cd "$dir" && "$in/bin/apfctl" lint -q -o concise --today 2026-11-20 .; echo "$?") >"$work/command" 2>"$work/error"
    grep -q . "$work/error" && continue  # no configuration in it
    (cd "$dir" && LD_LIBRARY_PATH=$in/lib "$work/client" .; echo "$?") >"$work/library"
    compared=$((compared + 1))
    # The command breaks what would be a command of a CI system, wherever it stands.
    sed -i 's/\\u0023/#/g; s/\\u003a/:/g' "$work/command" "$work/library"
    diff "$work/command" "$work/library" || return 1
  done
  [ "$compared" -gt 50 ]
}
check "lint_project() finds what apfctl lint finds" same_findings
check "a client compiles with -lapf alone" \
  g++ -std=c++20 -I"$in/include" tests/install/client.cc -L"$in/lib" -lapf -Wl,-rpath,"$in/lib" -o "$work/plain"
check "and runs" is "$("$work/plain")" "$expected"
flags=$(PKG_CONFIG_PATH=$in/lib/pkgconfig:$(pkg-config --variable pc_path pkg-config) pkg-config --static --libs-only-l --libs-only-other apf | sed 's/-lapf//')
check "a client links the static library" \
  sh -c "g++ -std=c++20 -I'$in/include' tests/install/client.cc '$in/lib/libapf.a' $flags -o '$work/static'"
check "and runs without the shared one" is "$("$work/static")" "$expected"
check "the client needs libapf by its soname" sh -c "objdump -p '$work/plain' | grep -E 'NEEDED +libapf\.so\.(0\.[0-9]+|[1-9][0-9]*)$'"

check "the tutorials of the installed headers compile" tests/install/tutorials.sh "$in/include"

for page in build/release/man/*.[157]; do
  check "$(basename "$page") is installed" cmp "$page" "$in/share/man/man${page##*.}/$(basename "$page")"
done
for page in man/*.[157]; do
  check "$(basename "$page") is made" test -f "build/release/$page"
done
for schema in build/release/schemas/*; do
  check "$(basename "$schema") is installed" cmp "$schema" "$in/share/apfctl/schemas/$(basename "$schema")"
done
for schema in schemas/*.json; do
  check "$(basename "$schema") is installed as it is kept" cmp "$schema" "$in/share/apfctl/schemas/$(basename "$schema")"
done
check "without python3 make says what it is for" without_python

# A second install over the first one, then nothing must be left.
check "install again" $make --no-print-directory install DESTDIR="$root" PREFIX=$prefix
check "uninstall" $make --no-print-directory uninstall DESTDIR="$root" PREFIX=$prefix
check "uninstall leaves no file" is "$(find "$root" ! -type d)" ""
check "uninstall leaves no folder of its own" is "$(find "$root" -path '*apf/*' -name '*apf*')" ""

# For one user, with nothing but a home.
mkdir "$work/home"
check "user-install" $make --no-print-directory user-install HOME="$work/home"
check "and its program runs" "$work/home/.local/bin/apfctl" version
check "user-uninstall" $make --no-print-directory user-uninstall HOME="$work/home"
check "user-uninstall leaves no file" is "$(find "$work/home" ! -type d)" ""

# The sources as packed hold what is kept; outside a git checkout, everything but the build.
kept=$(git ls-tree -r --name-only HEAD 2>/dev/null || find . -path ./build -prune -o -type f -print)
check "dist" $make --no-print-directory dist
check "the packed sources unpack" tar -xzf "build/apfctl-$version.tar.gz" -C "$work"
check "and know their targets" sh -c "cd '$work/apfctl-$version' && $make help | grep -q 'make check'"
check "and hold all that is kept" is "$(cd "$work/apfctl-$version" && find . -type f | wc -l)" "$(wc -l <<<"$kept")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
