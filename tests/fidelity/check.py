#!/usr/bin/env python3
"""Two recordings of a real kube-apiserver that met the same requests with 30 and with 120 seats: each replayed under its
own configuration and under the other's comes to what the server did. (run.py compares with many recordings.)

    check.py APFCTL     Last line: "N passed, N failed".

recording/: audit logs at level Metadata, reduced to the fields that a replay reads; runs.json has what the server did.
"""
import json
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recordings  # noqa: E402
import run  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "recording"
RUNS = json.loads((FOLDER / "runs.json").read_text())
# What two runs of the same server differ by, where the lists wait: refusals of 102 and 99, means of 4.54 and 4.53 s.
REFUSED, MEAN, P99 = 0.10, 0.10, 0.15


def within(real, got, share, least):
    return abs(real - got) <= max(least, share * real)


def compare(apfctl, a, b):
    recorded, replayed = RUNS[a], RUNS[b]
    command = [apfctl, "replay", str(FOLDER / f"{a}.audit.log.gz"), "--start", str(recorded["startNs"]),
               "--objects", str(FOLDER / "objects.txt"), "--consistent-list-from-cache", "off",
               "--max-requests-inflight", str(replayed["maxRequestsInflight"]),
               "--max-mutating-requests-inflight", str(replayed["maxMutatingRequestsInflight"]),
               "--recorded-config", "same"]
    if a != b:
        command += ["--recorded-max-requests-inflight", str(recorded["maxRequestsInflight"]),
                    "--recorded-max-mutating-requests-inflight", str(recorded["maxMutatingRequestsInflight"])]
    with tempfile.TemporaryDirectory() as folder:
        got = run.levels_of(command, os.path.join(folder, "decisions"))
    passed = failed = 0
    for level, real in replayed["levels"].items():
        here = got.get(level, run.EMPTY)
        mean, p99 = run.mean(here.waits), run.quantile(here.waits, 0.99)
        if within(real["refused"], here.refused, REFUSED, 5) and \
           within(real["meanWait"], mean, MEAN, 0.030) and within(real["p99Wait"], p99, P99, 0.050):
            passed += 1
        else:
            failed += 1
            print(f"FAILED {a} under {b}, {level}: {here.requests} requests, {here.refused} refused, mean {mean:.3f}, "
                  f"p99 {p99:.3f}; the server: {real}")
    return passed, failed


def main():
    passed = failed = 0
    for a in RUNS:
        for b in RUNS:
            p, f = compare(sys.argv[1], a, b)
            passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
