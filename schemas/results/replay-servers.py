from parts import *

IN_FLIGHT = record(members_of("replay", "maxInFlight.readOnly", "requests refused uncounted"))

SCHEMA = schema("apfctl replay --server -o json", record("The report of a replay of several servers.", {
    "servers": array({"$ref": "urn:apfctl:schema:replay", "required": ["name"]}, least=1),
    "total": record("what adds up of all servers: no limits, no seats at once", {
        "input": of("replay", "input"),
        "total": of("replay", "total"),
        "levels": array(record({
            "name": text(),
            "exempt": boolean(),
            "reject": boolean(),
            **members_of("replay", "total", "requests executed queued rejected seatSeconds wait"),
            "tooWide": maybe(of("replay", "#tooWide")),
        })),
        "flowSchemas": of("replay", "flowSchemas"),
        "flows": of("replay", "flows"),
        "recorded": of("replay", "recorded"),
        "join": maybe(of("replay", "join")),
        "retries": of("replay", "retries"),
        "stages": array(record(members_of("replay", "stages[]", "name seen bypassed passed delayed delay refused reasons"))),
        "eventRateLimit": maybe(record({
            "limits": array(record(members_of(
                "replay", "eventRateLimit.limits[]", "type qps burst cacheSize asked refused undecidable evicted"
            ))),
            **members_of("replay", "eventRateLimit", "turnedAway refusedInBoth refusedOnlyInLog refusedOnlyInReplay"),
        })),
        "resourceQuota": maybe(of("replay", "resourceQuota")),
        "maxInFlight": maybe(record({"readOnly": IN_FLIGHT, "mutating": IN_FLIGHT})),
        "undecided": maybe(of("replay", "undecided")),
    }),
}))
