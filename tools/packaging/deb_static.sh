#!/bin/sh
# deb_static.sh ARCHIVE VERSION ARCH TIME: a Debian package of the packed static program, which depends on nothing. Where
# Debian's own libraries are wanted, `make deb` has packages of the tool and the library.
set -eu
cd "$(dirname "$0")/../.."
archive=$1 version=$2 arch=$3 time=$4
name=apfctl-static_${version}_$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p "$work/root/usr/share/doc/apfctl-static" "$work/root/DEBIAN"
tar -xzf "$archive" -C "$work"
mv "$work"/apfctl-*/bin "$work/root/usr/"
mv "$work"/apfctl-*/share/* "$work/root/usr/share/"
mv "$work"/apfctl-*/README.md "$work/root/usr/share/doc/apfctl-static/"
mv "$work/root/usr/share/zsh/site-functions" "$work/root/usr/share/zsh/vendor-completions"
gzip -9n "$work"/root/usr/share/man/man*/*
cat >"$work/root/DEBIAN/control" <<EOT
Package: apfctl-static
Version: $version
Architecture: $arch
Maintainer: apfctl maintainers <maintainers@apfctl.invalid>
Section: utils
Priority: optional
Installed-Size: $(du -sk "$work/root/usr" | cut -f1)
Conflicts: apfctl
Replaces: apfctl
Description: Kubernetes API Priority and Fairness without a cluster
 apfctl checks, explains and simulates API Priority and Fairness of
 kube-apiserver. This package has one program without shared libraries.
EOT
find "$work/root" -exec touch -h -d "@$time" {} +
SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group -Zxz --build "$work/root" "build/dist/$name.deb" >/dev/null
echo "build/dist/$name.deb"
