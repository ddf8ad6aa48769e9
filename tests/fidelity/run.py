#!/usr/bin/env python3
"""How true a replay is: recordings of a real kube-apiserver, replayed and held against what the server did.

    APF_RECORDINGS=FOLDER run.py [APFCTL] [--mode NAME]... [--only TEXT] [--details] [--jobs N]

FOLDER/counterfactual/*.tar.xz hold runs in which the same schedule of requests met several configurations: the log of
each run is replayed under the configuration of each other run of its schedule.
A cell is a priority level in one such pair where anything waits or is refused. It is within bounds when refusals,
mean wait and p99 wait all are (see bounds()). FOLDER/realserver holds single runs, replayed under their own configuration.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recordings  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = ["--builtins", "mandatory", "--consistent-list-from-cache", "off", "--kubernetes-version", "1.36",
            "--threads", "1", "--objects"]
# What is said of clients, by schedule: workers that wait for their answers, clients that retry, clients that give up.
CLIENTS = {"s2": ["--client-model", "auto", "--retries"], "s3": ["--retries"]}
OPEN_LOOP = {"s1", "s4", "s5"}


def rfc3339(seconds):
    return str(round(seconds * 1_000_000) * 1000)


def recorded_flags(a):
    return ["--recorded-config", a.path("config.yaml"), "--recorded-max-requests-inflight", str(a.reads),
            "--recorded-max-mutating-requests-inflight", str(a.writes)]


def clients(a, b):
    flags = list(CLIENTS.get(b.schedule, []))
    if b.schedule == "s5" and CAN_TIME_OUT:
        flags += ["--client-timeout", "*=5s"]
    return flags


def joined_today(a, b):
    return [a.path("audit.log"), a.path("kube-apiserver.log")] + (["--retries"] if b.schedule in ("s2", "s3") else [])


def audit_today(a, b):
    return [a.path("audit.log"), "--start", rfc3339(a.start)] + (["--retries"] if b.schedule in ("s2", "s3") else [])


def joined(a, b):
    return [a.path("audit.log"), a.path("kube-apiserver.log")] + recorded_flags(a) + clients(a, b)


def audit(a, b):
    return [a.path("audit.log"), "--start", rfc3339(a.start)] + recorded_flags(a) + clients(a, b)


MODES = {"joined-naive": joined_today, "audit-naive": audit_today, "joined": joined, "audit": audit}


def quantile(values, q):
    """The least value that at least the part q does not exceed."""
    return values[max(0, -(-int(round(q * len(values) * 1000)) // 1000) - 1)] if values else 0.0


def mean(values):
    return sum(values) / len(values) if values else 0.0


def levels_of(command, decisions):
    """Level name -> recordings.Level of a replay, by its decisions."""
    done = subprocess.run([*command, "--decisions", decisions, "-q", "-o", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    waits, refused = collections.defaultdict(list), collections.Counter()
    for line in open(decisions):
        decision = json.loads(line)
        if decision.get("beyondLog"):  # the clients of the recordings stop there
            continue
        level = decision.get("priorityLevel")
        if decision["outcome"] == "executed":
            waits[level].append(decision["waitNs"] / 1e9)
        elif decision["outcome"] == "rejected":
            refused[level] += 1
    return {level: recordings.Level(len(waits[level]) + refused[level], refused[level], sorted(waits[level]))
            for level in set(waits) | set(refused)}


def replayed(apfctl, a, b, flags):
    """Level name -> recordings.Level of A's log under B's configuration."""
    with tempfile.TemporaryDirectory() as folder:
        command = [apfctl, "replay", *flags, "-f", b.path("config.yaml"), "--max-requests-inflight", str(b.reads),
                   "--max-mutating-requests-inflight", str(b.writes), *SETTINGS, a.path("objects.txt")]
        return levels_of(command, os.path.join(folder, "decisions"))


EMPTY = recordings.Level(0, 0, [])
Cell = collections.namedtuple("Cell", "a b level real got spread ok off_by_far")


def anything_happens(level):
    return level.refused > 0 or quantile(level.waits, 0.99) > 0.020


def bounds(real, got, spread):
    """Refusals: at most max(5, 7 %, 1.5 × how far real runs of B differ); mean wait 10 % or 30 ms; p99 15 % or 50 ms."""
    refused = abs(got.refused - real.refused) <= max(5, 0.07 * real.refused, 1.5 * spread)
    mean_real, mean_got = mean(real.waits), mean(got.waits)
    p99_real, p99_got = quantile(real.waits, 0.99), quantile(got.waits, 0.99)
    return (refused, abs(mean_got - mean_real) <= max(0.030, 0.10 * mean_real),
            abs(p99_got - p99_real) <= max(0.050, 0.15 * p99_real))


def cells_of(a, b, got, repeats):
    for level in sorted(set(b.truth) | set(got)):
        real, here = b.truth.get(level, EMPTY), got.get(level, EMPTY)
        if not anything_happens(real) and here.refused == 0 and quantile(here.waits, 0.99) <= 0.050:
            continue
        counts = [run.truth.get(level, EMPTY).refused for run in repeats]
        spread = max(counts) - min(counts)
        far = abs(here.refused - real.refused) > 0.20 * max(real.requests, 1)
        yield Cell(a.name, b.name, level, real, here, spread, bounds(real, here, spread), far)


def show(cell):
    def text(level):
        return f"{level.refused:5d} {mean(level.waits):7.3f} {quantile(level.waits, 0.99):7.3f}"
    marks = "".join("." if ok else mark for ok, mark in zip(cell.ok, "RMP")) + ("!" if cell.off_by_far else " ")
    return f"{marks} {cell.a:18s} {cell.b:18s} {cell.level:16s} {text(cell.real)} | {text(cell.got)}"


def pairs_of(runs):
    for a in runs:
        for b in runs:
            if a is not b and a.schedule == b.schedule and a.lead == b.lead and a.configuration != b.configuration:
                yield a, b


def percent(part, of):
    return f"{100 * part / of:5.1f} %" if of else "    - "


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apfctl", nargs="?", default=str(ROOT / "build/release/bin/apfctl"))
    parser.add_argument("--mode", action="append", choices=list(MODES) + ["same"])
    parser.add_argument("--only", default="")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    source = os.environ.get("APF_RECORDINGS")
    if not source:
        raise SystemExit("APF_RECORDINGS is not set: give the folder that holds counterfactual/ and realserver/")
    cache = ROOT / "build/recordings"
    runs = [recordings.Run(folder) for folder in recordings.unpack(pathlib.Path(source) / "counterfactual", cache)]
    pairs = [(a, b) for a, b in pairs_of(runs) if args.only in f"{a.name}>{b.name}"]
    known = subprocess.run([args.apfctl, "replay", "-h"], capture_output=True, text=True).stdout
    for schedule in CLIENTS:
        CLIENTS[schedule] = [flag for flag in CLIENTS[schedule] if flag in known or not flag.startswith("--")]
    if "--client-model" not in known:
        CLIENTS["s2"] = ["--retries"]
    global CAN_TIME_OUT
    CAN_TIME_OUT = "--client-timeout" in known
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    for mode in args.mode or ["joined", "audit", "same"]:
        if mode == "same":
            work = [(run, run) for run in runs if args.only in f"{run.name}>{run.name}"]
        else:
            work = pairs

        def one(pair):
            a, b = pair
            if mode == "same":
                got = replayed(args.apfctl, a, b, [a.path("audit.log"), a.path("kube-apiserver.log")])
            else:
                got = replayed(args.apfctl, a, b, MODES[mode](a, b))
            repeats = [run for run in runs if run.schedule == b.schedule and run.lead == b.lead
                       and run.configuration == b.configuration]
            return list(cells_of(a, b, got, repeats))
        cells = [cell for found in pool.map(one, work) for cell in found]
        if args.details:
            for cell in cells:
                print(show(cell))
        for name, chosen in (("open loop", lambda s: s in OPEN_LOOP), ("closed loop, retries", lambda s: s not in OPEN_LOOP)):
            some = [cell for cell in cells if chosen(cell.b.split("-")[0])]
            good = sum(all(cell.ok) for cell in some)
            parts = [percent(sum(cell.ok[i] for cell in some), len(some)) for i in range(3)]
            print(f"{mode:13s} {name:21s} {good:4d} of {len(some):4d} cells within bounds {percent(good, len(some))}"
                  f"  refused {parts[0]}  mean {parts[1]}  p99 {parts[2]}"
                  f"  far off {sum(cell.off_by_far for cell in some)}", flush=True)


if __name__ == "__main__":
    main()
