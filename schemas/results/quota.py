from parts import *

QUANTITY = text("a quantity as kube-apiserver prints it")
OBJECT = {
    "file": text(),
    "line": count(),
    "column": count(),
    "document": count("within the file, from 0"),
    "object": ref("object"),
}

DEFS = {
    "object": record({"apiVersion": text(), "kind": text(), "name": text(), "namespace": text("empty: of the cluster")}),
}

SCHEMA = schema("apfctl quota -o json", record("Manifests against the ResourceQuotas of their namespaces.", {
    "fits": or_null(boolean("null: not decided, as objects create Pods that are not counted")),
    "quotas": array("by namespace and name", record({
        "name": text(),
        "namespace": text(),
        "file": text(),
        "line": count(),
        "column": count(),
        "scopes": array(text()),
        "scopeSelector": array(text()),
        "start": word("status | zero"),
        "resources": array(record({
            "resource": text(),
            "start": QUANTITY,
            "used": text("after all that was admitted"),
            "hard": QUANTITY,
            "demand": text("had nothing been denied"),
            "more": text("what hard lacks for that; 0 when nothing"),
            "tracked": boolean("false: the server counts nothing by this name"),
        })),
    })),
    "denials": array("in the order of the objects", record({
        **OBJECT,
        "created": or_null(text("the kind of what a controller creates for the object; null: the object itself")),
        "first": count("the first denied of several identical objects"),
        "of": count("number of identical objects that are created"),
        "denied": count(),
        "reason": word(
            "exceeded | must-specify | status-unknown | negative | no-old-object | not-covered | scope-not-covered | limit-range",
        ),
        "code": {"enum": [403, 500]},
        "message": text("the server's"),
        "quota": text("empty: none in particular"),
        "exceeded": array(record({
            "resource": text(),
            "requested": QUANTITY,
            "used": QUANTITY,
            "hard": QUANTITY,
        })),
        "otherQuotas": array("that would refuse it as well: the server asks quotas in no certain order", text()),
        "uncoveredResources": array("of not-covered: what a quota of the namespace would have to limit", text()),
        "uncoveredScopes": array("of scope-not-covered: what a quota of the namespace would have to select", record({
            "scopeName": text(),
            "operator": word("In | Exists | DoesNotExist"),
            "values": array(text()),
        })),
    })),
    "workloads": array(record({
        **OBJECT,
        "created": text("1 ReplicaSet, 3 Pods"),
    })),
    "rollingUpdates": array("rolling updates that would need more than the quotas leave", record({
        **OBJECT,
        "created": word("Pod | ReplicaSet"),
        "more": count("how many are created before others are deleted; 1 if not even one fits", least=1),
        "maxSurge": count("in Pods"),
        "maxUnavailable": count("in Pods"),
        "stalls": boolean("false: it goes on with fewer Pods"),
        "needs": array(record({
            "resource": text(),
            "needed": QUANTITY,
            "hard": QUANTITY,
        })),
    })),
    "total": maybe(record(
        "Of several namespaces: what all of them use, need (had nothing been denied) and may use together. Each counts with the "
        "tightest of its quotas without scopes.",
        {"namespaces": count(least=2), "resources": array(record({"resource": text(), "used": text(), "demand": text(), "hard": text()}))},
    )),
    "notCounted": array(record({
        **OBJECT,
        "created": or_null(text("the kind of what a controller creates for the object; null: the object itself")),
        "reason": text(),
    })),
    "findings": array("what lint says of the quotas and LimitRanges of the namespaces, together", record({
        "code": text("APF712"),
        "name": text(),
        "severity": word("info | warning | error"),
        "file": text(),
        "line": count(),
        "column": count(),
        "kind": text(),
        "object": text("its name"),
        "message": text(),
        "notes": array(text()),
    })),
    "notes": array(of("replay", "#remark")),
    "summary": record({"objects": count(), "created": count("by controllers"), "denied": count()}),
    "warnings": maybe(remarks("about the release; absent if nothing")),
}), DEFS)
