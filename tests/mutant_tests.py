"""Which tests come by which change, and asking them, for mutate.py."""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import threading

from mutant_build import WORK, Build, run
from mutants import FOLDERS, Mutant

FIRST = 3  # seconds of unit tests that are asked before golden tests
FIRST_CASES = 40
MOST = 20  # seconds of unit tests that are asked at all
QUICK = 1  # seconds of a unit test that is recorded anew when tests were written
PARTS = 8  # of the unit tests, to be recorded beside each other
CASE_SECONDS = 20  # of processor time, for one program that a golden test starts
# The commands whose golden tests are asked first.
NEAR = {"logs": ["trace", "replay"], "replay": ["replay", "compare", "headroom"], "schedule": ["limits", "explain", "replay"],
        "admission": ["quota", "replay"], "lint/reach": ["lint", "explain", "diff", "ladder"]}


def input_file(names: list[str]) -> pathlib.Path:
    """For Catch2: a comma would begin another name, a bracket a tag."""
    file = WORK / f"build/asked{threading.get_ident()}"
    file.write_text("".join(re.sub(r'([\\,\[\]"*~])', r"\\\1", name) + "\n" for name in names))
    return file


class Tests:
    """Which tests come by which change. A program is stopped at the first failure."""

    def __init__(self, build: Build) -> None:
        self.build, self.bad = build, set()
        self.unit, self.golden = collections.defaultdict(list), collections.defaultdict(list)
        self.cost, self.like, self.fresh = {}, {}, []

    def record(self, only_again: bool = False, changed: list[str] = ()) -> None:
        """Runs everything once, with no change switched on; again, what is quick and what is in changed files."""
        names = self.names()
        if only_again:
            self.fresh = [n for n in names if n not in self.cost]
            names = [n for n in names if self.cost.get(n, 0) < QUICK]
            for listed in self.unit.values():
                listed[:] = [n for n in listed if self.cost[n] >= QUICK]
        parts = [names[i::PARTS] for i in range(PARTS)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.record_part, parts, range(PARTS)))
        cases = sorted({"/".join(f.split("/")[2:4]).removesuffix(".test") for f in changed if re.match("tests/golden/[a-z]+/", f)})
        cases = [case for case in cases if (WORK / f"tests/golden/{case}.test").exists()]
        if cases or not only_again:
            self.record_golden(cases)
        if self.bad:
            print(f"not asked, as they fail without a change: {', '.join(sorted(self.bad))}", flush=True)

    def names(self) -> list[str]:
        # Catch2 version 3 has another flag than version 2.
        for flags in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
            if names := [line.strip() for line in run(self.build.unit, *flags)[1].splitlines() if line.strip()]:
                return names
        return []

    def record_part(self, names: list[str], part: int) -> None:
        listed = WORK / f"build/reached{part}.txt"
        listed.unlink(missing_ok=True)
        run(self.build.unit, "--input-file", input_file(names), APF_REACHED=str(listed))
        for line in listed.read_text().splitlines():
            name, passed, seconds, numbers = line.split("\t")
            self.cost[name] = float(seconds)
            if passed != "1":
                self.bad.add(name)
            for number in numbers.split():
                self.unit[int(number)].append(name)

    def record_golden(self, cases: list[str]) -> None:
        folder = WORK / "build/reached"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        out = run("tests/golden/run.sh", *cases, APFCTL=self.build.apfctl, APF_REACHED=str(folder))[1]
        self.bad |= set(re.findall(r"^FAILED ([^:]+):", out, re.M))
        for path in sorted(folder.iterdir()):
            name = path.name.replace("+", "/")
            for number, byte in enumerate(path.read_bytes()):
                if byte and name not in self.golden[number]:
                    self.golden[number].append(name)

    def ask(self, mutant: Mutant, number: int, like: list[int]) -> str:
        """Who notices the change, or nothing. `like`: changes that are reached where this one is, as far as is known."""
        fresh = set(self.fresh) if number < 0 else set()
        units = sorted(({n for k in like for n in self.unit[k]} | fresh) - self.bad, key=lambda n: (self.cost[n], n))
        near = NEAR[folder_of(mutant)]
        cases = sorted({n for k in like for n in self.golden[k]} - self.bad,
                       key=lambda n: (near.index(n.split("/")[0]) if n.split("/")[0] in near else 9, n))
        first, spent = 0, 0.0
        while first < len(units) and spent < FIRST:
            spent += self.cost[units[first]]
            first += 1
        asked = first
        while asked < len(units) and spent < MOST:
            spent += self.cost[units[asked]]
            asked += 1
        if not units and not cases:
            return ""
        return (self.ask_units(units[:first], number) or self.ask_golden(cases[:FIRST_CASES], number) or
                self.ask_units(units[first:asked], number) or self.ask_golden(cases[FIRST_CASES:], number))

    def ask_units(self, names: list[str], number: int) -> str:
        if not names:
            return ""
        asked = input_file(names)
        limit = int(4 * sum(self.cost[n] for n in names) + 6)
        code, out = run(self.build.unit, "--abort", "--input-file", asked, processor_seconds=limit, seconds=60 * limit, APF_MUTANT=str(number))
        if code == 0:
            return ""
        found = re.search(r"^-{20,}\n(.*)\n", out, re.M)
        return f"unit test {found[1].strip()}" if found else f"unit tests end with {code}"

    def ask_golden(self, names: list[str], number: int) -> str:
        if not names:
            return ""
        for begin in range(0, len(names), 30):
            some = names[begin:begin + 30]
            code, out = run("tests/golden/run.sh", *some, processor_seconds=CASE_SECONDS, APFCTL=self.build.apfctl, ABORT="1", APF_MUTANT=str(number))
            failed = re.findall(r"^FAILED ([^:]+):", out, re.M)
            # Not one that fails anyway, as the machine is busy.
            if code != 0 and (not failed or run("tests/golden/run.sh", failed[0], APFCTL=self.build.apfctl, APF_MUTANT="-1")[0] == 0):
                return f"golden test {failed[0] if failed else '?'}"
        return ""


def folder_of(mutant: Mutant) -> str:
    inside = mutant.file.removeprefix("libapf/src/")
    return max((f for f in FOLDERS if inside.startswith(f)), key=len)
