#!/bin/sh
# For programs that Debian's and Ubuntu's own builds of a library cannot be linked into: fetches the sources of installed
# packages, from where those came from, into build/sources/SOURCE. apt's own lists stay as they are.
#
#   fetch_sources.sh PACKAGE...    such as libsimdjson-dev
set -eu
cd "$(dirname "$0")/../.."
source_of() { dpkg-query -W -f '${source:Package}' "$1"; }
version_of() { dpkg-query -W -f '${source:Version}' "$1"; }
missing=
for package in "$@"; do
  [ "$(cat "build/sources/$(source_of "$package")/version-fetched" 2>/dev/null)" = "$(version_of "$package")" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" build/sources
# The configured sources, as sources of source packages. Where the archive of updates does not have the installed version
# any more, what the release began with takes its place.
apt-get indextargets --format '$(ORIGIN) deb-src [SIGNED] $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  sed -n 's/^\(Debian\|Ubuntu\) //p' | sort -u >"$work/sources.list"
for keyring in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/ubuntu-archive-keyring.gpg; do
  [ -e $keyring ] && sed -i "s|\[SIGNED\]|[signed-by=$keyring]|" "$work/sources.list"
done
sed -i 's|\[SIGNED\] ||' "$work/sources.list"
grep -v -e -security -e -updates "$work/sources.list" >"$work/release.list"
apt_get() {
  list=$1
  shift
  apt-get -qq -o Dir::Etc::SourceList="$work/$list.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
    -o APT::Sandbox::User=root "$@" </dev/null
}
apt_get sources update
for package in $missing; do
  name=$(source_of "$package") version=$(version_of "$package")
  mkdir "$work/$package"
  (
    cd "$work/$package"
    apt_get sources source --download-only "$name=$version" 2>/dev/null || apt_get release source --download-only "$name"
  )
  dpkg-source --no-check -x "$work/$package"/*.dsc "$work/$package/source" >/dev/null
  echo "$version" >"$work/$package/source/version-fetched"
  rm -rf "build/sources/$name"
  mv "$work/$package/source" "build/sources/$name"
done
