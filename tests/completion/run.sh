#!/bin/bash
# Loads the completion scripts into bash, zsh and fish and types there as a user does.
# Last line: "N passed, N failed".
exec python3 "$(dirname "$0")/run.py"
