#!/bin/sh
# Runs the golden tests: run.py says how.
exec python3 "$(dirname "$0")/run.py" "$@"
