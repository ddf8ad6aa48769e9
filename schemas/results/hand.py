from parts import *

SCHEMA = schema("apfctl hand -o json", one_of(
    "One line: the hand of a flow, the odds of a collision, or the fault of a line of --batch.",
    record(
        {
            "flowSchema": maybe(text()),
            "flowDistinguisher": maybe(text()),
            "hash": HASH,
            "queues": count(least=1),
            "handSize": count(least=1),
            "hand": array("queue numbers in the order dealt", count()),
            "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS)),
        },
        dependentRequired={"flowSchema": ["flowDistinguisher"], "flowDistinguisher": ["flowSchema"]},
    ),
    record({
        "queues": count(least=1),
        "handSize": count(least=1),
        "collision": array(record({"elephants": count(least=1), "probability": number(least=0, most=1)})),
        "details": array(record({
            "elephants": count(least=1),
            "queuesTaken": amount("distinct queues that the heavy flows have: the mean"),
            "free": array("by how many queues of a small flow's hand no heavy flow has, from 0 on: the probability", number(
                least=0,
                most=1,
            )),
        })),
        "onePercentAt": maybe(count("with how many heavy flows the probability reaches 1 %; absent for more than 4096 queues", least=1)),
        "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS)),
    }),
    record({"error": text(minLength=1)}),
    record("--log", {
        "priorityLevel": text(),
        "queues": count(),
        "handSize": count(),
        "flows": array(record({
            "flowSchema": text(),
            "flowDistinguisher": text(),
            "hash": text(pattern="^[0-9]{1,20}$"),
            "requests": count(),
            "hand": array(count()),
            "sharesWith": count("other flows with which it has queues in common"),
            "ownQueues": count("queues that no other flow has"),
            "closest": or_null(record("the flow with which it has most queues in common", {
                "flowSchema": text(),
                "flowDistinguisher": text(),
                "queues": count(),
            })),
        })),
        "covered": number("the probability that a further flow finds all its queues among those of these flows", least=0, most=1),
        "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS)),
    }),
))
