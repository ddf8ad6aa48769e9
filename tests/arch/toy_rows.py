#!/usr/bin/env python3
"""A setting, a key of .apfctl.yaml, a figure of requests or of levels, and a remark are each one row: adds a toy of each to a copy of
the tree, builds it, and asks it.

    toy_rows.py     Last line: "N passed, N failed".
"""
import csv
import io
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
KEY = """      {{"toy-known", text, "A toy.", "the path of a toy"}, into(&Settings::baseline)},
"""
FIGURE = """      {"toy", Unit::requests, "toy", "toy", [](Tally t) { return t.requests + 1; }},
"""
# Between two members of one object.
FIGURE_OF_LEVELS = """      {"level-toy", Unit::seats, "toy_seats", "levelToy", [](const Level& l) { return l.seats_peak + 1; }},
"""
REMARK = """{"toy-found", {{count, "toys", "toys"}, {duration, "age"}, {name, "owner"}},
 "{toys:# toy was|# toys were} found{owner?, of #|}, {age} old.",
 "Toys that were found, with --toys. There is nothing else.",
 "use --toys to leave {toys:it|them} out"},
"""
# A kind more changes a public header, and so everything: only what the row is about is compiled anew.
REMARKED = """#include <apf/report.h>
int main() {
  apf::Remark toy{.kind = apf::RemarkKind::toy_found, .count = 1, .duration = apf::kSecond};
  std::string text = render_text(toy);
  toy = {.kind = toy.kind, .count = 1200, .duration = 0, .name = "Tom"};
  toy.hint = hint_of(toy);
  apf::JsonWriter json;
  write_remarks(json.begin_object().field("alone", text).field("text", render_text(toy)), "found", {toy});
  puts(json.end_object().take().c_str());
}
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


def add_remark(tree):
    add_row(tree / "libapf/src/report/core/remarks.inc", '{"clock-fitted",', REMARK)
    subprocess.run([sys.executable, tree / "tools/docs/remarks.py"], check=True)
    (tree / "toy.cc").write_text(REMARKED, encoding="utf-8")
    sources = ["toy.cc", "libapf/src/report/core/remarks.cc", "libapf/src/report/core/units.cc", "libapf/src/base/remarks.cc"]
    built = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-Ilibapf/include", "-Ilibapf/src", *sources, "-o", "toy",
                            "-Lbuild/release/lib", "-lapf", "-lfmt", f"-Wl,-rpath,{tree}/build/release/lib"],
                           cwd=tree, capture_output=True, text=True, check=False)
    verdict("a program with one more remark is built", built.returncode == 0, built.stderr[-2000:])
    if built.returncode:
        return
    shown = json.loads(subprocess.run([tree / "toy"], capture_output=True, text=True, check=True).stdout)
    verdict("the remark has its sentence", shown["alone"] == "1 toy was found, 1.00s old.", str(shown))
    verdict("by its values, and with its hint", shown["text"] == "1,200 toys were found, of Tom, 0 old (use --toys to leave them out).", str(shown))
    members = {"kind": "toy-found", "message": "1,200 toys were found, of Tom, 0 old.", "hint": "use --toys to leave them out",
               "toys": 1200, "durationNs": 0, "name": "Tom"}
    verdict("the remark is in JSON", shown["found"] == [members], str(shown))
    for script, folder in (("tools/docs/pages.py", "man"), ("schemas/generate.py", "schemas")):
        subprocess.run([sys.executable, tree / script, tree / "made" / folder], check=True)
    page = (tree / "made/man/apfctl-remarks.7").read_text(encoding="utf-8")
    item = ".It Cm toy-found\nToys that were found, with\n.Fl -toys\n.Pq Li toys : No toys ; Li durationNs : No age ; Li name : No owner .\nThere is nothing else.\n"
    verdict("the remark is in the manual", item + ".It Cm clock-fitted\n" in page, page[:4000])
    remark = json.loads((tree / "made/schemas/replay.schema.json").read_text(encoding="utf-8"))["$defs"]["remarkMembers"]["properties"]
    verdict("the remark is in the schema", "toy-found" in remark["kind"]["enum"] and set(members) <= set(remark), str(remark))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "build"))
        # What is built already need not be built again; the times of files count.
        if (ROOT / "build/release").is_dir():
            shutil.copytree(ROOT / "build/release", tree / "build/release", symlinks=True)
        add_row(tree / "libapf/src/replay/passes/replay_settings.cc", '      {.name = "scale",\n', SETTING)
        add_row(tree / "libapf/src/settings/settings.cc", '      {{"rules"}},\n', KEY)
        add_row(tree / "libapf/src/report/replay/figures.cc", '      {"meanwait",', FIGURE)
        add_row(tree / "libapf/src/report/replay/figures.cc", '      limiting({"limit-max",', FIGURE_OF_LEVELS)
        built = subprocess.run(["make", f"-j{os.cpu_count()}", "apfctl"], cwd=tree, capture_output=True, text=True, check=False)
        verdict("a copy with four more rows is built", built.returncode == 0, built.stderr[-2000:])
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
        swept = run("sweep", f"{folder}/plan.yaml", "-q", "-o", "csv")
        verdict("a plan with the key runs", swept.returncode == 0, swept.stderr)
        verdict("the figure of requests is a column of sweeps", ",toy," in swept.stdout.split("\r\n")[0], swept.stdout[:500])

        settings = pathlib.Path(folder, "settings.yaml")
        for text, said in (("toy-known: [a]", "1:12: error: toy-known: expected the path of a toy, found a list"),
                           ("toy-knwon: a", '1:1: error: unknown key "toy-knwon", did you mean "toy-known"?'),
                           ("toy-known: a\ntoy-known: b", '2:1: error: the key "toy-known" occurs twice'),
                           ("toy-known: toy.json", "toy.json")):
            settings.write_text(text + "\n", encoding="utf-8")
            wrong = run("lint", "--config", settings, tree / "examples/amok-controller").stderr
            verdict(f"settings with {text}", said in wrong, wrong)

        report = json.loads(run("replay", log, "-q", "-o", "json").stdout, object_pairs_hook=once)
        level = next(l for l in report["levels"] if l["name"] == "node-high")
        rows = list(csv.DictReader(io.StringIO(run("replay", log, "-q", "-o", "csv").stdout)))
        row = next(r for r in rows if r["priority_level"] == "node-high")
        unknown = run("replay", log, "-q", "--expect", "total.frobnication == 0").stderr
        for name, value, member, cell in (
                ("toy", level["requests"] + 1, level.get("toy"), row.get("toy")),
                ("level-toy", level["seats"]["peak"] + 1, level.get("levelToy"), row.get("toy_seats"))):
            verdict(f"{name} is in JSON", member == value, str(level))
            verdict(f"{name} is a column", cell == str(value), str(row))
            expected = run("replay", log, "-q", "--expect", f"node-high.{name} == {value}")
            verdict(f"{name} can be expected", expected.returncode == 0, expected.stderr)
            unmet = run("replay", log, "-q", "--expect", f"node-high.{name} == {value - 1}")
            verdict(f"{name} can be unmet", unmet.returncode == 1, unmet.stderr)
            verdict(f"{name} is named where a metric is unknown", f" {name}," in unknown, unknown)
        add_remark(tree)


main()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
