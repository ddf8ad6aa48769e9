#!/usr/bin/env python3
"""No input makes `apfctl lint` crash, hang or take more than 50 times its size in memory, beside what the process itself
takes. Inputs that are made to try it, each with two output formats.

    run.py [APFCTL]    (default build/release/bin/apfctl)
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

APFCTL = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/apfctl")
PROCESS = 48 << 20  # what it takes whatever the input: the program, its libraries, the most findings of a few rules
TIMES = 50
SECONDS = 60  # far more than it takes; a quadratic loop takes longer

HEAD = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: a%d\n"
SPEC = "spec:\n  matchingPrecedence: 5\n  priorityLevelConfiguration: {name: workload-low}\n  rules:\n"
SUBJECT = "  - subjects: [{kind: User, user: {name: u}}]\n"


def bomb(prefix: str) -> str:
    lines = [f"{prefix}a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"]
    lines += [f"{prefix}a{i}: &a{i} [{','.join(['*a%d' % (i - 1)] * 10)}]\n" for i in range(1, 12)]
    return "".join(lines)


INPUTS = {
    "brackets.yaml": lambda: "[" * 10_000,
    "brackets-closed.yaml": lambda: "[" * 10_000 + "]" * 10_000,
    "braces.yaml": lambda: "a: " + "{a: " * 10_000 + "}" * 10_000,
    "dashes.yaml": lambda: "- " * 10_000 + "x",
    "brackets.json": lambda: "[" * 10_000 + "]" * 10_000,
    "braces.json": lambda: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "alias-bomb.yaml": lambda: bomb(""),
    "alias-bomb-in-an-object.yaml": lambda: HEAD % 1 + "spec:\n" + bomb("  "),
    "aliases-of-a-large-list.yaml": lambda: "x: &x " + json.dumps(["abcdefgh"] * 20_000) + "\n" + "".join(f"y{i}: *x\n" for i in range(1000)),
    "aliases-of-a-rule.yaml": lambda: HEAD % 1 + SPEC + "  - &r\n    subjects:\n" + "    - {kind: User, user: {name: u}}\n" * 5000 + "  - *r\n" * 2000,
    "tiny-documents.yaml": lambda: "---\na: 1\n" * 200_000,
    "empty-documents.yaml": lambda: "---\n" * 500_000,
    "broken-documents.yaml": lambda: "---\n[\n" * 100_000,
    "other-kinds.yaml": lambda: "---\nkind: X\napiVersion: v1\n" * 100_000,
    "unknown-fields.yaml": lambda: HEAD % 1 + "spec:\n" + "".join(f"  k{i}: 1\n" for i in range(100_000)),
    "unknown-fields.json": lambda: json.dumps({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "a"}, "spec": {f"k{i}": 1 for i in range(100_000)}}),
    "duplicate-fields.yaml": lambda: HEAD % 1 + "spec:\n" + "  k: 1\n" * 100_000,
    "list-in-brackets.yaml": lambda: "[" + "a," * 99_000 + "a]",
    "long-list-in-brackets.yaml": lambda: "[" + "a," * 1_000_000 + "a]",
    "long-list.json": lambda: "[" + "1," * 1_000_000 + "1]",
    "empty-rules.yaml": lambda: HEAD % 1 + SPEC + "  - {}\n" * 60_000,
    "empty-subjects.yaml": lambda: HEAD % 1 + SPEC + "  - subjects:\n" + "    - {}\n" * 60_000,
    "duplicate-verbs.yaml": lambda: HEAD % 1 + SPEC + SUBJECT + "    resourceRules:\n    - apiGroups: ['']\n      resources: [pods]\n      namespaces: ['*']\n      verbs:\n" + "      - get\n" * 100_000,
    "many-paths.yaml": lambda: HEAD % 1 + SPEC + SUBJECT + "    nonResourceRules:\n    - verbs: [get]\n      nonResourceURLs:\n" + "".join(f"      - /{'a/' * (i % 700)}{i}\n" for i in range(3000)),
    "null-rules.json": lambda: '{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a"},"spec":{"rules":[' + "null," * 100_000 + "null]}}",
    "not-utf8.yaml": lambda: b"a: \xff\xfe" * 100_000,
    "anchors.yaml": lambda: "".join(f"- &a{i} x\n" for i in range(100_000)),
    "suppressions.yaml": lambda: "# apfctl: ignore[APF101] until=2020-01-01 -- x\n" * 50_000,
    "suppressions-of-no-rule.yaml": lambda: HEAD % 1 + "spec:\n" + "# apfctl: ignore[APFxxx]\n" * 50_000,
    "objects-without-spec.yaml": lambda: "".join("---\n" + HEAD % i for i in range(20_000)),
    "the-same-object.yaml": lambda: ("---\n" + HEAD % 1) * 20_000,
    "objects-without-name.json": lambda: '{"apiVersion":"v1","kind":"List","items":[' + ",".join(['{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1"}'] * 20_000) + "]}",
    "templates.yaml": lambda: "{{- range }}\n" * 100_000,
    "long-name.yaml": lambda: HEAD % 1 + "spec:\n  priorityLevelConfiguration: {name: " + "x" * 1_000_000 + "}\n",
    "tabs.yaml": lambda: "\t" * 1_000_000,
    "quotes.yaml": lambda: "'" * 1_000_001,
    "100-megabytes.yaml": lambda: "# x\n" * 25_000_000,
    "plugin-paths.yaml": lambda: "".join("---\napiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: EventRateLimit\n  path: none%d.yaml\n" % i for i in range(30_000)),
    "event-limits.yaml": lambda: "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits:\n" + "- {type: x, qps: -1, burst: 99999999999}\n" * 40_000,
    "quantities.yaml": lambda: "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: d}\nspec:\n  hard:\n" + "".join(f"    requests.x.io/r{i}: 1e{'9' * (i % 30)}\n" for i in range(50_000)),
    # A long string is no long list: this is to be read.
    "long-string.yaml": lambda: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    " + "[1,2]," * 150_000 + "\n---\n" + HEAD % 1 + SPEC + SUBJECT + "    nonResourceRules: [{verbs: [get], nonResourceURLs: [/a]}]\n",
}
# What is to be seen of some, so that it is not merely refused.
MUST_SAY = {
    "list-in-brackets.yaml": "not-an-object",
    "long-list-in-brackets.yaml": "between these brackets",
    "long-string.yaml": '"objects":1',
    "alias-bomb.yaml": "alias",
    "suppressions.yaml": "unused suppression",
}

passed = failed = 0


def run(path: str, output: str) -> tuple[int, float, int, str]:
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([APFCTL, "lint", "--no-config", "--today", "2026-11-20", "-o", output, path], stdout=out, stderr=err,
                                 stdin=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read(20_000).decode(errors="replace")
        out.seek(max(0, os.fstat(out.fileno()).st_size - 1000))
        said += out.read().decode(errors="replace")
    return child.returncode, time.monotonic() - started, usage.ru_maxrss << 10, said


if sys.argv[1:2] == ["--write"]:
    made = INPUTS[sys.argv[2]]()
    pathlib.Path(sys.argv[3]).write_bytes(made if isinstance(made, bytes) else made.encode())
    sys.exit(0)

with tempfile.TemporaryDirectory() as folder:
    for name in INPUTS:
        path = os.path.join(folder, name)
        # By a process of its own: what this one has taken counts for every one that it starts.
        subprocess.run([sys.executable, __file__, "--write", name, path], check=True)
        size = os.path.getsize(path)
        for output in ("text", "json"):
            code, seconds, peak, said = run(path, output)
            allowed = PROCESS + TIMES * size
            faults = []
            if code not in (0, 1, 2):
                faults.append(f"ended with {code}")
            if peak > allowed:
                faults.append(f"took {peak >> 20} MiB of the {allowed >> 20} MiB allowed for {size} bytes")
            if output == "json" and MUST_SAY.get(name, "") not in said:
                faults.append(f"does not say {MUST_SAY[name]!r}: {said[:200]}")
            if faults:
                failed += 1
                print(f"FAILED {name}, {output}: {'; '.join(faults)} ({seconds:.1f} s)")
            else:
                passed += 1
        os.remove(path)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
