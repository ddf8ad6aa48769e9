#!/usr/bin/env python3
"""Text for people fits into 80 columns: what the golden cases expect, and what the examples and the README show.

A line may be longer where nothing can be done about it: its longest word alone does not fit behind the blanks that it
begins with; it is a finding (FILE:LINE: …, as compilers write it) or belongs to one; it is a command to paste. Not text for
people are formats of programs; -o wide is as wide as what it shows. Last line: "N passed, N failed".
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import case_file

GOLDEN = pathlib.Path(__file__).resolve().parent
REPO = GOLDEN.parents[1]
COLUMNS = 80
# Commands that print objects, schemas or trace lines, and flags that ask for another format than text, or for a message
# of another program.
OTHER_COMMAND = re.compile(r"apfctl(?: -\S+)* (?:builtins|new|completion|convert|default|validate|lint)\b")
OTHER_FORMAT = re.compile(
    r"-o[ =]?(?:json|yaml|csv|markdown|html|github|sarif|junit|checkstyle|concise|tap|wide)|--metrics|--timeline|"
    r"--decisions|--dump-at|--batch|--place|in_terminal|lsp/client|\bjq\b|\bschema [a-z]|\bcut\b|\btr\b")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
FINDING = re.compile(r"^(?:\S+:\d+(?::\d+)?: |  note: |  shown by: |kubectl apf|apfctl)")
COMMAND = re.compile(r"^\s*(?:\$ |> |# )?(?:apfctl|kubectl|helm|\(cat) ")


def too_wide(line: str) -> bool:
    line = ESCAPE.sub("", line)
    if len(line) <= COLUMNS or FINDING.match(line) or COMMAND.match(line):
        return False
    indent = len(line) - len(line.lstrip(" "))
    return indent + max(len(word) for word in line.split()) <= COLUMNS


def of_cases() -> list[tuple[str, str]]:
    found = []
    for path in sorted(GOLDEN.glob("*/*.test")):
        case = case_file.read(path)
        if OTHER_COMMAND.search(case.command) or OTHER_FORMAT.search(case.command):
            continue
        found += [(case.name, line) for line in case.stdout.decode("utf-8", "replace").splitlines()]
    return found


def of_pages() -> list[tuple[str, str]]:
    """What commands in fenced blocks print."""
    found = []
    for page in [REPO / "README.md", *sorted(REPO.glob("examples/*/README.md"))]:
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.M | re.S):
            for command, _, output in (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.M)[1:]):
                if not OTHER_COMMAND.search(command) and not OTHER_FORMAT.search(command):
                    found += [(str(page.relative_to(REPO)), line) for line in output.splitlines()]
    return found


def main() -> int:
    lines = of_cases() + of_pages()
    wide = [(where, line) for where, line in lines if too_wide(line)]
    for where, line in wide:
        print(f"FAILED {where}: {len(ESCAPE.sub('', line))} columns: {line}")
    places = {where for where, _ in lines}
    failed = {where for where, _ in wide}
    print(f"{len(places - failed)} passed, {len(failed)} failed")
    return 1 if failed or not places else 0


sys.exit(main())
