#!/usr/bin/env python3
"""The order of lines changes no answer: logs of the tests, permuted, give the JSON that they give in order.

usage: check.py APFCTL [-n ROUNDS] [-v]    APF_TEST_SEED=N repeats a run; -v shows the first difference
The last line is "N passed, N failed".
"""
import argparse
import calendar
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests/golden/inputs"
# Logs of one server, and what of a server a replay is told.
LOGS = [
    [INPUTS / "audit.log"],
    [INPUTS / "amok.jsonl"],
    [INPUTS / "clients.jsonl"],
    [INPUTS / "kube-apiserver.log"],
    [INPUTS / "joined-audit.log", INPUTS / "joined-kube-apiserver.log"],
    [INPUTS / "audit.log", INPUTS / "kube-apiserver.log"],
    [INPUTS / "namespaces.jsonl.gz"],
    [INPUTS / "refused.log.gz"],
    [INPUTS / "three-clients.jsonl.gz"],
    [ROOT / "examples/incident/audit.log.gz"],
    [ROOT / "examples/amok-controller/short.jsonl.gz"],
]


def over_new_year(text):
    """klog's lines have no year."""
    lines = text.splitlines(keepends=True)
    days = [b"1231", b"0101"]
    return b"".join(re.sub(rb"^([IWEF])\d{4} ", rb"\g<1>" + days[2 * at // len(lines)] + b" ", line)
                    for at, line in enumerate(lines))


def of_docker(text):
    return b"".join(json.dumps({"log": line, "stream": "stdout"}, separators=(",", ":")).encode() + b"\n"
                    for line in text.decode().splitlines(keepends=True))


# By another name, as another form of a log.
MADE = [
    ("kube-apiserver.log", "new-year.log", over_new_year),
    ("audit.log", "docker.log", of_docker),
]
COMMANDS = {
    "log": ["log", "-o", "json"],
    "replay": ["replay", "-q", "-o", "json", "--no-config", "--server-concurrency", "20"],
    "trace": ["trace", "-q"],
    "headroom": ["headroom", "-q", "-o", "json", "--no-config", "--server-concurrency", "20", "--of", "load=1..2"],
}
# Fields that tell of the order of lines, and of where they stand.
OF_ORDER = {"outOfOrder", "badLines"}


def text_of(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


TIMES = [
    re.compile(rb'"stageTimestamp":"([^"]*)"'),
    re.compile(rb'"time":("[^"]*"|-?[0-9]+)'),
    re.compile(rb"^[IWEF](\d{4} \d\d:\d\d:\d\d\.\d+)"),
]


def time_of(line):
    """What a line says of when it was written."""
    line = line.replace(b'\\"', b'"')
    for pattern in TIMES:
        if found := pattern.search(line):
            return instant(found.group(1))
    return b""


def instant(time):
    """Times of trace lines are numbers or texts."""
    text = time.strip(b'"').decode()
    if found := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z", text):
        seconds = calendar.timegm(tuple(map(int, found.groups()[:6])))
        return seconds * 10**9 + int((found.group(7) or "").ljust(9, "0"))
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def is_told_by_order(line):
    """Nothing but its place tells a line from others of its instant."""
    return not re.search(rb'audit-?ID"?[:=]"[^"]', line.replace(b'\\"', b'"'), re.I)


def with_ties_as_before(before, after):
    """Lines of one instant that have no audit ID stand in their old order."""
    places = {}
    for at, line in enumerate(after):
        if is_told_by_order(line):
            places.setdefault(time_of(line), []).append(at)
    ties = {}
    for line in before:
        if is_told_by_order(line):
            ties.setdefault(time_of(line), []).append(line)
    out = list(after)
    for time, ats in places.items():
        for at, line in zip(ats, ties[time]):
            out[at] = line
    return out


def backwards(lines, _):
    return lines[::-1]


def blocks(lines, rng):
    """The newest block first."""
    size = rng.randint(2, max(2, len(lines) // 2))
    out = [line for at in range((len(lines) - 1) // size * size, -1, -size) for line in lines[at:at + size]]
    return with_ties_as_before(lines, out)


def shuffled_near(lines, rng):
    """Each line up to some lines away from its place."""
    distance = rng.choice([1, 3, 10, 100, 1000])
    order = sorted(range(len(lines)), key=lambda at: at + rng.uniform(0, distance))
    return with_ties_as_before(lines, [lines[at] for at in order])


def shuffled(lines, rng):
    out = list(lines)
    rng.shuffle(out)
    return with_ties_as_before(lines, out)


def one_late(lines, rng):
    """A single line comes too late."""
    out = list(lines)
    out.insert(rng.randrange(len(out) + 1), out.pop(rng.randrange(len(out))))
    return with_ties_as_before(lines, out)


def pairs(lines, _):
    """The events of each request in the opposite order."""
    places = {}
    for at, line in enumerate(lines):
        if found := re.search(rb'"auditID":"([^"]+)"', line.replace(b'\\"', b'"')):
            places.setdefault(found.group(1), []).append(at)
    out = list(lines)
    for ats in places.values():
        for at, line in zip(ats, [lines[at] for at in reversed(ats)]):
            out[at] = line
    return out


def watch_end_first(lines, rng):
    """A log that begins with the end of a watch."""
    ends = [at for at, line in enumerate(lines) if re.search(rb'"verb":"watch"|watch=|WATCH', line)]
    out = list(lines)
    if ends:
        out.insert(0, out.pop(rng.choice(ends)))
    return with_ties_as_before(lines, out)


PERMUTATIONS = [backwards, blocks, shuffled_near, shuffled, one_late, pairs, watch_end_first]


def in_files(lines, rng):
    """The lines in one file, or dealt out to several."""
    count = rng.choice([1, 1, 2, 3])
    files = [[] for _ in range(count)]
    of_time = {}  # lines of one instant that nothing else tells apart stay together
    for line in lines:
        to = rng.choice(files)
        if is_told_by_order(line):
            to = of_time.setdefault(time_of(line), to)
        to.append(line)
    return [b"".join(file) for file in files if file]


def without_order(value):
    if isinstance(value, dict):
        return {k: without_order(v) for k, v in value.items() if k not in OF_ORDER}
    if isinstance(value, list):
        return [without_order(v) for v in value if not (isinstance(v, dict) and v.get("kind") == "out-of-order")]
    return value


def without_files(value):
    """What tells of files, where there is another number of them."""
    if isinstance(value, dict):
        return {k: without_files(v) for k, v in value.items() if k != "logs"}
    return [without_files(v) for v in value] if isinstance(value, list) else value


def answer(apfctl, name, names, folder, several):
    run = subprocess.run([apfctl, *COMMANDS[name][:1], *names, *COMMANDS[name][1:]], cwd=folder, capture_output=True,
                         timeout=300)
    if name == "trace" or not run.stdout:
        return run.returncode, run.stdout.decode() or run.stderr.decode()
    out = without_order(json.loads(run.stdout))
    return run.returncode, json.dumps(without_files(out) if several else out, indent=1)


def first_difference(a, b):
    path = []  # of the members that the line is within
    for x, y in zip(a.splitlines(), b.splitlines()):
        depth = len(x) - len(x.lstrip())
        path = path[:depth] + [""] * (depth - len(path)) + [x.strip()[:40]]
        if x != y:
            return f"  at {' '.join(path[:-1])}\n  in order: {x[:300]}\n  permuted: {y[:300]}"
    return f"  {len(a.splitlines())} lines in order, {len(b.splitlines())} permuted"


def main():
    args = argparse.ArgumentParser()
    args.add_argument("apfctl")
    args.add_argument("-n", type=int, default=1)
    args.add_argument("-v", action="store_true")
    args = args.parse_args()
    apfctl = os.path.abspath(args.apfctl)
    seed = int(os.environ.get("APF_TEST_SEED") or random.randrange(10**6))
    print(f"seed {seed}")
    passed = failed = 0
    logs_of = [[(path.name.removesuffix(".gz"), text_of(path)) for path in logs] for logs in LOGS]
    logs_of += [[(name, make(text_of(INPUTS / source)))] for source, name, make in MADE]
    for number, logs in enumerate(logs_of):
        rng = random.Random(f"{seed} {number}")
        texts = [text.splitlines(keepends=True) for _, text in logs]
        # A last line that is cut off is part of the line that follows it elsewhere.
        texts = [[line for line in lines if line.endswith(b"\n")] for lines in texts]
        names = [name for name, _ in logs]
        small = sum(map(len, texts)) < 1000
        with tempfile.TemporaryDirectory() as root:
            root = pathlib.Path(root)
            for name, lines in zip(names, texts):
                (root / name).write_bytes(b"".join(lines))
            commands = [name for name in COMMANDS if name != "headroom" or small]
            wanted = {(c, s): answer(apfctl, c, names, root, s) for c in commands for s in (False, True)}
            for permute in PERMUTATIONS * args.n:
                files, several = [], False
                folder = root / "permuted"
                folder.mkdir(exist_ok=True)
                for name, lines in zip(names, texts):
                    lines = permute(lines, rng)
                    # Which of several files without years is the older one, their order alone does not tell.
                    parts = [b"".join(lines)] if name == "new-year.log" else in_files(lines, rng)
                    several = several or len(parts) > 1
                    for at, part in enumerate(parts):
                        files.append(name if at == 0 else f"{name}.{at}")
                        (folder / files[-1]).write_bytes(part)
                rng.shuffle(files) if several else None
                for command in commands:
                    got, want = answer(apfctl, command, files, folder, several), wanted[command, several]
                    if got == want:
                        passed += 1
                        continue
                    failed += 1
                    print(f"{command} {' '.join(files)}: {permute.__name__} of {', '.join(names)} gives another answer")
                    if args.v:
                        print(first_difference(want[1], got[1]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
