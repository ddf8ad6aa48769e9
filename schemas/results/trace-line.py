from parts import *

TIME = one_of(
    "RFC 3339 with up to 9 decimals, or integer nanoseconds",
    integer(),
    text(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"),
)

DURATION = one_of("nanoseconds, or a Go duration", count(), text(pattern="^\\+?(0|([0-9]*\\.?[0-9]*(ns|us|µs|μs|ms|s|m|h))+)$"))

SCHEMA = schema("Trace line", record(
    "One request in the normal form: what trace writes, and replay, explain and trace read. See apfctl-trace(5).",
    {
        "time": TIME,
        "id": maybe(text()),
        "user": maybe(text()),
        "groups": maybe(array(text())),
        "verb": maybe(text()),
        "method": maybe(text()),
        "uri": maybe(text()),
        "requestInfo": maybe(record({name: maybe(value) for name, value in REQUEST_INFO.items()})),
        "execution": maybe(DURATION),
        "recordedEnd": maybe(TIME),
        "init": maybe(DURATION),
        "end": maybe(TIME),
        "waitLimit": maybe(DURATION),
        "seats": maybe(record({"initial": maybe(count()), "final": maybe(count()), "additionalLatencyNs": maybe(count())})),
        "impersonator": maybe(text()),
        "userAgent": maybe(text()),
        "sourceIP": maybe(text()),
        "code": maybe(count()),
        "recorded": maybe(record({
            "flowSchema": maybe(text()),
            "priorityLevel": maybe(text()),
            "queueWait": maybe(DURATION),
            "cause": maybe(word(
                "apf | max-in-flight | apf-or-max-in-flight | event-rate-limit | quota | quota-conflict | eviction | aggregated-server | "
                "storage-initializing | too-large-resource-version | consistent-list-fallback | shutting-down | webhook | webhook-failed "
                "| admission | conflict | apply-conflict | already-exists | expired | rbac | unauthenticated | not-found | invalid | hung-up | time-out | "
                "unavailable | internal-error | etcd | unknown | other",
                "why it was answered with an error, where the code does not say it",
            )),
            "webhook": maybe(text("that failed or denied it, by its name")),
            "latencies": maybe(record("where its time went, as annotations of an audit event say", {
                "total": maybe(integer("ns")),
                "apf-queue-wait": maybe(integer("ns")),
                "etcd": maybe(integer("ns")),
                "mutating-webhook": maybe(integer("ns")),
                "validating-webhook": maybe(integer("ns")),
                "transform-response-object": maybe(integer("ns")),
                "serialize-response-object": maybe(integer("ns")),
                "response-write": maybe(integer("ns")),
                "authentication": maybe(integer("ns")),
                "authorization": maybe(integer("ns")),
                "decode-response-object": maybe(integer("ns")),
            })),
        })),
        "object": maybe({"type": "object"}),
        "server": maybe(text()),
    },
    anyOf=[{"required": ["requestInfo"]}, {"required": ["uri", "verb"]}, {"required": ["uri", "method"]}],
))
