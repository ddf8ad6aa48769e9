#!/usr/bin/env python3
"""What the linker sees of the map (tests/arch/modules.txt), in a build that `make all` has made: which module's objects
call functions of which, that a public header's functions are defined in its module, and that a linter links core,
quota and lint alone. Last line: "N passed, N failed".

    tests/arch/link_arrows.py build/release
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / sys.argv[1]
LINTER = """
#include <apf/lint.h>
#include <cstdio>
int main(int, char** argv) {
  apf::LintProject project;
  project.paths = {argv[1]};
  for (const apf::Diagnostic& finding : apf::lint_project(project).findings) std::puts(apf::to_string(finding).c_str());
}
"""
passed = failed = 0


def verdict(name, found):
    global passed, failed
    if found:
        failed += 1
        print("\n".join([f"FAILED {name}", *found]))
    else:
        passed += 1


def run(*command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def read_map():
    modules, layers = {}, {}
    for line in (ROOT / "tests/arch/modules.txt").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if line.startswith("layer "):
            layers[cells[0].split()[1]] = {cells[0].split()[1], *cells[1].split()}
        elif line and not line.startswith("#"):
            modules[cells[0]] = (cells[1], {"base", cells[0], *cells[2].split()}, cells[3].split())
    return modules, layers


def module_of(path):
    """The longest beginning of the path that is a module: report/core, or lint of lint/reach."""
    parts = path.relative_to(BUILD / "obj/libapf/src").parts[:-1]
    return next("/".join(parts[:n]) for n in range(len(parts), 0, -1) if "/".join(parts[:n]) in modules)


def symbols():
    """Where each function is defined, and which are called from each module."""
    defined, called = {}, collections.defaultdict(set)
    for path in sorted((BUILD / "obj/libapf/src").rglob("*.o")):
        # What a folder that is gone left behind in a build folder that is used again is no part of the library.
        if not any((ROOT / path.relative_to(BUILD / "obj").parent).glob("*.cc")):
            continue
        module = module_of(path)
        for line in run("nm", "-P", path).splitlines():
            name, kind = line.split(" ")[:2]
            if kind in "TDBR":
                defined[name] = module
            elif kind == "U":
                called[module].add(name)
    return defined, called


def demangled(names):
    return dict(zip(names, run("c++filt", text="\n".join(names)).splitlines())) if names else {}


def declared_in(header):
    """The functions and the classes that a public header declares."""
    text = re.sub(r"//.*", "", (ROOT / "libapf/include/apf" / f"{header}.h").read_text())
    functions = re.findall(r"^APF_API [^;{=(]*?\b(\w+)\(", text, re.M)
    return set(functions), set(re.findall(r"^(?:class|struct) (?:APF_API )?(\w+)[^;]*\{", text, re.M))


modules, layers = read_map()
defined, called = symbols()
words = demangled(sorted(set(defined)))
verdict("the build has objects of each module", [m for m in modules if m not in set(defined.values())])

for module, (layer, may, headers) in modules.items():
    arrows = sorted({(defined[name], words[name]) for name in called[module] if name in defined})
    verdict(f"functions that {module} calls", [f"{module} calls {name} of {to}" for to, name in arrows if to not in may])
    verdict(f"{module} uses what {layer} may",
            [f"{to} is of {modules[to][0]}" for to in sorted(may) if modules[to][0] not in layers[layer]])
    found = []
    own = {named[1] for name, where in defined.items()
           if where == module and (named := re.match(r"apf::(\w+)(\[abi:cxx11\])?\(", words[name]))}
    for header in headers:
        functions, classes = declared_in(header)
        for name, where in defined.items():
            owner = re.match(r"apf::(\w+)::", words[name])
            if owner and owner[1] in classes and where != module:
                found.append(f"<apf/{header}.h> declares {words[name]}, and {where} defines it")
        found += [f"<apf/{header}.h> declares {name}(), and {module} does not define it" for name in sorted(functions - own)]
    verdict(f"{module} defines what its headers declare", found)

with tempfile.TemporaryDirectory() as folder:
    source, program = pathlib.Path(folder, "lint.cc"), pathlib.Path(folder, "lint")
    source.write_text(LINTER)
    flags = run("pkg-config", "--static", "--libs-only-l", "--libs-only-other", str(BUILD / "lib/pkgconfig/apf.pc")).replace("-lapf", "").split()
    run("g++", "-std=c++20", f"-I{ROOT}/libapf/include", str(source), str(BUILD / "lib/libapf.a"), *flags, "-o", str(program))
    linked = {line.split(" ")[0] for line in run("nm", "-P", str(program)).splitlines() if line.split(" ")[1] == "T"}
    foreign = sorted({words[name] for name in linked if modules.get(defined.get(name), ("core",))[0] not in layers["lint"]})
    verdict("a linter links core, quota and lint alone", foreign[:20])
    findings = run(str(program), str(ROOT / "examples/amok-controller"))
    verdict("and it lints", [] if "APF" in findings or "warning" in findings else [f"it says: {findings}"])
    print(f"a linter that is linked with the static library has {program.stat().st_size / 1e6:.1f} MB")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
