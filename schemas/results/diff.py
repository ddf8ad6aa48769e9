from parts import *

TOTALS = record({
    "name": text("As given."),
    "kubernetesVersion": text(),
    "serverConcurrencyLimit": count(),
    "shareSum": count(),
    "nominalSum": count(),
})

DEFS = {
    "level": record(LEVEL_LIMITS),
}

SCHEMA = schema("apfctl diff -o json", record("What changes from one configuration to another, without a log.", {
    "equal": or_null(boolean("Nothing differs in effect; null: not decided, as there was too much to look at.")),
    "regions": array("Requests that get another FlowSchema or level; what hurts most first.", record({
        "from": record("Where these requests go on the old side.", {"flowSchema": text(), "priorityLevel": text()}),
        "to": record("Where they go on the new side.", {"flowSchema": text(), "priorityLevel": text()}),
        "requests": text("Which requests, as a sentence."),
        "renamed": boolean("Only names differ: the same requests, a level of the same seats and queues."),
        "system": boolean("Requests of the cluster's own components, or from a level that protects them."),
        "witness": or_null(record(
            "One of the requests, as a trace line without its time; null if no real request is like this.",
            {
                "user": text(),
                "groups": array(text()),
                "verb": maybe(text()),
                "method": maybe(text()),
                "uri": maybe(text()),
                "requestInfo": maybe({"type": "object"}),
            },
        )),
        "commands": maybe(record("They show the request on both sides.", {"old": text(), "new": text()})),
    })),
    "limits": array("Levels whose seats, queues or widths differ.", record({
        "priorityLevel": text(),
        "old": or_null(ref("level", "The level on the old side; null where there is none.")),
        "new": or_null(ref("level", "The level on the new side; null where there is none.")),
    })),
    "flowSchemas": array("FlowSchemas that are not the same on both sides.", record({
        "flowSchema": text(),
        "change": word("added | removed | renamed | changed"),
        "newName": maybe(text()),
        "movesRequests": boolean(),
    })),
    "flows": array("FlowSchemas whose requests are divided into flows, or whose flows are dealt to queues, in another way.", record({
        "flowSchema": text(),
        "priorityLevel": text(),
        "change": word("distinguisher | hand"),
        "old": text(),
        "new": text(),
    })),
    "old": said("The old server.", TOTALS),
    "new": said("The new server.", TOTALS),
    "oneGroupEach": boolean(
        "true: there are very many groups, and each user is assumed to be in one of them alone, except where the FlowSchemas of two groups "
        "change places: a region may have users of further groups whose requests go elsewhere.",
    ),
    "complete": boolean("false: there was too much to look at, and regions may be missing."),
    "maintained": array(
        "objects of NEW that its server, of another release than that of OLD, changes by itself; the rest of the answer is about "
        "what it makes of them",
        record({
            "kind": word("FlowSchema | PriorityLevelConfiguration"),
            "name": text(),
            "action": word("restored | deleted | created"),
            "changes": text("of its spec; empty if they do not fit into a few words"),
            "managers": array("who else wrote its spec, by metadata.managedFields", text()),
        }),
    ),
    "warnings": maybe(remarks("about the releases, and seats that are assumed; absent if nothing")),
}), DEFS)
