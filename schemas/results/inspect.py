from parts import *

BUCKET = {"low": count("Above it, if it is not 0."), "high": or_null(count("Up to it; null: beyond the largest bucket."))}
STATES = "calm | close | waiting | saturated | refusing"
AT_THE_SCRAPE = record("When the scrape or dump was made.", {"requests": maybe(count()), "seats": maybe(count())})

WAIT = record({
    "requests": count(),
    "mean": count("Nanoseconds."),
    "p50": maybe(record("Nanoseconds.", BUCKET)),
    "p90": maybe(record("Nanoseconds.", BUCKET)),
    "p99": maybe(record("Nanoseconds.", BUCKET)),
})

SEATS = record({
    "requests": count(),
    "mean": number(),
    "p99": maybe(record("Seats.", BUCKET)),
    "widest": maybe(record("Seats.", BUCKET)),
})

SCHEMA = schema("apfctl inspect -o json", record("What is going on in a live server. What the input does not say is absent.", {
    "state": maybe(word(STATES, "The worst of the levels that are not exempt; absent where the input decides that of none.")),
    "verdict": array("Sentences, the headline first.", text()),
    "scrapes": maybe(text("Names of the files.")),
    "between": maybe(boolean("Counts are of the time between two scrapes; else since the server started.")),
    "kubernetesVersion": maybe(text()),
    "intervalNs": maybe(count("Between the scrapes, or since the start.")),
    "dumpTime": maybe(text("The latest time that the dumps name.")),
    "apfOn": maybe(boolean("Whether API Priority and Fairness is on; absent: the input does not say it.")),
    "inFlight": maybe(table("Requests at once in the last second, by kind.", count())),
    "refused": maybe(table(
        "Requests that the server refused (429), by kind, or all, where the scrape counts them outside of levels.",
        count(),
    )),
    "levels": array("By name.", record({
        "priorityLevel": text(),
        "state": maybe(word(
            STATES,
            "From the best to the worst; absent where the input does not decide it. Exempt levels are calm. waiting: requests wait "
            "although seats are free.",
        )),
        "exempt": boolean(),
        "quiescing": boolean("It is no longer in the configuration."),
        "nominalCL": maybe(count("Seats.")),
        "currentCL": maybe(count("Seats; before Kubernetes 1.26 the nominal limit.")),
        "minCL": maybe(count()),
        "maxCL": maybe(count()),
        "borrowed": maybe(integer("Current less nominal limit; negative: lent.")),
        "executing": maybe(AT_THE_SCRAPE),
        "waiting": maybe(AT_THE_SCRAPE),
        "utilization": maybe(number("Seats in use by the current limit.")),
        "demandMost": maybe(count("Seats in use and wanted, at most, in the last 10 s.")),
        "dispatched": maybe(count("Requests between the scrapes, or of all time.")),
        "rejected": maybe(count("Requests that were refused between the scrapes, or of all time.")),
        "dispatchedPerSecond": maybe(number()),
        "rejectedPerSecond": maybe(number()),
        "rejectedBy": maybe(table("Requests by reason.", count())),
        "notAccommodated": maybe(count("Times that a request was too wide for the seats left when its turn came.")),
        "waitNs": maybe(said("Waits in queues of requests that ran or timed out, by the histogram of the server.", WAIT)),
        "meanExecutionNs": maybe(count()),
        "seatsPerRequest": maybe(said("Seats a request, by the histogram of the server.", SEATS)),
        "drainNs": maybe(count(
            "Until all that waits is dispatched if nothing else comes: seats that wait, times the mean execution time, by the current "
            "limit.",
        )),
        "queues": maybe(count()),
        "activeQueues": maybe(count("Queues in which requests wait.")),
        "deepestQueue": maybe(record({"index": count(), "requests": count(), "seats": count()})),
        "flows": maybe(array("Of the most seats, held and waited for, first.", record({
            "flowSchema": text(),
            "flowDistinguisher": text(),
            "executing": maybe(record("Absent where the dump does not list requests that run (before 1.28).", {
                "requests": maybe(count()),
                "seats": maybe(count()),
            })),
            "waiting": record({"requests": maybe(count()), "seats": maybe(count())}),
            "longestWaitNs": maybe(integer("Of those that wait, until the dump.")),
            "hand": maybe(array("Queues that the flow may use, in the order dealt; absent where the hand size is not known.", count())),
            "queues": array("In which it has requests.", count()),
            "sharedQueues": count("Of the hand (else of queues), those in which other flows have requests."),
        }))),
        "overlaps": maybe(array("Pairs of flows whose hands have queues in common, most first; at most 20.", record({
            "flows": array(record({"flowSchema": text(), "flowDistinguisher": text()})),
            "queues": array(count()),
        }))),
    })),
    "flowSchemas": maybe(array("Of scrapes.", record({
        "flowSchema": text(),
        "priorityLevel": text(),
        "dispatched": maybe(count()),
        "rejected": maybe(count()),
        "executingSeats": maybe(count()),
        "waitingSeats": maybe(count()),
        "waitNs": maybe(said("Waits in queues of requests that ran or timed out, by the histogram of the server.", WAIT)),
        "seatsPerRequest": maybe(said("Seats a request, by the histogram of the server.", SEATS)),
    }))),
    "comparison": maybe(record("With -f: the limits of the server and of the configuration.", {
        "serverConcurrencyLimit": or_null(integer("Seats with which the limits were computed; null: limits are not compared.")),
        "found": boolean("The seats are by the server's limits."),
        "guessed": maybe(record("Several numbers of seats give the server's limits.", {"least": count(least=1), "most": count(least=1)})),
        "equal": boolean(),
        "differences": array(record({
            "priorityLevel": text(),
            "what": word("nominalCL | minCL | maxCL | queues | onlyInServer | onlyInConfiguration"),
            "server": maybe(count()),
            "configured": maybe(count()),
        })),
    })),
    "courses": maybe(array("levels over the samples of a time series database; absent: there are no several samples", record({
        "priorityLevel": text(),
        "firstNs": integer("the first sample"),
        "lastNs": integer("the last sample"),
        "mostWaiting": maybe(record({"timeNs": integer(), "requests": count()})),
        "rejected": maybe(array("requests refused from one sample to the next, where it refused any; absent: not known", record({
            "fromNs": integer(),
            "toNs": integer(),
            "requests": count(),
        }))),
        "restartedNs": maybe(integer("counters fell before this sample: the server started again")),
    }))),
    "absent": maybe(array("Metrics that the scrape lacks, so that what they count is not known.", text())),
    "missing": array("What the input does not say, and what would.", text()),
    "expectations": array(record({"met": boolean(), "message": text()})),
    "warnings": maybe(remarks(OF_RELEASE_AND_OBJECTS)),
}))
