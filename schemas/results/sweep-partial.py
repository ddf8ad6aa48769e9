from parts import *

WAIT = record({
    "count": count(),
    "zeros": count("waits of 0"),
    "maxNs": count(),
    "sumSeconds": text(pattern="^[0-9]+$"),
    "sumNanos": text(pattern="^[0-9]+$"),
    "buckets": array("pairs of a place and the waits there. Place 64 * i + j: from 2^i * (1 + j / 64) ns up to the next.", count()),
})

OUTCOMES = table(count(least=1), propertyNames=word(
    "executed | queueFull | concurrencyLimit | timeOut | maxInFlight | eventRateLimit | resourceQuota | quotaConflict | gaveUp | cancelled"
))

TOO_WIDE = record({"requests": count(least=1), "seatsWanted": count(), "seatsAllowed": count(), "widest": count()})

SCHEMA = schema("Partial results of apfctl sweep --partial", any_of(
    "A line of task-K-of-N.json; see apfctl-sweep(1).",
    record("The first line.", {
        "partial": always("apfctl-sweep"),
        "format": always(4),
        "apfctl": text("the version that wrote it"),
        "plan": text("SHA-256 of the plan, the configurations and all other files that it names but the logs", pattern="^[0-9a-f]{64}$"),
        "task": count(least=1),
        "of": count(least=1),
        "logs": count(least=1),
        "combinations": array(record({
            "configuration": text(),
            "flags": text(),
            "load": maybe(text("how the flags scale the load, in words; absent: they do not")),
            "sizesOf": maybe(text("the set of flags of the plan that asks for servers of several sizes; absent: it is none of them")),
            "seats": maybe(count("with sizesOf", least=1)),
        }), least=1),
        "seeds": array(count(), least=1),
    }),
    record("One line for each replay.", {
        "replay": count("its number in the plan: by log, configuration, flags, seed"),
        "log": record({
            "name": text(),
            "bytes": count(),
            "requests": count(),
            "unusable": count("lines"),
            "digest": text(
                "64 bits of its lines: tasks with different ones have replayed different contents of the log",
                pattern="^[0-9a-f]{16}$",
            ),
            "warnings": maybe(array("it is damaged, cut off or empty, or has events that are there twice; absent: none of it", record({
                "kind": word(
                    "log-damaged | log-empty | duplicate-events | no-request-ends | only-refusals | one-user | one-verb | only-slow | "
                    "reads-missing",
                ),
                "count": maybe(count("of duplicate-events", least=1)),
                "name": maybe(text()),
                "detail": maybe(text()),
                "durationNs": maybe(count()),
            }), least=1)),
        }),
        "results": array(
            "two where the log does not record how long requests waited: the second with recorded ends; or where it leaves open "
            "whether clients wait for answers: the second with clients that do not",
            record({
                "total": record({
                    "requests": count(),
                    "queued": count("could not start at once"),
                    "outcomes": said("requests by what became of them; 0 is left out", OUTCOMES),
                    "seatSeconds": amount(),
                    "tooWide": maybe(TOO_WIDE),
                    "wait": WAIT,
                }),
                "levels": array(record({
                    "name": text(),
                    "exempt": boolean(),
                    "requests": count(),
                    "queued": count("could not start at once"),
                    "outcomes": said("requests by what became of them; 0 is left out", OUTCOMES),
                    "seatSeconds": amount(),
                    "tooWide": maybe(TOO_WIDE),
                    "wait": WAIT,
                })),
                "stages": maybe(array(
                    "of the admission pipeline, in order; absent where there are none but apf or max-in-flight",
                    record({
                        "name": word(ADMISSION_STAGES),
                        "bypassed": count(),
                        "passed": count(),
                        "delayed": count("of those that passed"),
                        "delay": said("of the delayed; as wait", WAIT),
                        "refused": count(),
                        "reasons": table(count()),
                    }),
                    least=1,
                )),
                "undecidable": maybe(record("how often the log lacks values that a limit or a quota checks; absent: never", {
                    "eventRateLimit": count(),
                    "resourceQuota": count(),
                })),
                "listBytes": maybe(record("with width-bytes; absent: without", {
                    "lists": count(),
                    "bytesUnknown": count("lists of which nothing says what they return"),
                })),
                "retries": maybe(record("clients refused here that came back, as in replay; absent: none", {
                    "attempts": count(),
                    "gaveUp": count(),
                    "beyondLog": count(),
                    "dropped": count(),
                })),
            }),
            least=1,
            most=2,
        ),
        "clientsOpen": maybe(always(True, "the second result is for whether clients wait for answers")),
        "unused": maybe(array("entries of the flags that match no client of the log; absent: there are none", record({
            "kind": word("client-model-unused | client-timeout-unused | client-limit-unused | scale-unused"),
            "name": text(),
            "detail": maybe(text()),
            "durationNs": maybe(count()),
        }), least=1)),
        "agreesWithLog": maybe(boolean("something was compared with the log, and the log does not contradict it")),
        "contradiction": maybe(array("why the log contradicts the replay without jitter; absent: it does not", record({
            "kind": word("log-contradicts-replay | log-contradicts-recorded | seats-while-refusing"),
            "name": maybe(text()),
            "detail": maybe(text()),
            "durationNs": maybe(count()),
            "count": maybe(count()),
            "total": maybe(count()),
            "other": maybe(count()),
            "timeNs": maybe(count()),
        }), least=1)),
    }),
    record("The last line.", {"sha256": text("of all lines before this one, each with its newline", pattern="^[0-9a-f]{64}$")}),
))
