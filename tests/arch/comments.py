#!/usr/bin/env python3
"""Prints each comment, and each line of the project's pages, that names a file of the project which is not there."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Below what a path in a comment may begin.
BASES = ["", "libapf", "libapf/include", "libapf/src", "tools", "tools/apfctl", "tests", "examples"]
TOPS = "|".join(sorted({path.name for base in BASES for path in (ROOT / base).iterdir() if path.is_dir()}))
NAMED = re.compile(rf"(?<![\w./$*{{-])((?:{TOPS})/[\w./-]*\w\.(?:cc|h|inc|py|sh|txt|md|json|mdoc))\b")


def comments(path, text):
    if path.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
        return
    mark = "//" if path.suffix in (".cc", ".h", ".inc") else "#"
    for number, line in enumerate(text.splitlines(), 1):
        if mark in line and not line.lstrip().startswith("#include"):
            yield number, line[line.index(mark):]


for name in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
    path = ROOT / name
    if path.suffix not in (".cc", ".h", ".inc", ".py", ".sh", ".md") and path.name != "Makefile" or not path.is_file():
        continue
    for number, text in comments(path, path.read_text(errors="replace")):
        for named in NAMED.findall(text):
            if not named.startswith("build/") and "NAME" not in named and not any((base / named).exists() for base in [path.parent, *(ROOT / b for b in BASES)]):
                print(f"{name}:{number}: {named}")
