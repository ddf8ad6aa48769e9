#!/usr/bin/env python3
"""How true a replay is: recordings of a real kube-apiserver, replayed and held against what the server did.

    APF_RECORDINGS=FOLDER run.py [APFCTL] [--mode NAME]... [--only TEXT] [--details] [--jobs N] [--spread N]

FOLDER/counterfactual/*.tar.xz hold runs in which the same schedule of requests met several configurations: the log of
each run is replayed under the configuration of each other run of its schedule.
A cell is a priority level in one such pair where anything waits or is refused. It is within bounds when refusals,
mean wait and p99 wait all are (see bounds()). "server" is how near the real server comes to itself: runs of the same
requests under the same configuration, one held against another as a replay is. Only some configurations were run again:
so below each row of replays is the one of those that are held against these, with the same bounds and weights. "same"
replays each run under its own configuration: there FOLDER/realserver is compared, too. "spread" counts how often the refusals of the real server lie within the range that --spread reports, and how wide that
is: a range that covers everything says nothing.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import statistics
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
    return ["--recorded", "config=" + a.path("config.yaml"), "--recorded", "max-requests-inflight=" + str(a.reads),
            "--recorded", "max-mutating-requests-inflight=" + str(a.writes)]


def clients(a, b):
    flags = list(CLIENTS.get(b.schedule, []))
    if b.schedule == "s5" and CAN_TIME_OUT:
        flags += ["--client-timeout", "*=5s"]
    return flags


def same(a, b):
    return [a.path("audit.log"), a.path("kube-apiserver.log"), "--recorded", "config=same",
            *(clients(a, b) if a.schedule == "s5" else [])]


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


def ranges(apfctl, a, b, flags, runs):
    """Level name -> least and most refused requests of A's log under B's configuration."""
    command = [apfctl, "replay", *flags, "-f", b.path("config.yaml"), "--max-requests-inflight", str(b.reads),
               "--max-mutating-requests-inflight", str(b.writes), *SETTINGS, a.path("objects.txt"),
               "--spread", str(runs), "-q", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    levels = json.loads(done.stdout)["spread"]["levels"]
    return {level["name"]: (level["rejected"]["least"], level["rejected"]["most"]) for level in levels if level["name"]}


def recorded_cells(apfctl, folder):
    """Cells of a single run, by what its logs record of waits and refusals."""
    info = json.loads((folder / "run.json").read_text())
    if not info.get("apf") or (folder / "config-changes.json").exists():
        return
    command = [apfctl, "replay", str(folder / "audit.log"), str(folder / "kube-apiserver.log"), "-f",
               str(folder / "config.yaml"), "--max-requests-inflight", str(info["maxRequestsInflight"]),
               "--max-mutating-requests-inflight", str(info["maxMutatingRequestsInflight"]), *SETTINGS[:-1],
               "--recorded", "config=same", "-q", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    for level in json.loads(done.stdout)["recorded"]["levels"]:
        log, replay = level["waitInLog"], level["waitInReplay"]
        if level["refusedInLog"] == 0 and log["p99Ns"] <= 20_000_000:
            continue
        yield (abs(level["refusedInLog"] - level["refusedInReplay"]) <= max(5, 0.07 * level["refusedInLog"]),
               abs(log["meanNs"] - replay["meanNs"]) <= max(30e6, 0.10 * log["meanNs"]),
               abs(log["p99Ns"] - replay["p99Ns"]) <= max(50e6, 0.15 * log["p99Ns"]))


def coverage(apfctl, pairs, pool, runs, details):
    """How often real refusals lie within the range, where there are any in either."""
    for name in ("joined", "audit"):
        def one(pair):
            a, b = pair
            found = ranges(apfctl, a, b, MODES[name](a, b), runs)
            return [(a, b, level, b.truth.get(level, EMPTY).refused, least, most)
                    for level, (least, most) in sorted(found.items())
                    if most > 0 or b.truth.get(level, EMPTY).refused > 0]
        for kind, chosen in KINDS:
            cells = [cell for part in pool.map(one, [p for p in pairs if chosen(p[1].schedule)]) for cell in part]
            inside = sum(least <= real <= most for _, _, _, real, least, most in cells)
            widths = [(most - least) / max(b.truth.get(level, EMPTY).requests, 1) for _, b, level, _, least, most in cells]
            if details:
                for a, b, level, real, least, most in cells:
                    print(f"{'.' if least <= real <= most else 'X'} {a.name:18s} {b.name:18s} {level:16s} {real:5d} | "
                          f"{least:5d} - {most:5d}")
            print(f"{name:13s} {kind:21s} {inside:4d} of {len(cells):4d} real refusals within the range of "
                  f"--spread {runs} {percent(inside, len(cells))}, {100 * statistics.median(widths or [0]):.1f} % of the "
                  f"level's requests wide at the median", flush=True)


EMPTY = recordings.Level(0, 0, [])
KINDS = (("open loop", lambda s: s in OPEN_LOOP), ("closed loop, retries", lambda s: s not in OPEN_LOOP))
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
        spread = difference(level, repeats)
        far = abs(here.refused - real.refused) > 0.20 * max(real.requests, 1)
        yield Cell(a.name, b.name, level, real, here, spread, bounds(real, here, spread), far)


def repeats_of(b, runs):
    return [run for run in runs if run.schedule == b.schedule and run.lead == b.lead and run.configuration == b.configuration]


def difference(level, runs):
    counts = [run.truth.get(level, EMPTY).refused for run in runs]
    return max(counts) - min(counts)


def server_cells(runs):
    """Each real run in the place of a replay: the bounds do not know it."""
    return [cell for b in runs for a in repeats_of(b, runs) if a is not b
            for cell in cells_of(a, b, a.truth, [run for run in repeats_of(b, runs) if run is not a])]


def as_the_server(cells, runs):
    """Of replays, how many are as near to a run as another run is: by the bounds and with the weights of server_cells()."""
    verdicts = collections.defaultdict(list)
    for cell in cells:
        b = next(run for run in runs if run.name == cell.b)
        repeats = repeats_of(b, runs)
        for other in repeats:
            if other is b:
                continue
            spread = difference(cell.level, [run for run in repeats if run is not other])
            verdicts[other.name, b.name, cell.level].append(all(bounds(cell.real, cell.got, spread)))
    return sum(statistics.mean(found) for found in verdicts.values()), len(verdicts)


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
    parser.add_argument("--mode", action="append", choices=list(MODES) + ["server", "same", "spread"])
    parser.add_argument("--only", default="")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--spread", type=int, default=10)
    args = parser.parse_args()
    source = os.environ.get("APF_RECORDINGS")
    if not source:
        raise SystemExit("APF_RECORDINGS is not set: give the folder that holds counterfactual/ and realserver/")
    cache = ROOT / "build/recordings"
    runs = [recordings.Run(folder) for folder in recordings.unpack(pathlib.Path(source) / "counterfactual", cache)]
    if not runs:
        raise SystemExit(f"{source}/counterfactual holds no recordings (*.tar.xz)")
    pairs = [(a, b) for a, b in pairs_of(runs) if args.only in f"{a.name}>{b.name}"]
    known = subprocess.run([args.apfctl, "replay", "-h"], capture_output=True, text=True).stdout
    for schedule in CLIENTS:
        CLIENTS[schedule] = [flag for flag in CLIENTS[schedule] if flag in known or not flag.startswith("--")]
    if "--client-model" not in known:
        CLIENTS["s2"] = ["--retries"]
    global CAN_TIME_OUT
    CAN_TIME_OUT = "--client-timeout" in known
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    for mode in args.mode or ["server", "joined", "audit", "same", "spread"]:
        if mode == "spread":
            coverage(args.apfctl, pairs, pool, args.spread, args.details)
            continue
        if mode == "same":
            work = [(run, run) for run in runs if args.only in f"{run.name}>{run.name}"]
        else:
            work = pairs

        def one(pair):
            a, b = pair
            if mode == "same":
                got = replayed(args.apfctl, a, b, same(a, b))
            else:
                got = replayed(args.apfctl, a, b, MODES[mode](a, b))
            return list(cells_of(a, b, got, repeats_of(b, runs)))
        if mode == "server":
            cells = server_cells([run for run in runs if args.only in f"{run.name}>{run.name}"])
        else:
            cells = [cell for found in pool.map(one, work) for cell in found]
        if args.details:
            for cell in cells:
                print(show(cell))
        for name, chosen in KINDS:
            some = [cell for cell in cells if chosen(cell.b.split("-")[0])]
            good = sum(all(cell.ok) for cell in some)
            parts = [percent(sum(cell.ok[i] for cell in some), len(some)) for i in range(3)]
            print(f"{mode:13s} {name:21s} {good:4d} of {len(some):4d} cells within bounds {percent(good, len(some))}"
                  f"  refused {parts[0]}  mean {parts[1]}  p99 {parts[2]}"
                  f"  far off {sum(cell.off_by_far for cell in some)}", flush=True)
            if mode in MODES:
                near, of = as_the_server(some, runs)
                print(f"{'':13s} {'':21s} {near:6.1f} of {of:4d} where the server was run again {percent(near, of)}", flush=True)
        if mode == "same":
            compare_single_runs(args.apfctl, pathlib.Path(source) / "realserver")


def compare_single_runs(apfctl, source):
    folders = [p for p in sorted(source.iterdir()) if (p / "run.json").exists()] if source.is_dir() else []
    cells = [cell for folder in folders for cell in recorded_cells(apfctl, folder)]
    good = sum(all(cell) for cell in cells)
    print(f"{'same':13s} {'single runs':21s} {good:4d} of {len(cells):4d} cells within bounds {percent(good, len(cells))}",
          flush=True)


if __name__ == "__main__":
    main()
