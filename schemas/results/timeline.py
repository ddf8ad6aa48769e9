from parts import *

SCHEMA = schema("apfctl replay --timeline", record(
    "One line for each level and each digest of a configuration or adjustment of the limits.",
    {
        "server": maybe(text("where there are several")),
        "timeNs": integer(),
        "kind": word("config | borrow"),
        "priorityLevel": text(),
        "nominalCL": count(),
        "minCL": count(),
        "maxCL": count(),
        "currentCL": count(),
        "highWatermark": number(),
        "avg": or_null(number()),
        "stdev": or_null(number()),
        "smoothed": number(),
        "minCurrentCL": number(),
        "target": number(),
        "fairFrac": number("-1: not set in this step"),
    },
))
