#!/bin/sh
# deb.sh VERSION MAKE: builds the Debian packages of the last commit in build/deb/, source package included.
set -eu
cd "$(dirname "$0")/../.."
version=$1 make=$2
$make --no-print-directory -s dist >/dev/null
rm -rf build/deb
mkdir -p build/deb
cp "build/apfctl-$version.tar.gz" "build/deb/apfctl_$version.orig.tar.gz"
tar -C build/deb -xzf "build/apfctl-$version.tar.gz"
cd "build/deb/apfctl-$version"
cp -R tools/packaging/debian debian
# What this make was given is not meant for the one of the package.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u VARIANT dpkg-buildpackage -us -uc -j"$(nproc)" </dev/null
cd ..
ls -1 ./*.deb | sed 's|^\.|build/deb|'
