from parts import *

REJECTED = record({
    "total": ranged(count()),
    "queueFull": ranged(count()),
    "concurrencyLimit": ranged(count()),
    "timeOut": ranged(count()),
    "maxInFlight": maybe(ranged(count("with apf: false"))),
    "eventRateLimit": maybe(ranged(count("with event-rate-limit"))),
    "resourceQuota": maybe(ranged(count("with quota"))),
    "gaveUp": maybe(ranged(count("clients that hung up while they waited; with client-timeout"))),
    "cancelled": maybe(ranged(count("requests whose deadline passed while they waited; of releases up to 1.28.4"))),
})

FIGURES = figures(REJECTED)

DEFS = {
    "range": RANGE,
    "tooWide": TOO_WIDE,
    "level": record({
        "name": text(),
        "exempt": boolean(),
        **FIGURES,
    }),
    "result": record(
        "One configuration with one set of flags. Figures that differ between seeds, or that logs leave open, are ranges.",
        {
            "configuration": text(),
            "flags": text(),
            "sizesOf": maybe(text(
                "the set of flags of the plan that asks for servers of several sizes (seats-from); absent: it is none of them",
            )),
            "seats": maybe(count("with sizesOf", least=1)),
            **FIGURES,
            "stages": maybe(array("of the admission pipeline, in order; absent where there are none but apf or max-in-flight", record({
                "name": word(ADMISSION_STAGES),
                "seen": ranged(count()),
                "bypassed": ranged(count("not subject to it")),
                "passed": ranged(count()),
                "delayed": ranged(count("of those that passed")),
                "delay": record("of the delayed", QUANTILES),
                "refused": ranged(count()),
                "reasons": table(ranged(count())),
                "undecidable": maybe(ranged(count(
                    "how often the log lacks values that a limit or a quota checks; of event-rate-limit and resource-quota",
                ))),
            }), least=1)),
            "listBytes": maybe(record("with width-bytes; absent: without", {
                "lists": ranged(count()),
                "bytesUnknown": ranged(count("lists of which nothing says what they return: they take what the release estimates")),
            })),
            "retries": maybe(record("clients refused here that came back; absent: none", {
                "attempts": ranged(count()),
                "gaveUp": ranged(count()),
                "beyondLog": ranged(count("of the attempts, those after the last arrival of the log: they are in no other figure")),
                "dropped": ranged(count(
                    "retries in the log that are left out, because clients retry what the replay refuses; with recorded",
                )),
            })),
            "levels": array(ref("level")),
        },
    ),
}

SCHEMA = schema("apfctl sweep -o json, apfctl sweep --merge -o json", record(
    "The results of many logs under many configurations.",
    {
        "logs": array("in the order of the plan; logs of which no replay is there are left out", record({
            "name": text(),
            "complete": boolean("all of its replays are there"),
            "bytes": count(),
            "requests": count("in the log"),
            "unusableLines": count(),
            "undecided": boolean("the log does not record how long requests waited: figures are ranges"),
            "results": array(ref("result")),
            "clientsOpen": maybe(always(
                True,
                "the log leaves it open whether clients wait for answers: figures are ranges; absent: it does not",
            )),
            "warnings": maybe(remarks("the log is damaged, cut off or empty, or has events that are there twice; absent: none of it")),
        })),
        "seeds": array(count(), least=1),
        "replays": count("of the plan"),
        "replayed": count("of these, that are there"),
        "complete": boolean("all replays are there; false: see missing"),
        "completeLogs": count("what the following figures are of"),
        "bytes": count(),
        "requests": count("in these logs"),
        "unusableLines": count(),
        "undecidedLogs": count(),
        "results": array(ref("result")),
        "missing": array("tasks without a result", record({
            "task": or_null(count("null: not known, or another file has it", least=1)),
            "of": count(least=1),
            "file": or_null(text("null: there is none")),
            "because": text(),
            "firstReplay": count("its number in the plan: by log, configuration, flags, seed"),
            "replays": count(),
        })),
        "interrupted": boolean(),
        "clientsOpenLogs": maybe(count("logs with clientsOpen; absent: none", least=1)),
        "warnings": array(
            "of complete logs: those that are damaged, cut off or empty, or have events that are there twice; and entries of flags "
            "that match no client; apfctl-remarks(7) lists the kinds",
            any_of(
                {
                    "$ref": "urn:apfctl:schema:replay#/$defs/remarkMembers",
                    "properties": {"log": {"type": "string", "description": "its name in the plan"}},
                    "required": ["log"],
                    "unevaluatedProperties": False,
                },
                {
                    "$ref": "urn:apfctl:schema:replay#/$defs/remarkMembers",
                    "properties": {"flags": {"type": "string", "description": "the set of flags whose entry matches no client of any log"}},
                    "required": ["flags"],
                    "unevaluatedProperties": False,
                },
            ),
        ),
        "logsWithoutRequests": array("names of complete logs", text()),
    },
), DEFS)
