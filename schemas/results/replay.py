from parts import *

REJECTED = record({
    "total": ranged(count()),
    "queueFull": ranged(count()),
    "concurrencyLimit": ranged(count()),
    "timeOut": ranged(count()),
    "maxInFlight": maybe(ranged(count("with --apf=off"))),
    "eventRateLimit": maybe(ranged(count("with --event-rate-limit"))),
    "resourceQuota": maybe(ranged(count("with --quota"))),
    "quotaConflict": maybe(ranged(count("updates of a quota's status that failed at last, or took too long; with --quota-conflicts"))),
    "gaveUp": maybe(ranged(count("clients that hung up while they waited; with --client-timeout"))),
    "cancelled": maybe(ranged(count("requests whose deadline passed while they waited; of releases up to 1.28.4"))),
})

FIGURES = figures(REJECTED)

FLOW = {
    "flowSchema": text(),
    "priorityLevel": text(),
    "flowDistinguisher": text(),
    "hash": HASH,
}
FLOWS = array(record({**FLOW, **FIGURES}))

MOST = array(record({
    "user": text(),
    "userAgent": maybe(text("where clients differ by it")),
    "requests": count(),
    "delayed": ranged(count()),
    "delaySumNs": ranged(count()),
    "delayMaxNs": ranged(count()),
    "refused": ranged(count()),
}))

IN_FLIGHT = record({
    "limit": count("0: none"),
    "requests": count(),
    "refused": count(),
    "uncounted": count("of system:masters, served beyond the limit"),
    "peak": count(),
    "avg": amount("over time"),
    "lastSecondPeak": count(),
})

FIGURE_OF_WHY = record("in the replay, and the least and the most of further ones that differ by chance", {
    "value": count(),
    "low": count(),
    "high": count(),
})

BY_OF_WHY = word("user | userAgent | fleet | group | namespace | flowSchema | request | answer")

WHY = record(
    "Why requests were refused or waited: what the replay does without each suspect, and with each cure.",
    {
        "verdict": word(
            "client | fleet | configuration | overload | server | watches | herd | client-limiter | max-in-flight | none | undecided"
        ),
        "basis": word("replay | log", "tried, or read"),
        "open": maybe(text("undecided: why; with verdict server: when it was slow again")),
        "beginNs": maybe(integer("of the part of a long log that was replayed; with verdict server of the slow time")),
        "endNs": maybe(integer()),
        "slower": maybe(amount("with verdict server: how many times as long executions took")),
        "refused": count("in the replay of the log as it is"),
        "waitNs": count("the sum of all waits there"),
        "culprits": array("In order of effect.", record({
            "by": BY_OF_WHY,
            "name": text("whole; of several users with * at its end"),
            "requests": count(),
            "seatSeconds": amount(),
            "does": text("in words"),
            "refusedWithout": FIGURE_OF_WHY,
            "waitNsWithout": count(),
        })),
        "victims": array("The server's own clients first, then those of which most was refused.", record({
            "by": BY_OF_WHY,
            "name": text(),
            "refused": count(),
            "waitNs": count(),
        })),
        "cures": array("The smallest change first; each was replayed.", record({
            "kind": word("client | level | flowSchema | server"),
            "object": text(),
            "field": text(),
            "from": text(),
            "to": text(),
            "yaml": text("the object with the change; empty: it is not one of the configuration"),
            "refusedWith": FIGURE_OF_WHY,
            "othersRefused": maybe(count("of these, of other clients than the first culprit")),
            "worse": array("Levels that refuse more than before.", text()),
        })),
        "changes": array("What rose in the log for some minutes, the largest share first; empty of replay.", record({
            "by": BY_OF_WHY,
            "name": text("whole; of an answer its code"),
            "request": text("VERB RESOURCE, if it was these; empty: all"),
            "of": word("requests | seconds", "seconds: of the server, that they took"),
            "beginNs": integer(),
            "endNs": integer(),
            "before": amount("a minute, at other times"),
            "then": amount("a minute, from beginNs to endNs"),
            "share": amount("what there was more, of all requests or seconds of that time"),
        })),
    },
)

OF_POLICY = record({"requests": text("a sentence"), "rule": or_null(count("of the policy; null: none matches"))})

FATES = record({"served": ranged(count()), "refusedAtOnce": ranged(count()), "refusedAfterWait": ranged(count())})


def own_values():
    """Values for which a kind of remarks has a name of its own."""
    kinds = {}
    for row in remark_rows():
        for value in row.values:
            if value.own:
                kinds.setdefault((value.key, value.what, value.member in ("name", "detail")), []).append(row.name)
    what = {key: (f"of {' and '.join(names)}: {what}", is_text) for (key, what, is_text), names in kinds.items()}
    return {key: maybe(text(what) if is_text else count(what)) for key, (what, is_text) in what.items()}


DEFS = {
    "why": WHY,
    "remark": {"$ref": "#/$defs/remarkMembers", "unevaluatedProperties": False},
    "remarkMembers": open_record(
        "what a result assumes, warns of or remarks; apfctl-remarks(7) lists the kinds and which values each has",
        {
            "kind": text("stable name", enum=[row.name for row in remark_rows()]),
            "message": text("the sentence of the text output; its wording may change"),
            "hint": maybe(text("the flag that helps")),
            "count": maybe(count()),
            "total": maybe(count("of how many")),
            "other": maybe(count("a second number: the kind says of what")),
            "timeNs": maybe(integer()),
            "durationNs": maybe(integer()),
            "name": maybe(text("of a log or a resource")),
            "detail": maybe(text("a second text: the kind says what")),
            **own_values(),
        },
    ),
    "range": RANGE,
    "coverage": record("which part of the dispatched requests is in the log; with --server-metrics", {
        "percent": number(least=0, most=100),
        "flowSchemas": array("by level and name", record({
            "flowSchema": text(),
            "priorityLevel": text(),
            "dispatched": count("by the server's counters"),
            "inLog": count("requests that the server did not refuse"),
            "percent": number(least=0, most=100),
            "rejected": count("by the server's counters"),
            "rejectedInLog": count(),
            "meanExecutionNs": maybe(count("by the server's counters")),
            "meanExecutionInLogNs": maybe(count("of requests whose execution the log shows")),
            "meanWaitNs": maybe(count("by the server's counters, of requests that ran or timed out")),
        })),
    }),
    "auditPolicy": record("what the audit policy never records; with --audit-policy", {
        "flowSchemas": array("in matching order", record({
            "flowSchema": text(),
            "priorityLevel": text(),
            "recorded": word("all | part | nothing"),
            "never": maybe(array("requests that are not recorded; where a part is", OF_POLICY)),
            "still": maybe(array("requests that are recorded; the same", OF_POLICY)),
            "withoutEnd": maybe(array("recorded without ResponseComplete", OF_POLICY)),
            "watchesWithoutStart": maybe(boolean("watches that are open at the log's end are missing")),
        })),
    }),
    "tooWide": TOO_WIDE,
}

SCHEMA = schema("apfctl replay -o json", record("The report of a replay.", {
    "name": maybe(text("of the server, where there are several")),
    "input": record({
        "logs": array(text()),
        "bytes": count(),
        "lines": count(),
        "events": count(),
        "requests": count(),
        "otherLines": maybe(count("of the server's own log, which tell of no request; absent: none", least=1)),
        "unusable": table("lines by reason", count(least=1)),
        "badLines": maybe(BAD_LINES),
        "leftOut": table("requests by reason", count(least=1)),
        "outOfWindow": count(),
        "firstArrivalNs": or_null(integer()),
        "lastArrivalNs": or_null(integer()),
        "interrupted": boolean(),
    }),
    "server": record({"kubernetesVersion": text(), "serverConcurrencyLimit": count()}),
    "executionScale": maybe(array("how many times as long as in the log requests run", record({
        "what": or_null(text("a user, a priority level or a resource; null: all")),
        "factor": number(),
    }))),
    "listWidths": maybe(record("with --width-cap or --width-bytes: what became of lists; watches are not in it", {
        "cap": maybe(count("most seats of a list; absent: as the release has it", least=1)),
        "cut": maybe(count("lists that the release itself would allow more seats")),
        "bytesOfASeat": maybe(count("absent: lists take what the release estimates", least=1)),
        "byBytes": maybe(count("lists that take seats by what they return")),
        "bytesUnknown": maybe(count("lists of which nothing says what they return: they take what the release estimates")),
        "lists": count(),
    })),
    "scale": maybe(record("with --scale or --nodes: more or less load than the log holds", {
        "factors": array(record({
            "user": or_null(text("the name of the clients' user, or with * how it begins; null: all others")),
            "factor": amount(),
            "moreClients": boolean("copies belong to users of their own"),
        })),
        "copied": count("requests that are copies of those of the log"),
        "thinned": count("requests of the log that were left out"),
    })),
    "total": record(FIGURES),
    "stages": array("of the admission pipeline, in the order in which requests pass them", record({
        "name": word(ADMISSION_STAGES),
        "seen": ranged(count()),
        "bypassed": ranged(count("not subject to it")),
        "passed": ranged(count()),
        "delayed": ranged(count("of those that passed")),
        "delay": record("of the delayed", QUANTILES),
        "refused": ranged(count()),
        "reasons": table(ranged(count())),
        "requesters": count("users, or clients"),
        "delayedMost": MOST,
        "refusedMost": MOST,
    })),
    "eventRateLimit": maybe(record("with --event-rate-limit; limits in the configuration's order", {
        "limits": array(record({
            "type": word("Server | Namespace | User | SourceAndObject"),
            "qps": count(least=1),
            "burst": count(least=1),
            "cacheSize": count("buckets that are kept; 0: there is one"),
            "asked": ranged(count()),
            "refused": ranged(count()),
            "undecidable": ranged(count("events whose key the log does not tell: not asked")),
            "buckets": ranged(count("that there were at most at once")),
            "evicted": ranged(count("buckets that had to go")),
        })),
        "eventSender": maybe(record("with --event-sender", {
            "sender": word("abandon | retry"),
            "pauseNs": count(least=1),
            "abandoned": ranged(count("events that were not sent")),
            "resent": ranged(count("attempts after the first")),
            "givenUp": ranged(count("events that are sent no more")),
        })),
        "turnedAway": ranged(count("events that, by the log, something before this plugin refused")),
        "refusedInBoth": ranged(count("here and by the log's own EventRateLimit")),
        "refusedOnlyInLog": ranged(count()),
        "refusedOnlyInReplay": ranged(count()),
    })),
    "resourceQuota": maybe(record("with --quota", {
        "quotas": array("by namespace and name; empty in the sum of several servers", record({
            "name": text(),
            "conflicts": maybe(ranged(count("with --quota-conflicts: updates of its status that failed"))),
            "namespace": text(),
            "start": word("status | zero"),
            "refused": ranged(count()),
            "resources": array(record({"resource": text(), "start": text(), "used": text("at the end"), "peak": text(), "hard": text()})),
        })),
        "asked": ranged(count()),
        "refused": ranged(count()),
        "undecidable": ranged(count("of objects that are not in the log: counts were decided, nothing else")),
        "unknownChanges": ranged(count("changes and deletions of objects that the log tells too little of")),
        "resyncNs": maybe(count("with --quota-resync", least=1)),
        "refusedBeforeRecount": maybe(ranged(count("with --quota-resync: while usage of their namespace was freed, but still counted"))),
        "conflictsInLog": maybe(ranged(count("requests that the log's server answered with 409: a quota's status had changed"))),
        "timedOutInLog": maybe(ranged(count("requests that the log's server answered with 500: the evaluation of quotas took too long"))),
        "shared": maybe(always(True, "by several servers: amounts are of all of them together")),
        "unsettled": maybe(count(
            "answers of quotas that would be others in one more replay: requests wait for each other on several servers",
            least=1,
        )),
        "conflicts": maybe(record(
            "with --quota-conflicts: updates of quotas' statuses by servers and the quota controller at the same time",
            {
                "lagNs": count(),
                "writeNs": count(least=1),
                "requests": ranged(count("that change a quota's status")),
                "updates": ranged(count("of statuses, each for one request or several")),
                "conflicts": ranged(count("of them, that failed")),
                "retried": ranged(count("requests that passed after a conflict")),
                "refused": ranged(count("requests that the server would answer with 409")),
                "timedOut": ranged(count("requests that the server would answer with 500")),
            },
        )),
        "turnedAway": ranged(count("by the log, refused by something before this plugin")),
        "refusedInBoth": ranged(count("here and by the log's own quotas")),
        "refusedOnlyInLog": ranged(count()),
        "refusedOnlyInReplay": ranged(count()),
    })),
    "maxInFlight": maybe(record("with --apf=off: levels have no limits then", {"readOnly": IN_FLIGHT, "mutating": IN_FLIGHT})),
    "levels": array(record({
        "name": text(),
        "exempt": boolean(),
        "reject": boolean(),
        **FIGURES,
        "nominalCL": count(),
        "minCL": count(),
        "maxCL": count(),
        "currentCL": record({"min": ranged(count()), "max": ranged(count()), "avg": ranged(number())}),
        "seats": record({"avg": ranged(number()), "peak": ranged(count())}),
        "listBytes": maybe(record("with --width-bytes: what the lists in flight return, those of unknown bytes left out", {
            "avg": ranged(number()),
            "peak": ranged(number()),
        })),
        "borrowedAvg": ranged(number()),
        "lentAvg": ranged(number()),
        "queues": count(),
        "handSize": count(),
        "queueLengthLimit": count(),
    })),
    "flowSchemas": array(record({
        "name": text(),
        "priorityLevel": text(),
        "matchingPrecedence": integer(),
        **FIGURES,
    })),
    "flows": record({
        "count": count(),
        "waitedMost": FLOWS,
        "refusedMost": FLOWS,
        "widest": maybe(said(
            "flows with requests that are too wide, those that most seats are cut of first; absent where there are none",
            FLOWS,
        )),
        "all": maybe(array("All flows, with --top all.", record({**FLOW, **without_ranges(FIGURES)}))),
    }),
    "why": maybe(ref("why")),
    "watchesPeak": count(),
    "whatIf": maybe(record(
        "only with --recorded config: the log was written under another configuration and replayed under that first; \"recorded\" is "
        "of that replay",
        {
            "recorded": record({
                "kubernetesVersion": text(),
                "serverConcurrencyLimit": count(),
                "seatsByLog": boolean("the server's own log names them"),
            }),
            "compared": ranged(count()),
            "changed": ranged(count(
                "of the compared requests, those that go to another level than in the log, or are refused instead of served, or the "
                "other way round",
            )),
            "executionsFoundByReplay": count(
                "requests without a recorded wait: their total less the wait of the replay under the recorded configuration",
            ),
            "executionsOfSimilar": count("requests refused, or without an end, in the log"),
            "listsAtRecordedCap": count(),
            "listsOfUnknownWidth": count("of these, those without object counts"),
            "widerThanLevel": count("requests that take fewer seats than they would, because their level allows no more"),
            "replays": count("replays that differ by chance alone; all figures are of the one in the middle", least=1),
        },
    )),
    "undecided": maybe(record(
        "the log does not decide how long requests run: figures are ranges, from replays with the recorded total and with the "
        "recorded end of each request; the decisions are those of the first",
        {"waitedInLog": count("requests"), "refusedInLog": count(), "waitsUnknown": count("requests whose wait the log does not record")},
    )),
    "recorded": record("what the log itself recorded, against the replay", {
        "refusedInLog": count(),
        "refusedInBoth": ranged(count()),
        "refusedOnlyInLog": ranged(count()),
        "refusedOnlyInReplay": ranged(count()),
        "hungUp": count("refused in the log because the client left its queue"),
        "outcomes": record("how requests fared in the log, and within that, here", {
            "served": FATES,
            "refusedAtOnce": FATES,
            "refusedAfterWait": FATES,
        }),
        "waitsCompared": ranged(count()),
        "meanWaitInLogNs": ranged(count()),
        "meanWaitInReplayNs": ranged(count()),
        "waitError": record("differences of single waits, without their signs", QUANTILES),
        "levels": array(record({
            "name": text(),
            "waits": ranged(count()),
            "waitInLog": record(QUANTILES),
            "waitInReplay": record(QUANTILES),
            "refusedInLog": count(),
            "refusedInReplay": ranged(count()),
        })),
        "classification": record("FlowSchemas and levels that the log names", {
            "compared": count(),
            "alike": count(),
            "disagreements": array(record({
                "requests": count(least=1),
                "loggedFlowSchema": text(),
                "loggedPriorityLevel": text(),
                "flowSchema": text(),
                "priorityLevel": text(),
            }), most=10),
        }),
        "limits": record("limits that the server's log tells when it adjusts them", {"compared": count(), "alike": ranged(count())}),
        "agreement": record("requests that go to the same FlowSchema and level and are served, or refused, in both", {
            "compared": count(),
            "agreed": ranged(count()),
        }),
    }),
    "join": maybe(record("only where an audit log and an HTTP log were joined: requests that are in both, or in one of them", {
        "requests": count(),
        "auditOnly": count(),
        "httpOnly": count(),
        "usersFound": count(),
    })),
    "retries": record("clients refused here that came back", {
        "attempts": ranged(count()),
        "gaveUp": ranged(count()),
        "beyondLog": ranged(count("of the attempts, those after the last arrival of the log: they are in no other figure")),
        "dropped": ranged(count(
            "retries in the log that are left out, because clients retry what the replay refuses; with --recorded config",
        )),
    }),
    "clients": maybe(array(
        "clients that wait for their answers, by the log or by --client-model; those with the most requests first",
        record({
            "user": text(),
            "userAgent": text(),
            "model": word("workers | loop"),
            "applied": boolean("false: its requests are sent at the recorded times"),
            "askedFor": boolean("--client-model names it"),
            "requests": count("in the log"),
            "places": count("most requests in flight", least=1),
            "meanInFlight": amount(),
            "evidence": number("how much fewer requests it sends the more it has in flight, in standard deviations"),
            "meanThinkNs": count("from an answer to the request that follows it"),
            "beyondLog": count("requests that would come after the end of the log, and are left out"),
            "repeated": count("requests sent once more than in the log, because those of the log were answered sooner"),
            "held": record("requests that waited in the client", {"count": count(), "meanNs": count(), "maxNs": count()}),
        }),
    )),
    "spread": maybe(record("only with --spread: ranges over the replays; null = all levels together", {
        "runs": count(least=1),
        "clockSwept": boolean("the replays also differ in the phase of the 10 s clock"),
        "levels": array(record({
            "name": or_null(text()),
            "rejected": record({"least": integer(), "most": integer()}),
            "meanNs": record({"least": integer(), "most": integer()}),
            "p50Ns": record({"least": integer(), "most": integer()}),
            "p90Ns": record({"least": integer(), "most": integer()}),
            "p99Ns": record({"least": integer(), "most": integer()}),
        })),
    })),
    "assumptions": array(ref("remark")),
    "warnings": array(ref("remark")),
    "coverage": maybe(ref("coverage")),
    "auditPolicy": maybe(ref("auditPolicy")),
    "incomplete": maybe(array("signs that the log is incomplete; absent: none", ref("remark"))),
    "fill": maybe(record("with --fill: all other members also count the added requests", {
        "requests": count("that were added"),
        "executionUnknown": maybe(array(
            "FlowSchemas of which nothing says how long their requests run: those that were added run as long as others of the log; "
            "absent: none",
            text(),
        )),
        "without": {"$ref": "#"},
    })),
}), DEFS)
