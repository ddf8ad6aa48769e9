from parts import *

WITH_TRAFFIC = {
    **FINDING,
    "traffic": maybe(or_null(record("with --log only: how many requests of the log it is about; null where it is not about requests", {
        "requests": count("that match what the finding is at, or are led to the priority level"),
        "taken": count("of these: taken by the FlowSchema, or led to the priority level"),
        "of": count("all requests of the log"),
    }))),
}

SCHEMA = schema("apfctl lint -o json", record(
    "What kube-apiserver would reject in a configuration, and what it would accept and its operator regret.",
    FINDINGS,
), {"finding": record(WITH_TRAFFIC)})
