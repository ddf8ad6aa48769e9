#!/usr/bin/env python3
"""Writes the schemas of the flowcontrol.apiserver.k8s.io objects, one for each kind and API version, and
flowcontrol.schema.json, which chooses among them by apiVersion and kind. Each file is complete in itself, so that it can
be copied into an editor's settings. tests/schema/run.sh fails while the files differ from what this writes.

  schemas/generate.py           write the files
  schemas/generate.py --check   say which ones differ, and exit 1 if there are any

They hold what the API server (v1.36) checks of an object alone and a schema can say: fields, types, what is required, words,
ranges, and what excludes what. Null counts as absent, as it does for the server.
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # nothing is left beside the schemas

from quota import limit_range, plugin_configuration, resource_quota
from parts import FIXED, GROUP, INT32_MAX, LABEL, SUBDOMAIN, VERBS, VERSIONS
from parts import array, demand, forbid, integer, named, of_spec, record, ref, subdomain, text, top_level, when, words

# --- FlowSchema ---------------------------------------------------------------------------------------------------------


def flow_schema(version):
    spec = record(
        "Which requests this FlowSchema takes, and where they go.",
        {
            "priorityLevelConfiguration": record(
                "The priority level that gives the requests their seats.",
                {
                    "name": subdomain(
                        "Name of a PriorityLevelConfiguration. The server accepts a name that does not exist; as long as it does not, "
                        "the FlowSchema takes no requests."
                    )
                },
                required=["name"],
            ),
            "matchingPrecedence": integer(
                "The order in which FlowSchemas are tried: the smallest number first, the first that matches takes the request. "
                "Between equal numbers the name decides. 1 to 10000, absent or 0: 1000; 1 is for the FlowSchema named exempt alone.",
                0,
                10000,
                default=1000,
            ),
            "distinguisherMethod": record(
                "How the requests of this FlowSchema are parted into flows, which share the level's queues fairly. Absent: all of "
                "them are one flow. It has no effect on a level without queues.",
                {
                    "type": {
                        "description": "ByUser: each user is a flow. ByNamespace: each namespace is one, and all requests without a "
                        "namespace (cluster-scoped and non-resource ones) are one together.",
                        "enum": ["ByUser", "ByNamespace"],
                    }
                },
                required=["type"],
                optional=True,
            ),
            "rules": array(
                "A request matches when one of these matches. Absent or empty: the FlowSchema takes no requests.",
                ref("PolicyRule"),
                optional=True,
            ),
        },
        required=["priorityLevelConfiguration"],
    )
    out = top_level(
        "FlowSchema",
        version,
        "Sends the requests that match its rules to a priority level and parts them into flows. "
        f"{FIXED}.",
        spec,
    )
    out["if"] = named("exempt")
    out["then"] = {}
    out["else"] = of_spec({"matchingPrecedence": {"not": {"const": 1}}})
    return out


def member(kind, name, description):
    return record(
        f"The {name}; only with kind {kind}.",
        {"name": text(description, minLength=1)},
        required=["name"],
        optional=True,
    )


FLOW_SCHEMA_DEFS = {
    "PolicyRule": record(
        "Matches a request of one of the subjects that one of the resource rules or non-resource rules matches.",
        {
            "subjects": array("Who makes the request: one of these. At least one.", ref("Subject"), minItems=1),
            "resourceRules": array(
                "Requests for resources, such as pods or deployments: one of these matches. Absent or empty: none of them.",
                ref("ResourceRule"),
                optional=True,
            ),
            "nonResourceRules": array(
                "Requests for paths that are no resources, such as /healthz or /version: one of these matches. Absent or empty: "
                "none of them.",
                ref("NonResourceRule"),
                optional=True,
            ),
        },
        required=["subjects"],
        anyOf=[
            {"required": [rules], "properties": {rules: {"type": "array", "minItems": 1}}}
            for rules in ("resourceRules", "nonResourceRules")
        ],
    ),
    "Subject": record(
        "A user, a group or a service account. The member that `kind` names is required, the others must be absent.",
        {
            "kind": {"description": "Which kind of subject this is.", "enum": ["User", "Group", "ServiceAccount"]},
            "user": member("User", "user", "The user's whole name, or '*' for every user."),
            "group": member(
                "Group",
                "group",
                "The group's whole name, or '*' for every group. Authenticated requests are in system:authenticated, others in "
                "system:unauthenticated, service accounts in system:serviceaccounts and system:serviceaccounts:NAMESPACE as well.",
            ),
            "serviceAccount": record(
                "The service account; only with kind ServiceAccount.",
                {
                    "namespace": text(
                        "The service account's namespace. It must be named: '*' is not possible here.",
                        minLength=1,
                        maxLength=63,
                        pattern=f"^{LABEL}$",
                    ),
                    "name": text(
                        "The service account's name, or '*' for every one of the namespace.",
                        minLength=1,
                        maxLength=253,
                        pattern=rf"^(\*|{SUBDOMAIN})$",
                    ),
                },
                required=["namespace", "name"],
                optional=True,
            ),
        },
        required=["kind"],
        allOf=[
            when({"kind": "User"}, {**demand("user"), "allOf": [forbid("group", "serviceAccount")]}),
            when({"kind": "Group"}, {**demand("group"), "allOf": [forbid("user", "serviceAccount")]}),
            when({"kind": "ServiceAccount"}, {**demand("serviceAccount"), "allOf": [forbid("user", "group")]}),
        ],
    ),
    "Verbs": words(
        "The request's verb: one of these, or '*' alone for all. 'get', 'list' and so on as in RBAC; the HTTP methods post, put "
        "and head are no verbs here.",
        {"enum": VERBS},
        minItems=1,
    ),
    "ResourceRule": record(
        "Matches requests for resources. Verb, API group and resource must match, and the namespace, or clusterScope for a "
        "request without one.",
        {
            "verbs": ref("Verbs"),
            "apiGroups": words(
                "The resource's API group: one of these, or '*' alone for all. \"\" is the core group (pods, services), without a "
                "version: apps, not apps/v1.",
                {"type": "string"},
                minItems=1,
            ),
            "resources": words(
                "The resource: one of these, in lower case and plural, or '*' alone for all with their subresources. A subresource "
                "is named as pods/status, and pods alone does not match it. There are no other patterns: 'pods/*' matches nothing.",
                {"type": "string"},
                minItems=1,
            ),
            "clusterScope": {
                "description": "Whether requests without a namespace match: those for cluster-scoped resources, and lists and "
                "watches over all namespaces. Absent: false.",
                "type": ["boolean", "null"],
                "default": False,
            },
            "namespaces": words(
                "The request's namespace: one of these, or '*' alone for every namespace. Requests without a namespace match by "
                "clusterScope alone. May be absent or empty only when clusterScope is true.",
                {"type": "string", "maxLength": 63, "pattern": rf"^(\*|{LABEL})$"},
                optional=True,
            ),
        },
        required=["verbs", "apiGroups", "resources"],
        **when(
            {"clusterScope": True},
            {},
            {"required": ["namespaces"], "properties": {"namespaces": {"type": "array", "minItems": 1}}},
        ),
    ),
    "NonResourceRule": record(
        "Matches requests for paths that are no resources.",
        {
            "verbs": ref("Verbs"),
            "nonResourceURLs": words(
                "The request's path: one of these, or '*' alone for all. A path matches itself; one that ends in /* matches every "
                "path that begins with what stands before the '*'. No other '*', no blanks, no '//'.",
                {"type": "string", "pattern": r"^(\*|/|/\*|(/[^/* ]+)+(/\*?)?)$"},
                minItems=1,
            ),
        },
        required=["verbs", "nonResourceURLs"],
    ),
}


# --- PriorityLevelConfiguration -----------------------------------------------------------------------------------------


def priority_level(version):
    shares, zero, _ = VERSIONS[version]
    limited = record(
        "The level's seats and what happens when they are taken; for type Limited, where it is required.",
        {
            shares: integer(
                "The level's part of the server's seats: nominal limit = server limit x shares / sum of the shares of all levels, "
                f"rounded up. The server limit is --max-requests-inflight + --max-mutating-requests-inflight. Absent: 30. {zero}",
                0,
                INT32_MAX,
                default=30,
            ),
            "lendablePercent": integer(
                "How much of its nominal limit the level may lend to others while it does not need it, in percent, 0 to 100. "
                "Absent: 0. Since Kubernetes 1.26.",
                0,
                100,
                default=0,
            ),
            "borrowingLimitPercent": integer(
                "How many seats the level may borrow from others, in percent of its nominal limit; more than 100 is possible, 0 "
                "forbids it. Absent: no limit. Since Kubernetes 1.26.",
                0,
                INT32_MAX,
            ),
            "limitResponse": record(
                "What happens to a request that finds no seat.",
                {
                    "type": {
                        "description": "Queue: it waits in one of the level's queues. Reject: it is refused with status 429.",
                        "enum": ["Queue", "Reject"],
                    },
                    "queuing": record(
                        "The level's queues; for type Queue, where it is required ({} takes all defaults).",
                        {
                            "queues": integer(
                                "Number of queues. More keep flows apart better and cost some memory each. 1 to 10000000, absent or "
                                "0: 64.",
                                0,
                                10000000,
                                default=64,
                            ),
                            "handSize": integer(
                                "Number of queues that a flow is dealt; each of its requests waits in the shortest of them. At most "
                                "`queues`, and ceil(log2(queues) x handSize) at most 60. Absent or 0: 8, for any number of queues.",
                                0,
                                15,
                                default=8,
                            ),
                            "queueLengthLimit": integer(
                                "How many requests may wait in one queue; further ones are refused with status 429. Absent or 0: 50.",
                                0,
                                INT32_MAX,
                                default=50,
                            ),
                        },
                        optional=True,
                    ),
                },
                required=["type"],
                allOf=[when({"type": "Queue"}, demand("queuing")), when({"type": "Reject"}, forbid("queuing"))],
            ),
        },
        required=["limitResponse"],
        optional=True,
    )
    exempt = record(
        "The seats of the level named exempt, of which it lends what it does not need. Its own requests are never held up. Only for "
        "type Exempt; since Kubernetes 1.28. Absent: 0 shares.",
        {
            "nominalConcurrencyShares": integer(
                "The level's part of the server's seats, counted as for Limited levels; it limits nothing. Absent: 0.",
                0,
                INT32_MAX,
                default=0,
            ),
            "lendablePercent": integer(
                "How much of its nominal limit the level lends, in percent, 0 to 100. Absent: 0.", 0, 100, default=0
            ),
        },
        optional=True,
    )
    spec = record(
        "How many requests of this level run at once, and what happens to the others.",
        {
            "type": {
                "description": "Limited: the level has a limit. Exempt: its requests are never held up; only for the level named "
                "exempt, which must be Exempt.",
                "enum": ["Limited", "Exempt"],
            },
            "limited": limited,
            "exempt": exempt,
        },
        required=["type"],
        allOf=[
            when({"type": "Limited"}, {**demand("limited"), "allOf": [forbid("exempt")]}),
            when({"type": "Exempt"}, forbid("limited")),
        ],
    )
    out = top_level(
        "PriorityLevelConfiguration",
        version,
        "A limit for requests that run at once, with queues for those that must wait. FlowSchemas send requests to it. "
        f"{FIXED} (but for spec.exempt).",
        spec,
    )
    out["if"] = named("exempt")
    out["then"] = of_spec({"type": {"const": "Exempt"}})
    out["else"] = of_spec({"type": {"const": "Limited"}})
    return out


# --- files --------------------------------------------------------------------------------------------------------------

KINDS = {"FlowSchema": (flow_schema, FLOW_SCHEMA_DEFS), "PriorityLevelConfiguration": (priority_level, {})}


def document(name, title, body):
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:apfctl:schema:{name}",
        "title": title,
        **body,
    }


def single(kind, version):
    build, defs = KINDS[kind]
    body = build(version)
    body["required"] = ["apiVersion", "kind"] + body["required"]
    if defs:
        body["$defs"] = defs
    return document(f"{kind.lower()}-{version}", f"{kind} of {GROUP}/{version}", body)


def combined():
    """Objects of other groups pass: a file may hold them too."""
    versions = [f"{GROUP}/{v}" for v in VERSIONS]
    kinds = list(KINDS) + [f"{kind}List" for kind in KINDS]
    defs = {}
    rules = [
        {"if": {"properties": {"kind": {"enum": kinds}}, "required": ["kind"]}, "then": {"properties": {"apiVersion": {"enum": versions}}}},
        {
            "if": {"properties": {"apiVersion": {"type": "string", "pattern": rf"^flowcontrol\.apiserver\.k8s\.io/"}}, "required": ["apiVersion"]},
            "then": {"properties": {"apiVersion": {"enum": versions}, "kind": {"enum": kinds}}},
        },
        when({"apiVersion": "v1", "kind": "List"}, {"properties": {"items": ref_items("#")}, "required": ["items"]}),
    ]
    for kind, (build, parts) in KINDS.items():
        for version in VERSIONS:
            name = f"{kind}.{version}"
            defs[name] = build(version)
            of_version = {"apiVersion": f"{GROUP}/{version}"}
            rules.append(when({**of_version, "kind": kind}, ref(name)))
            # Objects in a list of their kind need not repeat what they are.
            items = {"properties": {"items": ref_items(f"#/$defs/{name}")}, "required": ["items"]}
            rules.append(when({**of_version, "kind": f"{kind}List"}, items))
        defs.update(parts)
    body = {
        "description": "A FlowSchema, a PriorityLevelConfiguration or a list of them, in any API version. Objects of other API "
        "groups are let pass.",
        "type": "object",
        "properties": {
            "apiVersion": text("The API group and version of this object.", examples=versions),
            "kind": text("The kind of this object.", examples=list(KINDS)),
        },
        "required": ["apiVersion", "kind"],
        "allOf": rules,
        "$defs": defs,
    }
    return document("flowcontrol", f"Objects of {GROUP}", body)


def ref_items(target):
    return {"description": "The objects.", "type": ["array", "null"], "items": {"$ref": target}}


def files():
    out = {f"{kind.lower()}-{version}": single(kind, version) for kind in KINDS for version in VERSIONS}
    out["flowcontrol"] = combined()
    out["resourcequota-v1"] = document("resourcequota-v1", "ResourceQuota of v1", resource_quota())
    out["limitrange-v1"] = document("limitrange-v1", "LimitRange of v1", limit_range())
    out["resourcequotaconfiguration-v1"] = document(
        "resourcequotaconfiguration-v1",
        "Configuration of the ResourceQuota admission plugin (apiserver.config.k8s.io/v1)",
        plugin_configuration(),
    )
    return {f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in out.items()}


def main():
    folder = pathlib.Path(__file__).resolve().parent
    differing = []
    for name, content in files().items():
        path = folder / name
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        differing.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(content, encoding="utf-8")
    for name in differing:
        print(f"{name}: {'differs from' if '--check' in sys.argv[1:] else 'written by'} schemas/generate.py")
    return 1 if differing and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
