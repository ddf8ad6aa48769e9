from parts import *

OUTCOME = record({
    "serverConcurrencyLimit": count(),
    "levels": array(record({
        "priorityLevel": text(),
        "requests": count(),
        "nominalCL": count(),
        "rejected": COUNT_OR_RANGE,
        "p99WaitNs": COUNT_OR_RANGE,
    })),
})

DEFS = {
    "figure": COUNT_OR_RANGE,
    "change": record({
        "field": word(
            "nominalConcurrencyShares | borrowingLimitPercent | lendablePercent | queueLengthLimit | queues | handSize | level | "
            "serverConcurrencyLimit",
        ),
        "priorityLevel": or_null(text("null: the server's seats")),
        "from": maybe(or_null(integer("null: the field was not set"))),
        "to": maybe(or_null(integer("null: the field goes"))),
        "shares": maybe(count("of a new level")),
        "user": maybe(text("whose requests go to the new level")),
        "matchingPrecedence": maybe(or_null(integer("of its new FlowSchema; null: those of flowSchemas have all its requests"))),
        "flowSchemas": maybe(array("FlowSchemas of the files that lead to the new level from now on", text())),
    }),
}

SCHEMA = schema("apfctl suggest -o json", record("The smallest change of a configuration that meets goals on a log.", {
    "goalsMet": boolean("false as well where the log does not decide it: exit code 2"),
    "metBefore": boolean("no change is needed; false where the log does not decide it"),
    "harms": boolean("the change refuses protected clients that are served now"),
    "goals": array(record({
        "goal": text(),
        "before": text("the result without changes"),
        "after": or_null(text("the result with the changes; null: none meets the goals")),
    })),
    "change": array(ref("change")),
    "cost": amount(
        "how large the change is: 1 a field, and 1 more for each doubling, halving or 50 points of a percentage; 2 a limit that goes; 4 "
        "a level; three times as much as a field for the server's seats",
    ),
    "yaml": text("changed and new objects, whole, with the arithmetic as comments"),
    "before": OUTCOME,
    "after": OUTCOME,
    "losers": array(
        "clients that are worse off in any of the replays, in the order of harm; moreRefused and longerWaits: beyond chance",
        record({
            "flow": text(),
            "protected": boolean(),
            "moreRefused": boolean(),
            "longerWaits": boolean(),
            "rejectedBefore": ref("figure"),
            "rejectedAfter": ref("figure"),
            "p99WaitBeforeNs": ref("figure"),
            "p99WaitAfterNs": ref("figure"),
        }),
    ),
    "rejected": array("what else was tried, those that come nearest first", record({
        "change": array(ref("change")),
        "cost": amount(),
        "why": text(),
    })),
    "seatsNeeded": or_null(integer("goals not met: the fewest seats with which a change meets them; null: none was found")),
    "proof": or_null(record("why there is no such configuration", {
        "with": array("changes besides seatsNeeded with which the goals are met", ref("change")),
        "goal": text("missed with one seat less"),
        "found": text(),
        "counting": or_null(record("a stretch of time whose requests need this number of seats under any configuration", {
            "subject": text(),
            "fromNs": integer(),
            "toNs": integer(),
            "requests": count(),
            "seatSeconds": amount(),
            "seats": count(),
        })),
    })),
    "tried": count("replays"),
    "configurations": count("that were replayed"),
    "interrupted": boolean(),
    "outOfBudget": boolean(),
    "assumptions": array(of("replay", "#remark")),
    "warnings": array(of("replay", "#remark")),
}), DEFS)
