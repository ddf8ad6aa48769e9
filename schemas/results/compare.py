from parts import *

DEFS = {
    "range": record("a figure that the log does not decide: that of the report, and the least and the most", {
        "value": count(),
        "low": count(),
        "high": count(),
    }),
    "spread": record("the least and the most of all replays of the side", {"least": count(), "most": count()}),
}

SCHEMA = schema("apfctl compare -o json", record("What changes on the traffic of a log.", {
    "old": {
        "description": "The report of a replay under OLD, or the sum of several servers: see the schema replay.",
        "type": "object",
        "required": ["total", "levels"],
    },
    "new": array("The same of each NEW, with its name.", open_record({"name": text()})),
    "moved": array("Requests that get another FlowSchema or level.", record({
        "new": count("The number of the NEW, from 0."),
        "from": record({"flowSchema": text(), "priorityLevel": text()}),
        "to": record({"flowSchema": text(), "priorityLevel": text()}),
        "requests": count(),
        "flows": count("How many flows they are of."),
        "mostOf": maybe(text("The distinguisher of the flow with the most of them, under OLD.")),
    })),
    "changes": array("Numbers that differ; what got worse first.", record({
        "side": count("The number of the NEW, from 0."),
        "what": word("level | flowSchema | flow | userAgent"),
        "name": text("Of a flow its distinguisher; empty: all requests."),
        "metric": word("rejected | hungUp | meanWaitNs | p99WaitNs"),
        "old": one_of("requests, or nanoseconds", count(), ref("range")),
        "new": one_of("requests, or nanoseconds", count(), ref("range")),
        "oldRequests": count(),
        "newRequests": count(),
        "verdict": word("better | worse | same", "same: the difference may be chance."),
        "beyondChance": boolean(),
        "pairs": count("replays of both sides with the same jitter, phase and assumptions", least=1),
        "pairsAlike": count("pairs that show the verdict"),
        "protected": boolean("of the control plane, nodes or leader election"),
        "oldSpread": maybe(ref("spread")),
        "newSpread": maybe(ref("spread")),
    })),
    "spread": count("Further replays of each side."),
    "servers": maybe(array("Names, where there are several.", text(), least=1)),
}), DEFS)
