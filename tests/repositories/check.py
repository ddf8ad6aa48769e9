#!/usr/bin/env python3
"""Repositories of every shape that people keep configurations in: a clean one has no finding in any command, and of one
with a planted fault lint reports that fault, in that file, and no other.

    check.py APFCTL [SEED]     Last line: "N passed, N failed". The seed is printed.

Names, numbers, folders and the faults are drawn; what surrounds the objects (values, dashboards, rules, workflows, schemas,
roles) names the same words and is none of apfctl's.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

APFCTL = str(pathlib.Path(sys.argv[1]).resolve())
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
rng = random.Random(SEED)

LEVEL = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: {level}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: {shares}
    lendablePercent: 50
    borrowingLimitPercent: 100
    limitResponse:
      type: Queue
      queuing: {{queues: 64, handSize: 6, queueLengthLimit: 50}}
"""
SCHEMA = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: {schema}
spec:
  matchingPrecedence: {precedence}
  priorityLevelConfiguration:
    name: {level}
  distinguisherMethod:
    type: ByUser
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {{namespace: {namespace}, name: {account}}}
    - kind: ServiceAccount
      serviceAccount: {{namespace: {namespace}, name: {account}-jobs}}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      clusterScope: true
      namespaces: ["*"]
"""
QUOTA = """apiVersion: v1
kind: ResourceQuota
metadata: {{name: objects, namespace: {namespace}}}
spec:
  hard: {{pods: "{shares}", configmaps: "100"}}
"""
# A change of a clean text, and the rule that is about it.
FAULTS = [
    (SCHEMA, "name: {level}\n  distinguisher", "name: {level}x\n  distinguisher", "APF101"),
    (SCHEMA, "matchingPrecedence: {precedence}", "matchingPrecedence: 10001", "APF030"),
    (SCHEMA, "clusterScope: true\n      ", "", "APF227"),
    (SCHEMA, "kind: ServiceAccount\n", "kind: Serviceaccount\n", "APF035"),
    (SCHEMA, "distinguisherMethod", "distinguisherMehtod", "APF002"),
    (LEVEL, "handSize: 6", "handSize: 65", "APF057"),
    (LEVEL, "lendablePercent: 50", "lendablePercent: 101", "APF059"),
    (LEVEL, "type: Queue", "type: Wait", "APF054"),
]


def names():
    word = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6))
    return {"level": f"{word}-level", "schema": f"{word}-flow", "namespace": f"team-{word}", "account": f"{word}-bot",
            "precedence": rng.randrange(1000, 8000), "shares": rng.randrange(20, 60)}


def indented(text, spaces):
    return "".join(" " * spaces + line + "\n" if line else "\n" for line in text.splitlines())


def surroundings(n):
    """Files that name the kinds and hold none of them."""
    flow, level = SCHEMA.format(**n), LEVEL.format(**n)
    return {
        "charts/app/Chart.yaml": f"apiVersion: v2\nname: app\nversion: 1.{n['shares']}.0\n",
        "charts/app/values.yaml": f"flowSchema: {{kind: FlowSchema}}\nflowSchemas:\n- name: {n['schema']}\n  spec: {{matchingPrecedence: 1}}\n",
        "charts/app/values.schema.json": json.dumps({"$schema": "x", "properties": {"kind": {"const": "FlowSchema"}}}),
        "charts/app/tests/app_test.yaml": "suite: app\ntests:\n- asserts:\n  - isKind: {of: PriorityLevelConfiguration}\n",
        "charts/app/templates/_helpers.tpl": '{{- define "app.name" -}}app{{- end -}}\n',
        "monitoring/dashboard.json": json.dumps({"panels": [{"title": "FlowSchema", "targets": [
            {"expr": "sum(apiserver_flowcontrol_rejected_requests_total) by (flow_schema)"}]}]}),
        "monitoring/rules.yaml": "groups:\n- name: apf\n  rules:\n  - alert: Rejected\n    expr: "
                                 "apiserver_flowcontrol_rejected_requests_total > 0\n",
        "monitoring/configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flow}\ndata:\n  flow.yaml: |\n"
                                     + indented(flow + "---\n" + level, 4),
        ".github/workflows/lint.yaml": "on: push\njobs:\n  lint:\n    steps:\n    - run: kubectl get flowschemas\n",
        "rbac/role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: quota-reader}\n"
                          "rules:\n- {apiGroups: [\"\"], resources: [resourcequotas], verbs: [get]}\n",
        "crds/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
                         "flowschemas.example.com}\nspec: {names: {kind: FlowSchema}, group: example.com}\n",
        "compose.yml": "services:\n  api: {image: registry/api}\n",
        "docs/README.md": "```yaml\nkind: FlowSchema\n```\n",
    }


def plain(n, level, schema):
    return {"flow/level.yaml": level, "flow/schema.yml": schema}, "flow/"


def one_file(n, level, schema):
    text = "# all of it\n---\n" + level + "---\n# nothing\n---\n" + schema + "...\n"
    return {"apf.yaml": "\ufeff" + text.replace("\n", "\r\n") if rng.random() < 0.5 else text}, "apf.yaml"


def a_list(n, level, schema):
    items = "".join("- " + indented(text, 2)[2:] for text in (level, schema))
    return {"manifests/all.yaml": "apiVersion: v1\nkind: List\nitems:\n" + items}, "manifests/all.yaml"


def flux(n, level, schema):
    tool = {"clusters/a/flow.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flow, "
                                    "namespace: flux-system}\nspec: {path: ./infra/flow, prune: true, interval: 5m}\n"}
    return {**tool, "infra/flow/level.yaml": level, "infra/flow/schema.yaml": schema}, "infra/flow/"


def kustomize(n, level, schema):
    patch = (f"apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: {n['level']}}}\n"
             "spec: {limited: {nominalConcurrencyShares: 90}}\n")
    return {"base/kustomization.yaml": "resources: [level.yaml, schema.yaml]\n", "base/level.yaml": level,
            "base/schema.yaml": schema, "overlays/prod/more.yaml": patch,
            "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches:\n- path: more.yaml\n"}, "base/"


def environments(n, level, schema):
    files, wrong = {}, rng.choice(["dev", "prod"])
    clean = LEVEL.format(**n), SCHEMA.format(**n)
    for name in ("dev", "prod"):
        texts = (level, schema) if name == wrong else clean
        files[f"clusters/{name}/level.yaml"], files[f"clusters/{name}/schema.yaml"] = texts
    return files, f"clusters/{wrong}/"


def rendered(n, level, schema):
    """Templates beside what they were rendered to."""
    template = "{{- if .Values.apf }}\n" + SCHEMA.format(**n).replace(n["schema"], "{{ .Release.Name }}") + "{{- end }}\n"
    return {"charts/app/templates/flow.yaml": template, "ytt/flow.yaml": "#@ load('@ytt:data', 'data')\nkind: #@ data.x\n",
            "rendered/app.yaml": level + "---\n" + schema}, "rendered/"


def admission(n, level, schema):
    """A control plane's folder: the files of the admission plugins and of auditing."""
    return {"apf/all.yaml": level + "---\n" + schema,
            "control-plane/admission.yaml": "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n"
            "- {name: EventRateLimit, path: /etc/kubernetes/admission/event-rate-limit.yaml}\n",
            "control-plane/event-rate-limit.yaml": "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: "
            "Configuration\nlimits:\n- {type: Server, qps: 5000, burst: 20000}\n",
            "control-plane/audit.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata}\n"}, "apf/all.yaml"


def tenants(n, level, schema):
    files = {f"tenants/t{i}/quota.yaml": QUOTA.format(namespace=f"t{i}", shares=10 + i) for i in range(rng.randrange(2, 6))}
    files["tenants/t0/app.yaml"] = ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app, namespace: t0}\nspec:\n"
                                    "  replicas: 2\n  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: "
                                    "{app: a}}\n    spec: {containers: [{name: a, image: a}]}\n")
    return {**files, "platform/level.yaml": level, "platform/schema.yaml": schema}, "platform/"


SHAPES = [plain, one_file, a_list, flux, kustomize, environments, rendered, admission, tenants]
passed = failed = 0


def verdict(name, wrong):
    global passed, failed
    if wrong:
        failed += 1
        print(f"FAILED {name}: {wrong}")
    else:
        passed += 1


def run(folder, *arguments):
    done = subprocess.run([APFCTL, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def write(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")


def findings(folder):
    code, out, err = run(folder, "lint", "--no-config", ".", "-o", "json")
    if code > 1:
        return code, err.strip()[:300]
    return code, [(d["code"], d["file"].removeprefix("./"), d["severity"]) for d in json.loads(out)["findings"]]


def check_clean(shape, folder, n):
    code, found = findings(folder)
    verdict(f"{shape}: lint of a clean repository", code != 0 and f"exit {code}: {found}" or found)
    asked = ["list", "pods", "-n", n["namespace"], "--as", f"sa:{n['namespace']}/{n['account']}"]
    # Of several configurations in one folder, these commands want one.
    old, new = {"environments": ("clusters/dev", "clusters/prod"), "kustomize": ("base", "base")}.get(shape, (".", "."))
    for arguments, wanted in [
            (["validate", "."], ""), (["default", ".", "-q"], n["schema"]), (["convert", "--to", "v1", ".", "-q"], n["schema"]),
            (["limits", "-f", old], n["level"]), (["explain", *asked, "-f", new], n["schema"]),
            (["ladder", "-f", old], n["schema"]), (["diff", old, new], "")]:
        code, out, err = run(folder, *arguments)
        wrong = code != 0 and f"exit {code}: {err.strip()[:300]}"
        verdict(f"{shape}: apfctl {' '.join(arguments)}", wrong or (wanted not in out and f"no {wanted} in {out[:300]}"))
    if shape == "tenants":
        code, out, err = run(folder, "quota", "tenants/t0")
        verdict("tenants: quota of a folder", code != 0 and f"exit {code}: {err.strip()[:300]}")


def check_fault(shape, folder, place, code_wanted):
    code, found = findings(folder)
    if isinstance(found, str):
        return verdict(f"{shape}: lint with {code_wanted}", f"exit {code}: {found}")
    # The level that is misspelt in its FlowSchema has none.
    wanted = {code_wanted, "APF102"} if code_wanted == "APF101" else {code_wanted}
    others = [f for f in found if f[0] not in wanted or not f[1].startswith(place)]
    wrong = others or (not any(f[0] == code_wanted for f in found) and "not found")
    verdict(f"{shape}: lint with {code_wanted} in {place}", wrong)


def main():
    print(f"seed {SEED}")
    for shape in SHAPES:
        # Whether a level is missing only a build of patched bases can tell.
        faults = [fault for fault in FAULTS if fault[3] != "APF101" or shape is not kustomize]
        for fault in [None] + rng.sample(faults, 3):
            n = names()
            level, schema = LEVEL.format(**n), SCHEMA.format(**n)
            if fault:
                was, now = fault[1].format(**n), fault[2].format(**n)
                if fault[0] is LEVEL:
                    level = level.replace(was, now, 1)
                else:
                    schema = schema.replace(was, now, 1)
            files, place = shape(n, level, schema)
            with tempfile.TemporaryDirectory() as folder:
                write(folder, {**surroundings(n), **files})
                if fault:
                    check_fault(shape.__name__, folder, place, fault[3])
                else:
                    check_clean(shape.__name__, folder, n)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
