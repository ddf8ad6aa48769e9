#!/bin/bash
# Loads the completion script into each SHELL (bash, zsh, fish) and types there as a user does.
# Last line: "N passed, N failed".
#
#   run.sh SHELL...
exec python3 "$(dirname "$0")/run.py" "$@"
