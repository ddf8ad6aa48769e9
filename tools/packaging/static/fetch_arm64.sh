#!/bin/sh
# The libraries that `make arm64` links, of Debian's arm64, as a folder beside the sources: build/sources/arm64. Neither apt's
# own lists nor the packages of this machine change.
set -eu
cd "$(dirname "$0")/../../.."
to=$PWD/build/sources/arm64
[ -e "$to/usr/lib/aarch64-linux-gnu/libyaml.a" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" build/sources
: >"$work/status"
apt-get indextargets --format '$(ORIGIN) deb [SIGNED] $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  sed -n 's/^\(Debian\|Ubuntu\) //p' | sort -u >"$work/sources.list"
for keyring in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/ubuntu-archive-keyring.gpg; do
  [ -e $keyring ] && sed -i "s|\[SIGNED\]|[signed-by=$keyring]|" "$work/sources.list"
done
sed -i 's|\[SIGNED\] ||' "$work/sources.list"
apt_get() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::Etc::SourceList="$work/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" -o Dir::State::Status="$work/status" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@" </dev/null
}
apt_get update
(cd "$work" && apt_get download libyaml-cpp-dev libyaml-dev libre2-dev libfmt-dev libsimdjson-dev libssl-dev zlib1g-dev libzstd-dev libcli11-dev)
rm -rf "$to"
mkdir "$to"
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$to"; done
