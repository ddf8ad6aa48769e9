from parts import *

DEFS = {
    "remark": {
        "description": "a remark of one or more of the systems",
        "$ref": "urn:apfctl:schema:replay#/$defs/remarkMembers",
        "properties": {
            "systems": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "of which systems; absent: of all"},
        },
        "unevaluatedProperties": False,
    },
}

SCHEMA = schema("apfctl replay --systems -o json", record("Systems that limit requests, each alone before the same log.", {
    "logs": array(text()),
    "requests": count(),
    "firstArrivalNs": or_null(integer()),
    "lastArrivalNs": or_null(integer()),
    "systems": array("each alone before the same log, in the order of --systems", record({
        "name": word("max-in-flight | client-limit | event-rate-limit | apf"),
        **members_of("replay", "stages[]", "seen bypassed passed delayed delay refused reasons requesters delayedMost refusedMost"),
    })),
    "assumptions": array(ref("remark")),
    "warnings": array(ref("remark")),
}), DEFS)
