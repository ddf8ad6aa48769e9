#!/bin/sh
# dist_binary.sh PROGRAM BUILD ARCHIVE TIME: packs the static program with its completion, and with the manual and the schemas
# of the folder BUILD. The same program gives the same bytes, whoever packs it, where and when. A checksum is written beside
# it. RUN: what runs a program of another processor.
set -eu
cd "$(dirname "$0")/../.."
program=$1 build=$2 archive=$3 time=$4
name=$(basename "$archive" .tar.gz)
mkdir -p "$(dirname "$archive")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

root=$work/$name
mkdir -p "$root/bin" "$root/share/bash-completion/completions" "$root/share/zsh/site-functions" \
  "$root/share/fish/vendor_completions.d" "$root/share/apfctl/schemas"
install -m 755 "$program" "$root/bin/apfctl"
ln -s apfctl "$root/bin/kubectl-apfctl"
for page in "$build"/man/*.[157]; do
  section=$root/share/man/man${page##*.}
  mkdir -p "$section"
  install -m 644 "$page" "$section/"
done
${RUN:-} "$program" rules -o json | python3 tools/docs/rules_page.py >"$root/share/man/man7/apfctl-rules.7"
${RUN:-} "$program" completion bash >"$root/share/bash-completion/completions/apfctl"
${RUN:-} "$program" completion zsh >"$root/share/zsh/site-functions/_apfctl"
${RUN:-} "$program" completion fish >"$root/share/fish/vendor_completions.d/apfctl.fish"
install -m 644 "$build"/schemas/*.json "$root/share/apfctl/schemas/"
install -m 644 README.md "$root/"

LC_ALL=C tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" --format=ustar -cf - "$name" |
  gzip -9n >"$archive.new"
mv "$archive.new" "$archive"
(cd "$(dirname "$archive")" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
