#!/bin/sh
# krew.sh VERSION RELEASES: the manifest with which krew installs the packed programs in build/dist as `kubectl apfctl`.
set -eu
cd "$(dirname "$0")/../.."
version=$1 releases=$2
if [ -z "$releases" ]; then
  echo "name the address that releases are published under: make krew RELEASES=https://github.com/OWNER/REPOSITORY/releases/download" >&2
  exit 2
fi
cat <<EOT
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: apfctl
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
EOT
for archive in build/dist/apfctl-"$version"-linux-*.tar.gz; do
  name=$(basename "$archive" .tar.gz)
  cat <<EOT
    - selector:
        matchLabels:
          os: linux
          arch: ${name##*-}
      uri: $releases/v$version/$name.tar.gz
      sha256: $(sha256sum "$archive" | cut -d' ' -f1)
      bin: kubectl-apfctl
      files:
        - from: $name/bin/apfctl
          to: kubectl-apfctl
        - from: $name/README.md
          to: .
EOT
done
