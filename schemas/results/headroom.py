from parts import *

DEFS = {
    "figure": any_of(
        "a number, or the range that it lies in by all replays; null: not among what was tried",
        or_null(amount()),
        record({
            "value": or_null(amount()),
            "low": or_null(amount()),
            "high": or_null(amount()),
            "atMost": maybe(always(True, "low is the smallest that was tried: it may be less; absent: low was found")),
        }),
    ),
}

SCHEMA = schema("apfctl headroom -o json", record("How many times the load of a log a configuration bears.", {
    "levels": array(record({
        "priorityLevel": text(),
        "requests": count(),
        "waitsAt": maybe(ref(
            "figure",
            "The least multiple at which the p99 of the waits is above waitBoundNs; null: not up to the largest multiple.",
        )),
        "refusesAt": maybe(ref("figure", "The least multiple at which a request is refused; null: not up to the largest multiple.")),
        "fullAt": maybe(ref(
            "figure",
            "of slowness: the least multiple at which at least one request waits for half of the time or longer",
        )),
        "cliff": maybe(or_null(record(
            "of slowness: a step of less than a tenth that makes the refusals twice as many, the largest one; null: there is none",
            {"from": number(), "to": number(), "rejected": count(), "rejectedThen": count()},
        ))),
        "seatsForNoWaits": maybe(ref(
            "figure",
            "of seats: the least number with which the p99 of the waits is at most waitBoundNs; null: more than the largest that was "
            "tried. This, seatsForNoRefusals, priorityLevel and requests are all that a level has then.",
        )),
        "seatsForNoRefusals": maybe(ref(
            "figure",
            "of seats: the least number with which nothing is refused; null: more than the largest that was tried",
        )),
        "firstFlow": maybe(or_null(text("FlowSchema/flow that suffers most where the level begins to suffer."))),
        "nominalCL": maybe(count()),
        "maxCL": maybe(count("what the server's formula allows the level, with borrowing")),
        "mostSeats": maybe(count("the seats that it can have with borrowing: its own and all that the other levels lend, up to maxCL")),
        "bindingLimit": maybe(or_null(word(
            "nominalConcurrencyShares | serverConcurrencyLimit | borrowingLimitPercent | queueLengthLimit | queues",
            "The limit that, made larger alone, helps where the level begins to suffer; null: none alone does.",
        ))),
        "tried": maybe(array(record({
            "limit": word("nominalConcurrencyShares | serverConcurrencyLimit | borrowingLimitPercent | queueLengthLimit | queues"),
            "from": count(),
            "to": or_null(integer("null: no limit")),
            "helps": boolean(),
        }))),
    })),
    "points": array("The multiples that were tried, in order.", record({
        "multiple": maybe(number(exclusiveMinimum=0)),
        "seats": maybe(count("of seats, in place of multiple", least=1)),
        "levels": array(record({
            "priorityLevel": text(),
            "requests": count(),
            "rejected": said("Refused requests.", COUNT_OR_RANGE),
            "p99WaitNs": said("The 99th percentile of the waits.", COUNT_OR_RANGE),
        })),
    })),
    "clients": array("Whose load is multiplied; empty: that of all.", text()),
    "of": word("load | slowness | seats", "what is multiplied, or tried"),
    "least": number(),
    "most": number(),
    "waitBoundNs": count(),
    "serverConcurrencyLimit": count(),
    "kubernetesVersion": text(),
    "requests": count(),
    "replays": count(),
    "interrupted": boolean(),
    "assumptions": array(of("replay", "#remark")),
    "warnings": array(of("replay", "#remark")),
}), DEFS)
