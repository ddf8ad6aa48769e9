"""Holds the schema of test files against apfctl test: what the one lets pass the other reads, and the other way round."""
import json
import os
import pathlib
import subprocess
import tempfile

import yaml

APFCTL = os.path.abspath(os.environ.get("APFCTL", "build/release/bin/apfctl"))
SHORT = {"as": "alice", "request": "list pods", "expect": "global-default"}


def with_test(**changes):
    test = {**SHORT, **changes}
    return {"tests": [{key: value for key, value in test.items() if value is not None}]}


def read_by_apfctl(instance):
    """Whether it is a test file, whatever comes out of it."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tests.json").write_text(json.dumps(instance), encoding="utf-8")
        done = subprocess.run([APFCTL, "test", "--no-config", "-q", "-o", "json", "tests.json"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.startswith(b"{")


def check(schemas, verdict):
    schema = schemas["test"]
    for path in sorted(pathlib.Path("tests/golden/inputs/test").glob("*.yaml")):
        instance = yaml.safe_load(path.read_text(encoding="utf-8"))
        verdict(f"{path}: {'refused' if path.name == 'faults.yaml' else 'accepted'}", schema.is_valid(instance) == (path.name != "faults.yaml"),
                next((e.message for e in schema.iter_errors(instance)), "it is let pass"))
    for path in sorted(pathlib.Path("examples").glob("*/*tests.yaml")):
        verdict(f"{path}: accepted", schema.is_valid(yaml.safe_load(path.read_text(encoding="utf-8"))), "it is refused")
    good = [
        with_test(),
        with_test(name="a name", groups=["devs"], **{"expect-not": "catch-all"}),
        with_test(**{"as": None}, users=["node:a", {"as": "alice", "groups": "devs"}]),
        with_test(request=None, requests=["get /healthz", {"list": "pods", "namespace": "ci"}]),
        with_test(**{"as": None}, request={"as": "alice", "verb": "get", "resource": "pods", "name": "web", "namespace": "ci"}),
        with_test(request={"method": "GET", "uri": "/api/v1/pods?watch=1"}),
        with_test(expect={"flowSchema": "a", "priorityLevel": "b", "distinguisher": "", "seats": [">= 1", "< 5"]}),
        {"tests": [{"limits": {"node-high": {"nominal": ">= 90", "min": 60, "queues": ["> 1", 64]}}}]},
        {"builtins": "none", "tests": [SHORT]},
        {"kubernetes-version": "1.30", "server-concurrency": 100, "preset": "openshift", "tests": [SHORT]},
    ]
    bad = [
        {}, {"tests": []}, {"tests": {}}, [], {"tests": [SHORT], "confg": "a"}, {"tests": [SHORT], "config": []},
        with_test(expct="x"), with_test(expect=None), with_test(request=None), with_test(requests=["list pods"]),
        with_test(users=["bob"]), with_test(expect="a/b/c"), with_test(expect="a/"), with_test(expect={}), with_test(expect={"level": "x"}),
        with_test(expect={"seats": "many"}), with_test(request={}), with_test(request={"lst": "pods"}), with_test(lint={}),
        {"tests": [{"limits": {}}]}, {"tests": [{"limits": {"node-high": {}}}]}, {"tests": [{"limits": {"node-high": {"nominl": 1}}}]},
        {"tests": [{"limits": {"node-high": {"nominal": "about 3"}}}]}, {"tests": [{"limits": {"a": {"min": 1}}, "expect": "x"}]},
        {"tests": [{"lint": {"fail-on": "warn"}}]}, {"tests": [{"lint": {"rules": []}}]}, {"tests": [{"replay": {"log": "x"}}]},
        {"tests": [{"replay": {"expect": "total.requests > 0"}}]}, {"tests": [{"name": "nothing"}]},
        {"server-concurrency": 100, "max-requests-inflight": 10, "tests": [SHORT]}, {"builtins": "some", "tests": [SHORT]},
        {"kubernetes-version": "1.19", "tests": [SHORT]}, {"server-concurrency": 0, "tests": [SHORT]}, {"preset": "opnshift", "tests": [SHORT]},
    ]
    for expected, instances in ((True, good), (False, bad)):
        for instance in instances:
            what = f"{'accepted' if expected else 'refused'}: {json.dumps(instance)}"
            verdict(f"schema test {what}", schema.is_valid(instance) == expected,
                    next((e.message for e in schema.iter_errors(instance)), "it is let pass"))
            verdict(f"apfctl test {what}", read_by_apfctl(instance) == expected, "apfctl says otherwise")
    return ["test"]
