#!/bin/sh
# Installs the packages that are missing, and says which. A thing is looked for itself, not as a package, so what is there
# by another way counts too.
#
#   deps.sh build        what `make` and `make demo` need
#   deps.sh check        and what the tests of `make check` and `make bench` need
#   deps.sh check-all    and those of `make check-all`: other shells, Prometheus, Neovim, Chromium, clang and its sanitizers, GNU parallel
#   deps.sh fleet        what `make check-fleet` needs besides `check`: Slurm, munge, GNU parallel
#   deps.sh docs         what `make docs` needs
#   deps.sh static       what `make static` needs: the sources of libraries that Debian ships no archive of
#   deps.sh arm64        what `make arm64` needs: a cross compiler, and Debian's libraries for arm64
#   deps.sh wasm         what `make wasm`, `make npm` and `make playground` need: Emscripten, and the sources of libraries
#   deps.sh deb          what `make deb` needs
#   deps.sh packages     and what the tests of packages need: lintian, and a clean Debian to install them in
#   deps.sh fuzz|tidy|format
set -u

what=${1:-check}
missing=

need_command() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_library() { pkg-config --exists "$1" 2>/dev/null || missing="$missing $2"; }
need_header() {
  for dir in /usr/include /usr/local/include; do [ -e "$dir/$1" ] && return; done
  missing="$missing $2"
}
# clang, and the libraries of its sanitizers and its fuzzer, which Debian's clang only recommends.
need_sanitizers() {
  need_command clang++ clang
  find "$(clang++ -print-resource-dir 2>/dev/null)/lib" -name 'libclang_rt.fuzzer*' 2>/dev/null | grep -q . || missing="$missing libclang-rt-dev"
}
need_module() { python3 -c "import $1" >/dev/null 2>&1 || missing="$missing $2"; }

need_command make make
need_command g++ g++
need_command pkg-config pkg-config
need_command python3 python3 # it writes schemas and parts of the manual
need_library yaml-cpp libyaml-cpp-dev
need_library yaml-0.1 libyaml-dev
need_library re2 libre2-dev
need_library fmt libfmt-dev
need_library simdjson libsimdjson-dev
need_library libcrypto libssl-dev
need_library zlib zlib1g-dev
need_library libzstd libzstd-dev
need_library libarchive libarchive-dev
# gzip is read faster with it; Debian has it for these two.
case $(uname -m) in x86_64 | aarch64) need_library libisal libisal-dev ;; esac
need_header CLI/CLI.hpp libcli11-dev
case $what in
  build) ;;
  check | check-all | fleet)
    need_header catch2 catch2
    need_command jq jq
    need_command patch patch
    need_command mandoc mandoc
    need_command zstd zstd
    need_command tmux tmux
    need_module jsonschema python3-jsonschema
    need_module yaml python3-yaml
    ;;
  docs)
    need_command mandoc mandoc
    ;;
  static) need_command dpkg-source dpkg-dev ;;
  arm64)
    need_command dpkg-source dpkg-dev
    need_command aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
    need_command qemu-aarch64-static qemu-user-static # its tests, and completion scripts in packages
    ;;
  wasm)
    need_command dpkg-source dpkg-dev
    need_command em++ emscripten
    need_command node nodejs
    need_command npm npm
    [ -e /usr/share/unicode/UnicodeData.txt ] || missing="$missing unicode-data" # what re2's tables are made of
    need_module six python3-six
    ;;
  deb)
    need_command dpkg-buildpackage dpkg-dev
    need_command dh debhelper
    ;;
  packages) ;;
  fuzz) need_sanitizers ;;
  tidy) need_command clang-tidy clang-tidy ;;
  format) need_command clang-format clang-format ;;
  *)
    echo "usage: .ci/deps.sh build|check|check-all|fleet|docs|static|arm64|wasm|deb|packages|fuzz|tidy|format" >&2
    exit 2
    ;;
esac
if [ "$what" = check-all ]; then
  need_command zsh zsh
  need_command fish fish
  need_command promtool prometheus
  need_command nvim neovim
  need_command chromium chromium
  need_command clang-format clang-format
  need_sanitizers
  echo '#include <version>' | clang++ -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null || missing="$missing libc++-dev libc++abi-dev"
fi
case $what in
  check-all | fleet)
    need_command parallel parallel
    /usr/bin/python3 -c 'import kubernetes' >/dev/null 2>&1 || missing="$missing python3-kubernetes"
    ;;
esac
if [ "$what" = fleet ]; then
  need_command sbatch slurm-wlm
  [ -x /usr/sbin/munged ] || missing="$missing munge"
fi
case $what in
  packages)
    need_command dpkg-buildpackage dpkg-dev
    need_command dh debhelper
    need_command lintian lintian
    need_command mmdebstrap mmdebstrap
    ;;
esac

# What is fetched besides packages: sources of a library without an archive, and a clean Debian to try packages in.
fetch_more() {
  case $what in
    static | arm64 | packages)
      case $(g++ -print-file-name=libsimdjson.a) in /*) ;; *) tools/packaging/fetch_sources.sh libsimdjson-dev || return ;; esac
      ;;
    wasm)
      tools/packaging/fetch_sources.sh libyaml-cpp-dev libyaml-dev libre2-dev libsimdjson-dev libssl-dev zlib1g-dev libzstd-dev \
        libarchive-dev liblzma5 libbz2-1.0 liblz4-1 || return
      ;;
  esac
  case $what in arm64 | packages) tools/packaging/static/fetch_arm64.sh || return ;; esac
  case $what in packages) tests/packages/clean_root.sh fetch || return ;; esac
}
cd "$(dirname "$0")/.." || exit 2
if [ -z "$missing" ]; then
  fetch_more
  exit
fi
echo "missing packages:$missing"

if ! command -v apt-get >/dev/null 2>&1; then
  echo "there is no apt-get here: install these (Debian's names) with your system's own package manager, then run make again" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
  # Without a terminal sudo must not ask for a password.
  if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=sudo
  else
    echo "installing needs root: run as root, or with sudo:  apt-get install$missing" >&2
    exit 1
  fi
fi
install_missing() {
  # shellcheck disable=SC2086  # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing </dev/null
}
echo "installing them with apt-get"
# The package lists may be absent or old: they are fetched when the first attempt fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! install_missing >"$log" 2>&1; then
  $as_root apt-get update </dev/null >"$log" 2>&1 && install_missing >"$log" 2>&1 || {
    cat "$log" >&2
    echo "apt-get could not install:$missing" >&2
    exit 1
  }
fi
fetch_more
