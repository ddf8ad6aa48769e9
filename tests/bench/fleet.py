#!/usr/bin/env python3
"""What a sweep of a fleet costs: measures a task, a replay and a merge on this machine, then simulates how the tasks of a
day's logs run on clusters of several sizes. apfctl-sweep(1), SCALE, has what it printed.

    fleet.py [APFCTL [GENERATOR]]    (default those of build/release/bin; REQUESTS=200000 in the measured log)
"""
import heapq
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

BIN = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"
APFCTL = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else BIN / "apfctl")
GENERATOR = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else BIN / "generate-amok-controller")
REQUESTS = int(os.environ.get("REQUESTS", "200000"))

# The fleet: a day of audit logs.
SERVERS, BYTES, REPLAYS = 1000, 10e12, 8
STORAGE = {"1 GB/s": 1e9, "10 GB/s": 10e9}  # what all machines together read
CORES = (2, 32, 256, 1000, 4000)


def run(*arguments):
    """CPU seconds and the most memory."""
    child = subprocess.Popen([APFCTL, *arguments, "-q"], stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"apfctl {' '.join(arguments)} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def write_plan(logs, seeds):
    pathlib.Path("plan.yaml").write_text(json.dumps({
        "logs": [{"name": f"server-{i}", "files": path} for i, path in enumerate(logs)], "configurations": [{"name": "built-in"}],
        "flags": [{"name": "few seats", "server-concurrency": 150}], "seeds": seeds, "recorded": {"configuration": "built-in"}}), encoding="utf-8")


def task(seeds):
    write_plan(["audit.log"], list(range(1, seeds + 1)))
    return min(run("sweep", "plan.yaml", "--partial", f"of-{seeds}", "--threads", "1") for _ in range(3))


def measure():
    """Of a byte, a request, a replayed request; of a replay in a partial result."""
    subprocess.run([GENERATOR, "--requests", str(REQUESTS), "-o", "audit.log"], check=True)
    size = os.path.getsize("audit.log")
    few, many = task(1), task(9)
    # A seed has a replay of its own, and the first one finds out what the log leaves open.
    replay = (many[0] - few[0]) / 8
    read = few[0] - 2 * replay
    partial = (os.path.getsize("of-9/task-1-of-1.json") - os.path.getsize("of-1/task-1-of-1.json")) / 8
    with open("audit.log", "rb") as lines:  # little at once: what this process takes counts for those that it starts
        pathlib.Path("small.log").write_bytes(b"".join(itertools.islice(lines, 200)))
    logs = 2000
    write_plan(["small.log"] * logs, 4)
    run("sweep", "plan.yaml", "--partial", "small", "--threads", "1")
    merge = min(run("sweep", "--merge", "small", "-o", "json=out.json") for _ in range(3))
    merged = os.path.getsize("small/task-1-of-1.json")
    print(f"A log of {size / 1e6:.0f} MB with {REQUESTS:,} requests ({size / REQUESTS:,.0f} bytes each), one core:")
    print(f"  read and prepared once   {read:6.2f} s   {size / read / 1e6:8.0f} MB/s   {read / REQUESTS * 1e6:6.2f} µs a request")
    print(f"  each replay              {replay:6.2f} s   {REQUESTS / replay / 1e6:8.1f} million requests/s")
    print(f"  memory of the task       {few[1] / 1e6:6.0f} MB")
    print(f"  partial result           {partial / 1e3:6.1f} kB a replay")
    print(f"Merging {logs * 4:,} replays, {merged / 1e6:.0f} MB: {merge[0]:.2f} s, {merged / merge[0] / 1e6:.0f} MB/s, {merge[1] / 1e6:.0f} MB of memory")
    return size, read / size, replay / size, partial, merge[0] / merged


def simulate(sizes, cpu_per_byte, cores, storage):
    """Tasks taken in the order of the plan by whoever is free; reading is slower while all together ask for more than the
    storage has. Returns the seconds, and which part of them the storage was the limit."""
    todo = iter(sizes)
    # By progress: while all run at one speed, a task ends when the common clock has advanced by its CPU time.
    clock = seconds = limited = 0.0
    running = []
    for size in todo:
        heapq.heappush(running, clock + size * cpu_per_byte)
        if len(running) == cores:
            break
    while running:
        asked = len(running) / cpu_per_byte
        speed = min(1.0, storage / asked)
        end = heapq.heappop(running)
        step = (end - clock) / speed
        seconds += step
        limited += step if speed < 1 else 0
        clock = end
        size = next(todo, None)
        if size is not None:
            heapq.heappush(running, clock + size * cpu_per_byte)
    return seconds, limited / seconds


def hours(seconds):
    return f"{seconds / 3600:7.2f} h"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        size, read, replay, partial, merge = measure()
        os.chdir("/")
    cpu = read + (REPLAYS + 1) * replay
    source = random.Random(1)
    sizes = [source.lognormvariate(0, 0.7) for _ in range(SERVERS)]
    sizes = [s * BYTES / sum(sizes) for s in sizes]
    print(f"\nA day of {SERVERS:,} servers, {BYTES / 1e12:.0f} TB of audit log, {REPLAYS} replays of each:")
    print(f"  the largest log has {max(sizes) / 1e9:.0f} GB")
    print(f"  {cpu * BYTES / 3600:,.0f} core hours; reading alone {read * BYTES / 3600:,.0f}")
    print(f"  partial results {SERVERS * REPLAYS * partial / 1e6:,.0f} MB, merged in {SERVERS * REPLAYS * partial * merge:,.1f} s")
    print(f"  memory of the largest log {max(sizes) / size * REQUESTS * 64 / 1e9:.1f} GB, or --memory")
    print("  how long it takes, and for which part of that the storage is the limit:")
    print(f"  {'cores':>7}" + "".join(f"{name + ' of storage':>24}" for name in STORAGE))
    for cores in CORES:
        row = f"  {cores:>7,}"
        for storage in STORAGE.values():
            seconds, limited = simulate(sizes, cpu, cores, storage)
            row += f"{hours(seconds):>15}{limited * 100:7.0f} %"
        print(row)
    print(f"  no cluster is faster than its largest log: {hours(max(sizes) * cpu).strip()}")
    for name, storage in STORAGE.items():
        print(f"  {name} of storage are used up by {storage * cpu:,.0f} cores")


main()
