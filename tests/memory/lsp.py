#!/usr/bin/env python3
"""What apfctl lsp keeps does not grow with the number of changes: 10,000 of them in a small folder.

    lsp.py [APFCTL]    (default build/release/bin/apfctl)

Last line: "N passed, N failed".
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
APFCTL = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bin/apfctl").resolve()
OBJECTS, CHANGES, MOST = 40, 10_000, 1.05

with tempfile.TemporaryDirectory() as work:
    command = [sys.executable, str(ROOT / "tests/bench/lsp.py"), f"{work}/folder", str(OBJECTS), str(CHANGES)]
    environment = os.environ | {"PATH": f"{APFCTL.parent}:{os.environ['PATH']}"}
    got = dict(line.split() for line in subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment).stdout.splitlines())
flat = float(got["growth"]) <= MOST
if not flat:
    print(f"FAILED after {CHANGES} changes the server takes {got['growth']} times the memory that it took after a tenth of them (at most {MOST})")
print(f"{int(flat)} passed, {int(not flat)} failed")
sys.exit(not flat)
