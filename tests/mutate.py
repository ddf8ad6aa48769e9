#!/usr/bin/env python3
"""Would the tests notice? Changes one comparison, constant or condition of the library at a time, builds, and runs the tests
that look at that part until one fails. A change that no test notices survives: either a test is missing, or the changed
program does the same (tests/mutate-equivalent.txt lists those, with the reason).

    mutate.py [--seed S] [--count N] [--part I/K] [--under FOLDER] [--minutes M] [--mutant FILE:LINE:NUMBER]... [--list]

The sample follows from the seed. --part 1/2 and --part 2/2 share it between two runs beside each other. --minutes begins no
further mutant after that time, and says how many were not run. It works in build/mutate/, a copy of the sources and of
build/debug (make VARIANT=debug tests, first). Not part of any check: 200 mutants take hours. Last line: "N passed, N failed" (a mutant that is noticed passes).
"""
import argparse
import dataclasses
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORK = ROOT / "build/mutate"  # and a folder for each part
FOLDERS = ("logs", "replay", "schedule", "admission", "lint/reach")
# What looks at a folder, nearest first: tags of unit tests, then golden tests. After them come all unit tests.
TESTS = {
    "logs": (["[logs],[join],[chunks],[audit],[reorder]", "[replay]"], ["trace", "replay"]),
    "replay": (["[replay]"], ["replay"]),
    "schedule": (["[schedule],[borrow],[limits],[seats]", "[replay]"], ["limits", "hand", "explain", "replay"]),
    "admission": (["[admission],[quota],[eventratelimit]", "[replay],[stages]"], ["quota", "replay"]),
    "lint/reach": (["[lint],[property]"], ["lint", "explain"]),
}
# Code that changes nothing but speed, or that the compiler checks.
NOT_HERE = re.compile(r"static_assert|\bassert\(|^\s*#|__builtin_prefetch|reserve\(|\bcase '|gnu::|template <|operator")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str  # from the root
    line: int
    number: int  # of the mutants of this line
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.number}"


SWAPS = [
    (r"(?<=[\w)\]] )<=(?= )", "<"), (r"(?<=[\w)\]] )>=(?= )", ">"), (r"(?<=[\w)\]] )<(?= )", "<="), (r"(?<=[\w)\]] )>(?= )", ">="),
    (r"(?<= )==(?= )", "!="), (r"(?<= )!=(?= )", "=="), (r"(?<= )&&(?= )", "||"), (r"(?<= )\|\|(?= )", "&&"),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[\w)\]] )\+(?= \w)", "-"), (r"(?<=[\w)\]] )-(?= \w)", "+"),
    (r"\bif \(!(?=\w)", "if ("), (r"\bif \((?=[\w.>-]+(\([^()]*\))?\))", "if (!"),
]


def code_of(line: str) -> str:
    """The line with its comment and the insides of its strings blanked out, column by column."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'", lambda m: m[0][0] + " " * (len(m[0]) - 2) + m[0][-1], line)
    at = line.find("//")
    return line if at < 0 else line[:at] + " " * (len(line) - at)


def mutants_of_line(file: str, number: int, line: str) -> list[Mutant]:
    code = code_of(line)
    if NOT_HERE.search(code):
        return []
    found = []
    for pattern, replacement in SWAPS:
        for match in re.finditer(pattern, code):
            found.append(line[:match.start()] + replacement + line[match.end():])
    for match in re.finditer(r"(?<![\w.'\"])(\d[\d']*)(?![\w.'\"])", code):
        value = int(match[1].replace("'", ""))
        found.append(line[:match.start()] + str(value + 1) + line[match.end():])
    return [Mutant(file, number, i, line, after) for i, after in enumerate(found, 1)]


def all_mutants(under: tuple) -> list[Mutant]:
    mutants = []
    for folder in under:
        base = ROOT / "libapf/src" / folder
        for path in sorted(base.rglob("*")) if base.is_dir() else sorted(base.parent.glob(base.name + "*")):
            if path.suffix not in (".cc", ".h"):
                continue
            inside_comment = False
            for number, line in enumerate(path.read_text().splitlines(), 1):
                inside_comment = (inside_comment or "/*" in line) and "*/" not in line
                if not inside_comment:
                    mutants += mutants_of_line(str(path.relative_to(ROOT)), number, line)
    return mutants


def read_equivalent() -> set[tuple[str, str]]:
    """File and changed line of the mutants that change nothing; the reasons are in the lines before them."""
    known, file = set(), ""
    path = ROOT / "tests/mutate-equivalent.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("file "):
            file = line[5:].strip()
        elif line.startswith("    "):
            known.add((file, line.strip()))
    return known


def run(*command, timeout=1200, env=None) -> tuple[int, str]:
    try:
        done = subprocess.run(command, cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, env=env, check=False)
    except subprocess.TimeoutExpired:
        return 124, "not ended in time"
    return done.returncode, done.stdout.decode(errors="replace")


def prepare() -> None:
    """A copy of the tree with what was built, so that a mutant compiles what depends on it and nothing else."""
    if not (ROOT / "build/debug/bin/unit-tests").exists():
        sys.exit("build first: make VARIANT=debug tests")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    for name in files:
        if (ROOT / name).is_file():
            (WORK / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, WORK / name, follow_symlinks=False)
    shutil.copytree(ROOT / "build/debug", WORK / "build/debug", symlinks=True)
    code, out = make("tests")
    if code != 0:
        sys.exit(f"the sources as they are do not build:\n{out[-2000:]}")


def make(*targets) -> tuple[int, str]:
    return run("make", "-s", "--no-print-directory", "-j2", "VARIANT=debug", *targets, timeout=1800)


def folder_of(mutant: Mutant) -> str:
    inside = mutant.file.removeprefix("libapf/src/")
    return max((f for f in FOLDERS if inside.startswith(f)), key=len)


def notice(mutant: Mutant) -> str:
    """What notices this mutant, or nothing."""
    code, out = make("build/debug/bin/unit-tests")
    if code != 0:
        return "the compiler" if "error" in out else f"make: {out[-300:]}"
    unit, golden = "build/debug/bin/unit-tests", "tests/golden/run.sh"
    tags, commands = TESTS[folder_of(mutant)]
    for tag in tags:
        if run(unit, "--abort", tag, timeout=240)[0] != 0:
            return f"unit tests {tag}"
    code, out = make("build/debug/bin/apfctl")
    if code != 0:
        return f"make: {out[-300:]}"
    env = {**os.environ, "APFCTL": str(WORK / "build/debug/bin/apfctl")}
    for command in commands:
        if run(golden, command, timeout=900, env=env)[0] != 0:
            return f"golden tests {command}"
    rest = "".join(f"~{tag}" for tag in ",".join(tags).split(","))
    if run(unit, "--abort", rest, timeout=600)[0] != 0:
        return "other unit tests"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default=os.environ.get("APF_TEST_SEED", "1"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--part", default="1/1", help="which part of the sample, of how many")
    parser.add_argument("--under", action="append", help=f"folder of libapf/src (default: {' '.join(FOLDERS)})")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--mutant", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    global WORK
    part, parts = map(int, options.part.split("/"))
    WORK = WORK / str(part)

    mutants = all_mutants(tuple(options.under or FOLDERS))
    print(f"seed {options.seed}: {options.count} of {len(mutants)} mutants", flush=True)
    if options.mutant:
        chosen = [m for m in mutants if m.name in options.mutant]
    else:
        chosen = random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))[part - 1::parts]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.name}\n  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
        return 0
    prepare()
    equivalent, started = read_equivalent(), time.monotonic()
    noticed, survived, same, not_built = 0, [], 0, 0
    for index, mutant in enumerate(chosen, 1):
        if options.minutes and time.monotonic() - started > options.minutes * 60:
            print(f"time is up: {len(chosen) - index + 1} mutants were not run")
            break
        path = WORK / mutant.file
        original = path.read_bytes()
        lines = original.decode().split("\n")
        lines[mutant.line - 1] = mutant.after
        path.write_text("\n".join(lines))
        by = "" if (mutant.file, mutant.after.strip()) in equivalent else notice(mutant)
        if (mutant.file, mutant.after.strip()) in equivalent:
            same += 1
        elif by == "the compiler":
            not_built += 1
        elif by:
            noticed += 1
        else:
            survived.append(mutant)
        path.write_bytes(original)
        print(f"{index:3} {mutant.name}: {by or 'SURVIVES' if by or (mutant.file, mutant.after.strip()) not in equivalent else 'does the same'}", flush=True)
        if not by:
            print(f"    - {mutant.before.strip()}\n    + {mutant.after.strip()}", flush=True)
    tried = noticed + len(survived)
    print(f"{noticed} of {tried} noticed, {len(survived)} survive ({100 * len(survived) / max(tried, 1):.1f} %); "
          f"{not_built} do not compile, {same} are known to do the same; {(time.monotonic() - started) / 60:.0f} min")
    print(f"{noticed} passed, {len(survived)} failed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
