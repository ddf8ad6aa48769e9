#!/bin/sh
# check.mjs, after npm has installed what it needs, by its lock. Last line: "N passed, N failed".
#
#   run.sh LOG [PICTURES]
set -eu
cd "$(dirname "$0")/../.."
modules=build/npm/tests
mkdir -p $modules
cp tests/playground/package.json tests/playground/package-lock.json $modules/
(cd $modules && npm ci --silent --no-audit --no-fund)
exec node tests/playground/check.mjs build/playground $modules/node_modules "$@"
