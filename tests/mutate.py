#!/usr/bin/env python3
"""Would the tests notice? Changes one comparison, constant or condition of the library at a time (tests/mutants.py) and runs the
tests that come by it until one fails. A change that no test notices survives: either a test is missing, or the changed program
does the same (tests/mutate-equivalent.txt lists those, with the reason).

    mutate.py [--seed S] [--count N] [--under FOLDER] [--minutes M] [--jobs N] [--resume] [--mutant FILE:LINE:NUMBER]... [--list]

The sample follows from the seed. --minutes begins no further mutant after that time, and says which were not run; --resume goes on
with those in what the last run built. It works in build/mutate/, a copy of the sources and of what build/debug has of them: one
build holds all changes, each behind a switch, and one run of all unit and golden tests says which of them come by which change.
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
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

from mutants import FOLDERS, ROOT, Mutant, all_mutants, read_equivalent, switched

WORK = ROOT / "build/mutate"
MEMORY = 6 << 30  # of a program under test
FIRST = 3  # seconds of unit tests that are asked before golden tests
FIRST_CASES = 40
MOST = 20  # seconds of unit tests that are asked at all
CASE_SECONDS = 20  # of processor time, for one program that a golden test starts
# The commands whose golden tests are asked first.
NEAR = {"logs": ["trace", "replay"], "replay": ["replay", "compare", "headroom"], "schedule": ["limits", "explain", "replay"],
        "admission": ["quota", "replay"], "lint/reach": ["lint", "explain", "diff", "ladder"]}

SWITCH = """// Which change is switched on, and which ones the program comes by.
#pragma once
namespace apf_mutant {
extern int chosen;
extern unsigned char* reached;
inline bool is(int number) {
  reached[number] = 1;
  return chosen == number;
}
}
"""
SWITCH_SOURCE = """#include "mutant.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>
#include <string>
namespace apf_mutant {
namespace { unsigned char forgotten[1 << 16]; }
int chosen = -1;
unsigned char* reached = forgotten;
[[gnu::constructor(101)]] void begin() {
  if (const char* number = std::getenv("APF_MUTANT")) chosen = std::atoi(number);
  const char* folder = std::getenv("APF_REACHED");
  const char* out = std::getenv("OUT");  // of a golden test: .../COMMAND/CASE
  if (!folder || !out) return;
  std::string name(out);
  const std::size_t slash = name.rfind('/', name.rfind('/') - 1);
  name = name.substr(slash + 1);
  name[name.find('/')] = '+';
  const int file = ::open((std::string(folder) + "/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || ::ftruncate(file, sizeof forgotten) != 0) return;
  void* shared = ::mmap(nullptr, sizeof forgotten, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (shared != MAP_FAILED) reached = static_cast<unsigned char*>(shared);
}
}
"""
LISTENER = """#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "catch.h"
#include "mutant.h"
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#if __has_include(<catch2/catch_all.hpp>)
using Base = Catch::EventListenerBase;
static std::string name_of(const Catch::TestCaseStats& s) { return s.testInfo->name; }
#else
using Base = Catch::TestEventListenerBase;
static std::string name_of(const Catch::TestCaseStats& s) { return s.testInfo.name; }
#endif
struct Reached : Base {
  using Base::Base;
  std::clock_t begun = 0;
  void testCaseStarting(const Catch::TestCaseInfo&) override {
    std::memset(apf_mutant::reached, 0, 1 << 16);
    begun = std::clock();
  }
  void testCaseEnded(const Catch::TestCaseStats& s) override {
    const char* path = std::getenv("APF_REACHED");
    if (!path) return;
    std::ofstream out(path, std::ios::app);
    out << name_of(s) << '\\t' << (s.totals.assertions.allOk() ? 1 : 0) << '\\t' << static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC << '\\t';
    for (int i = 0; i < 1 << 16; ++i)
      if (apf_mutant::reached[i]) out << i << ' ';
    out << '\\n';
  }
};
CATCH_REGISTER_LISTENER(Reached)
"""


def run(*command, seconds: float = 7200, processor_seconds: int = 0, **env) -> tuple[int, str]:
    """In the copy, with limits on time and memory: a changed condition may never end, or ask for everything."""
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if processor_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds))

    # ccache keeps nothing of this.
    environment = {**os.environ, "CCACHE_DISABLE": "1", "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime", **env}
    process = subprocess.Popen([str(c) for c in command], cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=environment, start_new_session=True, preexec_fn=limit)
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return 124, "not ended in time"
    return process.returncode, out.decode(errors="replace")


class Build:
    """A copy of the tree with what was built. Changed files are compiled into a folder of their own, and linked in place of the
    originals, which stay as they are."""

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
        code, out = run("make", f"-j{os.cpu_count()}", *self.FLAGS, "tests")
        if code != 0:
            sys.exit(f"the sources as they are do not build:\n{out[-2000:]}")
        self.commands, self.links, self.includes = {}, {}, {}
        for line in run("make", "-n", "-B", *self.FLAGS, "tests")[1].replace("\\\n", " ").splitlines():
            made = re.search(r" -o (\S+)$", line.strip())
            if made and " -c " in line:
                self.commands[made[1]] = line.strip()
            elif made and "++" in line:
                self.links[re.sub(r"\.so\..*", ".so", made[1])] = line.strip()
        for obj in self.commands:
            made = WORK / (obj[:-2] + ".d")
            if made.exists():
                self.includes[obj] = set(re.findall(r"\S+", made.read_text().replace("\\\n", " ")))
        for name, text in (("mutant.h", SWITCH), ("mutant.cc", SWITCH_SOURCE), ("listener.cc", LISTENER)):
            (WORK / "build" / name).write_text(text)
        like = "build/debug/obj/tests/unit/main.o"  # its flags, without a precompiled header
        for name in ("mutant", "listener"):
            command = re.sub(r" -c \S+ -o \S+$", f" -Ibuild -c build/{name}.cc -o build/{name}.o", self.commands[like])
            code, out = run("bash", "-c", command)
            if code != 0:
                sys.exit(out)

    def dependents(self, file: str) -> list[str]:
        return [obj for obj, names in self.includes.items() if file in names]

    def compile(self, files, switches: bool, only=None) -> str:
        """What the compiler says, or nothing. `only`: of these files, the others are compiled."""
        if only is None:
            shutil.rmtree(WORK / self.MADE, ignore_errors=True)
        self.switches = switches
        self.made = {obj: f"{self.MADE}/{obj.removeprefix('build/debug/')}" for obj in sorted({o for file in files for o in self.dependents(file)})}
        for made in self.made.values():
            (WORK / made).parent.mkdir(parents=True, exist_ok=True)
        more = " -w -include build/mutant.h" if switches else " -w"
        wanted = [obj for obj in self.made if only is None or any(obj in self.dependents(file) for file in only)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda o: run("bash", "-c", self.commands[o].replace(f" -o {o}", f" -o {self.made[o]}") + more), wanted)
            return "\n".join(out or "error" for code, out in results if code != 0)

    def link(self, what: str) -> str:
        """The path of the program or library with the changed objects."""
        to = f"{self.MADE}/{what.removeprefix('build/debug/')}"
        (WORK / to).parent.mkdir(parents=True, exist_ok=True)
        words = [self.made.get(word, word) for word in shlex.split(self.links[what])]
        more = ["build/mutant.o"] if self.switches else []
        archive = "build/debug/lib/libapf.a"
        if archive in words:  # what is given before the archive is not taken from it
            more += [made for obj, made in self.made.items() if obj.startswith("build/debug/obj/libapf/")]
            more += ["build/listener.o"] if self.switches else []
        at = words.index(archive) if archive in words else next(i for i, word in enumerate(words) if word.endswith(".o"))
        words[at:at] = more
        words[-1] = to
        code, out = run(*words)
        if code != 0:
            sys.exit(f"cannot link {what}:\n{out[-2000:]}")
        return to

    def link_all(self) -> None:
        self.unit = self.link(self.UNIT)
        library = self.link(self.LIBRARY)
        soname = re.search(r"-soname,(\S+)", self.links[self.LIBRARY])[1]
        (WORK / library).with_name(soname).symlink_to("libapf.so")
        to = WORK / self.MADE / "bin/apfctl"  # it finds the library from where it is
        shutil.copy2(WORK / self.APFCTL, to)
        self.apfctl = str(to)


class Tests:
    """Which tests come by which change. A program is stopped at the first failure."""

    def __init__(self, build: Build) -> None:
        self.build, self.bad = build, set()
        self.unit, self.golden = collections.defaultdict(list), collections.defaultdict(list)
        self.cost, self.like = {}, {}

    def record(self) -> None:
        """Runs everything once, with no change switched on."""
        listed, folder = WORK / "build/reached.txt", WORK / "build/reached"
        listed.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        run(self.build.unit, APF_REACHED=str(listed))
        for line in listed.read_text().splitlines():
            name, passed, seconds, numbers = line.split("\t")
            self.cost[name] = float(seconds)
            if passed != "1":
                self.bad.add(name)
            for number in numbers.split():
                self.unit[int(number)].append(name)
        out = run("tests/golden/run.sh", APFCTL=self.build.apfctl, APF_REACHED=str(folder))[1]
        self.bad |= set(re.findall(r"^FAILED ([^:]+):", out, re.M))
        for path in sorted(folder.iterdir()):
            for number, byte in enumerate(path.read_bytes()):
                if byte:
                    self.golden[number].append(path.name.replace("+", "/"))
        if self.bad:
            print(f"not asked, as they fail without a change: {', '.join(sorted(self.bad))}", flush=True)

    def ask(self, mutant: Mutant, number: int, like: list[int]) -> str:
        """Who notices the change, or nothing. `like`: changes that are reached where this one is, as far as is known."""
        units = sorted({n for k in like for n in self.unit[k]} - self.bad, key=lambda n: (self.cost[n], n))
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
        escaped = [re.sub(r'([\\,\[\]"*~])', r"\\\1", name) for name in names]
        asked = WORK / f"build/asked{threading.get_ident()}"
        asked.write_text("".join(f"{name}\n" for name in escaped))
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
    if options.resume:
        build, tests, numbers, alone = pickle.loads(state.read_bytes())
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
