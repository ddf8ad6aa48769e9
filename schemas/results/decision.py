from parts import *

PLACE = "flowSchema priorityLevel flowDistinguisher queue"

SCHEMA = schema("apfctl replay --decisions", record(
    "One line for each request, in order of arrival.",
    {
        "server": maybe(text("where there are several")),
        "seq": maybe(count(
            "position among the requests of the input, in the order in which it has them; lines out of order are put in order first",
        )),
        "filled": maybe(always(True, "with --fill: the request is not in the log and has no seq")),
        "id": maybe(text("audit ID, or the trace line's id")),
        "copy": maybe(count("with --scale or --nodes: which copy of the request with this seq it is", least=1)),
        "attempt": maybe(count("of a client that was refused and came back", least=1, most=10)),
        "beyondLog": maybe(always(True, "a retry after the last arrival of the log: it is in no figure of the report")),
        "repeated": maybe(always(True, "sent once more than in the log, by a client that was answered sooner: see --client-model")),
        "arrivalNs": integer("at the server"),
        "delayNs": maybe(count("by how much the client's limiter held it back", least=1)),
        "flowSchema": maybe(text()),
        "priorityLevel": maybe(text()),
        "flowDistinguisher": maybe(text()),
        "queue": maybe(or_null(count())),
        "seats": maybe(record({
            "initial": count(),
            "final": count(),
            "additionalLatencyNs": count(),
            "wanted": maybe(count(
                "seats that the request would take if neither its level nor the server capped it; absent if it takes what it would",
                least=1,
            )),
        })),
        "outcome": word("executed | rejected | bypassed | delayed", "delayed: executed, but held back by its client's limiter before"),
        "stage": word(
            "apf | max-in-flight | event-rate-limit | resource-quota",
            "that refused it; else the one in which it may have waited",
        ),
        "reason": maybe(text()),
        "message": maybe(text("what the server says, where admission refuses (stage event-rate-limit or resource-quota)")),
        "waitNs": maybe(count()),
        "dispatchNs": maybe(integer()),
        "finishNs": maybe(integer()),
        "releaseNs": maybe(integer()),
        "retryAfter": maybe(count("seconds; not where admission refuses")),
        "user": maybe(text("the user, as the log has it; with --decisions-fields")),
        "verb": maybe(text("the verb, as the log has it; of an HTTP log, the method; with --decisions-fields")),
        "uri": maybe(text("the URI; with --decisions-fields")),
        "agent": maybe(text("the user agent; with --decisions-fields")),
    },
    allOf=[
        when({"outcome": "executed | delayed"}, needs=f"{PLACE} seats waitNs dispatchNs finishNs releaseNs"),
        when({"outcome": "rejected"}, needs=f"{PLACE} seats reason waitNs"),
        when({"outcome": "bypassed"}, needs="reason"),
        when({"outcome": "delayed"}, needs="delayNs"),
        when({"outcome": "rejected", "stage": "apf | max-in-flight"}, needs="retryAfter", never="dispatchNs"),
        when(
            {"outcome": "rejected", "stage": "event-rate-limit | resource-quota"},
            needs="message dispatchNs finishNs releaseNs",
            never="retryAfter",
        ),
    ],
    oneOf=[{"required": ["seq"]}, {"required": ["filled"]}],
))
