#!/usr/bin/env python3
"""A setting and a figure are each one row: adds a toy of both to a copy of the tree, builds it, and asks the program.

    toy_rows.py     Last line: "N passed, N failed".
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SETTING = """      {.name = "toy-pause",
       .commands = kAll,
       .group = "Load",
       .metavar = "DURATION",
       .text = "A toy.",
       .expected = kDuration,
       .apply = [](ReplayOptions& o, View v) { o.watch_init = parse_duration(v); }},
"""
FIGURE = """      {"toy", Unit::requests, "toy", "toy", [](Tally t) { return t.requests + 1; }},
"""
passed = failed = 0


def verdict(name, holds, shown=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}\n{shown}")


def add_row(path, before, row):
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{path}: {before} is there {text.count(before)} times"
    path.write_text(text.replace(before, row + before), encoding="utf-8")


def once(members):
    assert len({name for name, _ in members}) == len(members), f"a member occurs twice: {members}"
    return dict(members)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "build"))
        # What is built already need not be built again; the times of files count.
        if (ROOT / "build/release").is_dir():
            shutil.copytree(ROOT / "build/release", tree / "build/release", symlinks=True)
        add_row(tree / "libapf/src/replay/passes/replay_settings.cc", '      {.name = "scale",\n', SETTING)
        add_row(tree / "libapf/src/report/figures.cc", '      {"meanwait",', FIGURE)
        built = subprocess.run(["make", f"-j{os.cpu_count()}", "apfctl"], cwd=tree, capture_output=True, text=True, check=False)
        verdict("a copy with two more rows is built", built.returncode == 0, built.stderr[-2000:])
        if built.returncode:
            return

        def run(*words, stdin=""):
            return subprocess.run([tree / "build/release/bin/apfctl", *words], cwd=tree / "examples", input=stdin, capture_output=True,
                                  text=True, check=False)

        log = "amok-controller/short.jsonl.gz"
        for command in ("replay", "compare", "headroom", "suggest"):
            verdict(f"{command} has the flag", "--toy-pause DURATION" in run(command, "--help=all").stdout)
        wrong = run("replay", log, "--toy-pause", "soon").stderr
        verdict("the flag says what is wrong", "--toy-pause: 'soon' is not a duration" in wrong, wrong)
        plan = f"logs: [{{name: a, files: {tree}/examples/{log}}}]\nconfigurations: [{{name: b}}]\nflags: [{{name: c, toy-pause: %s}}]\n"
        pathlib.Path(folder, "plan.yaml").write_text(plan % "soon", encoding="utf-8")
        wrong = run("sweep", f"{folder}/plan.yaml").stderr
        verdict("so does the key of plans", "toy-pause: 'soon' is not a duration" in wrong, wrong)
        pathlib.Path(folder, "plan.yaml").write_text(plan % "1s", encoding="utf-8")
        verdict("a plan with the key runs", run("sweep", f"{folder}/plan.yaml", "-q").returncode == 0)

        total = json.loads(run("replay", log, "-q", "-o", "json").stdout, object_pairs_hook=once)["total"]
        verdict("the figure is in JSON", total.get("toy") == total["requests"] + 1, str(total))
        head = run("replay", log, "-q", "-o", "csv").stdout.split("\r\n")[0].split(",")
        verdict("the figure is a column", "toy" in head, str(head))
        expected = run("replay", log, "-q", "--expect", f"total.toy == {total['requests'] + 1}")
        verdict("the figure can be expected", expected.returncode == 0, expected.stderr)
        unmet = run("replay", log, "-q", "--expect", f"total.toy == {total['requests']}")
        verdict("and be unmet", unmet.returncode == 1, unmet.stderr)


main()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
