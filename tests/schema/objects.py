"""Holds the schemas of the API objects against what kube-apiserver says (the vectors of its own validation), and those of
.apfctl.yaml, lint and validate against examples made for the purpose."""
import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile

APFCTL = os.path.abspath(os.environ.get("APFCTL", "build/release/bin/apfctl"))
VECTORS = "tests/conformance/vectors"
# What no schema of one object can say, by the server's words: these cases may pass.
BEYOND = [
    r"^spec: Invalid value: .* must equal the fixed value",  # deep equality with the built-in one
    r"queuing\.handSize: Invalid value: .*(should not be greater than queues|required entropy bits)",
    r"^metadata\.(uid|creationTimestamp): Invalid value: .* field is immutable",
    r"^metadata\.(finalizers|ownerReferences)",  # common to all kinds of Kubernetes
    r"^status\.",  # the server writes it itself
    r"number \d+\.0 into Go struct",  # to a schema 5.0 is an integer
]


def lines(name):
    packed = subprocess.run(["zstd", "-dcq", f"{VECTORS}/{name}.zst"], check=True, stdout=subprocess.PIPE)
    return packed.stdout.decode("utf-8").splitlines()


def name_of(instance):
    version = str(instance.get("apiVersion")).rsplit("/", 1)[-1]
    return f"{str(instance.get('kind')).lower()}-{version}"


def server_words(case):
    return [e["full_string"] for e in case.get("expected_errors") or []] or [case["decode_error"]]


def check_vectors(schemas, verdict):
    accepted = rejected = 0
    for line in lines("validation.jsonl"):
        case = json.loads(line)
        instance = case["object"]
        one = schemas.get(name_of(instance))
        both = [schemas["flowcontrol"]] + ([one] if one else [])
        valid = [schema.is_valid(instance) for schema in both]
        if "decode_error" not in case and not case.get("expected_errors"):
            # Unknown fields, which the server drops unless it is asked to be strict, are refused here.
            expected = "strict_decode_error" not in case
            accepted += expected
            verdict(f"{case['id']}: {'accepted' if expected else 'refused'}", valid == [expected] * len(both), f"{valid}")
            continue
        words = server_words(case)
        if all(any(re.search(pattern, text) for pattern in BEYOND) for text in words):
            continue
        rejected += 1
        verdict(f"{case['id']}: refused", not any(valid), f"the server says {words[0][:200]}")
    verdict("validation.jsonl has cases of both kinds", accepted > 100 and rejected > 150, f"{accepted}, {rejected}")


def check_bootstrap(schemas, verdict):
    sets = json.loads("\n".join(lines("bootstrap.json")))["sets"]
    objects = [o for one in sets.values() for group in one.values() for o in group]
    verdict("there are built-in objects", len(objects) > 20, len(objects))
    for instance in objects:
        name = f"{instance['kind']} {instance['metadata']['name']}"
        for schema in (schemas["flowcontrol"], schemas[name_of(instance)]):
            errors = [e.message for e in schema.iter_errors(instance)]
            verdict(f"built-in {name}", not errors, errors[:1])
    for kind in ("FlowSchema", "PriorityLevelConfiguration"):
        of_kind = [copy.deepcopy(o) for o in objects if o["kind"] == kind]
        generic = {"apiVersion": "v1", "kind": "List", "items": of_kind}
        typed = {"apiVersion": of_kind[0]["apiVersion"], "kind": f"{kind}List", "metadata": {"resourceVersion": "7"}, "items": of_kind}
        for listed in (generic, typed):
            verdict(f"{listed['kind']} of {kind}s", schemas["flowcontrol"].is_valid(listed), "it is refused")
            broken = copy.deepcopy(listed)
            broken["items"][0]["spec"] = {}
            verdict(f"{listed['kind']} with a broken {kind}", not schemas["flowcontrol"].is_valid(broken), "it is let pass")
        for item in typed["items"]:
            del item["apiVersion"], item["kind"]
        verdict(f"{kind}List whose items leave out what they are", schemas["flowcontrol"].is_valid(typed), "it is refused")


def check_other_objects(schemas, verdict):
    cases = [
        ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}, True),
        ({"apiVersion": "apps/v1", "kind": "FlowSchema"}, False),
        ({"apiVersion": "flowcontrol.k8s.io/v1", "kind": "PriorityLevelConfiguration"}, False),
        ({"apiVersion": "flowcontrol.apiserver.k8s.io/v1alpha1", "kind": "FlowSchema"}, False),
        ({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "Flowschema"}, False),
        ({"kind": "FlowSchema"}, False),
        ([], False),
    ]
    for instance, expected in cases:
        verdict(f"flowcontrol on {instance}", schemas["flowcontrol"].is_valid(instance) == expected, f"expected {expected}")


# What the schema of a quota cannot say.
BEYOND_QUOTA = [
    r"must be an integer$",
    r"unsupported scope applied to resource$",
    r"^spec\.scopeSelector\.matchExpressions: .*conflicting scopes$",
    r"field is immutable$",
]


def check_quotas(schemas, verdict):
    schema = schemas["resourcequota-v1"]
    accepted = rejected = 0
    for line in lines("resourcequota-validation.jsonl"):
        case = json.loads(line)
        words = [e["full_string"] for e in case["expected_errors"]]
        if words and all(any(re.search(pattern, text) for pattern in BEYOND_QUOTA) for text in words):
            continue
        valid = schema.is_valid(case["object"])
        accepted += not words
        rejected += bool(words)
        verdict(f"{case['id']}: {'refused' if words else 'accepted'}", valid == (not words), words[:1])
    verdict("resourcequota-validation.jsonl has cases of both kinds", accepted > 20 and rejected > 20, f"{accepted}, {rejected}")
    for line in lines("quantity.jsonl"):
        case = json.loads(line)
        text = case["input"]
        if not re.search(r"[0-9]", text):
            continue  # m and Ki are 0 to the server; nobody means that
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"cpu": text}}}
        expected = "error" not in case and case["sign"] >= 0 and not text.startswith("-") or text.strip() in ("1",)
        verdict(f"quantity {text!r}", schema.is_valid(quota) == expected, f"expected {expected}")
    plugin = schemas["resourcequotaconfiguration-v1"]
    good = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration", "limitedResources": [{"resource": "pods"}]}
    old = {"apiVersion": "resourcequota.admission.k8s.io/v1beta1", "kind": "Configuration"}
    for instance in (good, old, {**good, "limitedResources": []}):
        verdict(f"plugin configuration {instance}", plugin.is_valid(instance), "it is refused")
    for instance in ({**good, "kind": "Configuration"}, {**old, "foo": 1}, {**good, "limitedResources": [{"matchContains": ["cpu"]}]}, {}):
        verdict(f"plugin configuration {instance}", not plugin.is_valid(instance), "it is let pass")


def check_limit_ranges(schemas, verdict):
    schema = schemas["limitrange-v1"]
    good = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "sizes"}}
    item = {"type": "Container", "max": {"cpu": "2"}, "default": {"cpu": 1.5}, "maxLimitRequestRatio": {"memory": "4"}}
    for limits in ([item], [], [{"type": "example.com/thing"}], [{"type": "Pod", "default": {}}]):
        verdict(f"limits {limits}", schema.is_valid({**good, "spec": {"limits": limits}}), "they are refused")
    for limits in ([{}], [{**item, "type": "Containers"}], [{**item, "max": {"cpu": "2Kb"}}], [{"type": "Pod", "default": {"cpu": 1}}], [{**item, "mx": {}}]):
        verdict(f"limits {limits}", not schema.is_valid({**good, "spec": {"limits": limits}}), "they are let pass")


def every_field_is_described(schema, at, missing):
    if isinstance(schema, dict):
        for name, member in schema.get("properties", {}).items() if schema.get("type") else ():
            if isinstance(member, dict) and "$ref" not in member and not member.get("description"):
                missing.append(f"{at}.{name}")
        for key, member in schema.items():
            every_field_is_described(member, f"{at}.{key}", missing)
    elif isinstance(schema, list):
        for member in schema:
            every_field_is_described(member, at, missing)


def check_settings(schemas, verdict):
    good = {
        "kubernetes-version": "1.31",
        "max-requests-inflight": 400,
        "max-mutating-requests-inflight": 0,
        "preset": "openshift",
        "filename": "apf.yaml",
        "objects": ["counts.txt"],
        "traffic": "audit.log",
        "exclude": ["vendor/**"],
        "rules": {"APF203": "off", "dangling-level": "error"},
        "ignore": [{"path": "legacy/*.yaml", "rules": ["APF2", "APF301", "unused-level"]}],
        "baseline": ".apfctl-baseline.json",
        "fail-on": "error",
    }
    schema = schemas["apfctl"]
    for key in good:
        verdict(f".apfctl.yaml with {key}", schema.is_valid({key: good[key]}), "it is refused")
    for instance in (good, None, {}, {"kubernetes-version": 1.3}, {"server-concurrency": 600}):
        verdict(f".apfctl.yaml {instance}", schema.is_valid(instance), "it is refused")
    edges = [{"server-concurrency": 1}, {"max-requests-inflight": 0}, {"filename": []}, {"objects": []}, {"traffic": []}, {"exclude": []}]
    for instance in edges:
        verdict(f".apfctl.yaml {instance}", schema.is_valid(instance), "it is refused")
    bad = [
        {"server-concurrency": 0},
        {"server-concurrency": None},
        {"max-requests-inflight": None},
        {"kubernetes-version": None},
        {"kubernetes-version": "1.19"},
        {"kubernetes-version": 2},
        {"kubernetes-version": "1.31x"},
        {"max-requests-inflight": -1},
        {"max-requests-inflight": "400"},
        {"max-requests-inflight": 400, "server-concurrency": 600},
        {"exclude": "vendor/**"},
        {"preset": "openshft"},
        {"filename": {"path": "apf.yaml"}},
        {"rules": {"APF203": "fatal"}},
        {"rules": {"APF2034": "off"}},
        {"rules": ["APF203"]},
        {"ignore": [{"path": "a"}]},
        {"ignore": [{"rules": ["APF203"]}]},
        {"ignore": [{"path": "a", "rules": []}]},
        {"ignore": [{"path": "a", "rules": ["APF203"], "until": "2027-01-01"}]},
        {"fail-on": "never"},
        {"unknown": 1},
        [],
    ]
    for instance in bad:
        verdict(f".apfctl.yaml {instance}", not schema.is_valid(instance), "it is let pass")
    # What the schema says is what apfctl says. Not so of 1.3: as YAML 1.30 is that number too.
    good["baseline"] = "known.json"
    for expected, instances in ((0, [good, None, {}, {"server-concurrency": 600}, {"rules": {"APF2": "off"}}, *edges]), (2, bad)):
        for instance in instances:
            code = run_with_settings(instance)
            verdict(f"apfctl with .apfctl.yaml {instance}", code == expected, f"exit code {code}")


def run_with_settings(instance):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, ".apfctl.yaml").write_text(json.dumps(instance), encoding="utf-8")
        pathlib.Path(folder, "audit.log").write_text('{"time":1,"user":"a","verb":"list","uri":"/api/v1/pods","execution":1}\n', encoding="utf-8")
        pathlib.Path(folder, "known.json").write_text('{"apfctlBaseline":1,"findings":[]}', encoding="utf-8")
        command = [APFCTL, "lint", "--fail-on", "never", "-q", pathlib.Path("tests/golden/inputs/lint/good.yaml").resolve()]
        return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def check_findings(schemas, verdict):
    span = {"file": "a.yaml", "line": 3, "column": 1, "endLine": 3, "endColumn": 5}
    nowhere = dict.fromkeys(span)
    edit = {"file": "a.yaml", "begin": 4, "end": 9, "text": "x"}
    finding = {
        "code": "APF101",
        "name": "dangling-level",
        "severity": "warning",
        **span,
        "document": 0,
        "object": {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "name": "a"},
        "field": "spec.priorityLevelConfiguration.name",
        "type": "",
        "detail": "",
        "message": "there is no such level",
        "notes": [{"message": "see here", **nowhere}],
        "witness": "apfctl explain get /healthz",
        "fix": {"title": "remove it", "safe": False, "edits": [edit]},
    }
    summary = dict.fromkeys(["files", "objects", "skipped", "errors", "warnings", "infos", "suppressed"], 1)
    whole = {"findings": [finding], "summary": summary}
    for name in ("lint", "validate"):
        verdict(f"{name} takes a finding", schemas[name].is_valid(whole), "it is refused")
        bare = {**finding, **nowhere, "witness": None, "fix": None, "notes": []}
        verdict(f"{name} takes a finding without position", schemas[name].is_valid({**whole, "findings": [bare]}), "it is refused")
        for key in finding:
            less = {k: v for k, v in finding.items() if k != key}
            verdict(f"{name} misses {key}", not schemas[name].is_valid({**whole, "findings": [less]}), "it is let pass")
            wrong = {**finding, key: {"not": "this"}}
            verdict(f"{name} with a wrong {key}", not schemas[name].is_valid({**whole, "findings": [wrong]}), "it is let pass")
        for key in summary:
            less = {k: v for k, v in summary.items() if k != key}
            verdict(f"{name} misses summary.{key}", not schemas[name].is_valid({**whole, "summary": less}), "it is let pass")
    linted, validated = schemas["lint"].schema["$defs"], schemas["validate"].schema["$defs"]
    properties = {k: v for k, v in linted["finding"]["properties"].items() if k != "traffic"}  # only lint reads logs
    same = {**linted, "finding": {**linted["finding"], "properties": properties}} == validated
    verdict("lint and validate have the same findings", same, "they differ")


def check_repeated_parts(schemas, verdict):
    """Each file that editors take is complete in itself; what several of them have is the same."""
    one, other, quota, limits, plugin = (schemas[name].schema for name in (
        "flowschema-v1", "prioritylevelconfiguration-v1", "resourcequota-v1", "limitrange-v1", "resourcequotaconfiguration-v1"))
    metadata = copy.deepcopy(other["properties"]["metadata"])
    del metadata["properties"]["annotations"]["properties"]["flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"]
    verdict("both kinds have the same metadata", one["properties"]["metadata"] == metadata, "it differs")
    verdict("both kinds have the same status", one["properties"]["status"] == other["properties"]["status"], "it differs")
    verdict("quotas and limit ranges have the same metadata", quota["properties"]["metadata"] == limits["properties"]["metadata"], "it differs")
    verdict("quotas and their plugin have the same scopes", quota["$defs"] == plugin["$defs"], "they differ")


def check(schemas, verdict):
    """`schemas`: validators by name."""
    check_repeated_parts(schemas, verdict)
    objects = [name for name in schemas if re.match(r"flowschema-|prioritylevelconfiguration-|flowcontrol$|apfctl$|resourcequota|limitrange", name)]
    verdict("each kind has a schema for each version", len(objects) == 13, objects)
    for name in objects:
        missing = []
        every_field_is_described(schemas[name].schema, name, missing)
        verdict(f"every field of {name} is described", not missing, missing[:3])
    check_bootstrap(schemas, verdict)
    check_vectors(schemas, verdict)
    check_quotas(schemas, verdict)
    check_limit_ranges(schemas, verdict)
    check_other_objects(schemas, verdict)
    check_settings(schemas, verdict)
    check_findings(schemas, verdict)
    return objects
