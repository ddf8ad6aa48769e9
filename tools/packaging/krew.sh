#!/bin/sh
# krew.sh ARCHIVE VERSION ARCH RELEASES: the manifest with which krew installs the packed program as `kubectl apf`.
set -eu
archive=$1 version=$2 arch=$3 releases=$4
if [ -z "$releases" ]; then
  echo "name the address that releases are published under: make krew RELEASES=https://github.com/OWNER/REPOSITORY/releases/download" >&2
  exit 2
fi
name=$(basename "$archive" .tar.gz)
cat <<EOF
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: apf
spec:
  version: v$version
  homepage: ${releases%/releases/download}
  shortDescription: Check, explain and simulate API Priority and Fairness
  description: |
    Checks, explains and simulates Kubernetes API Priority and Fairness without
    a cluster: what is wrong with FlowSchemas and PriorityLevelConfigurations,
    which of them gets a request and why, and what would have happened to a
    recorded audit log under another configuration. It decides and schedules as
    kube-apiserver does, for releases 1.20 to 1.37; it replays 1.23 and newer.
  platforms:
    - selector:
        matchLabels:
          os: linux
          arch: $arch
      uri: $releases/v$version/$name.tar.gz
      sha256: $(sha256sum "$archive" | cut -d' ' -f1)
      bin: kubectl-apf
      files:
        - from: $name/bin/apfctl
          to: kubectl-apf
        - from: $name/README.md
          to: .
EOF
