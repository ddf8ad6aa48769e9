#!/bin/sh
# Prints the definition of build_info.h: embed_build_info.sh FLAG...
set -eu
cd "$(dirname "$0")/../../.."

# Sources packed by `make dist` have their commit in a file; a checkout asks git, unless the repository is one around it.
commit=$(head -n 1 tools/packaging/commit | cut -c1-12)
case $commit in
  *[!0-9a-f]* | '')
    commit=
    if [ -z "$(git rev-parse --show-cdup 2>/dev/null || echo none)" ]; then
      commit=$(GIT_OPTIONAL_LOCKS=0 git describe --always --exclude='*' --abbrev=12 --dirty=-changed 2>/dev/null || true)
    fi
    ;;
esac

# Paths of this machine stay out.
flags=
for flag in "$@"; do
  case $flag in
    -f*-prefix-map=* | -I* | -isystem* | -L*) ;;
    */*) ;;
    *) flags="$flags $flag" ;;
  esac
done
escape() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }

cat <<EOF
#include "shared/build_info.h"

namespace apfctl {

const BuildInfo kBuildInfo = {"$(escape "$commit")", "$(escape "${flags# }")"};

}  // namespace apfctl
EOF
