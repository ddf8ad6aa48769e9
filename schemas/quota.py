"""The schemas of ResourceQuota, of its admission plugin's configuration, and of LimitRange; see generate.py."""
from parts import LABEL, QUALIFIED, SUBDOMAIN, array, record, ref, text, when

# Names without a slash: what quotas know of Kubernetes' own resources.
STANDARD = [
    "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage",
    "limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers",
    "secrets", "persistentvolumeclaims", "configmaps", "services.nodeports", "services.loadbalancers",
]
SCOPES = [
    "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
]
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"]
NAME = "|".join(name.replace(".", r"\.") for name in STANDARD)
HUGE_PAGES = r"(requests\.)?hugepages-[-A-Za-z0-9_.]*[A-Za-z0-9]"
QUANTITY = r"^\s*\+?[0-9]*\.?[0-9]*(|[numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+)\s*$"


def amounts(what, optional=True):
    return {
        "description": f"{what}, by resource: cpu (short for requests.cpu), memory, limits.cpu, limits.memory, requests.storage, "
        "pods, services, services.loadbalancers, persistentvolumeclaims and so on; count/PLURAL.GROUP for objects of any kind "
        "(count/deployments.apps); requests.GROUP/NAME for extended resources (requests.nvidia.com/gpu); "
        "CLASS.storageclass.storage.k8s.io/requests.storage.",
        "type": ["object", "null"] if optional else "object",
        "propertyNames": {"pattern": rf"^({NAME}|{HUGE_PAGES}|{SUBDOMAIN}/{QUALIFIED})$"},
        "additionalProperties": {
            "description": "A quantity: 4, 500m, 10Gi, 1e3. Not negative.",
            "type": ["string", "number", "null"],
            "minimum": 0,
            "pattern": QUANTITY,
            "minLength": 1,
        },
    }


def requirement():
    bare = {"properties": {"values": {"type": ["array", "null"], "maxItems": 0}}}
    listed = {"required": ["values"], "properties": {"values": {"type": "array", "minItems": 1}}}
    fixed = [scope for scope in SCOPES if scope not in ("PriorityClass", "VolumeAttributesClass")]
    return record(
        "One condition on an object; all of them must hold.",
        {
            "scopeName": {"description": "What is looked at.", "enum": SCOPES},
            "operator": {
                "description": "In and NotIn compare with the values (of a priority class or volume attributes class); Exists and "
                "DoesNotExist take none. All other scopes take Exists alone.",
                "enum": OPERATORS,
            },
            "values": array("Names of classes.", {"type": "string"}, optional=True),
        },
        required=["scopeName", "operator"],
        allOf=[
            when({"operator": "In"}, listed),
            when({"operator": "NotIn"}, listed),
            when({"operator": "Exists"}, bare),
            when({"operator": "DoesNotExist"}, bare),
            {
                "if": {"properties": {"scopeName": {"enum": fixed}}, "required": ["scopeName"]},
                "then": {"properties": {"operator": {"const": "Exists"}}},
            },
        ],
    )


def both(one, other):
    """A list that has both words is refused."""
    return {"not": {"allOf": [{"type": "array", "contains": {"const": word}} for word in (one, other)]}}


def resource_quota():
    spec = record(
        "How much may be used, and by which objects.",
        {
            "hard": amounts("How much of each resource all objects of the namespace may use together"),
            "scopes": array(
                "Only objects that have all of these are counted. Cannot be changed afterwards.",
                {"enum": SCOPES},
                optional=True,
                allOf=[both("BestEffort", "NotBestEffort"), both("Terminating", "NotTerminating")],
            ),
            "scopeSelector": record(
                "The same as conditions, for instance on the name of the priority class.",
                {"matchExpressions": array("All of these must hold.", ref("ScopeRequirement"), optional=True)},
                optional=True,
            ),
        },
        optional=True,
    )
    metadata = {
        "description": "The object's name and namespace, and what is said about it.",
        "type": "object",
        "properties": {
            "name": text("The quota's name, unique in its namespace.", maxLength=253, pattern=f"^({SUBDOMAIN})?$"),
            "generateName": text("A prefix that the server makes a unique name of.", pattern=f"^({SUBDOMAIN}-?)?$"),
            "namespace": text(
                "The namespace whose objects are counted. Absent: that of the request (kubectl -n).",
                maxLength=63,
                pattern=f"^({LABEL})?$",
            ),
        },
        "anyOf": [
            {"required": ["name"], "properties": {"name": {"minLength": 1}}},
            {"required": ["generateName"], "properties": {"generateName": {"minLength": 1}}},
        ],
    }
    return {
        "description": "Limits what the objects of a namespace may use together.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": "The API version.", "const": "v1"},
            "kind": {"description": "The kind of this object.", "const": "ResourceQuota"},
            "metadata": metadata,
            "spec": spec,
            "status": record(
                "What the server enforces and has counted. The quota controller writes it.",
                {"hard": amounts("What is enforced"), "used": amounts("What is used now")},
                optional=True,
            ),
        },
        "required": ["apiVersion", "kind", "metadata"],
        "additionalProperties": False,
        "$defs": {"ScopeRequirement": requirement()},
    }


def limit_range():
    def list_of(what):
        return {
            "description": f"{what}, by resource: cpu, memory, ephemeral-storage, storage, or an extended one.",
            "type": ["object", "null"],
            "propertyNames": {"minLength": 1},
            "additionalProperties": {
                "description": "A quantity: 4, 500m, 10Gi, 1e3. Not negative.",
                "type": ["string", "number", "null"],
                "minimum": 0,
                "pattern": QUANTITY,
                "minLength": 1,
            },
        }

    item = record(
        "What holds for objects of one type.",
        {
            "type": {
                "description": "What is looked at: each container, each pod, each claim, or a type of somebody else's.",
                "anyOf": [{"enum": ["Container", "Pod", "PersistentVolumeClaim"]}, {"type": "string", "pattern": "/"}],
            },
            "max": list_of("The most that it may use"),
            "min": list_of("The least that it must use"),
            "default": list_of("The limit of a container that sets none. Absent: max"),
            "defaultRequest": list_of("The request of a container that sets none. Absent: default, else min"),
            "maxLimitRequestRatio": list_of("How many times its request a limit may be"),
        },
        required=["type"],
        **when({"type": "Pod"}, {"properties": {name: {"type": ["object", "null"], "maxProperties": 0} for name in ("default", "defaultRequest")}}),
    )
    return {
        "description": "Limits what one container, pod or claim of a namespace may use, and says what it uses by default.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": "The API version.", "const": "v1"},
            "kind": {"description": "The kind of this object.", "const": "LimitRange"},
            "metadata": resource_quota()["properties"]["metadata"],
            "spec": record("The limits.", {"limits": array("What holds for each type.", item)}, required=["limits"]),
        },
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "additionalProperties": False,
    }


def plugin_configuration():
    limited = record(
        "What may only be created in a namespace that has a quota for it.",
        {
            "apiGroup": text("The API group of the resource; empty for the core group."),
            "resource": text("The resource in the plural: pods, persistentvolumeclaims.", minLength=1),
            "matchContains": array(
                "A resource that the object uses and whose name contains one of these must be limited by a quota of the namespace.",
                {"type": "string"},
                optional=True,
            ),
            "matchScopes": array(
                "An object that fits one of these needs a quota with that scope, for any resource.",
                ref("ScopeRequirement"),
                optional=True,
            ),
        },
        required=["resource"],
    )
    old = {"enum": ["resourcequota.admission.k8s.io/v1beta1", "resourcequota.admission.k8s.io/v1alpha1"]}
    return {
        "description": "The configuration of the ResourceQuota admission plugin, for --admission-control-config-file.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": "The API version.", "enum": ["apiserver.config.k8s.io/v1", *old["enum"]]},
            "kind": {
                "description": "ResourceQuotaConfiguration; Configuration in the older versions.",
                "enum": ["ResourceQuotaConfiguration", "Configuration"],
            },
            "limitedResources": array("What needs a quota to be created at all.", limited, optional=True),
        },
        "required": ["apiVersion", "kind"],
        "additionalProperties": False,
        "if": {"properties": {"apiVersion": old}},
        "then": {"properties": {"kind": {"const": "Configuration"}}},
        "else": {"properties": {"kind": {"const": "ResourceQuotaConfiguration"}}},
        "$defs": {"ScopeRequirement": requirement()},
    }
