#!/usr/bin/env python3
"""The same scrape in every form in which time series databases answer and export it: apfctl inspect says the same.

usage: scrapes.py APFCTL [SEED]
Series and samples are random. The forms are written from them, without anything of apfctl's; each must give the same
report as the text format of a server. The last line is "N passed, N failed".
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PREFIX = "apiserver_flowcontrol_"
LEVELS = ["workload-low", "system", 'odd "name"', "back\\slash"]
START = 1788877000


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def braces(labels):
    return "{" + ",".join(f'{key}="{escaped(value)}"' for key, value in labels.items()) + "}"


def random_series(rng, instants):
    """Series of one server: (metric, labels, [(seconds, value)])."""
    out = []

    def add(metric, labels, values):
        out.append((PREFIX + metric, dict(labels, instance="10.0.0.7:6443", job="apiserver"),
                    [(START + 30 * i, value) for i, value in enumerate(values)]))

    for level in rng.sample(LEVELS, rng.randint(1, len(LEVELS))):
        schema = {"flow_schema": f"{level} people", "priority_level": level}
        for metric, more in (("dispatched_requests_total", {}), ("rejected_requests_total", {"reason": "time-out"}),
                             ("rejected_requests_total", {"reason": "queue-full"})):
            value, values = rng.randint(0, 1000), []
            for _ in range(instants):
                value += rng.choice([0, 0, rng.randint(0, 5000)])
                values.append(value)
            add(metric, dict(schema, **more), values)
        for metric in ("current_inqueue_requests", "current_executing_seats"):
            add(metric, schema, [rng.randint(0, 50) for _ in range(instants)])
        nominal = rng.randint(50, 300)
        for metric in ("nominal_limit_seats", "current_limit_seats"):
            add(metric, {"priority_level": level}, [nominal] * instants)
    rng.shuffle(out)
    return out


def api(series, kind):
    result = []
    for metric, labels, samples in series:
        pairs = [[at + 0.5, str(value)] for at, value in samples]
        result.append({"metric": {"__name__": metric, **labels},
                       **({"value": pairs[-1]} if kind == "vector" else {"values": pairs})})
    return result


def forms(series):
    """Of all samples of each series."""
    last = [(m, l, s[-1:]) for m, l, s in series]
    instant = {
        "federate": "".join(f"{m}{braces(l)} {v} {at * 1000 + 500}\n" for m, l, s in last for at, v in s),
        "openmetrics": "".join(f"{m}{braces(l)} {v} {at}.5\n" for m, l, s in last for at, v in s) + "# EOF\n",
        "api": json.dumps({"status": "success", "data": {"resultType": "vector", "result": api(last, "vector")}}),
        "api-pretty": json.dumps({"status": "success", "data": {"resultType": "vector", "result": api(last, "vector")}},
                                 indent=2),
        "promtool-json": json.dumps(api(last, "vector")),
        "promtool-text": "".join(f"{m}{braces(l).replace(',', ', ')} => {v} @[{at}.5]\n" for m, l, s in last
                                 for at, v in s),
    }
    ranges = {
        "api": json.dumps({"status": "success", "data": {"resultType": "matrix", "result": api(series, "matrix")}}),
        "promtool-json": json.dumps(api(series, "matrix")),
        "promtool-text": "".join(f"{m}{braces(l).replace(',', ', ')} =>\n" + "".join(f"{v} @[{at}.5]\n" for at, v in s)
                                 for m, l, s in series),
        "tsdb-dump": "".join("{" + ", ".join([f'__name__="{m}"'] + [f'{k}="{escaped(w)}"' for k, w in l.items()]) +
                             f"}} {v} {at * 1000 + 500}\n" for m, l, s in series for at, v in s),
        "tsdb-dump-openmetrics": "".join(f"{m}{braces(l)} {v} {at}.5\n" for m, l, s in series for at, v in s) + "# EOF\n",
        "victoriametrics": "".join(json.dumps({"metric": {"__name__": m, **l}, "values": [v for _, v in s],
                                               "timestamps": [at * 1000 + 500 for at, _ in s]}) + "\n"
                                   for m, l, s in series),
    }
    return instant, ranges


def inspect(apfctl, *paths):
    arguments = [part for path in paths for part in ("--metrics", str(path))]
    run = subprocess.run([apfctl, "inspect", "-o", "json", *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip()
    report = json.loads(run.stdout)
    report.pop("scrapes")
    return report


def main(args):
    seed = int(args[1]) if len(args) > 1 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    passed = failed = 0

    def verdict(name, got, want):
        nonlocal passed, failed
        if got == want and isinstance(got, dict):
            passed += 1
            return
        failed += 1
        print(f"{name}: {got}\n  instead of {want}")

    with tempfile.TemporaryDirectory() as temporary:
        def path_of(text):
            path = pathlib.Path(temporary) / "input"
            path.write_text(text)
            return path

        for _ in range(8):
            series = random_series(rng, rng.randint(2, 6))
            plain = ["".join(f"{m}{braces(l)} {s[at][1]} {s[at][0] * 1000 + 500}\n" for m, l, s in series) for at in (0, -1)]
            files = []
            for name, text in zip(("first", "last"), plain):
                files.append(pathlib.Path(temporary) / name)
                files[-1].write_text(text)
            now, between = inspect(args[0], files[1]), inspect(args[0], *files)
            instant, ranges = forms(series)
            for name, text in instant.items():
                verdict(f"{name}, one instant", inspect(args[0], path_of(text)), now)
            courses = None
            for name, text in ranges.items():
                report = inspect(args[0], path_of(text))
                found = report.pop("courses", None) if isinstance(report, dict) else None
                verdict(f"{name}, a range", report, between)
                courses = courses or found
                verdict(f"{name}, its course", {"courses": found}, {"courses": courses})
                for course in found or []:
                    level = course["priorityLevel"]
                    waiting = [s for m, l, s in series if m == PREFIX + "current_inqueue_requests" and
                               l["priority_level"] == level][0]
                    refused = sum(s[-1][1] - s[0][1] for m, l, s in series if m == PREFIX + "rejected_requests_total" and
                                  l["priority_level"] == level)
                    verdict(f"{name}, most waiting", {"most": course["mostWaiting"]["requests"]},
                            {"most": max(value for _, value in waiting)})
                    verdict(f"{name}, refused", {"sum": sum(step["requests"] for step in course["rejected"])},
                            {"sum": refused})
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
