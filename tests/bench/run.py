#!/usr/bin/env python3
"""The benchmarks of `make bench`: ratios measured in one run, each against its bar. Exits 1 when a bar is missed.

    run.py [FILTER]    only the parts whose name holds FILTER: build, read, jq, logs, readers, limit, advice, lint, lsp, parts, memory

What has a goal is on its way there: it is shown, and fails nothing.
"""
import concurrent.futures
import datetime
import glob
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
from random import Random

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "release" / "bin"
WORK = ROOT / "build" / "bench"
EXAMPLE = ROOT / "examples" / "amok-controller"
ROUNDS = int(os.environ.get("ROUNDS", "5"))
REQUESTS = 500_000
# 200 compilations of 1.45 s on two processors: the 150 s that a newcomer waits at most. Raise it only for what users get in return.
BUILD_CEILING = 200
met = missed = 0


def bar(name: str, value: float, wanted: float, unit: str = "x", at_most: bool = False) -> None:
    global met, missed
    ok = value <= wanted if at_most else value >= wanted
    met, missed = met + ok, missed + (not ok)
    print(f"  {'ok    ' if ok else 'MISSED'} {name}: {value:.2f}{unit} (bar: {'at most' if at_most else 'at least'} {wanted:g}{unit})", flush=True)


def goal(name: str, value: float, wanted: float, unit: str = "x", at_most: bool = False) -> None:
    reached = value <= wanted if at_most else value >= wanted
    print(f"  {'ok    ' if reached else 'open  '} {name}: {value:,.2f}{unit} (goal: {'at most' if at_most else 'at least'} {wanted:,g}{unit})", flush=True)


def replay_command(log: str) -> list[str]:
    return [str(BIN / "apfctl"), "replay", log, "-f", str(EXAMPLE / "before.yaml"), "--objects", str(EXAMPLE / "objects.txt"), "--recorded", "config=same", "--no-experiments", "-o", "json"]


def what_if_command(log: str) -> list[str]:
    return [str(BIN / "apfctl"), "replay", log, "-f", str(EXAMPLE / "after.yaml"), "--objects", str(EXAMPLE / "objects.txt"),
            "--recorded", "config=" + str(EXAMPLE / "before.yaml"), "--no-experiments", "-o", "json"]


def compare_command(log: str, spread: int) -> list[str]:
    return [str(BIN / "apfctl"), "compare", str(EXAMPLE / "before.yaml"), str(EXAMPLE / "after.yaml"), "--log", log,
            "--objects", str(EXAMPLE / "objects.txt"), "--spread", str(spread), "-o", "json"]


def advice() -> None:
    """Many replays of the log of the demo, 100,000 requests."""
    flags = [generated(100_000), "-f", str(EXAMPLE / "before.yaml"), "--objects", str(EXAMPLE / "objects.txt"),
             "--max-requests-inflight", "100", "--max-mutating-requests-inflight", "50", "-q", "-o", "json"]
    for command, most, more in (("headroom", 6, []), ("suggest", 15, ["--isolate", "auto"])):
        seconds = measure([str(BIN / "apfctl"), command, *flags, *more], ok=(0, 1))[1]
        goal(f"{command} on the demo's log, processor time", seconds, most, " s", at_most=True)


def measure(command: list[str], ok: tuple[int, ...] = (0,)) -> tuple[float, float]:
    """Seconds of a whole process: by the clock, and of processor time."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ok:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def generated(requests: int) -> str:
    path = WORK / f"audit-{requests}.log"
    if not path.exists():
        subprocess.run([BIN / "generate-amok-controller", "--requests", str(requests), "-o", f"{path}.part"], check=True)
        os.replace(f"{path}.part", path)
    return str(path)


def read_log() -> float:
    log = generated(REQUESTS)
    size = os.path.getsize(log)
    reader = str(BIN / "simdjson_read")
    commands = {
        "apfctl replay": replay_command(log),
        "simdjson dom": [reader, "dom", log],
        "simdjson on-demand": [reader, "ondemand", log],
        "simdjson dom, in chunks": [reader, "dom-chunked", log],
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for command in commands.values():
        measure(command)  # the file is in the page cache from here on
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(measure(command))
    median = {name: statistics.median(wall for wall, _ in values) for name, values in times.items()}
    print(f"  {size / 1e6:.0f} MB, {REQUESTS} requests, median of {ROUNDS} rounds")
    for name, seconds in median.items():
        processor = statistics.median(cpu for _, cpu in times[name])
        print(f"  {name:24} {seconds:6.2f} s  {size / seconds / 1e9:5.2f} GB/s  {REQUESTS / seconds / 1e6:5.2f} million requests/s"
              f"  ({processor:.2f} s of processor)")
    ours = median["apfctl replay"]
    whole = min(median["simdjson dom"], median["simdjson on-demand"])
    bar("replay against simdjson reading the file in one thread", whole / ours, 1)
    # The same reader with a small buffer is kinder to the caches; it is shown, the bar is the plain one.
    print(f"         (against the same in chunks that fit the cache: {median['simdjson dom, in chunks'] / ours:.2f}x)")
    return ours


def jq(ours: float) -> None:
    log = generated(REQUESTS)
    seconds, _ = measure(["jq", "-c", "[.verb,.requestURI,.user.username]", log])
    print(f"  jq                       {seconds:6.2f} s")
    bar("replay against jq printing three fields", seconds / ours, 20)


def http_line(event: dict) -> str:
    """What kube-apiserver's own log says of the request that the audit event tells of."""
    received, ended = (datetime.datetime.fromisoformat(event[key].replace("Z", "+00:00"))
                       for key in ("requestReceivedTimestamp", "stageTimestamp"))
    total = (ended - received) // datetime.timedelta(microseconds=1)
    verb = {"create": "POST", "update": "PUT"}.get(event["verb"], event["verb"].upper())
    user, code = event["user"]["username"], event["responseStatus"]["code"]
    place = ("system", "system-nodes") if user.startswith("system:node:") else ("workload-low", "service-accounts")
    executed = "" if code == 429 else f'apf_execution_time="{max(total - 200, 1) / 1000:g}ms" '
    return (f'{ended:I%m%d %H:%M:%S.%f}    1546 httplog.go:134] "HTTP" verb="{verb}" URI="{event["requestURI"]}" latency="{total / 1000:g}ms" '
            f'userAgent="{event["userAgent"]}" audit-ID="{event["auditID"]}" srcIP="{event["sourceIPs"][0]}:44444" apf_pl="{place[0]}" '
            f'apf_fs="{place[1]}" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" {executed}resp={code}\n')


def in_another_form(name: str, write) -> str:
    """A log made of the generated one."""
    path = WORK / f"{name}-{REQUESTS}"
    if not path.exists():
        with open(f"{path}.part", "wb") as out:
            write(generated(REQUESTS), out)
        os.replace(f"{path}.part", path)
    return str(path)


def as_http(log: str, out) -> None:
    with open(log) as events:
        for event in map(json.loads, events):
            if event["stage"] == "ResponseComplete":
                out.write(http_line(event).encode())


def lines_of(path: str) -> int:
    with open(path, "rb") as log:
        return sum(1 for _ in log)


def logs() -> None:
    """Other logs than one of audit events, each measured in turn with what it is compared to."""
    audit, http = generated(REQUESTS), in_another_form("http.log", as_http)
    packed = in_another_form("audit.log.gz", lambda log, out: subprocess.run(["gzip", "-c", log], stdout=out, check=True))
    two = replay_command(audit)
    two[2:3] = ["--server", f"a={audit}", "--server", f"b={audit}"]
    # A server alone may use both processors; two of them have one each.
    commands = {"simdjson": [str(BIN / "simdjson_read"), "dom", audit], "audit": replay_command(audit), "one": replay_command(audit) + ["--threads", "1"],
                "http": replay_command(http), "gzip": replay_command(packed), "gzip -dc": ["gzip", "-dc", packed], "two": two,
                "two passes": replay_command(audit) + ["--recorded", "server-concurrency=900"],
                "systems": replay_command(audit) + ["--systems", "apf,max-in-flight,client-limit"],
                "what if": what_if_command(audit), "compare": compare_command(audit, 0), "compare, 3 more": compare_command(audit, 3)}
    walls: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            wall, cpu = measure(command)
            walls[name].append(wall)
            processor[name].append(cpu)
    per_line = {name: statistics.median(processor[name]) / lines_of(log) for name, log in (("simdjson", audit), ("audit", audit), ("http", http))}
    seconds = {name: statistics.median(values) for name, values in walls.items()}
    # What does not change when audit events are read faster.
    bar("a line of the HTTP log against simdjson reading one of the audit log, processor time", per_line["http"] / per_line["simdjson"], 1.5, at_most=True)
    print(f"         (against one of the audit log: {per_line['http'] / per_line['audit']:.2f}x)", flush=True)
    bar("gzip against gzip -dc alone", seconds["gzip"] / seconds["gzip -dc"], 1.3, at_most=True)
    bar("two servers on two processors against one server on one", seconds["two"] / seconds["one"], 1.15, at_most=True)
    bar("a log of another configuration, two passes against one", seconds["two passes"] / seconds["audit"], 1.5, at_most=True)
    print(f"         (against simdjson reading the file in one thread: {seconds['two passes'] / seconds['simdjson']:.2f}x)", flush=True)
    # A what-if reads the log once and schedules it twice, under the same two configurations.
    cpu = {name: statistics.median(values) for name, values in processor.items()}
    bar("compare against reading once and scheduling twice, processor time", cpu["compare"] / cpu["what if"], 1.15, at_most=True)
    bar("three systems against one replay, processor time", cpu["systems"] / cpu["audit"], 1.8, at_most=True)
    print(f"         (by the clock: {seconds['systems'] / seconds['audit']:.2f}x)", flush=True)
    print(f"         (with --spread 3, six schedules more: {cpu['compare, 3 more'] / cpu['compare']:.2f}x)", flush=True)
    print(f"         (two servers against one server that has both processors: {seconds['two'] / seconds['audit']:.2f}x)", flush=True)


def with_paths(repeats: int):
    """A log that asks for other objects: each of its paths becomes as many; 0: each request has its own."""
    reference = re.compile(rb'"objectRef":\{[^}]*"name":"([^"]*)"')
    target = re.compile(rb'"requestURI":"[^"]*"')

    def write(log: str, out) -> None:
        with open(log, "rb") as lines:
            for number, line in enumerate(lines):
                name = reference.search(line)
                if name and b'"verb":"watch"' not in line and b'"verb":"list"' not in line:
                    old = b"/" + name[1]
                    new = b"%s-%d" % (old, number % repeats if repeats else number)
                    line = target.sub(lambda uri, old=old, new=new: uri[0].replace(old, new, 1), line, count=1)
                out.write(line)

    return write


def with_late_line(log: str, out) -> None:
    """Time goes back once, by some 13 s: a line stands behind its place, but within the window."""
    with open(log, "rb") as lines:
        for number, line in enumerate(lines):
            if number == REQUESTS // 2 - 4_000:
                late = line
                continue
            if number == REQUESTS // 2:
                out.write(late)
            out.write(line)


def readers() -> None:
    """What reads a log beside a replay, against a replay of the same log, in processor time: the least of several rounds."""
    audit, rules, apfctl = generated(REQUESTS), str(EXAMPLE / "before.yaml"), str(BIN / "apfctl")
    many, once = (in_another_form(name, with_paths(repeats)) for name, repeats in (("many-paths.log", 3), ("paths-once.log", 0)))
    late, files = in_another_form("late-line.log", with_late_line), rotated(audit, 100)
    log = [apfctl, "log", "--no-experiments", "-o", "json"]
    replay_of_files = replay_command(audit)
    replay_of_files[2:3] = files
    commands = {"late": replay_command(late), "replay of files": replay_of_files, "log of files": [*log, *files]}
    for name, path in (("demo", audit), ("many paths", many), ("each path once", once)):
        commands |= {f"replay, {name}": replay_command(path), f"log, {name}": [*log, path], f"trace, {name}": [apfctl, "trace", path],
                     f"explain, {name}": [apfctl, "explain", "--requests", path, "-f", rules, "-q"]}
    seconds = dict.fromkeys(commands, float("inf"))
    for _ in range(ROUNDS):
        for name, command in commands.items():
            seconds[name] = min(seconds[name], measure(command)[1])
    for reader, bars in (("log", (1.3, 1.6, 1.6)), ("trace", (1.2, 1.5, 1.5)), ("explain", (1.2, 2, 2))):
        for name, most in zip(("demo", "many paths", "each path once"), bars):
            goal(f"{reader} against replay, {name}", seconds[f"{reader}, {name}"] / seconds[f"replay, {name}"], most, at_most=True)
    for reader in ("replay", "log"):
        goal(f"{reader} of 100 files against one", seconds[f"{reader} of files"] / seconds[f"{reader}, demo"], 1.3, at_most=True)
    goal("replay of a log in which time goes back once against one in order", seconds["late"] / seconds["replay, demo"], 1.05, at_most=True)


def as_unique(log: str, out) -> None:
    """Every event has another uid, token and address."""
    random = Random(1)

    def hexadecimal(digits: int) -> str:
        return f"{random.getrandbits(4 * digits):0{digits}x}"

    def uuid(_=None) -> str:
        return "-".join(hexadecimal(n) for n in (8, 4, 4, 4, 12))

    changes = [(re.compile(r'"uid":"[^"]*"'), lambda _: f'"uid":"{uuid()}"'), (re.compile("JTI=[0-9a-f-]+"), lambda _: "JTI=" + uuid()),
               (re.compile("X509SHA256=[0-9a-f]+"), lambda _: "X509SHA256=" + hexadecimal(64)),
               (re.compile(r'"sourceIPs":\["[^"]*"'), lambda _: f'"sourceIPs":["10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(256)}"')]
    with open(log) as lines:
        for line in lines:
            for pattern, replacement in changes:
                line = pattern.sub(replacement, line, count=1)
            out.write(line.encode())


def first_events(count: int) -> str:
    def write(log: str, out) -> None:
        with open(log, "rb") as lines:
            out.writelines(itertools.islice(lines, count))

    return in_another_form(f"first-{count}.log", write)


def rotated(log: str, parts: int) -> list[str]:
    """The log in as many files, each of whole lines."""
    names = [str(WORK / f"rotated-{REQUESTS}-{parts}-{i:02}.log") for i in range(parts)]
    if not os.path.exists(names[-1]):
        size = os.path.getsize(log)
        with open(log, "rb") as whole:
            for i, name in enumerate(names):
                with open(f"{name}.part", "wb") as out:
                    out.write(whole.read(max((i + 1) * size // parts - whole.tell(), 0)))
                    out.write(whole.readline())
                os.replace(f"{name}.part", name)
    return names


def best_of(commands: dict[str, list[str]]) -> dict[str, float]:
    """The shortest time of each by the clock, the commands in turn: what else the machine does only makes it longer."""
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(2 * ROUNDS):
        for name, command in commands.items():
            best[name] = min(best[name], measure(command)[0])
    return best


def limit() -> None:
    """What the machine could do, and how near to it apfctl is."""
    audit, unique = generated(REQUESTS), in_another_form("unique.log", as_unique)
    packed = in_another_form("audit.log.gz", lambda log, out: subprocess.run(["gzip", "-c", log], stdout=out, check=True))
    files, events = rotated(audit, 10), 240_000
    some, rules = first_events(events), str(EXAMPLE / "before.yaml")
    apfctl, one, two = str(BIN / "apfctl"), ["--threads", "1"], ["--threads", "2"]
    several = replay_command(audit)
    several[2:3] = files
    best = best_of({
        "simdjson": [str(BIN / "simdjson_read"), "dom-chunked", audit], "one": [*replay_command(audit), *one], "unique": [*replay_command(unique), *one],
        "two": [*replay_command(audit), *two], "gzip": [*replay_command(packed), *two], "inflate": ["gzip", "-dc", packed], "files": [*several, *two],
        "explain": [apfctl, "explain", "--requests", some, "-f", rules, "-q"], "trace": [apfctl, "trace", some]})
    print(f"  best of {2 * ROUNDS} rounds in turn: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in best.items()))
    goal("replay in one thread against simdjson reading the file in chunks, in one thread", best["simdjson"] / best["one"], 0.6)
    goal("gzip against plain, two threads", best["gzip"] / best["two"], 1.3, at_most=True)
    goal("a log in which every event has another uid, token and address against the ordinary one", best["unique"] / best["one"], 1.3, at_most=True)
    parts = subprocess.run([BIN / "sequential_part", audit, rules, str(ROUNDS)], stdout=subprocess.PIPE, check=True, text=True).stdout
    longest, ordering, scheduling, both = map(float, parts.split())
    print(f"  parts that only one thread can do, each request: ordering {ordering:.2f} µs, scheduling and counting {scheduling:.2f} µs, "
          f"both in one thread {both:.2f} µs")
    goal("the longest part that only one thread can do, each request", longest, 0.15, " µs", at_most=True)
    goal("explain --requests, all threads", events / best["explain"], 500_000, "/s")
    goal("trace, all threads", events / best["trace"], 800_000, "/s")
    goal("a log in ten files against one file, two threads", best["files"] / best["two"], 1.05, at_most=True)
    writer = [str(BIN / "generate-amok-controller"), "--requests"]
    small, large = peak_memory(REQUESTS, writer, []), peak_memory(4 * REQUESTS, writer, [])
    goal("memory of four times the log", large / small, 1.05, at_most=True)


def lint() -> None:
    """Whole processes: one file by the clock, 10,000 objects against a process in which yaml-cpp parses the same file."""
    command = [str(BIN / "apfctl"), "lint", "--no-config", "--fail-on", "never", "-q"]
    one = ROOT / "tests" / "golden" / "lint" / "APF401" / "bad.yaml"
    times = sorted(measure([*command, str(one)])[0] for _ in range(50))
    print(f"  one file: best {times[0] * 1000:.1f} ms, median {times[len(times) // 2] * 1000:.1f} ms of 50 runs")
    bar("one file, from start to end, best of 50", times[0] * 1000, 10, " ms", at_most=True)
    many = WORK / "lint-10000.yaml"
    subprocess.run([BIN / "lint_bench", "write", many], check=True)
    as_json = WORK / "lint-10000.json"
    with open(as_json, "wb") as out:
        subprocess.run([BIN / "apfctl", "default", "-o", "json", many], check=True, stdout=out, stderr=subprocess.DEVNULL)
    for path, format in ((many, "text"), (many, "json"), (as_json, "text")):
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(measure([*command, "-o", format, str(path)])[1])
            if path == many:
                theirs.append(measure([str(BIN / "lint_bench"), "parse", str(path)])[1])
        if theirs:
            parse = statistics.median(theirs)
            print(f"  {os.path.getsize(path) / 1e6:.1f} MB of YAML: yaml-cpp {parse:.2f} s of processor, lint -o {format} {statistics.median(ours):.2f} s")
        bar(f"10,000 objects in {path.suffix[1:]}, -o {format}, against yaml-cpp parsing the YAML", statistics.median(ours) / parse, 2.5 if path == many else 1.5, at_most=True)


def lsp() -> None:
    """A change of one file of 10,000 objects, from the editor's message to the answer, beside lint of the folder."""
    folder = WORK / "lsp-10000"
    command = [sys.executable, str(ROOT / "tests" / "bench" / "lsp.py"), str(folder)]
    path = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    got = dict(line.split() for line in subprocess.run([*command, "10000", "200"], check=True, text=True, stdout=subprocess.PIPE, env=path).stdout.splitlines())
    whole = measure([str(BIN / "apfctl"), "lint", "--fail-on", "never", "-q", "-o", "json", str(folder)])[0] * 1000
    print(f"  10,000 objects in 9,000 files: lint of the folder {whole:.0f} ms; a change {got['median-ms']} ms, 99 % within {got['p99-ms']} ms")
    bar("a change is answered, 99 % of 200", float(got["p99-ms"]), 100, " ms", at_most=True)
    bar("the slowest kind of question after a change", float(got["question-ms"]), 100, " ms", at_most=True)
    bar("lint of the folder against a change", whole / float(got["median-ms"]), 10)
    bar("exit while all files are looked at", float(got["exit-ms"]), 300, " ms", at_most=True)


def parts() -> None:
    """The programs of tests/bench that measure one part each and end with 1 when a bar of theirs is missed."""
    for program in sorted(glob.glob(str(BIN / "*_bench"))):
        print(f" {os.path.basename(program)}")
        arguments = [generated(100_000)] if program.endswith("/read_bench") else []
        result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        for line in result.stdout.splitlines():
            print(f"  {line}")
        bar(f"{os.path.basename(program)} met its bars", float(result.returncode == 0), 1)


def write_pods(requests: int) -> None:
    """Trace lines of pods that are created and, 500 pods later, deleted."""
    who = '"user":"system:serviceaccount:kube-system:replicaset-controller","groups":["system:serviceaccounts","system:authenticated"]'
    resources = '{"requests":{"cpu":"250m","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}}'
    for i in range(requests):
        pod, at = i // 2, 1_700_000_000_000_000_000 + i * 5_000_000
        if i % 2 == 0:
            print(f'{{"time":{at},{who},"verb":"create","uri":"/api/v1/namespaces/shop/pods","execution":4000000,"code":201,"object":{{"apiVersion":"v1","kind":"Pod",'
                  f'"metadata":{{"name":"web-{pod}","namespace":"shop"}},"spec":{{"containers":[{{"name":"web","resources":{resources}}}]}}}}}}')
        elif pod >= 500:
            print(f'{{"time":{at},{who},"verb":"delete","uri":"/api/v1/namespaces/shop/pods/web-{pod - 500}","execution":3000000,"code":200}}')


def peak_memory(requests: int, writer: list[str], flags: list[str]) -> int:
    """KiB of a replay that reads the writer's output from a pipe."""
    with subprocess.Popen([*writer, str(requests)], stdout=subprocess.PIPE) as generator:
        with open(os.devnull, "w") as null:
            child = subprocess.Popen([*replay_command("-"), *flags], stdin=generator.stdout, stdout=null)
        generator.stdout.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"replay of {requests} requests ended with {child.returncode}")
    return usage.ru_maxrss


def compare_memory(name: str, requests: int, writer: list[str], flags: list[str]) -> None:
    small, large = peak_memory(requests, writer, flags), peak_memory(10 * requests, writer, flags)
    print(f"  {requests:,} requests: {small / 1024:.1f} MiB; {10 * requests:,} requests: {large / 1024:.1f} MiB")
    bar(name, large / small, 1.1, at_most=True)


def memory() -> None:
    compare_memory("memory of ten times the log", 500_000, [str(BIN / "generate-amok-controller"), "--requests"], [])
    pods = [sys.executable, __file__, "--write-pods"]
    (WORK / "quota.yaml").write_text("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: compute, namespace: shop}\n"
                                     "spec: {hard: {pods: 1k, requests.cpu: 1k, limits.memory: 1Pi}}\n")
    quota = ["--quota", str(WORK / "quota.yaml")]
    compare_memory("the same with quotas, of pods that come and go", 200_000, pods, quota)
    compare_memory("the same of a log of another configuration", 200_000, pods, [*quota, "--recorded", "server-concurrency=900"])


def compilations() -> list[float]:
    """Processor seconds to compile one source that includes little but simdjson, with all processors as busy as in a build."""
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-c", str(ROOT / "tests/bench/simdjson_read.cc"), "-o", os.devnull]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [cpu for _, cpu in pool.map(lambda _: measure(command), range(3 * os.cpu_count()))]


def build() -> None:
    """The library and apfctl from nothing, without ccache; compared with one compilation, as machines differ.

    A machine that others use is slower at some times than at others: the one compilation is the median of many before, amid
    and after the build.
    """
    folder = WORK / "build"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # of the make that runs this
        os.environ.pop(name, None)
    wall = processor = 0.0
    single = compilations()
    for target in ("lib", "all"):
        seconds, cpu = measure(["make", "--no-print-directory", "-s", "-C", str(ROOT), "VARIANT=release", f"BUILD={folder}", "CCACHE=",
                                f"-j{os.cpu_count()}", target])
        wall, processor = wall + seconds, processor + cpu
        single += compilations()
    one = statistics.median(single)
    shutil.rmtree(folder)
    print(f"  make all: {processor:.0f} s of processor, {wall:.0f} s by the clock; one compilation {one:.2f} s"
          f" ({min(single):.2f} to {max(single):.2f})")
    bar("make all against one compilation of tests/bench/simdjson_read.cc", processor / one, BUILD_CEILING, at_most=True)


def main() -> int:
    if os.getloadavg()[0] > 0.5:
        print(f"note: this machine is not idle (load {os.getloadavg()[0]:.1f}), the ratios are disturbed")
    WORK.mkdir(parents=True, exist_ok=True)
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    if only in "read jq":
        print("replay, from the file to the report")
        ours = read_log()
        jq(ours)
    if only in "logs":
        print("replay of other logs, from the file to the report")
        logs()
    if only in "readers":
        print("what else reads a log")
        readers()
    if only in "limit":
        print("at the limit of the machine")
        limit()
    if only in "advice":
        print("advice, from the file to the report")
        advice()
    if only in "lint":
        print("lint, from the file to the report")
        lint()
    if only in "lsp":
        print("lsp, from a change to its answer")
        lsp()
    if only in "parts":
        print("parts")
        parts()
    if only in "memory":
        print("peak memory of a replay from a pipe")
        memory()
    if only in "build":
        print("build from nothing, without ccache")
        build()
    print(f"{met} bars met, {missed} missed")
    return 1 if missed else 0


if sys.argv[1:2] == ["--write-pods"]:
    write_pods(int(sys.argv[2]))
    sys.exit(0)
sys.exit(main())
