#!/usr/bin/env python3
"""Does apfctl suggest find for the example what a person found? At least as good as after.yaml, with no larger change.

    suggest.py GENERATOR APFCTL      Last line: "N passed, N failed".
"""
import json
import pathlib
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "amok-controller"
GOAL = "workload-low.p50wait < 1ms"
LEVEL_COST = 4  # what after.yaml changes: a FlowSchema and a level
generator, apfctl = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
passed = failed = 0


def check(name: str, ok: bool, what: object = "") -> None:
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print(f"FAILED {name}: {what}")


def run(*arguments: str) -> str:
    done = subprocess.run([apfctl, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work)
    check("apfctl " + arguments[0], done.returncode == 0, done.stderr)
    return done.stdout


def replayed(config: list[str]) -> dict:
    files = [argument for path in config for argument in ("-f", path)]
    return json.loads(run("replay", "audit.log", *files, *SERVER, "-o", "json"))


def of_level(report: dict, name: str) -> dict:
    return next(level for level in report["levels"] if level["name"] == name)


def codes(*paths: str) -> set:
    done = subprocess.run([apfctl, "lint", "-o", "json", "--server-concurrency", "150", *paths], stdout=subprocess.PIPE, cwd=work)
    return {finding["code"] for finding in json.loads(done.stdout)["findings"]}


with tempfile.TemporaryDirectory() as work:
    subprocess.run([generator, "-o", f"{work}/audit.log"], check=True)
    SERVER = ["--objects", str(EXAMPLE / "objects.txt"), "--max-requests-inflight", "100",
              "--max-mutating-requests-inflight", "50"]
    before, after = str(EXAMPLE / "before.yaml"), str(EXAMPLE / "after.yaml")
    common = ["suggest", "audit.log", "-f", before, *SERVER, "--goal", GOAL, "-q"]
    for how in (["--isolate", "auto"], []):
        name = " ".join(how) or "goal alone"
        found = json.loads(run(*common, *how, "-o", "json"))
        check(f"{name}: goals are met", found["goalsMet"])
        check(f"{name}: no larger change", found["cost"] <= LEVEL_COST, found["cost"])
        pathlib.Path(work, "suggested.yaml").write_text(found["yaml"], encoding="utf-8")
        theirs, ours = replayed([after]), replayed([before, "suggested.yaml"])
        low, their_low = of_level(ours, "workload-low"), of_level(theirs, "workload-low")
        check(f"{name}: waits of others", low["wait"]["p50Ns"] <= max(their_low["wait"]["p50Ns"], 999_999), low["wait"])
        check(f"{name}: lint finds nothing new", codes(before, "suggested.yaml") <= codes(before))
        if not how:
            continue
        check(f"{name}: one level, as in after.yaml", [c["field"] for c in found["change"]] == ["level"], found["change"])
        check(f"{name}: whose level", found["change"][0].get("user") == "system:serviceaccount:shop:order-sync", found["change"])
        check(f"{name}: refusals of others", low["rejected"]["total"] <= their_low["rejected"]["total"], low["rejected"])
        # One replay each: a hundredth more is chance.
        check(f"{name}: others that wait", low["queued"] <= 1.01 * their_low["queued"], (low["queued"], their_low["queued"]))
        again = json.loads(run(*common, *how, "-o", "json", "--threads", "1"))
        check(f"{name}: the same on one thread", again == found)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
