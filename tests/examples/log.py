#!/usr/bin/env python3
"""Is the example's log what kube-apiserver could have written? Keys and their order, times, stages, order of the lines.

    log.py GENERATOR      Last line: "N passed, N failed".
"""
import collections
import hashlib
import json
import re
import subprocess
import sys

KEYS = ["kind", "apiVersion", "level", "auditID", "stage", "requestURI", "verb", "user", "impersonatedUser",
        "authenticationMetadata", "sourceIPs", "userAgent", "objectRef", "responseStatus", "requestReceivedTimestamp",
        "stageTimestamp", "annotations"]
REFERENCE = ["resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource"]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
passed = failed = 0


def check(name: str, wrong: list) -> None:
    global passed, failed
    if wrong:
        failed += 1
        print(f"FAILED {name}: {len(wrong)} lines, first: {wrong[0]}")
    else:
        passed += 1


def in_order(keys, order) -> bool:
    places = [order.index(key) if key in order else -1 for key in keys]
    return places == sorted(places) and -1 not in places


def log(*options: str) -> bytes:
    return subprocess.run([sys.argv[1], *options], stdout=subprocess.PIPE, check=True).stdout


text = log("--requests", "100000")
lines = text.decode().splitlines()
events = [json.loads(line) for line in lines]
check("keys and their order", [l for l, e in zip(lines, events) if not in_order(e, KEYS)])
check("keys of objectRef", [l for l, e in zip(lines, events) if not in_order(e.get("objectRef", {}), REFERENCE)])
check("times in microseconds", [l for l, e in zip(lines, events)
                                if not (TIME.fullmatch(e["requestReceivedTimestamp"]) and TIME.fullmatch(e["stageTimestamp"]))])
check("nothing ends before it came", [l for l, e in zip(lines, events) if e["stageTimestamp"] < e["requestReceivedTimestamp"]])
ends = [e["stageTimestamp"] for e in events]
check("lines in the order of their ends", [lines[i] for i in range(1, len(ends)) if ends[i] < ends[i - 1]])
check("no bare & < >", [l for l in lines if re.search(r"[&<>]", l)])
check("compact, as Go writes it", [l for l, e in zip(lines, events)
                                   if json.dumps(e, separators=(",", ":"), ensure_ascii=False).replace("&", "\\u0026") != l])

stages = collections.defaultdict(list)
for event in events:
    stages[event["auditID"]].append((event["stage"], event["verb"], event["responseStatus"]["code"]))
allowed = {("ResponseComplete",), ("ResponseStarted", "ResponseComplete"), ("ResponseStarted",)}
check("stages of a request", [s for s in stages.values() if tuple(x[0] for x in s) not in allowed])
check("started responses belong to long-running requests and refused log-ins",
      [s for s in stages.values() if s[0][0] == "ResponseStarted" and s[0][1] != "watch" and s[0][2] not in (101, 401)
       and not (s[0][1] == "get" and len(s) <= 2)])
check("latency annotations above 500 ms only",
      [l for l, e in zip(lines, events) if ("apiserver.latency.k8s.io/total" in e.get("annotations", {}))
       and e["stage"] != "ResponseComplete"])
codes = collections.Counter(e["responseStatus"]["code"] for e in events)
check("codes", [] if {101, 200, 201, 401, 403, 404, 409} == set(codes) else [str(codes)])
check("100,000 requests are meant, long-running ones are cut off at the end", [] if 99_000 <= len(stages) <= 100_000 else [str(len(stages))])

check("same options, same bytes", [] if hashlib.sha256(text).digest() == hashlib.sha256(log()).digest() else ["differs"])
check("another seed, another log", [] if log("--seed", "2", "--requests", "100") != log("--requests", "100") else ["same"])
longer = log("--requests", "101000")
check("more requests: the same beginning", [] if longer[:100_000_000] == text[:100_000_000] else ["differs"])
check("unknown option", [] if subprocess.run([sys.argv[1], "--request", "5"], stderr=subprocess.DEVNULL).returncode == 2 else ["accepted"])

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
