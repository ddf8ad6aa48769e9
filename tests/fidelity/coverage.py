#!/usr/bin/env python3
"""How much a log lacks, and how well --fill makes up for it: recordings of a real kube-apiserver, from whose audit logs
the requests were removed that a policy leaves out.

    APF_RECORDINGS=FOLDER coverage.py [APFCTL] [--only TEXT] [--details] [--jobs N]

Every whole log (FOLDER/realserver with two scrapes, FOLDER/counterfactual with one) is reduced by every policy of
tests/golden/inputs/policies and replayed with --server-metrics, without and with --fill. The coverage must be within 1 %
of the part of the requests that was left. A cell is a priority level of which requests are left, in one log under one
policy, where in the replay of the whole log anything waits or is refused: it is within bounds when refusals are within
15 % or 10 of those of the whole log, and the mean wait within 15 % or 30 ms.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recordings  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = sorted((ROOT / "tests/golden/inputs/policies").glob("*.yaml"))
# The logs were written under the configuration that is replayed.
SAME = ["--recorded", "config=same"]
COVERAGE, REFUSED, LEAST_REFUSED, MEAN, LEAST_MEAN = 1.0, 0.15, 10, 0.15, 0.030

# log: the path of an audit log; scrapes: for --server-metrics; flags: of the replay.
Case = collections.namedtuple("Case", "name log scrapes flags")
Cell = collections.namedtuple("Cell", "case policy level whole without filled ok_without ok_filled")


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def open_log(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def unrecorded(apfctl, case, policy):
    """Audit IDs that the policy keeps out of the log."""
    last = {}  # one event of each request, so that there is one answer to each
    with open_log(case.log) as whole:
        for line in whole:
            last[json.loads(line)["auditID"]] = line
    with tempfile.NamedTemporaryFile("w", suffix=".log") as events:
        events.writelines(last.values())
        events.flush()
        command = [apfctl, "explain", "--requests", events.name, "--audit-policy", str(policy), "-o", "json"]
        answers = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    assert len(answers) == len(last), f"{len(answers)} answers for {len(last)} requests"
    return {id for id, answer in zip(last, answers) if json.loads(answer).get("audit", {}).get("level") == "None"}


def reduce(case, ids, path):
    with open_log(case.log) as whole, open(path, "w") as out:
        for line in whole:
            if json.loads(line)["auditID"] not in ids:
                out.write(line)


def levels_of(report):
    return {level["name"]: level for level in report["levels"]}


def within(real, got, share, least):
    return abs(real - got) <= max(least, share * real)


def alike(whole, got):
    return (within(whole["rejected"]["total"], got["rejected"]["total"], REFUSED, LEAST_REFUSED)
            and within(whole["wait"]["meanNs"], got["wait"]["meanNs"], MEAN, LEAST_MEAN * 1e9))


def left_of(whole, reduced):
    """The part of what the server dispatched that is in the reduced log, by the logs themselves: of a recording whose own
    policy left something out, what it has is measured by the server's counters."""
    counts = [sum(row["inLog"] for row in report["coverage"]["flowSchemas"]) for report in (whole, reduced)]
    return whole["coverage"]["percent"] * counts[1] / counts[0]


def compare(apfctl, case, policy, whole):
    """The true coverage, the one reported, and the cells."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "audit.log")
        reduce(case, unrecorded(apfctl, case, policy), log)
        command = [apfctl, "replay", log, *case.flags, *SAME, "--server-metrics", case.scrapes, "--fill", "-q", "-o", "json"]
        filled = run_json(command)
    plain = filled["fill"]["without"]
    cells = []
    for level, of_whole in levels_of(whole).items():
        without, with_fill = levels_of(plain)[level], levels_of(filled)[level]
        if without["requests"] == 0:
            continue
        if of_whole["rejected"]["total"] == 0 and of_whole["wait"]["p99Ns"] <= 20e6:
            continue
        cells.append(Cell(case.name, policy.stem, level, of_whole, without, with_fill, alike(of_whole, without),
                          alike(of_whole, with_fill)))
    return left_of(whole, filled), filled["coverage"]["percent"], cells


def real_cases(source):
    for folder in sorted((source / "realserver").iterdir()):
        info = json.loads((folder / "run.json").read_text()) if (folder / "run.json").exists() else {}
        if not info.get("apf") or not (folder / "audit.log").exists() or (folder / "config-changes.json").exists():
            continue
        flags = ["-f", str(folder / "config.yaml"), "--builtins", "mandatory", "--consistent-list-from-cache", "off",
                 "--max-requests-inflight", str(info["maxRequestsInflight"]),
                 "--max-mutating-requests-inflight", str(info["maxMutatingRequestsInflight"]),
                 "--objects", str(folder / "metrics-after.txt")]
        yield Case(folder.name, str(folder / "audit.log"),
                   f"{folder / 'metrics-before.txt'},{folder / 'metrics-after.txt'}", flags)


def counterfactual_cases(source):
    for folder in recordings.unpack(source / "counterfactual", ROOT / "build/recordings"):
        run = recordings.Run(folder)
        flags = ["-f", run.path("config.yaml"), "--builtins", "mandatory", "--consistent-list-from-cache", "off",
                 "--max-requests-inflight", str(run.reads), "--max-mutating-requests-inflight", str(run.writes),
                 "--objects", run.path("objects.txt"), "--start", str(round(run.start * 1_000_000) * 1000)]
        yield Case(run.name, run.path("audit.log"), run.path("metrics.txt"), flags)


def whole_of(apfctl, case):
    return run_json([apfctl, "replay", case.log, *case.flags, *SAME, "--server-metrics", case.scrapes, "-q", "-o", "json"])


def compare_all(apfctl, cases, jobs):
    """(coverage differences by case and policy, cells)."""
    def one(case):
        whole = whole_of(apfctl, case)
        return [(case.name, policy.stem, *compare(apfctl, case, policy, whole)) for policy in POLICIES], whole
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(one, cases))
    coverage = [(case, policy, real, got) for rows, _ in found for case, policy, real, got, _ in rows]
    return coverage, [cell for rows, _ in found for *_, cells in rows for cell in cells], [whole for _, whole in found]


def show(cell):
    def text(level):
        return f"{level['rejected']['total']:5d} {level['wait']['meanNs'] / 1e9:7.3f}"
    mark = "." if cell.ok_filled else "!"
    return (f"{mark} {cell.case:26s} {cell.policy:20s} {cell.level:16s} {text(cell.whole)} | without {text(cell.without)}"
            f" | filled {text(cell.filled)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apfctl", nargs="?", default=str(ROOT / "build/release/bin/apfctl"))
    parser.add_argument("--only", default="")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    source = os.environ.get("APF_RECORDINGS")
    if not source:
        raise SystemExit("APF_RECORDINGS is not set: give the folder that holds counterfactual/ and realserver/")
    source = pathlib.Path(source)
    cases = [case for case in [*real_cases(source), *counterfactual_cases(source)] if args.only in case.name]
    coverage, cells, wholes = compare_all(args.apfctl, cases, args.jobs)
    alarms = [case.name for case, whole in zip(cases, wholes) if "incomplete" in whole]
    print(f"whole logs taken for incomplete: {len(alarms)} of {len(cases)} {' '.join(alarms)}")
    for policy in POLICIES:
        rows = [row for row in coverage if row[1] == policy.stem]
        near = [row for row in rows if abs(row[2] - row[3]) <= COVERAGE]
        some = [cell for cell in cells if cell.policy == policy.stem]
        print(f"{policy.stem:20s} coverage within 1 %: {len(near):2d} of {len(rows):2d} logs"
              f"   {min(row[2] for row in rows):5.1f} to {max(row[2] for row in rows):5.1f} % left"
              f"   levels within bounds: {sum(cell.ok_without for cell in some):3d} without --fill, "
              f"{sum(cell.ok_filled for cell in some):3d} with it, of {len(some)}")
    if args.details:
        for case, policy, real, got in coverage:
            print(f"{'.' if abs(real - got) <= COVERAGE else '!'} {case:26s} {policy:20s} left {real:6.2f} % reported {got:6.2f} %")
        for cell in cells:
            print(show(cell))


if __name__ == "__main__":
    main()
