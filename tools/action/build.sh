#!/bin/bash
# The action's first step: an apfctl in PATH is used as it is; else it is built from the sources that the action is part of.
set -eu
if command -v apfctl >/dev/null; then
  exit 0
fi
source=$(cd "$(dirname "$0")/../.." && pwd)
"$source/.ci/deps.sh" build
make -C "$source" --no-print-directory -s -j"$(nproc)" VARIANT=release apfctl
echo "$source/build/release/bin" >>"$GITHUB_PATH"
