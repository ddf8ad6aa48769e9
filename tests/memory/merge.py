#!/usr/bin/env python3
"""Merging partial results of a sweep takes time that grows with their size, and memory that does not; neither does the
memory of the sweep itself grow with the number of logs.

    merge.py [APFCTL]    (default build/release/bin/apfctl)

Last line: "N passed, N failed".
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

APFCTL = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/apfctl")
FEW, MANY = 100, 400  # logs
TASKS = 20
passed = failed = 0


def verdict(name, ok, why):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}: {why}")


def run(*arguments):
    started = time.monotonic()
    # One arena: which thread asks for memory first decides how much of it lies idle in several.
    child = subprocess.Popen([APFCTL, *arguments], stdin=subprocess.DEVNULL, env={**os.environ, "MALLOC_ARENA_MAX": "1"})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"apfctl {' '.join(arguments)} ended with {child.returncode}")
    return time.monotonic() - started, usage.ru_maxrss


def line(number):
    return json.dumps({"time": number * 10_000_000, "user": f"u{number % 7}", "groups": ["system:authenticated"], "verb": "get",
                       "uri": "/api/v1/nodes/n", "execution": "3s"}) + "\n"


def measure(folder, logs):
    """Seconds and KiB of the sweep in one process, and of a merge of its parts; the bytes of these."""
    os.chdir(folder)
    for number in range(logs):
        pathlib.Path(f"{number}.jsonl").write_text("".join(line(i) for i in range(40 + number % 5)), encoding="utf-8")
    pathlib.Path("plan.yaml").write_text(json.dumps({"logs": [f"{number}.jsonl" for number in range(logs)],
                                                     "configurations": [{"name": "built-in"}],
                                                     "flags": [{"name": f"{seats} seats", "server-concurrency": seats} for seats in (20, 40)],
                                                     "seeds": 4}), encoding="utf-8")
    # What threads hold at once depends on which of them come first.
    swept = min((run("sweep", "plan.yaml", "-q", "-o", "json=one.json", "-o", "csv=one.csv") for _ in range(3)), key=lambda of: of[1])
    for number in range(1, TASKS + 1):
        run("sweep", "plan.yaml", "-q", "--partial", "results", "--task", f"{number}/{TASKS}")
    merged = min(run("sweep", "--merge", "results", "-o", "json=many.json", "-o", "csv=many.csv") for _ in range(3))
    for kind in ("json", "csv"):
        same = pathlib.Path(f"one.{kind}").read_bytes() == pathlib.Path(f"many.{kind}").read_bytes()
        verdict(f"the {kind} of {logs} logs", same, "merged, it is another one")
    return swept, merged, sum(path.stat().st_size for path in pathlib.Path("results").iterdir())


with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
    few, many = measure(first, FEW), measure(second, MANY)
    os.chdir("/")
for name, before, after in (("sweep", few[0], many[0]), ("merge", few[1], many[1])):
    verdict(f"memory of {name}", after[1] <= before[1] * 1.05 + 1024, f"{before[1]} KiB for {FEW} logs, {after[1]} KiB for {MANY}")
verdict("time of merge", many[1][0] <= MANY / FEW * few[1][0] * 1.5 + 0.1, f"{few[1][0]:.2f} s for {FEW} logs, {many[1][0]:.2f} s for {MANY}")
print(f"sweep: {few[0][1] / 1024:.1f} MiB for {FEW} logs, {many[0][1] / 1024:.1f} for {MANY}; merge: {few[1][1] / 1024:.1f} MiB and "
      f"{few[1][0] * 1e3:.0f} ms for {few[2] / 1e6:.1f} MB, {many[1][1] / 1024:.1f} MiB and {many[1][0] * 1e3:.0f} ms for {many[2] / 1e6:.1f} MB")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
