#!/usr/bin/env python3
"""Would the tests notice? Changes one comparison, constant or condition of the library at a time (tests/mutants.py) and runs the
tests that come by it until one fails. A change that no test notices survives: either a test is missing, or the changed program
does the same (tests/mutate-equivalent.txt lists those, with the reason).

    mutate.py [--seed S] [--count N] [--under FOLDER] [--minutes M] [--jobs N] [--resume | --again] [--mutant FILE:LINE:NUMBER]... [--list]

The sample follows from the seed. --minutes begins no further mutant after that time, and says which were not run; --resume goes on
with those in what the last run built; --again asks those that survived it once more, by the tests as they are now. It works in
build/mutate/, a copy of the sources and of what build/debug has of them: one build holds all changes, each behind a switch
(mutant_build.py), and one run of all unit and golden tests says which of them come by which change (mutant_tests.py).
A mutant is asked of the cheapest unit tests first, then of golden tests, and for at most 20 seconds of unit tests. Not part of any
check: 200 mutants take an hour of processor time. Last line: "N passed, N failed" (a mutant that is noticed passes).
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import pickle
import random
import re
import shutil
import sys
import time

from mutant_build import WORK, Build
from mutant_tests import Tests
from mutants import FOLDERS, Mutant, all_mutants, read_equivalent, switched


class Tally:
    """What became of the mutants; kept in a file, so that another run can go on."""

    def __init__(self, minutes: float, file: pathlib.Path) -> None:
        self.minutes, self.started, self.file = minutes, time.monotonic(), file
        self.noticed, self.survived, self.same, self.not_built, self.not_run = 0, [], 0, 0, []
        self.known = dict(line.split("\t") for line in file.read_text().splitlines()) if file.exists() else {}

    def is_due(self, mutant: Mutant) -> bool:
        if mutant.name in self.known:
            self.count(mutant, self.known[mutant.name])
            return False
        if self.minutes and time.monotonic() - self.started > self.minutes * 60:
            self.not_run.append(mutant)
            return False
        return True

    def count(self, mutant: Mutant, by: str) -> None:
        if by == "the compiler":
            self.not_built += 1
        elif by:
            self.noticed += 1
        else:
            self.survived.append(mutant)

    def show(self, mutant: Mutant, verdict: str) -> None:
        print(f"{(time.monotonic() - self.started) / 60:5.1f} min  {mutant.name}: {verdict}", flush=True)
        if not verdict.isupper():
            return
        print(f"    - {mutant.before.strip()}\n    + {mutant.after.strip()}", flush=True)

    def add(self, mutant: Mutant, by: str, is_reached: bool = True) -> None:
        self.count(mutant, by)
        with self.file.open("a") as out:
            out.write(f"{mutant.name}\t{by}\n")
        self.show(mutant, by or ("SURVIVES" if is_reached else "SURVIVES, NO TEST COMES BY"))

    def done(self) -> int:
        tried = self.noticed + len(self.survived)
        if self.not_run:
            print(f"time is up: {len(self.not_run)} mutants were not run: {', '.join(m.name for m in self.not_run)}")
        print(f"{self.noticed} of {tried} noticed, {len(self.survived)} survive ({100 * len(self.survived) / max(tried, 1):.1f} %); "
              f"{self.not_built} do not compile, {self.same} are known to do the same; {(time.monotonic() - self.started) / 60:.0f} min")
        print(f"{self.noticed} passed, {len(self.survived)} failed")
        return 1 if self.survived else 0


def write_with(file: str, lines: dict[int, str]) -> None:
    """The file in the copy, with these lines in place of its own."""
    text = (ROOT_COPY / file).read_text().split("\n")
    for number, line in lines.items():
        text[number - 1] = line
    (WORK / file).write_text("\n".join(text))


def build_switched(build: Build, tests: Tests, batch: list[Mutant]) -> tuple[dict[Mutant, int], list[Mutant]]:
    """Builds the mutants with switches and runs all tests once; returns their numbers, and those that have to be built alone."""
    lines, alone, numbers = collections.defaultdict(dict), [], {}
    for number, mutant in enumerate(batch):
        text = switched(mutant, number)
        if text is None or mutant.line in lines[mutant.file]:
            alone.append(mutant)
        else:
            lines[mutant.file][mutant.line] = text
            numbers[mutant] = number
    files, again = [file for file, changed in lines.items() if changed], None
    while True:  # what does not compile in this form is taken out
        for file, changed in lines.items():
            write_with(file, changed)
        said = build.compile(files, True, again)
        if not said:
            break
        wrong = {(f, int(n)) for f, n in re.findall(r"^(libapf/\S+?):(\d+):\d+: error", said, re.M)} | \
                {(f, int(n)) for f, n in re.findall(r"^(libapf/\S+?):(\d+):\d+:   (?:required|in .constexpr)", said, re.M)}
        taken = [m for m in numbers if (m.file, m.line) in wrong]
        if not taken:  # some later line says so
            taken = [m for m in numbers if m.file in {f for f, _ in wrong}]
        if not taken:
            sys.exit(f"the switches do not compile:\n{said[:3000]}")
        again = {m.file for m in taken}
        for mutant in taken:
            del lines[mutant.file][mutant.line]
            del numbers[mutant]
            alone.append(mutant)
    print(f"{len(numbers)} mutants in {len(build.made)} objects", flush=True)
    build.link_all()
    for file in files:
        write_with(file, {})
    tests.record()
    # A file's own tests: those that come by anything that was changed in it.
    for mutant in alone:
        tests.like[mutant] = [k for m, k in numbers.items() if m.file == mutant.file]
    return numbers, alone


def take_tests(build: Build, tests: Tests, numbers: dict[Mutant, int], verdicts: pathlib.Path) -> None:
    """Whoever survived is asked again, by the tests as they are now."""
    changed = build.take_tests()
    lines = collections.defaultdict(dict)
    for mutant, number in numbers.items():
        lines[mutant.file][mutant.line] = switched(mutant, number)
    for file, with_switches in lines.items():
        write_with(file, with_switches)
    said = build.compile(list(lines), True, [file for file in changed if file.endswith((".cc", ".h"))])
    if said:
        sys.exit(said[-2000:])
    build.unit = build.link(build.UNIT)
    for file in lines:
        write_with(file, {})
    tests.record(True, changed)
    verdicts.write_text("".join(f"{line}\n" for line in verdicts.read_text().splitlines() if not line.endswith("\t")))


def ask_switched(tests: Tests, numbers: dict[Mutant, int], tally: Tally, jobs: int) -> None:
    known = set(tests.unit) | set(tests.golden)

    def ask(mutant: Mutant) -> None:
        if tally.is_due(mutant):
            tally.add(mutant, tests.ask(mutant, numbers[mutant], [numbers[mutant]]), numbers[mutant] in known)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(ask, sorted(numbers, key=lambda m: sum(tests.cost[n] for n in tests.unit[numbers[m]]))))


def try_alone(build: Build, tests: Tests, mutant: Mutant, tally: Tally) -> None:
    if not tally.is_due(mutant):
        return
    build.MADE = "build/alone"
    write_with(mutant.file, {mutant.line: mutant.after})
    wrong = build.compile([mutant.file], False)
    if not wrong:
        build.link_all()
    tally.add(mutant, "the compiler" if wrong else tests.ask(mutant, -1, tests.like.get(mutant) or list(tests.unit)))
    write_with(mutant.file, {})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default=os.environ.get("APF_TEST_SEED", "1"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--under", action="append", help=f"folder of libapf/src (default: {' '.join(FOLDERS)})")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at the same time")
    parser.add_argument("--resume", action="store_true", help="ask of the mutants that the last run built and did not try")
    parser.add_argument("--again", action="store_true", help="ask the tests as they are now of the mutants that survived the last run")
    parser.add_argument("--mutant", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    global ROOT_COPY

    mutants = all_mutants(tuple(options.under or FOLDERS))
    print(f"seed {options.seed}: {options.count} of {len(mutants)} mutants", flush=True)
    if options.mutant:
        chosen = [m for m in mutants if m.name in options.mutant]
    else:
        chosen = random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))
    if options.list:
        for mutant in chosen:
            print(f"{mutant.name}\n  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
        return 0
    equivalent = read_equivalent()
    left = [m for m in chosen if (m.file, m.after.strip()) not in equivalent]
    ROOT_COPY, state = WORK / "build/original", WORK / "build/state"
    if options.resume or options.again:
        build, tests, numbers, alone = pickle.loads(state.read_bytes())
        chosen = [*numbers, *alone]  # the sources may be others by now
        left = [m for m in chosen if (m.file, m.after.strip()) not in equivalent]
        if options.again:
            take_tests(build, tests, numbers, WORK / "build/verdicts")
            state.write_bytes(pickle.dumps((build, tests, numbers, alone)))
    else:
        build = Build()
        for file in {m.file for m in chosen}:
            (ROOT_COPY / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(WORK / file, ROOT_COPY / file)
        tests = Tests(build)
        numbers, alone = build_switched(build, tests, left)
        state.write_bytes(pickle.dumps((build, tests, numbers, alone)))
    tally = Tally(options.minutes, WORK / "build/verdicts")
    tally.same = len(chosen) - len(left)
    ask_switched(tests, {m: n for m, n in numbers.items() if m in left}, tally, options.jobs)
    for mutant in sorted((m for m in alone if m in left), key=lambda m: len(build.dependents(m.file))):
        try_alone(build, tests, mutant, tally)
    return tally.done()


if __name__ == "__main__":
    sys.exit(main())
