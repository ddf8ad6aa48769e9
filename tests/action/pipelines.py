"""Runs the commands of examples/pipelines as they stand, in a repository as their README describes it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIPELINES = ROOT / "examples/pipelines"
FLOW_SCHEMA = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: shop}
spec:
  matchingPrecedence: 5000
  priorityLevelConfiguration: {name: shop}
  distinguisherMethod: {type: ByUser}
  rules:
    - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: shop, name: "*"}}]
      resourceRules: [{verbs: [get], apiGroups: [""], resources: [pods], namespaces: [shop]}]
"""
LEVEL = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: shop}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 40
    lendablePercent: 50
    limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}
"""
TESTS = """config: flowcontrol/
tests:
  - {as: "system:serviceaccount:shop:web", request: get pods -n shop, expect: shop}
"""
FLUX = '#!/bin/sh\n# flux build kustomization NAME --path DIR ...: the objects of DIR.\nfor file in "$5"/*.yaml; do echo ---; cat "$file"; done\n'


def scripts():
    """(what, commands): in the order of their jobs."""
    gitlab = yaml.safe_load((PIPELINES / ".gitlab-ci.yml").read_text())
    for name in ("lint", "test", "change"):
        yield f"gitlab {name}", "\n".join(gitlab[".apfctl"]["before_script"] + gitlab[name]["script"])
    jenkins = (PIPELINES / "Jenkinsfile").read_text()
    for i, (long, short) in enumerate(re.findall(r"sh (?:'''(.*?)'''|'(.*?)')", jenkins, re.S)):
        yield f"jenkins {i}", long or short
    flux = yaml.safe_load((PIPELINES / "flux.yaml").read_text())
    for step in flux["jobs"]["check"]["steps"]:
        if "run" in step:
            yield f"flux {step['name']}", step["run"]
    job = yaml.safe_load((PIPELINES / "argo-cd.yaml").read_text())
    words = job["spec"]["template"]["spec"]["containers"][0]["command"]
    yield "argo-cd", " ".join(words).replace("/flowcontrol", "flowcontrol")


def repository(folder):
    for name, text in {"flowcontrol/schema.yaml": FLOW_SCHEMA, "flowcontrol/level.yaml": LEVEL, "tests.yaml": TESTS, "bin/flux": FLUX}.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    pathlib.Path(folder, "bin/flux").chmod(0o755)
    pathlib.Path(folder, "traffic").mkdir()
    shutil.copy(ROOT / "tests/golden/inputs/amok.jsonl", pathlib.Path(folder, "traffic/audit.log"))
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "as it is"], ["remote", "add", "origin", "."],
                  ["fetch", "-q", "origin"]):
        subprocess.run(git + words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The change: more seats.
    path = pathlib.Path(folder, "flowcontrol/level.yaml")
    path.write_text(path.read_text().replace("Shares: 40", "Shares: 50"))


def check_pipelines(verdict, apfctl):
    with tempfile.TemporaryDirectory() as folder:
        repository(folder)
        env = {**os.environ, "PATH": f"{folder}/bin:{apfctl.parent}:{os.environ['PATH']}", "APFCTL_SOURCE": "", "TARGET": "main",
               "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITHUB_BASE_REF": "main"}
        for what, text in scripts():
            done = subprocess.run(["bash", "-ec", text], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            verdict(f"pipeline: {what}", done.returncode == 0, done.stdout.decode())
        for name in ("gl-code-quality-report.json", "apfctl-tests.xml", "apfctl-diff.md", "apfctl-compare.md", "apfctl-lint.xml", "built.yaml"):
            path = pathlib.Path(folder, name)
            verdict(f"pipeline: {name} is written", path.is_file() and path.stat().st_size > 0, sorted(os.listdir(folder)))
        # A mistake fails the linting jobs, and each file is named in the README.
        path = pathlib.Path(folder, "flowcontrol/schema.yaml")
        path.write_text(path.read_text().replace("name: shop}\n  distinguisher", "name: missing}\n  distinguisher"))
        for what, text in scripts():
            if "apfctl lint" not in text:
                continue
            done = subprocess.run(["bash", "-ec", text], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            verdict(f"pipeline: {what} fails for a mistake", done.returncode == 1, done.stdout.decode())
    readme = (PIPELINES / "README.md").read_text()
    for path in PIPELINES.iterdir():
        verdict(f"pipelines: README names {path.name}", path.name == "README.md" or f"({path.name})" in readme, path.name)
