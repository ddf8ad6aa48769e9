from parts import *

SCHEMA = schema("apfctl limits -o json", record("The seats of the priority levels of one server.", {
    "serverConcurrencyLimit": count(),
    "shareSum": count(),
    "nominalSum": count(),
    "levels": array(record({
        **LEVEL_LIMITS,
        "reachableCL": maybe(count("what the level gets when all others lend what they may, at most maxCL; absent: it is exempt")),
    })),
    "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS.replace("; absent", ", and that seats are assumed; absent"))),
}))
