from parts import *

SCHEMA = schema("apfctl explain -o json", one_of(
    "One request explained, or why it cannot be read; with --requests one such object a line.",
    record({
        "requestInfo": record(REQUEST_INFO),
        "user": record({"name": text(), "groups": array(text())}),
        "flowSchema": text(),
        "priorityLevel": text(),
        "flowSchemaUID": maybe(text("As the header X-Kubernetes-PF-FlowSchema-UID has it; absent where the configuration has none.")),
        "priorityLevelUID": maybe(text("As the header X-Kubernetes-PF-PriorityLevel-UID has it; absent where the configuration has none.")),
        "notLimited": maybe(always("long-running", "Why API Priority and Fairness does not limit the request at all; absent if it does.")),
        "exempt": boolean(),
        "fallback": boolean("nothing matched; catch-all was taken regardless"),
        "flowDistinguisher": text(),
        "flowDistinguisherFrom": maybe(text("how a pattern of the KEP's dialect came by it; absent without one")),
        "hash": text("0 where the level has no flows", pattern="^[0-9]{1,20}$"),
        "hand": array(count()),
        "seats": record({
            "initial": count(least=1),
            "final": count(),
            "additionalLatencyNs": count(),
            "maxSeats": count("the widest one request of the level can be; 0 = the release's cap alone"),
            "wanted": maybe(count(
                "seats that the request would take if neither its level nor the server capped it; absent if it takes what it would",
                least=1,
            )),
            "estimated": maybe(always(
                False,
                "the release lets exempt requests in without an estimate, and counts none of their seats (before 1.28)",
            )),
        }),
        "trace": array(record({
            "flowSchema": text(),
            "matchingPrecedence": integer(),
            "matches": boolean(),
            "because": text(),
            "field": maybe(text("path within the FlowSchema that decided")),
        })),
        "notes": maybe(remarks("what was guessed or ignored, and what is unknown; absent if nothing")),
        "audit": maybe(record("with --audit-policy: what the server records of the request", {
            "level": word("None | Metadata | Request | RequestResponse"),
            "rule": or_null(count("index of the rule that matches first")),
            "omitStages": array(word("RequestReceived | ResponseStarted | ResponseComplete | Panic")),
        })),
        "assumptions": maybe(array("Values that were assumed or given in short form.", record({
            "kind": word("user-not-named | administrator | name-missing | built-in-objects"),
            "message": text(),
            "hint": maybe(text("what to do about it")),
        }), least=1)),
        "server": record("The server that the answer holds for.", {
            "configuration": text(),
            "files": array(text()),
            "kubernetesVersion": text(),
            "serverConcurrencyLimit": count(least=1),
            "seats": text("their number, and where it is from"),
        }),
    }),
    record({"error": text(minLength=1)}),
))
