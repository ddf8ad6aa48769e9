#!/usr/bin/env python3
"""Reads from programs and libraries what makes attacks on them harder, and fails where something is missing.

    hardening.py [BUILD]    (default build/release)

Last line: "N passed, N failed".
"""
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()


def read(*command) -> str:
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout.decode()


def notes(path) -> set[str]:
    """What the whole file promises of its control flow: IBT, SHSTK, BTI, PAC."""
    found = [set(re.split(r"[, ]+", line.strip())) for line in re.findall(r"feature: (.*)$", read("readelf", "-n", path), re.M)]
    return set.union(*found) - {""} if found else set()


def startup_notes() -> set[str]:
    """Of the objects that the compiler puts into every program: it has no more than these."""
    crt = subprocess.run(["g++", "-print-file-name=Scrt1.o"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    return notes(crt)


def missing(path, program: bool, static: bool = False) -> list[str]:
    """What this file lacks."""
    header, segments, dynamic = read("readelf", "-Wh", path), read("readelf", "-Wl", path), read("readelf", "-Wd", path)
    symbols = read("nm", "-D", path) if not static else ""
    lacks = []
    if not re.search(r"Type:\s+DYN", header) or (program and "PIE" not in dynamic):
        lacks.append("an address of its own in every run (PIE)")
    if "GNU_RELRO" not in segments:
        lacks.append("tables that are read-only after relocation (RELRO)")
    if not static and not re.search(r"FLAGS.*\bNOW\b", dynamic):
        lacks.append("all symbols bound at the start (BIND_NOW)")
    stack = re.search(r"GNU_STACK.* ([R ][W ][E ]) +0x", segments)
    if not stack or "E" in stack[1]:
        lacks.append("a stack without execution")
    if re.search(r"LOAD .* RWE ", segments):
        lacks.append("memory that is not both writable and executable")
    if "TEXTREL" in dynamic:
        lacks.append("code without relocations")
    path_entries = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)
    if any(not entry.startswith("$ORIGIN/") for paths in path_entries for entry in paths.split(":")):
        lacks.append("libraries searched for beside the program only")
    if not static and "__stack_chk_fail" not in symbols:
        lacks.append("a guard on the stack (stack protector)")
    promised = {"x86_64": {"IBT", "SHSTK"}, "aarch64": {"BTI", "PAC"}}.get(platform.machine(), set())
    if not promised & startup_notes() <= notes(path):
        lacks.append("checked jumps and returns (CET, BTI), which the system's own start-up code has")
    return lacks


def objects_lack(archive) -> list[str]:
    """Members of the archive that were compiled without what the processor has for jumps and returns."""
    wanted = {"x86_64": {"IBT", "SHSTK"}, "aarch64": {"BTI", "PAC"}}.get(platform.machine())
    if not wanted:
        return []
    lacking, name, has = [], None, set()
    for line in read("readelf", "-nW", archive).splitlines() + ["File: end"]:
        if line.startswith("File: "):
            if name and not wanted <= has:
                lacking.append(name)
            name, has = line[6:], set()
        elif "feature: " in line:
            has |= set(re.split(r"[, ]+", line.split("feature: ")[1].strip()))
    return lacking


def fortify_flags() -> list[str]:
    """What turns checked functions of the C library on, and its optimization, as make would compile a source."""
    target = BUILD / "obj/libapf/src/base/api_groups.o"
    commands = subprocess.run(["make", "-n", "-B", "--no-print-directory", f"VARIANT={BUILD.name}", str(target.relative_to(ROOT))],
                              cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode()
    command = next(line for line in commands.splitlines() if "api_groups.cc" in line)
    return re.findall(r"(?<= )(?:-O\w*|-[UD]_FORTIFY_SOURCE\S*)", command)


def is_fortified(flags: list[str]) -> bool:
    """Code that needs no check has none: so a copy of unknown size is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = pathlib.Path(folder, "copy.cc"), pathlib.Path(folder, "copy.o")
        source.write_text("#include <cstring>\nchar to[8];\nvoid copy(const char* from, unsigned long n) { std::memcpy(to, from, n); }\n")
        subprocess.run(["g++", *flags, "-c", source, "-o", compiled], check=True)
        return "__memcpy_chk" in read("nm", compiled)


def main() -> int:
    passed, failed = 0, []

    def verdict(what, lacks):
        nonlocal passed
        if lacks:
            failed.append(f"FAILED {what} lacks: {'; '.join(lacks)}")
        else:
            passed += 1

    library = next((BUILD / "lib").glob("libapf.so.*.*.*"))
    verdict(library.name, missing(library, program=False))
    verdict("apfctl", missing(BUILD / "bin/apfctl", program=True))
    checked = "checked functions of the C library (FORTIFY)"
    verdict("the build", [] if is_fortified(fortify_flags()) else [checked])
    verdict("the notice of a build without it", [checked] if is_fortified(["-O2", "-U_FORTIFY_SOURCE"]) else [])
    verdict("objects of libapf.a", objects_lack(BUILD / "lib/libapf.a"))
    if (BUILD / "static/apfctl").exists():
        verdict("the static apfctl", missing(BUILD / "static/apfctl", program=True, static=True))
    # A program without any of it is noticed, point by point.
    with tempfile.TemporaryDirectory() as folder:
        source, bare = pathlib.Path(folder, "bare.cc"), pathlib.Path(folder, "bare")
        source.write_text("int main() { return 0; }\n")
        flags = ["-fno-stack-protector", "-U_FORTIFY_SOURCE", "-fno-pie", "-no-pie", "-Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/tmp"]
        subprocess.run(["g++", *flags, source, "-o", bare], check=True)
        noticed = missing(bare, program=True)
        for word in ("PIE", "RELRO", "BIND_NOW", "without execution", "beside the program", "stack protector"):
            verdict(f"the notice that a bare program lacks {word}", [] if any(word in lack for lack in noticed) else [f"only {noticed}"])
        if platform.machine() in ("x86_64", "aarch64"):
            off = {"x86_64": "-fcf-protection=none", "aarch64": "-mbranch-protection=none"}[platform.machine()]
            subprocess.run(["g++", off, "-c", source, "-o", f"{folder}/bare.o"], check=True)
            subprocess.run(["ar", "rcs", f"{folder}/bare.a", f"{folder}/bare.o"], check=True)
            verdict("the notice of an object without checked jumps", [] if objects_lack(f"{folder}/bare.a") else ["it"])
    print(*failed, f"{passed} passed, {len(failed)} failed", sep="\n")
    return 1 if failed else 0


sys.exit(main())
