#!/usr/bin/env python3
"""Runs the commands that a README shows and compares what they print.

In a fenced block marked `console`, a line "$ command" is run by sh, and the lines up to the next "$" or the end of the
block are what it must print (standard output and error together). "$ command  # exit 1" expects that exit code. The
commands of a file run in order in one folder that holds the example's files and its generated audit.log, if it has one,
beside the other examples. What a page links to must be there.
A block marked `cpp` or `yaml` that begins with a comment "// NAME.cc" or "# NAME.yaml" is written there under that name;
pkg-config finds the library.

    run.py FILE...            UPDATE=1 writes what was printed into the file instead of comparing

Last line: "N passed, N failed".
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / os.environ.get("VARIANT", "release") / "bin"


def prepare(folder: pathlib.Path, page: pathlib.Path) -> None:
    """The example's files, and its log as the generator writes it; without a generator, those of amok-controller, too. The
    README's own commands find what `make demo` leaves."""
    amok = ROOT / "examples" / "amok-controller"
    example = page.parent if page.parent.parent.name == "examples" else amok
    log = folder / "audit.log"
    uses_log = re.search(r"audit\.log(?!\.gz)", page.read_text())
    if page.parent == ROOT:
        for name in ("examples", "tests"):
            (folder / name).symlink_to(ROOT / name)
        log = folder / "build" / "demo" / "audit.log"
        log.parent.mkdir(parents=True)
    else:
        borrows = not (example / "generate.cc").exists() and uses_log
        for source in (amok, example) if borrows else (example,):
            for file in source.iterdir():
                if file.suffix in (".yaml", ".json", ".txt", ".gz", ".py"):
                    shutil.copy(file, folder)
        example = amok if borrows else example
    if uses_log and (example / "generate.cc").exists():
        generator = ROOT / "build" / "release" / "bin" / f"generate-{example.name}"
        subprocess.run([generator, "-o", log], check=True)
    (folder / ".pkgconfig").mkdir()
    (folder / ".pkgconfig" / "apf.pc").write_text(
        f"Name: apf\nDescription: as built\nVersion: 0\nCflags: -I{ROOT}/libapf/include\nLibs: -L{BIN.parent}/lib -lapf\n")


def run(command: str, folder: pathlib.Path) -> tuple[str, int]:
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "100",
        "PKG_CONFIG_PATH": str(folder / ".pkgconfig"), "LD_LIBRARY_PATH": str(BIN.parent / "lib"),
    }
    environment.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    result = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return result.stdout.decode(), result.returncode


def check_page(page: pathlib.Path) -> tuple[int, int]:
    passed = failed = 0
    out: list[str] = []
    lines = page.read_text().splitlines()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if page.parent.parent.name == "examples":
            (folder / "examples").mkdir()
            for other in page.parent.parent.iterdir():
                if other != page.parent:
                    (folder / "examples" / other.name).symlink_to(other)
            folder = folder / "examples" / page.parent.name
            folder.mkdir()
        prepare(folder, page)
        for link in re.findall(r"\]\(([^):#]+)\)", page.read_text()):
            if (page.parent / link).exists():
                passed += 1
            else:
                failed += 1
                print(f"FAILED {page.relative_to(ROOT)}: links to {link}, which is not there")
        at, inside = 0, False
        while at < len(lines):
            line = lines[at]
            at += 1
            out.append(line)
            if line.startswith("```"):
                inside = line == "```console"
            if line in ("```cpp", "```yaml"):
                end = lines.index("```", at)
                if (name := re.fullmatch(r"(?://|#) ([\w.-]+\.(?:cc|yaml))", lines[at])):
                    (folder / name[1]).write_text("\n".join(lines[at:end]) + "\n")
            if not inside or not line.startswith("$ "):
                continue
            command = line[2:]
            while command.endswith("\\"):
                out.append(lines[at])
                command += "\n" + lines[at]
                at += 1
            expected: list[str] = []
            while not lines[at].startswith(("$ ", "```")):
                expected.append(lines[at])
                at += 1
            blank = bool(expected) and expected[-1] == ""  # an empty line before the next command is layout
            text, code = run(command, folder)
            want = int(found[1]) if (found := re.search(r"# exit (\d+)$", command)) else 0
            got = [l.rstrip() for l in text.rstrip("\n").split("\n")] if text.strip() else []
            compare = [l.rstrip() for l in expected]
            while compare and compare[-1] == "":
                compare.pop()
            if code == want and (got == compare or os.environ.get("UPDATE")):
                passed += 1
            else:
                failed += 1
                print(f"FAILED {page.relative_to(ROOT)}: {command}\n  exit {code}, expected {want}")
                print("\n".join("    " + l for l in difflib.unified_diff(compare, got, "the page", "printed", lineterm="", n=1)))
            out += got + ([""] if blank else [])
    if os.environ.get("UPDATE"):
        page.write_text("\n".join(out) + "\n")
    return passed, failed


def main() -> int:
    passed = failed = 0
    for name in sys.argv[1:]:
        p, f = check_page(pathlib.Path(name).resolve())
        if "\n$ " not in pathlib.Path(name).read_text():
            print(f"FAILED {name}: shows no command")
            f = 1
        passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
