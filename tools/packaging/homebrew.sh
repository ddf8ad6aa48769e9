#!/bin/sh
# homebrew.sh VERSION RELEASES: a formula that builds the sources that `make dist` packed, with brew's own libraries.
set -eu
cd "$(dirname "$0")/../.."
version=$1 releases=$2
if [ -z "$releases" ]; then
  echo "name the address that releases are published under: make homebrew RELEASES=https://github.com/OWNER/REPOSITORY/releases/download" >&2
  exit 2
fi
cat <<EOT
class Apfctl < Formula
  desc "Check, explain and simulate Kubernetes API Priority and Fairness"
  homepage "${releases%/releases/download}"
  url "$releases/v$version/apfctl-$version.tar.gz"
  sha256 "$(sha256sum "build/apfctl-$version.tar.gz" | cut -d' ' -f1)"

  depends_on "cli11" => :build
  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on "fmt"
  depends_on "libarchive"
  depends_on "libyaml"
  # The sources keep to POSIX where Linux is not needed, but the Makefile links with GNU ld's flags.
  depends_on :linux
  depends_on "openssl@3"
  depends_on "re2"
  depends_on "simdjson"
  depends_on "yaml-cpp"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    assert_match "workload-low", shell_output("#{bin}/apfctl limits")
  end
end
EOT
