from parts import *

DEFS = {
    "request": record({
        "MatchedFlowSchema": text(),
        "FlowDistinguisher": text(),
        "ArriveTime": text("RFC 3339; year 1 if it has not started."),
        "StartTime": text("RFC 3339; year 1 if it has not started."),
        "WorkEstimate": record({"InitialSeats": integer(), "FinalSeats": integer(), "AdditionalLatency": integer("Nanoseconds.")}),
        "UserName": text(),
        "RequestInfo": record({
            "IsResourceRequest": boolean(),
            "Path": text(),
            "Verb": text(),
            "APIGroup": text(),
            "APIVersion": text(),
            "Namespace": text(),
            "Resource": text(),
            "Subresource": text(),
            "Name": text(),
        }),
    }),
}

SCHEMA = schema("apfctl replay --dump-at, the JSON file", table(
    "What the debug endpoints of kube-apiserver show at one instant, by priority level: its types QueueSetDump, QueueDump and RequestDump.",
    record({
        "IsIdle": boolean(),
        "IsQuiescing": boolean(),
        "Queues": array(record({
            "QueueSum": record("Of the requests that wait.", {
                "InitialSeatsSum": integer(),
                "MaxSeatsSum": integer(),
                "TotalWorkSum": text("Seat-seconds, such as 77.64342019ss.", pattern="^[0-9]+\\.[0-9]{8}ss$"),
            }),
            "Requests": array("Those that wait.", ref("request")),
            "RequestsExecuting": array("Those that run.", ref("request")),
            "NextDispatchR": text("Seat-seconds, such as 77.64342019ss.", pattern="^[0-9]+\\.[0-9]{8}ss$"),
            "ExecutingRequests": integer(),
            "SeatsInUse": integer(),
        })),
        "QueuelessExecutingRequests": array("Those that run, of a level without queues.", ref("request")),
        "Waiting": integer(),
        "Executing": integer(),
        "SeatsInUse": integer(),
        "SeatsWaiting": integer(),
        "Dispatched": integer(),
        "Rejected": integer(),
        "Timedout": integer(),
        "Cancelled": integer(),
    }),
    minProperties=1,
    propertyNames={"pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"},
), DEFS)
