"""What the schemas of both kinds are made of; see generate.py."""
GROUP = "flowcontrol.apiserver.k8s.io"
# What a version differs in beside its name: what the shares of a Limited level are called, and what 0 of them means.
VERSIONS = {
    "v1": ("nominalConcurrencyShares", "0 gives the level no seats of its own.", "since Kubernetes 1.29"),
    "v1beta3": (
        "nominalConcurrencyShares",
        "0 counts as absent, unless the object has the annotation flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares.",
        "served by Kubernetes 1.26 to 1.31; use v1 from 1.29 on",
    ),
    "v1beta2": ("assuredConcurrencyShares", "0 counts as absent.", "served by Kubernetes 1.23 to 1.28; use v1 from 1.29 on"),
    "v1beta1": ("assuredConcurrencyShares", "0 counts as absent.", "served by Kubernetes 1.20 to 1.25; use v1 from 1.29 on"),
}
INT32_MAX = 2147483647
LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
QUALIFIED = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
VERBS = ["*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"]
PRESERVE_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
FIXED = "The server keeps the objects named exempt and catch-all as they are built in and refuses any other spec for them"


# --- building blocks ----------------------------------------------------------------------------------------------------


def ref(name, description=None):
    return {"description": description, "$ref": f"#/$defs/{name}"} if description else {"$ref": f"#/$defs/{name}"}


def text(description, **more):
    return {"description": description, "type": "string", **more}


def subdomain(description, **more):
    return text(description, minLength=1, maxLength=253, pattern=f"^{SUBDOMAIN}$", **more)


def integer(description, minimum, maximum, **more):
    return {"description": description, "type": ["integer", "null"], "minimum": minimum, "maximum": maximum, **more}


def record(description, properties, required=(), optional=False, **more):
    """An object with exactly these members. An optional one may be null."""
    out = {"description": description, "type": ["object", "null"] if optional else "object", "properties": properties}
    if required:
        out["required"] = list(required)
    return {**out, "additionalProperties": False, **more}


def array(description, items, optional=False, **more):
    return {"description": description, "type": ["array", "null"] if optional else "array", "items": items, **more}


def words(description, items, **more):
    """A list in which "*" stands alone."""
    alone = {"if": {"type": "array", "contains": {"const": "*"}}, "then": {"maxItems": 1}}
    return array(description, items, **more, **alone)


def when(properties, then, otherwise=None):
    """If these members have these values: `then`, else `otherwise`."""
    condition = {"properties": {k: {"const": v} for k, v in properties.items()}, "required": list(properties)}
    out = {"if": condition, "then": then}
    if otherwise is not None:
        out["else"] = otherwise
    return out


def demand(*members):
    """These members are there and not null."""
    return {"required": list(members), "properties": {m: {"not": {"type": "null"}} for m in members}}


def forbid(*members):
    return {"properties": {m: {"type": "null"} for m in members}}


# --- what both kinds have -----------------------------------------------------------------------------------------------


def metadata(kind, version):
    annotations = {
        "apf.kubernetes.io/autoupdate-spec": {
            "description": "For objects that are built into kube-apiserver: true lets the server set the spec back to its own, "
            "false keeps your changes. Without it the server takes an object as its own until somebody changes it. "
            "The objects named exempt and catch-all are always set back.",
        },
    }
    if kind == "PriorityLevelConfiguration":
        annotations[PRESERVE_ZERO] = (
            {"description": "Says that 0 nominalConcurrencyShares is meant as 0 and not as absent. Its value does not matter."}
            if version == "v1beta3"
            else False
        )
    return {
        "description": "The object's name, labels and annotations. There is no namespace: the object is for the whole cluster.",
        "type": "object",
        "properties": {
            "name": text(
                "The object's name, unique among those of its kind in the cluster: at most 253 lower case letters, digits, "
                "'-' and '.', with a letter or digit first and last.",
                maxLength=253,
                pattern=f"^({SUBDOMAIN})?$",
            ),
            "generateName": text(
                "A prefix from which the server makes a unique name, used when there is no name. `kubectl apply` needs a name.",
                pattern=f"^({SUBDOMAIN}-?)?$",
            ),
            "namespace": text("Must be absent or empty: the object is for the whole cluster.", maxLength=0),
            "labels": {
                "description": "Labels to select objects by, key to value.",
                "type": ["object", "null"],
                "propertyNames": {"pattern": rf"^({SUBDOMAIN}/)?{QUALIFIED}$"},
                "additionalProperties": {"type": ["string", "null"], "maxLength": 63, "pattern": f"^({QUALIFIED})?$"},
            },
            "annotations": {
                "description": "Notes for programs and people, key to value; 256 KiB at most.",
                "type": ["object", "null"],
                "propertyNames": {"pattern": rf"^([-A-Za-z0-9.]+/)?{QUALIFIED}$"},
                "properties": annotations,
                "additionalProperties": {"type": ["string", "null"]},
            },
        },
        "anyOf": [
            {"required": ["name"], "properties": {"name": {"minLength": 1}}},
            {"required": ["generateName"], "properties": {"generateName": {"minLength": 1}}},
        ],
    }


def status():
    condition = record(
        "One condition of the object.",
        {
            "type": text("What the condition is about; the server sets Dangling for FlowSchemas."),
            "status": text("True, False or Unknown."),
            "lastTransitionTime": {"description": "When the condition's status last changed (RFC 3339).", "type": ["string", "null"]},
            "reason": text("One word, in CamelCase, on why the status is what it is."),
            "message": text("The same for people."),
        },
    )
    return record(
        "What the server found when it took up the object. It writes this itself; in a file it is ignored.",
        {"conditions": array("The object's conditions, at most one of each type.", condition, optional=True)},
        optional=True,
    )


def top_level(kind, version, what, spec):
    return {
        "description": what,
        "type": "object",
        "properties": {
            "apiVersion": {"description": f"The API version of this object: {GROUP}/{version}, {VERSIONS[version][2]}.", "const": f"{GROUP}/{version}"},
            "kind": {"description": "The kind of this object.", "const": kind},
            "metadata": metadata(kind, version),
            "spec": spec,
            "status": status(),
        },
        "required": ["metadata", "spec"],
        "additionalProperties": False,
    }


def named(name):
    """Condition: the object's name."""
    return {"properties": {"metadata": {"properties": {"name": {"const": name}}, "required": ["name"]}}}


def of_spec(properties):
    return {"properties": {"spec": {"properties": properties}}}
