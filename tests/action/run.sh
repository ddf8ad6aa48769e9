#!/bin/bash
# The GitHub Action and the pre-commit hooks: their YAML, the flags they use, and the action's steps run as a runner does.
# Last line: "N passed, N failed".
exec python3 "$(dirname "$0")/run.py"
