"""Reads .pre-commit-hooks.yaml and tools/action/action.yml, looks each flag they use up in the command's own help, and runs
the action's scripts and the hooks on a good and a bad configuration."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from pipelines import check_pipelines

root = pathlib.Path(__file__).resolve().parents[2]
apfctl = pathlib.Path(os.environ.get("APFCTL") or root / "build/release/bin/apfctl").resolve()
passed, failed = 0, []
BAD = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: of-no-level
spec:
  matchingPrecedence: 20000
  priorityLevelConfiguration:
    name: missing
"""
# Does the hook look at it, as long as its user says nothing else?
PATHS = {
    "flow_schema.yaml": True,
    "priority_levels.yaml": True,
    "api-priority-fairness.yaml": True,
    "cluster/event-rate-limit.yaml": True,
    "control-plane/admission-control.yaml": True,
    "ns/resourcequota.yaml": True,
    "namespaces/quota.yaml": True,
    "quotas/team-a.yml": True,
    "control-plane/audit-policy.yaml": True,
    "quotas/Chart.yaml": False,
    "charts/op/templates/flowschema.yaml": False,
    "dashboards/apf.json": False,
    "apf/values.yaml": False,
    "flowcontrol/ci.yaml": True,
    "clusters/prod/flow-schemas.yml": True,
    "charts/flowControl/levels/x.json": True,
    "prioritylevels.yaml": True,
    "base/PriorityLevelConfiguration-batch.yaml": True,
    "apf/a.yaml": True,
    "cluster-apf.yaml": True,
    "flowcontrol/readme.md": False,
    "flowcontrol/a.yaml.txt": False,
    "docker-compose.yml": False,
    "package.json": False,
    ".apfctl.yaml": False,
    ".apfctl-baseline.json": False,
    "apfctl-baseline.json": False,
    "flowcontrol/tests.yaml": False,
    "flowcontrol/contests.yaml": True,
}
TINY = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: workload-low
  annotations: {apf.kubernetes.io/autoupdate-spec: "false"}
spec:
  type: Limited
  limited: {nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse: {type: Reject}}
"""
TESTS = """tests:
- {as: root, groups: [system:masters], request: list pods, expect: exempt}
"""
# Which files are test files?
TEST_PATHS = {
    "flowcontrol/tests.yaml": True,
    "flowcontrol/ci_test.yml": True,
    "apf-tests.yaml": True,
    "clusters/prod/apfctl-tests.yaml": True,
    "flowcontrol/contests.yaml": False,
    "flowcontrol/ci.yaml": False,
    "unit/tests.yaml": False,
    "flowcontrol/tests.md": False,
}


def verdict(what, ok, why=""):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(f"FAILED {what}: {why}")


def run(*args, env=None, folder=None):
    done = subprocess.run(args, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode()


def check_flags(what, command, text):
    """Every flag in `text` is one of the command's, and every -o names one of its formats."""
    code, help_text = run(apfctl, command, "--help=all")
    verdict(f"{what}: apfctl {command} exists", code == 0, help_text)
    known = set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", help_text, re.M)) | set(re.findall(r"^  (-.), --", help_text, re.M))
    for flag in sorted(set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+|-[a-z])(?![\w-])", text))):
        verdict(f"{what}: {command} has {flag}", flag in known, f"only {sorted(known)}")
    formats = re.search(r"-o, --output FORMAT.*?(?=\n  -|\n\n|\Z)", help_text, re.S)
    for name in sorted(set(re.findall(r"-o \"?([a-z]+)", text))):
        verdict(f"{what}: {command} -o {name}", formats is not None and re.search(rf"\b{name}\b", formats.group(0)), "no such format")


def check_hooks():
    hooks = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    verdict("hooks", [h["id"] for h in hooks] == ["apfctl-lint", "apfctl-validate", "apfctl-test"], hooks)
    for hook in hooks:
        name = hook["id"]
        of_tests = name == "apfctl-test"
        wanted = {"id", "name", "description", "entry", "args", "language", "files", "require_serial"} | (set() if of_tests else {"exclude"})
        verdict(f"{name}: keys", set(hook) == wanted, sorted(hook))
        verdict(f"{name}: needs nothing but apfctl", hook["language"] == "system" and hook["entry"].startswith("apfctl "), hook["entry"])
        for path, expected in (TEST_PATHS if of_tests else PATHS).items():
            taken = bool(re.search(hook["files"], path)) and not re.search(hook.get("exclude", "^$"), path)
            verdict(f"{name}: {path}", taken == expected, hook["files"])
        words = hook["entry"].split() + hook["args"]
        check_flags(name, words[1], " ".join(w.split("=")[0] for w in words[2:]))
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PATH": f"{apfctl.parent}:{os.environ['PATH']}"}
            pathlib.Path(folder, "good.yaml").write_text(run(apfctl, "builtins")[1])
            pathlib.Path(folder, "bad.yaml").write_text(BAD)
            if of_tests:
                pathlib.Path(folder, "good.yaml").write_text(TESTS)
                pathlib.Path(folder, "bad.yaml").write_text(TESTS.replace("exempt", "catch-all"))
            code, out = run(*words, "good.yaml", env=env, folder=folder)
            verdict(f"{name} on the built-in objects", code == 0, out)
            code, out = run(*words, "good.yaml", "bad.yaml", env=env, folder=folder)
            verdict(f"{name} on a bad file", code == 1 and "bad.yaml" in out, f"exit code {code}: {out}")
            # A changed file may have any name.
            before = sorted(os.listdir(folder))
            for option in ("--write-baseline=flowcontrol-notes.json", "--config=apf.yaml", "--old=apf.yaml", "-f=apf.yaml", "--fail-on=never", "--help"):
                pathlib.Path(folder, option).write_text("")
                code, out = run(*words, option, "bad.yaml", env=env, folder=folder)
                verdict(f"{name} reads a file named {option}", code in (1, 2), f"exit code {code}: {out}")
                pathlib.Path(folder, option).unlink()
            verdict(f"{name} writes nothing", sorted(os.listdir(folder)) == before, sorted(os.listdir(folder)))
            moved = pathlib.Path(folder, "moved")
            moved.mkdir()
            moved.joinpath("other.yaml").write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n")
            moved.joinpath("tests.yaml").write_text("config: .\n" + TESTS)
            code, out = run(*words, "moved/tests.yaml" if of_tests else "moved", env=env, folder=folder)
            verdict(f"{name} on a folder without objects", code == 2 and "holds no object" in out, f"exit code {code}: {out}")


def run_action(folder, files, **inputs):
    """As a runner does: both scripts, with the files that steps hand things on in."""
    env = {**os.environ, "PATH": f"{apfctl.parent}:{os.environ['PATH']}"}
    for name in ("GITHUB_OUTPUT", "GITHUB_PATH"):
        env[name] = str(pathlib.Path(folder, name))
        pathlib.Path(env[name]).write_text("")
    values = {"files": files, "args": "", "kubernetes-version": "", "fail-on": "", "sarif": "apfctl.sarif", "tests": "", "min-coverage": "",
              "junit": "apfctl-tests.xml", "base": "", "log": "", "seats": "", "server": "", "objects": "", "expect": "newRefusals == 0",
              "comment": "false", **inputs}
    env["RUNNER_TEMP"] = str(folder)
    env["GITHUB_STEP_SUMMARY"] = str(pathlib.Path(folder, "summary.md"))
    pathlib.Path(env["GITHUB_STEP_SUMMARY"]).write_text("")
    env.update({f"APFCTL_{key.upper().replace('-', '_')}": value for key, value in values.items()})
    code, out = run(root / "tools/action/build.sh", env=env, folder=folder)
    verdict("action: an apfctl in PATH is used", code == 0 and not out, out)
    # The steps' own conditions; each runs whatever became of the others.
    wanted = {"lint": True, "test": values["tests"], "diff": values["base"], "compare": values["base"] and values["log"]}
    done = [run(root / f"tools/action/{step}.sh", env=env, folder=folder) for step, runs in wanted.items() if runs]
    env.update(GITHUB_REPOSITORY="a/b", APFCTL_PULL_REQUEST="7")
    done.append(run(root / "tools/action/report.sh", env=env, folder=folder))
    return max(code for code, _ in done), "".join(out for _, out in done)


def check_action():
    action = yaml.safe_load((root / "tools/action/action.yml").read_text(encoding="utf-8"))
    verdict("action: composite", action["runs"]["using"] == "composite", action["runs"])
    inputs = set(action["inputs"])
    verdict("action: inputs", inputs == {"files", "args", "kubernetes-version", "fail-on", "sarif", "tests", "min-coverage", "junit", "base", "log", "seats", "server",
                                          "objects", "expect", "comment"}, inputs)
    for name, given in action["inputs"].items():
        needed = given.get("required") is True and "default" not in given
        verdict(f"action: {name}", given.get("description") and (needed if name == "files" else isinstance(given.get("default"), str)), given)
    used, handed = {}, []
    for step in action["runs"]["steps"]:
        verdict(f"action: step {step['name']} names its shell", step["shell"] == "bash", step)
        script = re.fullmatch(r'"\$GITHUB_ACTION_PATH/([a-z]+\.sh)"', step["run"])
        path = root / "tools/action" / script.group(1) if script else root
        verdict(f"action: {step['run']}", path.is_file() and os.access(path, os.X_OK), "no such program")
        for variable, value in step.get("env", {}).items():
            if "inputs." in value:
                used[variable] = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value).group(1)
            else:
                handed.append(variable)
                read = variable == "GH_TOKEN" or f"${{{variable}:-}}" in path.read_text(encoding="utf-8")
                verdict(f"action: {variable} is read", read and "${{ github." in value, value)
    verdict("action: every input is handed on", set(used.values()) == inputs, used)
    for variable, name in used.items():
        verdict(f"action: {variable}", variable == f"APFCTL_{name.upper().replace('-', '_')}", name)
    for step in action["runs"]["steps"][1:]:
        given = {variable for variable, value in step["env"].items() if "inputs." in value}
        script = (root / f"tools/action/{step['id']}.sh").read_text(encoding="utf-8")
        read = set(re.findall(r"\$(APFCTL_[A-Z_]+)", script)) - set(handed)
        verdict(f"action: {step['id']}.sh reads what it is given", read == given, sorted(read ^ given))
        if step["id"] != "report":
            check_flags("action", step["id"], " ".join(re.findall(r"arguments\+?=\((.*)\)$", script, re.M)))
    conditions = {step["id"]: step.get("if", "") for step in action["runs"]["steps"][1:]}
    verdict("action: each step runs whatever became of those before", all("always()" in c for n, c in conditions.items() if n != "lint"), conditions)
    for name, of in (("test", "tests"), ("diff", "base"), ("compare", "log")):
        verdict(f"action: {name} runs where there is something to do", f"inputs.{of} != ''" in conditions[name], conditions)
    readme = (root / "tools/action/README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([a-z-]+)` \|", readme, re.M)
    verdict("action: README names the inputs", set(named) == inputs, named)
    check_flags("action README", "lint", " ".join(re.findall(r"`(--[^`]+)`", readme)))


def check_runs():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "good.yaml").write_text(run(apfctl, "builtins")[1])
        pathlib.Path(folder, "bad one.yaml").write_text(BAD)
        code, out = run_action(folder, "good.yaml")
        verdict("action on the built-in objects", code == 0 and "::" not in out, out)
        sarif = pathlib.Path(folder, "apfctl.sarif")
        verdict("action: SARIF without findings", json.loads(sarif.read_text())["runs"][0]["results"] == [], "there are some")
        verdict("action: its output", pathlib.Path(folder, "GITHUB_OUTPUT").read_text() == "sarif=apfctl.sarif\n", "it is another")
        code, out = run_action(folder, "good.yaml\nbad*.yaml", **{"kubernetes-version": "1.31", "fail-on": "error", "sarif": "out.sarif"})
        verdict("action on a bad file", code == 1, f"exit code {code}: {out}")
        verdict("action: annotations", re.search(r"^::error .*file=bad one\.yaml", out, re.M), out)
        results = json.loads(pathlib.Path(folder, "out.sarif").read_text())["runs"][0]["results"]
        verdict("action: SARIF with findings", len(results) > 0, "there are none")
        pathlib.Path(folder, "tests.yaml").write_text(TESTS)
        code, out = run_action(folder, "good.yaml", tests="te*s.yaml")
        verdict("action: tests that pass", code == 0 and "::" not in out, out)
        junit = pathlib.Path(folder, "apfctl-tests.xml").read_text()
        verdict("action: JUnit XML", 'tests="1" failures="0"' in junit, junit)
        pathlib.Path(folder, "tests.yaml").write_text(TESTS.replace("exempt", "catch-all"))
        code, out = run_action(folder, "good.yaml", tests="tests.yaml")
        verdict("action: tests that fail", code == 1 and re.search(r"^::error file=tests\.yaml,line=2", out, re.M), out)
        code, out = run_action(folder, "good.yaml", tests="tests.yaml", **{"min-coverage": "99"})
        verdict("action: coverage", code == 1 and "::error title=apfctl test::expectation not met: coverage >= 99%25" in out, out)
        code, out = run_action(folder, "good.yaml", args="--no-such-flag")
        verdict("action: args are handed on", code == 2 and "--no-such-flag" in out, out)


def check_report():
    """Diff, compare and the report, with a gh that writes down what it is asked."""
    example = root / "examples/change-review"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("before.yaml", "after.yaml"):
            pathlib.Path(folder, name).write_bytes((root / "examples/amok-controller" / name).read_bytes())
        log = pathlib.Path(folder, "audit.jsonl")
        log.write_bytes((root / "tests/golden/inputs/amok.jsonl").read_bytes())
        bin_folder = pathlib.Path(folder, "bin")
        bin_folder.mkdir()
        gh = bin_folder / "gh"
        gh.write_text('#!/bin/sh\necho "$@" >>"$RUNNER_TEMP/gh.log"\ncase "$*" in *viewer*) echo me ;; *--jq*) cat "$RUNNER_TEMP/known" ;; esac\n')
        gh.chmod(0o755)
        pathlib.Path(folder, "known").write_text("")
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{bin_folder}:{before}"
        try:
            code, out = run_action(folder, "after.yaml", base="before.yaml", log="audit.jsonl", expect="new.node-high.rejected == 0\n", comment="true",
                                   args="--fail-on never")
            verdict("action: diff and compare", code == 0 and "::notice" in out, f"exit code {code}: {out}")
            summary = pathlib.Path(folder, "summary.md").read_text()
            verdict("action: its summary", all(word in summary for word in ("<!-- apfctl -->", "### apfctl lint", "order-sync")), summary)
            asked = pathlib.Path(folder, "gh.log").read_text()
            verdict("action: a new comment", "POST repos/a/b/issues/7/comments" in asked, asked)
            pathlib.Path(folder, "known").write_text("41\n42\n")
            run_action(folder, "after.yaml", base="before.yaml", comment="true", args="--fail-on never")
            asked = pathlib.Path(folder, "gh.log").read_text()
            verdict("action: the comment is written anew", "PATCH repos/a/b/issues/comments/41" in asked, asked)
            verdict("action: only its own comment is written anew", '.user.login == "me"' in asked, asked)
            summary = pathlib.Path(folder, "summary.md").read_text()
            verdict("action: what an earlier use found is gone", not pathlib.Path(folder, "apfctl-report", "compare.md").exists()
                    and "apfctl compare" not in pathlib.Path(folder, "apfctl-report", "comment.md").read_text(), summary)
            folder_of_report = pathlib.Path(folder, "apfctl-report")
            folder_of_report.joinpath("lint.txt").write_text("".join(f"finding {i} of many\n" for i in range(30_000)))
            folder_of_report.joinpath("compare.md").write_text("<details>\n\n```text\n" + "row\n" * 5_000 + "```\n</details>\n")
            env = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(pathlib.Path(folder, "long.md")), "APFCTL_COMMENT": "true",
                   "APFCTL_PULL_REQUEST": "7", "GITHUB_REPOSITORY": "a/b"}
            code, out = run(root / "tools/action/report.sh", env=env, folder=folder)
            summary, comment = pathlib.Path(folder, "long.md").read_text(), folder_of_report.joinpath("comment.md").read_text()
            verdict("action: a long part is cut at a line, and says so", code == 0 and re.search(r"^Cut to the first \d+ of \d+ bytes\.$", summary, re.M)
                    and len(summary) < 2**20 and summary.count("row\n") == 5_000, f"{code} {out}")
            verdict("action: a comment fits, and closes what it opens", len(comment) < 65_536 and comment.rstrip().endswith("```\n</details>")
                    and comment.count("Cut to the first") == 2, comment[-200:])
            code, out = run_action(folder, "after.yaml", base="before.yaml", log="audit.jsonl", seats="600", args="--fail-on never")
            summary = pathlib.Path(folder, "summary.md").read_text()
            verdict("action: why it is green", code == 0 and "- ✅ compare: newRefusals == 0 holds on this traffic" in summary
                    and "- ✅ lint: no finding of severity" in summary and "are assumed" not in out, f"{code} {out} {summary[:600]}")
            pathlib.Path(folder, "tiny.yaml").write_text(TINY)
            code, out = run_action(folder, "tiny.yaml", base="before.yaml", log="audit.jsonl", seats="600", args="--fail-on never")
            summary = pathlib.Path(folder, "summary.md").read_text()
            verdict("action: new refusals fail it", code == 1 and "- ❌ compare: newRefusals == 0 does not hold on this traffic" in summary, f"{code} {out}")
            code, out = run_action(folder, "tiny.yaml", base="before.yaml", log="audit.jsonl", expect="none", args="--fail-on never")
            summary = pathlib.Path(folder, "summary.md").read_text()
            verdict("action: nothing expected, and said so", code == 0 and "- ✅ compare: nothing is expected" in summary, f"{code} {out}")
            verdict("action: assumed seats are said", "::notice title=apfctl compare::600 seats are assumed" in out and "600 seats are assumed" in summary, out)
            code, out = run_action(folder, "after.yaml --help", base="before.yaml", log="audit.jsonl", args="--fail-on never")
            verdict("action: a file named as an option", code == 2, f"exit code {code}: {out}")
            code, out = run_action(folder, "after.yaml", base="before.yaml", log="audit.jsonl", expect="new.total.rejected < 0", args="--fail-on never")
            verdict("action: an expectation that is not met", code == 1, f"exit code {code}: {out}")
        finally:
            os.environ["PATH"] = before
    verdict("action: the example of a change is there", (example / "pipeline.yaml").is_file(), example)


def check_matcher():
    """The problem matcher reads what `-o concise` writes."""
    matcher = json.loads((root / "tools/action/problem-matcher.json").read_text())["problemMatcher"][0]["pattern"][0]
    editor = json.loads(re.search(r"```json\n(.*?)```", (root / "tools/action/README.md").read_text(), re.S).group(1))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "bad one.yaml").write_text(BAD)
        out = run(apfctl, "lint", "bad one.yaml", "-o", "concise", "-q", folder=folder)[1]
    for pattern in (matcher, editor["tasks"][0]["problemMatcher"]["pattern"]):
        found = [match for match in (re.match(pattern["regexp"], line) for line in out.splitlines()) if match]
        verdict("problem matcher", found and found[0].group(pattern["file"]) == "bad one.yaml" and found[0].group(pattern["line"]).isdigit()
                and found[0].group(pattern["severity"]) in ("error", "warning"), out)


def check_released():
    """The first step where no apfctl is there: what is released, checked; anything else is built."""
    parts = re.findall(r"^#define APF_VERSION_\w+ (\d+)$", (root / "libapf/include/apf/version.h").read_text(), re.M)
    version = ".".join(parts[:3])
    name = f"apfctl-{version}-linux-" + {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    with tempfile.TemporaryDirectory() as folder:
        packed = pathlib.Path(folder, "packed", name, "bin")
        packed.mkdir(parents=True)
        (packed / "apfctl").write_text("#!/bin/sh\necho released\n")
        (packed / "apfctl").chmod(0o755)
        releases = pathlib.Path(folder, f"releases/v{version}")
        releases.mkdir(parents=True)
        run("tar", "-czf", releases / f"{name}.tar.gz", "-C", f"{folder}/packed", name)
        (releases / f"{name}.tar.gz.sha256").write_text(run("sha256sum", f"{name}.tar.gz", folder=releases)[1])
        # A copy of the action whose build says that it was begun.
        tree = pathlib.Path(folder, "tree")
        for file in ("tools/action/build.sh", "libapf/include/apf/version.h"):
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_bytes((root / file).read_bytes())
        (tree / ".ci").mkdir()
        (tree / "Makefile").write_text("apfctl:\n\t@echo built with make\n")
        for script in (tree / ".ci/deps.sh", tree / "tools/action/build.sh"):
            script.exists() or script.write_text("#!/bin/sh\n")
            script.chmod(0o755)

        def step(ref, where=f"file://{folder}/releases"):
            path = pathlib.Path(folder, "GITHUB_PATH")
            path.write_text("")
            env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GITHUB_PATH": str(path), "RUNNER_TEMP": f"{folder}/runner",
                   "APFCTL_ACTION_REF": ref, "APFCTL_RELEASES": where}
            return (*run(tree / "tools/action/build.sh", env=env, folder=folder), path.read_text().strip())

        if not run("sh", "-c", "PATH=/usr/local/bin:/usr/bin:/bin command -v apfctl")[0] or run("sh", "-c", "command -v curl")[0]:
            print("an apfctl is installed, or curl is not: the action's way to a released program was not tried")
            return
        code, out, path = step(f"v{version}")
        verdict("action: a released program is used", code == 0 and "as released" in out and run(f"{path}/apfctl")[1] == "released\n", out)
        for what, given in (("a branch", ("main",)), ("another version", ("v0.0.9",)), ("no release", (f"v{version}", f"file://{folder}/none"))):
            code, out, path = step(*given)
            verdict(f"action: for {what}, apfctl is built", code == 0 and "built with make" in out and path == f"{tree}/build/release/bin", out)
        (releases / f"{name}.tar.gz.sha256").write_text(f"{'0' * 64}  {name}.tar.gz\n")
        code, out, path = step(f"v{version}")
        verdict("action: a wrong checksum ends it", code == 1 and "does not have the checksum" in out and not path, out)


check_hooks()
check_action()
check_released()
try:
    check_runs()
    check_report()
    check_matcher()
    check_pipelines(verdict, apfctl)
except (OSError, ValueError, LookupError) as error:
    verdict("action runs", False, repr(error))
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
