#!/usr/bin/env python3
"""Runs the unit tests on all processors: their names, dealt out to several processes. Prints what fails.

    run.py PROGRAM      Last line: "N passed, N failed", in test cases; one that did not run at all counts as failed.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# More parts than processors, as their times differ.
PARTS_PER_PROCESSOR = 4


def names(program: str) -> list[str]:
    # Catch2 version 2 ends with the number of tests as exit code; version 3 has another flag.
    for flags in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        listing = subprocess.run([program, *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        if found := [line.strip() for line in listing.splitlines() if line.strip()]:
            return found
    sys.exit(f"{program} lists no tests")


def run(program: str, part: pathlib.Path) -> tuple[int, int, str]:
    result = subprocess.run([program, "--input-file", part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = result.stdout.decode("utf-8", "replace")
    if found := re.search(r"^All tests passed \(.* in (\d+) test cases?\)$", text, re.M):
        return int(found[1]), 0, "" if result.returncode == 0 else text
    if found := re.search(r"^test cases: (.*)$", text, re.M):
        count = {what: int(number) for number, what in re.findall(r"(\d+) (\w+)", found[1])}
        return count.get("passed", 0), count.get("failed", 0), text
    return 0, 0, f"{text}\nended with exit code {result.returncode}"


def main() -> int:
    program = sys.argv[1]
    listed = names(program)
    processors = len(os.sched_getaffinity(0))
    parts = min(len(listed), processors * PARTS_PER_PROCESSOR)
    passed = failed = 0
    # A comma would begin another name, a bracket a tag.
    escaped = [re.sub(r'([\\,\["*~])', r"\\\1", name) for name in listed]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(processors) as pool:
        files = [pathlib.Path(folder, str(number)) for number in range(parts)]
        for number, file in enumerate(files):
            file.write_text("".join(f"{name}\n" for name in escaped[number::parts]), encoding="utf-8")
        for of_part, failed_of_part, text in pool.map(lambda file: run(program, file), files):
            passed, failed = passed + of_part, failed + failed_of_part
            if text:
                print(text)
    if missing := len(listed) - passed - failed:
        print(f"{missing} of {len(listed)} tests did not run")
        failed += missing
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
