#!/usr/bin/env python3
"""Twenty logs that are built to be the configuration's fault, or too much load: does a replay say so?

usage: verdicts.py APFCTL [SEED] [-v]
Of each log the work that arrives is known, as its requests come evenly and run equally long: seats that they take on
average, against those of their level and of the server. Nothing here is of apfctl's code. A log is the configuration's
fault if all its work would fit into half of the server's seats while its level cannot hold it, and too much load if
levels that may use nearly all seats get 1.3 times or more of what all seats can do. The last line is "N passed, N failed".
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GROUP = "flowcontrol.apiserver.k8s.io/v1"
SECONDS = 40


def level(name, shares, lendable, borrowing, response):
    limited = {"nominalConcurrencyShares": shares, "lendablePercent": lendable, "limitResponse": response}
    if borrowing is not None:
        limited["borrowingLimitPercent"] = borrowing
    return {"apiVersion": GROUP, "kind": "PriorityLevelConfiguration", "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": limited}}


def queues(count, hand, length):
    return {"type": "Queue", "queuing": {"queues": count, "handSize": hand, "queueLengthLimit": length}}


def schema(name, precedence, group):
    rule = {"subjects": [{"kind": "Group", "group": {"name": group}}],
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}]}
    return {"apiVersion": GROUP, "kind": "FlowSchema", "metadata": {"name": name},
            "spec": {"matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": name},
                     "distinguisherMethod": {"type": "ByUser"}, "rules": [rule]}}


def requests(rng, group, seats, clients):
    """As many as take that number of seats on average."""
    run = rng.choice([0.1, 0.2, 0.4])
    rate = seats / run
    out = []
    for i in range(int(rate * SECONDS)):
        out.append({"time": int(i / rate * 1e9) + rng.randrange(1000), "execution": int(run * 1e9),
                    "user": f"{group}-{rng.randrange(clients)}", "groups": [group, "system:authenticated"], "verb": "get",
                    "uri": f"/api/v1/namespaces/n/configmaps/c{i % 7}"})
    return out


def configuration(rng, number):
    """A level that has a small part of the seats and may not have more, under 1.5 to 3 times its own."""
    seats = rng.choice([100, 200, 400])
    own = rng.uniform(0.05, 0.14)
    shares = round(245 * own / (1 - own))  # beside the built-in levels, which have 245
    kind = ["borrows-nothing", "others-lend-nothing", "rejects", "short-queues"][number % 4]
    response = {"type": "Reject"} if kind == "rejects" else queues(64, 6, 50)
    if kind == "short-queues":
        response = queues(8, 2, 3)
    borrowing = None if kind == "others-lend-nothing" else 0
    objects = [level("small", shares, 0, borrowing, response), schema("small", 400, "small")]
    if kind == "others-lend-nothing":
        # The built-in levels keep their seats by a level that takes their place, with nothing to lend.
        objects = [level("small", 30, 0, None, response), schema("small", 400, "small"),
                   level("keeper", 2000, 0, 0, queues(64, 6, 50)), schema("keeper", 401, "keeper")]
        own = 30 / (30 + 2000 + 245)
    load = seats * own * rng.uniform(1.5, 3)
    if kind == "others-lend-nothing":
        load += 0.09 * seats  # what the built-in levels may lend it at most
    assert load < seats / 2
    return kind, seats, objects, requests(rng, "small", load, rng.randrange(5, 40))


def overload(rng, number):
    """Levels that may have nearly all seats, under 1.3 to 2.5 times what the server can do."""
    seats = rng.choice([20, 40, 80])
    levels = number % 3 + 1
    objects, log = [], []
    for i in range(levels):
        name = f"big{i}"
        objects += [level(name, 9000 // levels, 0, None, queues(64, 6, rng.choice([10, 50]))), schema(name, 400 + i, name)]
        log += requests(rng, name, seats * rng.uniform(1.3, 2.5) / levels, rng.randrange(5, 40))
    return f"{levels}-levels", seats, objects, log


def verdict(apfctl, folder, seats, objects, log):
    (folder / "config.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    log.sort(key=lambda request: request["time"])
    (folder / "log.jsonl").write_text("".join(json.dumps(request) + "\n" for request in log))
    done = subprocess.run([apfctl, "replay", folder / "log.jsonl", "-f", folder / "config.json", "--server-concurrency", str(seats),
                           "-q", "-o", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    return json.loads(done.stdout).get("why", {}).get("verdict")


def main():
    words = [word for word in sys.argv[1:] if word != "-v"]
    seed = int(words[1]) if len(words) > 1 else random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(20):
            make = configuration if number % 2 == 0 else overload
            kind, seats, objects, log = make(rng, number // 2)
            found = verdict(words[0], pathlib.Path(folder), seats, objects, log)
            right = found == make.__name__
            passed, failed = passed + right, failed + (not right)
            if not right or "-v" in sys.argv:
                print("ok  " if right else "FAIL", make.__name__, kind, seats, "seats,", len(log), "requests:", found)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
