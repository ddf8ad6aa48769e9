"""Holds the schema of plans against apfctl sweep: what the one lets pass the other reads, and the other way round."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import yaml

APFCTL = os.path.abspath(os.environ.get("APFCTL", "build/release/bin/apfctl"))
LOG = pathlib.Path("tests/golden/inputs/requests.jsonl").resolve()
FLAG_FILES = {"limits.yaml": "tests/golden/inputs/event-rate-limit/limits.yaml", "quota.yaml": "tests/golden/inputs/quota/quota.yaml"}
SHORT = {"logs": ["a.jsonl"], "configurations": [{"name": "built-in"}]}


def with_plan(**changes):
    return {key: value for key, value in {**SHORT, **changes}.items() if value is not None}


def with_flags(recorded=False, **flags):
    changes = {"recorded": {"configuration": "built-in"}} if recorded else {}
    return with_plan(flags=[{"name": "a", **{key.replace("_", "-"): value for key, value in flags.items()}}], **changes)


def read_by_apfctl(instance):
    """Whether it is a plan, whatever comes out of it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(LOG, pathlib.Path(folder, "a.jsonl"))
        pathlib.Path(folder, "counts.txt").write_text("pods=3\n", encoding="utf-8")
        for name, path in FLAG_FILES.items():
            shutil.copy(path, pathlib.Path(folder, name))
        pathlib.Path(folder, "plan.json").write_text(json.dumps(instance), encoding="utf-8")
        done = subprocess.run([APFCTL, "sweep", "-q", "-o", "json", "plan.json"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.startswith(b"{")


def check(schemas, verdict):
    schema = schemas["sweep-plan"]
    paths = [*pathlib.Path("tests/golden/inputs/sweep").glob("*.yaml"), *pathlib.Path("examples/fleet").glob("plan*.yaml")]
    for path in sorted(paths):
        instance = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "logs" not in instance:
            continue
        verdict(f"{path}: {'refused' if path.name == 'faults.yaml' else 'accepted'}", schema.is_valid(instance) == (path.name != "faults.yaml"),
                next((e.message for e in schema.iter_errors(instance)), "it is let pass"))
    named = {"name": "n", "files": "a.jsonl"}
    good = [
        with_plan(), with_plan(logs=[{**named, "objects": "counts.txt"}]), with_plan(logs=[{**named, "files": ["a.jsonl"]}]),
        with_plan(**{"log-format": "trace"}), with_plan(seeds=3), with_plan(seeds=[0, 7]), with_plan(jitter="2ms"),
        with_plan(recorded={"configuration": "built-in"}),
        with_plan(flags=[{"name": "a", "kubernetes-version": "1.30", "builtins": "mandatory", "server-concurrency": 9}, {"name": "b", "apf": False}]),
        with_plan(flags=[{"name": "a", "max-requests-inflight": 5, "borrowing": "kep", "request-timeout": "30s", "scale": ["sa:a/*=0.5x", 3], "nodes": 2}]),
        with_flags(event_rate_limit="limits.yaml", event_sender="retry:3s"), with_flags(event_rate_limit="limits.yaml", scale=2),
        with_flags(quota="quota.yaml", quota_used="zero", quota_resync="5m"), with_flags(quota=["quota.yaml"], quota_resync="off"),
        with_flags(client_qps=0.5, client_burst=0), with_flags(client_qps=-1), with_flags(client_qps=[5, "kubectl/=50/300", "a=b=0.5/1"]),
        with_flags(client_model="*=workers:2"), with_flags(client_model=["a/=open", "*=workers:2"]), with_flags(recorded=True, client_model=["auto", "*=loop:auto"]),
        with_flags(client_timeout="kubectl/=30s", scale=2), with_flags(client_timeout=["a=b=1s"]), with_flags(retries=True, apf=False),
    ]
    bad = [
        {}, [], with_plan(logs=None), with_plan(logs=[]), with_plan(logs=[{"name": "a"}]), with_plan(logs=[{"files": "a.jsonl"}]),
        with_plan(logs=[{**named, "file": "x"}]), with_plan(configurations=None), with_plan(configurations=[{"files": "a.yaml"}]),
        with_plan(log="a"), with_plan(seeds=0), with_plan(seeds=[]), with_plan(seeds=[1, 1]), with_plan(seeds=[-1]), with_plan(seeds="many"),
        with_plan(flags=[]), with_plan(flags=[{"borrowing": "kep"}]), with_plan(flags=[{"name": "a", "borrowing": "sever"}]),
        with_plan(flags=[{"name": "a", "apf": "maybe"}]), with_plan(flags=[{"name": "a", "kubernetes-version": "1.19"}]),
        with_plan(flags=[{"name": "a", "server-concurrency": 5, "max-requests-inflight": 3}]), with_plan(recorded={}),
        with_plan(flags=[{"name": "a", "builtins": "some"}]), with_plan(flags=[{"name": "a", "server-concurrency": 0}]),
        with_flags(event_rate_limit=["limits.yaml"]), with_flags(event_sender="retry"), with_flags(event_rate_limit="limits.yaml", event_sender="never"),
        with_flags(event_rate_limit="limits.yaml", event_sender="server:1s"), with_flags(quota=[]), with_flags(quota_used="zero"), with_flags(quota_resync="5m"),
        with_flags(quota="quota.yaml", quota_used="none"), with_flags(quota="quota.yaml", quota_conflicts="20ms"), with_flags(quota="quota.yaml", scale=2),
        with_flags(client_qps="fast"), with_flags(client_burst=-1), with_flags(client_qps="kubectl/=50"), with_flags(client_qps=5, nodes=2),
        with_flags(client_model="loop"), with_flags(client_model="*=open:2"), with_flags(client_model="*=loop:0", recorded=True), with_flags(client_model="*=loop"),
        with_flags(client_model=["*=workers"]), with_flags(client_model="auto"), with_flags(client_timeout="30s"), with_flags(retries="often"),
    ]
    for expected, instances in ((True, good), (False, bad)):
        for instance in instances:
            what = f"{'accepted' if expected else 'refused'}: {json.dumps(instance)}"
            verdict(f"schema sweep-plan {what}", schema.is_valid(instance) == expected,
                    next((e.message for e in schema.iter_errors(instance)), "it is let pass"))
            verdict(f"apfctl sweep {what}", read_by_apfctl(instance) == expected, "apfctl says otherwise")
    return ["sweep-plan"]
