#!/usr/bin/env python3
"""The golden tests against the program that `make wasm` makes, run by Node: it prints the native program's bytes. What cannot be
so there is listed in not_here.txt, each with its reason. Last line: "N passed, N failed".

    golden.py [COMMAND[/CASE]]...     APFCTL: another program than build/wasm/cli.mjs
"""
import fnmatch
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GOLDEN = ROOT / "tests/golden"
COMMANDS = "lint validate default convert explain hand limits ladder diff test log replay compare inspect quota".split()


def main():
    rows = [line.split(None, 1) for line in (HERE / "not_here.txt").read_text().splitlines() if line and not line.startswith("#")]
    cases = [case for name in sys.argv[1:] or COMMANDS
             for case in sorted(str(path.relative_to(GOLDEN).with_suffix("")) for path in GOLDEN.glob(name + ".test" if "/" in name else name + "/*.test"))]
    unused = [pattern for pattern, _ in rows if not fnmatch.filter((str(path.relative_to(GOLDEN).with_suffix("")) for path in GOLDEN.glob("*/*.test")), pattern)]
    run = []
    for case in cases:
        reason = next((why for pattern, why in rows if fnmatch.fnmatch(case, pattern)), None)
        if reason:
            print(f"not here: {case}: {reason}")
        else:
            run.append(case)
    for pattern in unused:
        print(f"FAILED not_here.txt: there is no case {pattern}")
    result = subprocess.run([sys.executable, GOLDEN / "run.py", *run], env={"GOLDEN_SECONDS": "600", **os.environ, "APFCTL": os.environ.get("APFCTL", str(ROOT / "build/wasm/cli.mjs"))}, check=False)
    return 1 if unused else result.returncode


sys.exit(main())
