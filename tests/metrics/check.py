"""The metrics of a replay. Last line: "N passed, N failed".

    check.py names       they have the names, types, labels and bucket bounds that kube-apiserver v1.36 exports
    check.py promtool    promtool reads them, and accepts the alerts of examples/operations
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
apfctl = os.environ.get("APFCTL", str(root / "build/release/bin/apfctl"))
inputs = root / "tests/golden/inputs"
passed, failed = 0, []

# promtool's lint warns of these three names, which are kube-apiserver's own.
ACCEPTED = {
    f"apiserver_flowcontrol_{name} metric names should not contain abbreviated units"
    for name in ("latest_s", "next_discounted_s_bounds", "next_s_bounds")
}
DURATIONS = "0 0.005 0.02 0.05 0.1 0.2 0.5 1 2 5 10 15 30"
PL, PAIR = ("priority_level",), ("flow_schema", "priority_level")
ENDPOINT = ("component", "group", "resource", "scope", "subresource", "verb", "version")
# name: type, labels, bounds. The two names of concurrency that 1.31 and 1.32 hide are not among them.
SERVER = {
    "apiserver_current_inflight_requests": ("gauge", ("request_kind",), ""),
    "apiserver_current_inqueue_requests": ("gauge", ("request_kind",), ""),
    "apiserver_longrunning_requests": ("gauge", ENDPOINT, ""),
    "apiserver_request_duration_seconds": (
        "histogram", ("dry_run",) + ENDPOINT,
        "0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60"),
    "apiserver_request_terminations_total": ("counter", ("code",) + ENDPOINT, ""),
    "apiserver_request_total": ("counter", ("code", "dry_run") + ENDPOINT, ""),
    "current_executing_requests": ("gauge", PAIR, ""),
    "current_executing_seats": ("gauge", PAIR, ""),
    "current_inqueue_requests": ("gauge", PAIR, ""),
    "current_inqueue_seats": ("gauge", PAIR, ""),
    "current_limit_seats": ("gauge", PL, ""),
    "current_r": ("gauge", PL, ""),
    "demand_seats": ("histogram", PL, "0.2 0.4 0.6 0.8 1 1.2 1.4 1.7 2 2.8 4 6"),
    "demand_seats_average": ("gauge", PL, ""),
    "demand_seats_high_watermark": ("gauge", PL, ""),
    "demand_seats_smoothed": ("gauge", PL, ""),
    "demand_seats_stdev": ("gauge", PL, ""),
    "dispatch_r": ("gauge", PL, ""),
    "dispatched_requests_total": ("counter", PAIR, ""),
    "latest_s": ("gauge", PL, ""),
    "lower_limit_seats": ("gauge", PL, ""),
    "next_discounted_s_bounds": ("gauge", ("bound",) + PL, ""),
    "next_s_bounds": ("gauge", ("bound",) + PL, ""),
    "nominal_limit_seats": ("gauge", PL, ""),
    "priority_level_request_utilization": ("histogram", ("phase",) + PL, "0 0.001 0.003 0.01 0.03 0.1 0.25 0.5 0.75 1"),
    "priority_level_seat_utilization": ("histogram", ("phase",) + PL, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.95 0.99 1"),
    "read_vs_write_current_requests": (
        "histogram", ("phase", "request_kind"), "0 0.001 0.01 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.95 0.99 1"),
    "rejected_requests_total": ("counter", PAIR + ("reason",), ""),
    "request_dispatch_no_accommodation_total": ("counter", PAIR, ""),
    "request_execution_seconds": ("histogram", PAIR + ("type",), DURATIONS),
    "request_queue_length_after_enqueue": ("histogram", PAIR, "0 10 25 50 100 250 500 1000"),
    "request_wait_duration_seconds": ("histogram", ("execute",) + PAIR, DURATIONS),
    "seat_fair_frac": ("gauge", (), ""),
    "target_seats": ("gauge", PL, ""),
    "upper_limit_seats": ("gauge", PL, ""),
    "watch_count_samples": ("histogram", PAIR, "0 1 10 100 1000 10000"),
    "work_estimated_seats": ("histogram", PAIR, "1 2 4 8 16 32 64 100"),
}


def verdict(what, ok, why=""):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(f"FAILED {what}: {why}")


def metrics(*args, seats=("--server-concurrency", "20")):
    command = [apfctl, "replay", "-q", "-o", "text=/dev/null", "--metrics", "-", *seats, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def lint(text):
    """promtool's exit code and warnings."""
    run = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    return run.returncode, {line for line in (run.stdout + run.stderr).splitlines() if line}


def parse(text):
    """Types by family, and (name, labels, le, value) of every sample."""
    types, samples = {}, []
    for line in text.splitlines():
        if line.startswith("# TYPE"):
            _, _, name, kind = line.split()
            types[name] = kind
        elif not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))
            samples.append((name, labels, labels.pop("le", None), float(value)))
    return types, samples


def check_names(text):
    types, samples = parse(text)
    for short, (kind, labels, bounds) in SERVER.items():
        name = short if short.startswith("apiserver") else "apiserver_flowcontrol_" + short
        suffix = "_bucket" if kind == "histogram" else ""
        own = [s for s in samples if s[0] == name + suffix]
        verdict(f"{name} is there", bool(own), "no sample")
        verdict(f"{name} is a {kind}", types.get(name) == kind, types.get(name))
        found = {tuple(sorted(s[1])) for s in own}
        verdict(f"labels of {name}", found == {tuple(sorted(labels))}, found)
        if kind == "histogram":
            series = {}
            for _, own_labels, le, value in own:
                series.setdefault(tuple(sorted(own_labels.items())), []).append((le, value))
            for key, buckets in series.items():
                verdict(f"bounds of {name} {key}", [b[0] for b in buckets] == bounds.split() + ["+Inf"], buckets)
                counts = [b[1] for b in buckets]
                verdict(f"counts of {name} {key} only grow", counts == sorted(counts), counts)
                count = [s[3] for s in samples if s[0] == name + "_count" and tuple(sorted(s[1].items())) == key]
                verdict(f"count of {name} {key}", count == counts[-1:], count)
    known = {s if s.startswith("apiserver") else "apiserver_flowcontrol_" + s for s in SERVER}
    others = {name for name in types if name not in known and not name.startswith("apfctl_")}
    verdict("no other names of the server", not others, others)


# Requests of one and of seven seats: the wide ones find too little room when their turn comes.
wide = pathlib.Path(tempfile.mkdtemp()) / "wide.jsonl"
wide.write_text("".join(json.dumps({
    "time": 5_000_000_000 + n * 10_000_000, "user": f"u{n % 3}", "groups": ["system:serviceaccounts"], "verb": "get",
    "uri": "/api/v1/pods", "execution": "300ms", "seats": {"initial": 7 if n % 4 == 0 else 1}}) + "\n" for n in range(60)))
plain = metrics(inputs / "amok.jsonl", inputs / "hostile.jsonl", wide)
shutil.rmtree(wide.parent)
without = metrics(inputs / "clients.jsonl", "--apf=off", "--max-requests-inflight", "4", seats=())


def check_promtool():
    if not shutil.which("promtool"):
        verdict("promtool is installed", False, ".ci/deps.sh check-all installs it")
        return
    servers = metrics("--server", f"a={inputs / 'amok.jsonl'}", "--server", f"b={inputs / 'hostile.jsonl'}")
    recorded = metrics(inputs / "joined-audit.log", inputs / "joined-kube-apiserver.log", "--spread", "1", "--client-qps", "50")
    for what, text, accepted in (("metrics", plain, ACCEPTED), ("several servers", servers, ACCEPTED), ("agreement and spread", recorded, ACCEPTED),
                                 ("max-in-flight", without, set())):
        code, warnings = lint(text)
        # 0: no warning; 3: it reads, but the lint warns.
        verdict(f"promtool reads {what}", code in (0, 3) and warnings <= accepted, f"exit {code}: {warnings - accepted}")
    code, _ = lint(plain + "no metric at all\n")
    verdict("promtool refuses what it cannot read", code == 1, f"exit {code}")
    rules = subprocess.run(["promtool", "check", "rules", root / "examples/operations/alerts.yaml"], capture_output=True, text=True)
    verdict("promtool accepts the rules of examples/operations", rules.returncode == 0, rules.stdout + rules.stderr)


def check_panels():
    """The panels that inspect names are on the dashboard, and every name in a query is one that a server exports."""
    dashboard = json.loads((root / "examples/operations/dashboard.json").read_text())
    titles = [panel["title"] for panel in dashboard["panels"]]
    verdict("no two panels have one title", len(set(titles)) == len(titles), titles)
    source = (root / "libapf/src/report/logs/inspect_words.cc").read_text()
    named = re.findall(r'"([^"]+)"', re.search(r"panels_of\(const.*?\n}\n", source, re.S)[0])
    verdict("inspect names panels of the dashboard", named and set(named) <= set(titles), set(named) - set(titles))
    known = {name if name.startswith("apiserver") else "apiserver_flowcontrol_" + name for name in SERVER}
    asked = re.findall(r"\bapiserver_\w+", json.dumps(dashboard) + (root / "examples/operations/alerts.yaml").read_text())
    verdict("dashboard and alerts ask for what a server exports",
            asked and {re.sub("_(bucket|sum|count)$", "", name) for name in asked} <= known, asked)


def check_server_metrics():
    check_names(plain)
    check_panels()
    types, _ = parse(without)
    verdict("without API Priority and Fairness the server has metrics of max-in-flight alone",
            {n for n in types if not n.startswith("apfctl_")} ==
            {"apiserver_current_inflight_requests", "apiserver_request_terminations_total"}, types)


{"names": check_server_metrics, "promtool": check_promtool}[sys.argv[1]]()
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
