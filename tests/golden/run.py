#!/usr/bin/env python3
"""Runs the golden tests, tests/golden/COMMAND/CASE.test: a command, the exit code it must have and the output it must
print, byte for byte. tests/golden/README.md shows the format.

    run.sh [COMMAND[/CASE]]...       all, or those named; `*` in a name matches anything
    UPDATE=1 run.sh ...              write the exit code and the output into the case instead of comparing
    ABORT=1 run.sh ...               end at the first case that fails
    APFCTL=path/to/apfctl            the program (default build/release/bin/apfctl)

Last line: "N passed, N failed".
"""
import concurrent.futures
import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import case_file

GOLDEN = case_file.GOLDEN
UPDATE = os.environ.get("UPDATE") == "1"
ABORT = os.environ.get("ABORT") == "1"
SECONDS = int(os.environ.get("GOLDEN_SECONDS", "120"))
DIFF_LINES = 40


def chosen(names: list[str]) -> list[case_file.Case]:
    paths = []
    for name in names or ["*"]:
        name = name.rstrip("/").removeprefix("tests/golden/").removesuffix(".test")
        found = sorted(GOLDEN.glob(f"{name}.test" if "/" in name else f"{name}/*.test"))
        if not found:
            sys.exit(f"there is no case {name}")
        paths += found
    return [case_file.read(path) for path in dict.fromkeys(paths)]


def environment(work: pathlib.Path, apfctl: pathlib.Path) -> dict[str, str]:
    (work / "bin").mkdir()
    (work / "bin" / "apfctl").symlink_to(apfctl)
    # What a user's terminal and shell may have set must not matter.
    result = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "UPDATE")}
    return {**result, "TERM": "xterm", "PATH": f"{work}/bin:{result['PATH']}", "REPO": str(GOLDEN.parents[1])}


def difference(name: str, expected: bytes, got: bytes) -> list[str]:
    before, after = (case_file.escape(text).splitlines() for text in (expected, got))
    lines = list(difflib.unified_diff(before, after, f"expected {name}", f"printed {name}", lineterm="", n=3))
    return lines[:DIFF_LINES] + ([f"({len(lines) - DIFF_LINES} more lines)"] if len(lines) > DIFF_LINES else [])


def run(case: case_file.Case, work: pathlib.Path, env: dict[str, str]) -> tuple[str, list[str]]:
    """The verdict, and what to print of it."""
    folder = work / "tree" / case.name
    if case.skip_if and subprocess.run(["bash", "-c", case.skip_if], cwd=folder, env=env, check=False).returncode == 0:
        return "skipped", [f"skipped {case.name}: {case.skip_if.rpartition('# ')[2]}"]
    out = work / "out" / case.name
    out.mkdir(parents=True)
    try:
        result = subprocess.run(["bash", "-c", case.command], cwd=folder, env={**env, "OUT": str(out)}, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=SECONDS, check=False)
        code, stdout, stderr = result.returncode, result.stdout, result.stderr
    except subprocess.TimeoutExpired:
        return "failed", [f"FAILED {case.name}: not finished after {SECONDS} s"]
    if re.search(rb"^bash: line \d+: ", stderr, re.MULTILINE):  # whatever the case expects
        return "failed", [f"FAILED {case.name}: its command is wrong", *stderr.decode(errors="replace").splitlines()[:DIFF_LINES]]
    if UPDATE:
        case.code, case.stdout, case.stderr = code, stdout, stderr
        case_file.write(case)
        assert case_file.read(case.path) == case, f"{case.name} reads otherwise than it was written"
    if (code, stdout, stderr) == (case.code, case.stdout, case.stderr):
        return "passed", []
    report = [f"FAILED {case.name}: {case.command.strip().splitlines()[0]}"]
    if code != case.code:
        report.append(f"expected exit {case.code}, got exit {code}")
    report += difference("stdout", case.stdout, stdout) + difference("stderr", case.stderr, stderr)
    return "failed", report


def main() -> int:
    apfctl = pathlib.Path(os.environ.get("APFCTL") or GOLDEN.parents[1] / "build/release/bin/apfctl").resolve()
    if not os.access(apfctl, os.X_OK):
        sys.exit(f"{apfctl} cannot be run: make first, or set APFCTL")
    # Whoever runs this in the background, or under nohup, ignores signals, and what it starts would, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    cases = chosen(sys.argv[1:])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        (work / "tree").mkdir()
        case_file.lay_out(work / "tree", cases)
        env = environment(work, apfctl)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for verdict, report in pool.map(lambda case: run(case, work, env), cases):
                counts[verdict] += 1
                for line in report:
                    print(line)
                if ABORT and verdict == "failed":
                    pool.shutdown(cancel_futures=True)
                    break
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())
