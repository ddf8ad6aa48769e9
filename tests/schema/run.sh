#!/bin/bash
# Holds the schemas of schemas/ against the golden tests' JSON: a case with a line `=== schema NAME` names the
# schema that every line of its stdout must satisfy. Last line: "N passed, N failed".
exec python3 "$(dirname "$0")/check.py"
