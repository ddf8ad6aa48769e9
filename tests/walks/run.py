#!/usr/bin/env python3
"""Every command that a screen prints is one that runs, and says the same as the screen that printed it.

run.py commands    those of the golden cases and of the examples' pages: what follows "shown by", what stands below "Next",
                   between the lines of a report or in quotes. Each is run in the folder where it was printed.
run.py walks       from `apfctl log LOG` by the commands below Next alone, over recordings, incidents and examples: each way
                   ends at a screen that names no further command, and none comes back to where it was. Prints the walks.

Last line: "N passed, N failed".
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/golden"))
import case_file  # noqa: E402

GOLDEN = ROOT / "tests/golden"
BIN = ROOT / "build" / os.environ.get("VARIANT", "release") / "bin"
passed, failed = 0, []
# What is no command to paste: usage, placeholders, sentences about commands, and commands of other programs.
NO_COMMAND = re.compile(r"\[FLAG\]|\[FILE\]|\.\.\.|[|<>]|\b(?:FILE|LOG|PATH|NAME|COMMAND|UID|PLAN|DIR|OLD|NEW|VERB|CODE|N)\b|--help|\\$")
# Cases whose printed commands are about what only the case has: a terminal, a pipe, a folder that it fills and leaves.
LATER = "metrics.txt", "later.txt", "requests.txt", "suggested.yaml"


def verdict(what, fault):
    global passed
    if fault:
        failed.append(f"FAILED {what}: {fault}")
    else:
        passed += 1


def environment(folder):
    kubectl = folder / "bin" / "kubectl"
    kubectl.parent.mkdir(exist_ok=True)
    kubectl.write_text(f'#!/bin/sh\ncase "$*" in\n'
                       f'  "get --raw /metrics") exec cat "$METRICS" ;;\n'
                       f'  "get flowschemas,"*) exec apfctl builtins -o json ;;\n'
                       f'  "version -o json") echo \'{{"serverVersion":{{"gitVersion":"v1.37.0"}}}}\' ;;\n'
                       f'  *dump_requests*) exec cat {ROOT}/examples/live-server/dump_requests.txt ;;\n'
                       f'  *) echo "unexpected: $*" >&2; exit 1 ;;\nesac\n')
    kubectl.chmod(0o755)
    keep = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS")}
    return {**keep, "PATH": f"{BIN}:{kubectl.parent}:{os.environ['PATH']}", "METRICS": f"{ROOT}/examples/live-server/metrics-2.txt",
            "TERM": "dumb", "REPO": str(ROOT)}


def shell(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def next_of(text):
    """The commands below Next, in order."""
    return [line.strip() for line in text.partition("\nNext\n")[2].splitlines() if line.startswith("  ")]


def unwrapped(text):
    """A report's first paragraph in one line: its verdict."""
    return " ".join(text.partition("\n\n")[0].split())


def printed(text):
    """(command, what it has to show) of a text."""
    place = r"([^\s(]+) \(([^\s)]+)\)$"
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if (found := re.match(r"\s*shown by: (apfctl .*?)(?: => " + place + ")?$", line)):
            yield found[1], f"{found[2]} → {found[3]}" if found[2] else None
        elif (found := re.match(r" {6}(apfctl explain .*)$", line)):
            # Below a region of a diff: the side before, then the side after.
            head = re.search(r": (\S+)(?: → (\S+))? \((?:the same level, )?(\S+?)(?: → (\S+?))?\)$", " ".join(lines[max(0, number - 3):number]).split("      apfctl")[0].strip())
            before = number == 0 or not lines[number - 1].startswith("      apfctl")
            yield found[1], None if not head else f"{head[1]} → {head[3]}" if before else f"{head[2] or head[1]} → {head[4] or head[3]}"
        elif (found := re.match(r"  (apfctl .*)$", line)) and "Next" in lines[:number]:
            yield found[1], None
        for quoted in re.findall(r"'(apfctl [a-z]+ [^']+)'", line):
            yield quoted, None


def commands_of_case(case):
    text = "\n".join(part.decode("utf-8", "replace") for part in (case.stdout, case.stderr))
    if re.search(r"-o[ =]?(?:json|junit|sarif|github|checkstyle|markdown|html|tap|csv)|--help|kubectl-apf|\bhelp\b|lsp/client", case.command):
        return []
    return [(command, shows) for command, shows in printed(text) if not NO_COMMAND.search(command) and not any(name in command for name in LATER)]


def check_case(case, tree, env):
    """The case's own files, as it makes them, and the folder where it ends."""
    found = list(dict.fromkeys(commands_of_case(case)))
    if not found:
        return []
    folder, out = tree / case.name, tree / "out" / case.name
    out.mkdir(parents=True)
    env = {**env, "OUT": str(out)}
    if "$OUT" in case.command or re.search(r"\b(?:cd|export)\b", case.command):
        shell(f"trap 'pwd >{out}/.folder; export -p >{out}/.environment' EXIT\n{case.command}", folder, env)
        if (out / ".folder").exists():
            folder = pathlib.Path((out / ".folder").read_text().strip())
    results = []
    for command, shows in found:
        for place in dict.fromkeys((folder, tree / case.name)):
            code, text, errors = shell(f"[ ! -e {out}/.environment ] || . {out}/.environment 2>/dev/null\n{command}", place, env)
            if code in (0, 1):
                break
        fault = "" if code in (0, 1) and "--help' for usage" not in errors else f"exit {code}: {errors}"
        if not fault and shows and command.startswith("apfctl explain") and shows not in unwrapped(text):
            fault = f"it is said to show {shows}, and shows {unwrapped(text)}"
        if not fault and command.endswith(" -o wide") and "|" not in case.command and unwrapped(text).split(". ")[0] not in " ".join(case.stdout.decode("utf-8", "replace").split()):
            fault = f"it begins with {unwrapped(text)}"
        results.append((f"{case.name}: {command}", fault))
    return results


def check_commands():
    cases = [case_file.read(path) for path in sorted(GOLDEN.glob("*/*.test"))]
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary)
        env = environment(tree)
        case_file.lay_out(tree, cases)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for results in pool.map(lambda case: check_case(case, tree, env), cases):
                for what, fault in results:
                    verdict(what, fault)


# --- walks ---


def of(command, text, before):
    """Whether the screen of a command says the same as the one that printed it; empty: it does, or has nothing to compare."""
    if (found := re.search(r"without (\S+) .*?: ([\d,]+)(?: to ([\d,]+))? refused of", before)) and "--scale" in command:
        refused = re.search(r"Refused ([\d,]+)", text)
        got = int(refused[1].replace(",", "")) if refused else 0
        low, high = (int((found[i] or found[2]).replace(",", "")) for i in (2, 3))
        # The run times of refused requests are drawn anew from a log without the client's.
        return "" if low * 0.95 <= got <= high * 1.05 else f"{found[0]} is said, and the replay without it refuses {got}"
    if command.endswith(" -o wide") and before.split(". ")[0] not in text:
        return f"the first screen began with: {before.split('. ')[0]}"
    return ""


def walk(start, folder, env):
    """Every way from a command by what stands below Next: (the way, its end, a fault)."""
    known, ways = {}, []

    def go(command, way, before):
        if command in way:
            ways.append((way + [command], "", "it comes back to where it was"))
            return
        if command not in known:
            code, text, errors = shell(command, folder, env)
            known[command] = code, " ".join(text.split()), next_of(text), errors, unwrapped(text) or errors.strip()
        code, text, following, errors, first = known[command]
        way = way + [command]
        if code not in (0, 1) and not (code == 2 and text):
            ways.append((way, "", f"exit {code}: {errors}"))
            return
        if fault := of(command, text, before):
            ways.append((way, first, fault))
            return
        # What only prepares the next command is no screen.
        for prepares in [c for c in following if re.search(r">\S+$|-o yaml=\S+$", c)]:
            code, _, errors = shell(prepares, folder, env)
            if code not in (0, 1):
                ways.append((way, first, f"{prepares}: exit {code}: {errors}"))
                return
        following = [c for c in following if not re.search(r">\S+$|-o yaml=\S+$", c)]
        if not following:
            ways.append((way, first, "" if first else "it ends at an empty screen"))
        for other in following:
            go(other, way, text)

    go(start, [], "")
    return ways


def starts(tree):
    """(name, the first command, its folder, how many seats its server has)."""
    recording, why = ROOT / "tests/fidelity/recording", GOLDEN / "log/why"
    demo = tree / "demo"
    shutil.copytree(ROOT / "examples/amok-controller", demo, ignore=shutil.ignore_patterns("*.cc", "*.h", "*.png"))
    for name in ("tight", "quad"):
        yield name, f"apfctl log {name}.audit.log.gz", recording, 30 if name == "tight" else 120
    for case in sorted((GOLDEN / "log").glob("why-*.test")):
        command = re.search(r'^log="(apfctl log (\S+)\.jsonl\.xz .*)"$', case.read_text(), re.M)
        seats = int(re.search(r"--server-concurrency (\d+)", command[1])[1])
        if command[2] in ("overload", "watches"):  # with the built-in objects alone
            yield command[2], f"apfctl log {command[2]}.jsonl.xz", why, seats
        yield command[2] + ", server known", command[1], why, seats
    yield "incident", "apfctl log audit.log.gz", ROOT / "examples/incident", 30
    yield "amok-controller", "apfctl log short.jsonl.gz --server-concurrency 12", demo, 12


def metrics_of(seats, folder):
    """What a server of so many seats says of its limits, and of the objects that a file beside the log counts."""
    path = folder / f"metrics-{seats}.txt"
    done = subprocess.run([BIN / "apfctl", "limits", "--server-concurrency", str(seats), "-o", "json"], capture_output=True, check=True)
    levels = re.findall(r'"name":"([^"]+)","type":"[^"]+","nominalConcurrencyShares":\d+,"nominalCL":(\d+)', done.stdout.decode())
    counts = re.findall(r"^([\w.]+)=(\d+)", (folder / "objects.txt").read_text(), re.M) if (folder / "objects.txt").exists() else []
    path.write_text("# TYPE apiserver_flowcontrol_nominal_limit_seats gauge\n" +
                    "".join(f'apiserver_flowcontrol_nominal_limit_seats{{priority_level="{name}"}} {limit}\n' for name, limit in levels) +
                    "# TYPE apiserver_storage_objects gauge\n" +
                    "".join(f'apiserver_storage_objects{{resource="{name}"}} {count}\n' for name, count in counts))
    return path


def check_walks():
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary)
        env = environment(tree)
        all_starts = list(starts(tree))

        def one(start):
            name, command, source, seats = start
            folder = tree / "walks" / re.sub(r"\W", "-", name)
            folder.mkdir(parents=True)
            for file in source.iterdir():
                if file.is_file():
                    (folder / file.name).symlink_to(file)
            return walk(command, folder, {**env, "METRICS": str(metrics_of(seats, folder))})

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for (name, *_), ways in zip(all_starts, pool.map(one, all_starts)):
                print(f"{name}:")
                for way, end, fault in ways:
                    print("  " + "\n    → ".join(way) + f"\n    : {end}")
                    verdict(f"{name}: {way[-1]}", fault)


{"commands": check_commands, "walks": check_walks}[sys.argv[1]]()
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed or not passed else 0)
