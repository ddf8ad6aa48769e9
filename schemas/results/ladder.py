from parts import *

SCHEMA = schema("apfctl ladder -o json", record("The order in which FlowSchemas are asked, and places on it.", {
    "steps": array(record({
        "matchingPrecedence": integer(),
        "flowSchema": text(),
        "priorityLevel": text(),
        "who": text("Whose requests it is for, in words."),
        "tied": boolean("The one before it has the same number: names decide."),
        "reached": boolean("It takes some request."),
        "freeAfter": or_null(record("Free numbers before the next one.", {"first": integer(), "last": integer()})),
    })),
    "places": array("Of the request, and of --place.", record({
        "flowSchema": text(),
        "withoutHarm": or_null(record("Numbers with which it takes requests from general FlowSchemas alone.", {
            "first": integer(),
            "last": integer(),
        })),
        "forAllRequests": or_null(record("Numbers with which it gets all its requests.", {"first": integer(), "last": integer()})),
        "losses": array(record({
            "matchingPrecedence": integer(),
            "flowSchema": text(),
            "priorityLevel": text(),
            "general": boolean("It is there for what no other takes."),
            "requests": array(text()),
            "command": maybe(text()),
        })),
    })),
    "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS)),
}))
