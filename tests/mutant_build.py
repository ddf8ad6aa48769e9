"""A build of the library with changes in it, for mutate.py: all behind switches, or one by itself."""
import concurrent.futures
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

from mutants import ROOT

WORK = ROOT / "build/mutate"
MEMORY = 6 << 30  # of a program under test

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
        self.includes = {}
        self.read_commands()
        for obj in self.commands:
            self.read_includes(obj)
        for name, text in (("mutant.h", SWITCH), ("mutant.cc", SWITCH_SOURCE), ("listener.cc", LISTENER)):
            (WORK / "build" / name).write_text(text)
        like = "build/debug/obj/tests/unit/main.o"  # its flags, without a precompiled header
        for name in ("mutant", "listener"):
            command = re.sub(r" -c \S+ -o \S+$", f" -Ibuild -c build/{name}.cc -o build/{name}.o", self.commands[like])
            code, out = run("bash", "-c", command)
            if code != 0:
                sys.exit(out)

    def read_commands(self) -> None:
        self.commands, self.links = {}, {}
        for line in run("make", "-n", "-B", *self.FLAGS, "tests")[1].replace("\\\n", " ").splitlines():
            made = re.search(r" -o (\S+)$", line.strip())
            if made and " -c " in line:
                self.commands[made[1]] = line.strip()
            elif made and "++" in line:
                self.links[re.sub(r"\.so\..*", ".so", made[1])] = line.strip()

    def read_includes(self, obj: str) -> None:
        made = WORK / (obj[:-2] + ".d")
        if made.exists():
            self.includes[obj] = set(re.findall(r"\S+", made.read_text().replace("\\\n", " ")))

    def take_tests(self) -> list[str]:
        """Copies and compiles the tests as they are now; returns which files are others than before."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "tests"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        changed = []
        for name in listed.stdout.decode().splitlines():
            if not (ROOT / name).is_file() or (WORK / name).is_file() and (ROOT / name).read_bytes() == (WORK / name).read_bytes():
                continue
            (WORK / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, WORK / name, follow_symlinks=False)
            changed.append(name)
        self.read_commands()
        for obj in self.commands:
            source = obj.removeprefix("build/debug/obj/")[:-2] + ".cc"
            if source in changed or self.includes.get(obj, set()) & set(changed):
                code, out = run("bash", "-c", self.commands[obj])
                if code != 0:
                    sys.exit(out[-2000:])
                self.read_includes(obj)
        return changed

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
