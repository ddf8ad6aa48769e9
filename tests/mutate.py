#!/usr/bin/env python3
"""Would the tests notice? Changes one comparison, constant or condition of the library at a time, builds, and runs the tests
that look at that part until one fails. A change that no test notices survives: either a test is missing, or the changed
program does the same (tests/mutate-equivalent.txt lists those, with the reason).

    mutate.py [--seed S] [--count N] [--part I/K] [--under FOLDER] [--minutes M] [--mutant FILE:LINE:NUMBER]... [--list]

The sample follows from the seed. --part 1/2 and --part 2/2 share it between two runs beside each other. --minutes begins no
further mutant after that time, and says which were not run. It works in build/mutate/, a copy of the sources and of what build/debug
has of them. Not part of any check: 200 mutants take an hour or two. Last line: "N passed, N failed" (a mutant that is noticed passes).
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORK = ROOT / "build/mutate"  # and a folder for each part
FOLDERS = ("logs", "replay", "schedule", "admission", "lint/reach")
MEMORY = 6 << 30  # of a program under test
# The commands whose golden tests look at a folder.
TESTS = {
    "logs": ["trace", "replay"],
    "replay": ["replay", "compare", "headroom"],
    "schedule": ["limits", "hand", "explain", "replay"],
    "admission": ["quota", "replay"],
    "lint/reach": ["lint", "explain", "diff", "ladder"],
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


def run(*command, seconds: float = 1800, env: dict | None = None) -> tuple[int, str]:
    """In the copy, with limits on time and memory: a changed condition may never end, or ask for everything."""
    process = subprocess.Popen(command, cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                               start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return 124, "not ended in time"
    return process.returncode, out.decode(errors="replace")


class Build:
    """A copy of the tree with what was built. A mutant compiles what includes its file, into a folder of its own, and links that in
    place of the originals, which stay as they are."""

    FLAGS = ("-s", "--no-print-directory", "VARIANT=debug", "CXXFLAGS=-g0", *(["LDFLAGS=-fuse-ld=mold"] if shutil.which("mold") else []))
    LIBRARY, UNIT, APFCTL = "build/debug/lib/libapf.so", "build/debug/bin/unit-tests", "build/debug/bin/apfctl"
    MADE = "build/mutant"

    def __init__(self) -> None:
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
        for name in files:
            if (ROOT / name).is_file():
                (WORK / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, WORK / name, follow_symlinks=False)
        if (ROOT / "build/debug").is_dir():
            shutil.copytree(ROOT / "build/debug", WORK / "build/debug", symlinks=True)
        self.env = {**os.environ, "CCACHE_DISABLE": "1", "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"}
        code, out = run("make", f"-j{os.cpu_count()}", *self.FLAGS, "tests", seconds=7200)
        if code != 0:
            sys.exit(f"the sources as they are do not build:\n{out[-2000:]}")
        self.commands, self.links = {}, {}
        for line in run("make", "-n", "-B", *self.FLAGS, "tests")[1].replace("\\\n", " ").splitlines():
            made = re.search(r" -o (\S+)$", line.strip())
            if made and " -c " in line:
                self.commands[made[1]] = line.strip()
            elif made and "++" in line:
                self.links[re.sub(r"\.so\..*", ".so", made[1])] = line.strip()
        self.includes = {}
        for obj in self.commands:
            d = WORK / (obj[:-2] + ".d")
            if d.exists():
                self.includes[obj] = set(re.findall(r"\S+", d.read_text().replace("\\\n", " ")))

    def dependents(self, file: str) -> list[str]:
        return [obj for obj, names in self.includes.items() if file in names]

    def compile(self, file: str) -> str:
        """What went wrong, or nothing."""
        shutil.rmtree(WORK / self.MADE, ignore_errors=True)
        self.made = {}
        for obj in self.dependents(file):
            self.made[obj] = f"{self.MADE}/{obj.removeprefix('build/debug/')}"
            (WORK / self.made[obj]).parent.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for code, out in pool.map(lambda o: run("bash", "-c", self.commands[o].replace(f" -o {o}", f" -o {self.made[o]}"), env=self.env), self.made):
                if code != 0:
                    return out or "error"
        return ""

    def link(self, what: str) -> str:
        """The path of the program or library with the changed objects."""
        to = f"{self.MADE}/{what.removeprefix('build/debug/')}"
        (WORK / to).parent.mkdir(parents=True, exist_ok=True)
        words = [self.made.get(word, word) for word in shlex.split(self.links[what])]
        if "build/debug/lib/libapf.a" in words:  # what is given before the archive is not taken from it
            at = words.index("build/debug/lib/libapf.a")
            words[at:at] = [made for obj, made in self.made.items() if obj.startswith("build/debug/obj/libapf/")]
        words[-1] = to
        code, out = run(*words, env=self.env)
        if code != 0:
            sys.exit(f"cannot link {what}:\n{out[-2000:]}")
        return to

    def apfctl(self) -> str:
        """The tool beside the library, which it finds from where it is."""
        library = self.link(self.LIBRARY)
        soname = next(word.split("=")[1].split(",")[-1] for word in [re.sub(r".*-soname,", "x=", w) for w in shlex.split(self.links[self.LIBRARY])] if word.startswith("x="))
        (WORK / library).with_name(soname).symlink_to("libapf.so")
        if any(obj.startswith("build/debug/obj/tools/") for obj in self.made):
            return self.link(self.APFCTL)
        to = WORK / self.MADE / "bin/apfctl"
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(WORK / self.APFCTL, to)
        return str(to.relative_to(WORK))


class Tests:
    """The tests in the order in which they are asked: those whose file is about the changed one, then quick unit tests, the golden tests of
    the commands that use the part, and the rest. Each is stopped at its first failure."""

    QUICK = 0.15  # seconds

    def __init__(self, build: Build) -> None:
        self.build = build
        sys.path.insert(0, str(ROOT / "tests/unit"))
        import run as unit_run  # noqa: PLC0415
        started = time.monotonic()
        code, out = run(Build.UNIT, "--durations", "yes", seconds=3600)
        if code != 0:
            sys.exit(f"the unit tests fail on the sources as they are:\n{out[-2000:]}")
        self.whole = time.monotonic() - started
        took = {name.strip(): float(seconds) for seconds, name in re.findall(r"^ *([0-9.]+) s: (.*)$", out, re.M)}
        names = unit_run.names(str(WORK / Build.UNIT))
        for kind, wanted in (("quick", lambda t: t <= self.QUICK), ("slow", lambda t: t > self.QUICK)):
            listed = [re.sub(r'([\\,\[\]"*~])', r"\\\1", name) for name in names if wanted(took.get(name, 0.0))]
            (WORK / "build" / kind).write_text("".join(f"{name}\n" for name in listed))
        self.golden = sorted({path.parent.name for path in (WORK / "tests/golden").glob("*/*.test")})
        started = time.monotonic()
        code, out = self.run_golden(Build.APFCTL, self.golden)
        if code != 0:
            sys.exit(f"the golden tests fail on the sources as they are:\n{out[-2000:]}")
        self.whole_golden = time.monotonic() - started
        print(f"unit tests {self.whole:.0f} s ({sum(1 for n in names if took.get(n, 0.0) <= self.QUICK)} of {len(names)} are quick), golden tests {self.whole_golden:.0f} s", flush=True)

    @staticmethod
    def run_golden(apfctl: str, commands: list[str]) -> tuple[int, str]:
        env = {**os.environ, "APFCTL": str(WORK / apfctl), "ABORT": "1"}
        return run("tests/golden/run.sh", *commands, seconds=3600, env=env)

    def near(self, file: str) -> list[str]:
        """Test files that include the changed file's header, or are named as it is."""
        inside = file.removeprefix("libapf/src/")
        header, stem = inside.rpartition(".")[0] + ".h", pathlib.Path(file).stem
        found = []
        for path in sorted((WORK / "tests").rglob("*_test.cc")):
            if path.stem.startswith(stem) or f'"{header}"' in path.read_text():
                found.append(f"[#{path.stem}]")
        return found

    def notice_near(self, mutant: "Mutant") -> str:
        limit = 5 * self.whole + 60
        unit = self.build.link(Build.UNIT)
        near = self.near(mutant.file)
        if near and run(unit, "--abort", "-#", ",".join(near), seconds=limit)[0] != 0:
            return "unit tests about it"
        if run(unit, "--abort", "--input-file", "build/quick", seconds=limit)[0] != 0:
            return "quick unit tests"
        commands = TESTS[folder_of(mutant)]
        code, out = self.run_golden(self.build.apfctl(), commands)
        if code != 0:
            return f"golden test {(re.findall(r'^FAILED ([^:]+):', out, re.M) or ['?'])[0]}"
        return ""

    def notice_far(self, mutant: "Mutant") -> str:
        if run(self.build.link(Build.UNIT), "--abort", "--input-file", "build/slow", seconds=5 * self.whole + 60)[0] != 0:
            return "slow unit tests"
        code, out = self.run_golden(self.build.apfctl(), [c for c in self.golden if c not in TESTS[folder_of(mutant)]])
        if code != 0:
            return f"golden test {(re.findall(r'^FAILED ([^:]+):', out, re.M) or ['?'])[0]}"
        return ""


def folder_of(mutant: Mutant) -> str:
    inside = mutant.file.removeprefix("libapf/src/")
    return max((f for f in FOLDERS if inside.startswith(f)), key=len)


def notice(mutant: Mutant, build: Build, ask) -> str:
    """What notices this mutant, or nothing."""
    path = WORK / mutant.file
    original = path.read_bytes()
    lines = original.decode().split("\n")
    lines[mutant.line - 1] = mutant.after
    try:
        path.write_text("\n".join(lines))
        if build.compile(mutant.file):
            return "the compiler"
        return ask(mutant)
    finally:
        path.write_bytes(original)


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
    build = Build()
    tests = Tests(build)
    equivalent, started = read_equivalent(), time.monotonic()
    noticed, far, survived, same, not_built, not_run = 0, [], [], 0, 0, []

    def out_of_time() -> bool:
        return bool(options.minutes) and time.monotonic() - started > options.minutes * 60

    def show(mutant: Mutant, verdict: str, with_change: bool) -> None:
        print(f"{(time.monotonic() - started) / 60:5.1f} min  {mutant.name}: {verdict}", flush=True)
        if with_change:
            print(f"    - {mutant.before.strip()}\n    + {mutant.after.strip()}", flush=True)

    # Those that compile the least come first, and what only the whole of the tests may notice last.
    for mutant in sorted(chosen, key=lambda m: len(build.dependents(m.file))):
        if (mutant.file, mutant.after.strip()) in equivalent:
            same += 1
            show(mutant, "does the same", False)
        elif out_of_time():
            not_run.append(mutant)
        elif not (by := notice(mutant, build, tests.notice_near)):
            far.append(mutant)
            show(mutant, "not noticed by the tests near it", True)
        else:
            noticed, not_built = noticed + (by != "the compiler"), not_built + (by == "the compiler")
            show(mutant, by, False)
    for mutant in far:
        if out_of_time():
            not_run.append(mutant)
        elif by := notice(mutant, build, tests.notice_far):
            noticed += 1
            show(mutant, by, False)
        else:
            survived.append(mutant)
            show(mutant, "SURVIVES", True)
    tried = noticed + len(survived)
    if not_run:
        print(f"time is up: {len(not_run)} mutants were not run, or not with all tests: {', '.join(m.name for m in not_run)}")
    print(f"{noticed} of {tried} noticed, {len(survived)} survive ({100 * len(survived) / max(tried, 1):.1f} %); "
          f"{not_built} do not compile, {same} are known to do the same; {(time.monotonic() - started) / 60:.0f} min")
    print(f"{noticed} passed, {len(survived)} failed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
