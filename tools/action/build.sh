#!/bin/bash
# The action's first step: an apfctl in PATH is used as it is. Else the program released as the action's version is fetched,
# and checked against its checksum; where there is none, apfctl is built from the sources that the action is part of.
set -eu
# What an earlier use of the action in this job found is none of this one's.
rm -rf "${RUNNER_TEMP:-/tmp}/apfctl-report"
if command -v apfctl >/dev/null; then
  exit 0
fi
source=$(cd "$(dirname "$0")/../.." && pwd)

part() { sed -n "s/^#define APF_VERSION_$1 //p" "$source/libapf/include/apf/version.h"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
esac
name=apfctl-$version-linux-$arch
into=${RUNNER_TEMP:-/tmp}/apfctl-released

# Only the tag of a release has a program: a branch or a commit is built.
fetch_released() {
  [ "${APFCTL_ACTION_REF:-}" = "v$version" ] && [ -n "${APFCTL_RELEASES:-}" ] && command -v curl >/dev/null || return 1
  mkdir -p "$into"
  local file
  for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
    curl --fail --silent --show-error --location --retry 3 -o "$into/$file" "$APFCTL_RELEASES/v$version/$file" || return 1
  done
  if ! (cd "$into" && sha256sum --quiet --check "$name.tar.gz.sha256"); then
    echo "::error::$APFCTL_RELEASES/v$version/$name.tar.gz does not have the checksum that was released with it"
    exit 1
  fi
  tar -C "$into" -xzf "$into/$name.tar.gz"
  echo "$into/$name/bin" >>"$GITHUB_PATH"
}
if fetch_released; then
  echo "using $name as released"
  exit 0
fi
"$source/.ci/deps.sh" build
make -C "$source" --no-print-directory -s -j"$(nproc)" VARIANT=release apfctl
echo "$source/build/release/bin" >>"$GITHUB_PATH"
