#!/bin/sh
# Debian and Ubuntu ship simdjson as a shared library only. For `make static`, this fetches the sources of the installed
# libsimdjson-dev from where its package came from, into build/sources/.
set -eu
cd "$(dirname "$0")/../../.."
version=$(dpkg-query -W -f '${source:Version}' libsimdjson-dev)
upstream=$(dpkg-query -W -f '${source:Upstream-Version}' libsimdjson-dev)
to=build/sources/simdjson-$upstream
[ -e "$to/src/simdjson.cpp" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" build/sources
# The configured sources, as sources of source packages; apt's own lists stay as they are.
apt-get indextargets --format '$(ORIGIN) deb-src [SIGNED] $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  sed -n 's/^\(Debian\|Ubuntu\) //p' | sort -u >"$work/sources.list"
for keyring in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/ubuntu-archive-keyring.gpg; do
  [ -e $keyring ] && sed -i "s|\[SIGNED\]|[signed-by=$keyring]|" "$work/sources.list"
done
apt_get() {
  apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
    -o APT::Sandbox::User=root "$@" </dev/null
}
apt_get update
(cd "$work" && apt_get source --download-only "simdjson=$version")
dpkg-source --no-check -x "$work"/simdjson_*.dsc "$work/source" >/dev/null
rm -rf "$to"
mv "$work/source" "$to"
