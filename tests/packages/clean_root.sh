#!/bin/sh
# A Debian with nothing but its essential packages and the libraries that apfctl's packages depend on.
#
#   clean_root.sh fetch        makes it with mmdebstrap, as build/sources/clean-root.tar, unless it is there
#   clean_root.sh unpack DIR   as a folder
set -eu
cd "$(dirname "$0")/../.."
archive=build/sources/clean-root.tar
case ${1:-} in
  fetch)
    [ -e $archive ] && exit 0
    mkdir -p build/sources
    # The release that runs here, from where apt gets its packages.
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    sources=$(apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
      sed -n 's/^\(Debian\|Ubuntu\) //p' | sort -u)
    libraries=$(dpkg-query -W -f '${Package} ${Depends}\n' libfmt-dev libre2-dev libsimdjson-dev libssl-dev libyaml-cpp-dev libyaml-dev libzstd-dev zlib1g-dev libisal-dev libarchive-dev 2>/dev/null |
      grep -o 'lib[a-z0-9.+-]*[0-9][^ ]* (=[^)]*)\|zlib1g (=[^)]*)' | cut -d' ' -f1 | sort -u | paste -sd,)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! nice mmdebstrap --variant=minbase --include="$libraries,libstdc++6" "$release" $archive.new.tar - >"$log" 2>&1 <<EOF
$sources
EOF
    then
      # Where none can be made, the tests say that they unpacked the packages instead.
      tail -n 5 "$log"
      echo "mmdebstrap could not make a clean Debian: the tests of packages unpack them instead"
      exit 0
    fi
    mv $archive.new.tar $archive
    ;;
  unpack) tar -xf $archive -C "$2" --exclude=./dev/* ;;
  *)
    echo "usage: clean_root.sh fetch | unpack DIR" >&2
    exit 2
    ;;
esac
