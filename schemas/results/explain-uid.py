from parts import *

SCHEMA = schema("apfctl explain --uid -o json", record("The object that has a UID, one line for each.", {
    "uid": text(),
    "kind": word("FlowSchema | PriorityLevelConfiguration"),
    "name": text(),
    "matchingPrecedence": maybe(integer("Of a FlowSchema.")),
    "priorityLevel": maybe(text("Of a FlowSchema.")),
}))
