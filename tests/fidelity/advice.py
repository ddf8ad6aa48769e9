#!/usr/bin/env python3
"""How true advice is: what suggest, compare and headroom promise on a recording, held against what a real server did.

    APF_RECORDINGS=FOLDER advice.py [APFCTL] [--only TEXT] [--part isolate|goals|ranges|compare|headroom|loads]... [--details] [--jobs N]

FOLDER/counterfactual/*.tar.xz and FOLDER/counterfactual/advice/*.tar.xz hold runs in which the same schedule of requests
met several configurations. Each question is asked on a recording A of a schedule, with its klog; B is another run.
  isolate   suggest --isolate auto on A: who else is refused more often in the replay of the recorded phase than before.
  goals     of goals that suggest takes for met by B's configuration on A's log: were they met when B ran?
  ranges    what suggest says of each level under B's configuration: do refusals and p99 of run B lie within?
  compare   claims of `compare A B --log A` about levels, FlowSchemas and user agents: right, missed, false, reversed.
  headroom  does a level wait, or refuse, at the recorded load under B's configuration, as it did when B ran?
FOLDER/counterfactual/loads/truth.jsonl has loads in trouble, and what the server refused under alternatives.
  loads     what the replay of a load under an alternative refuses, and what the server did: alike within a seventh, or 10.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recordings  # noqa: E402
import run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["isolate", "goals", "ranges", "compare", "headroom", "loads"]
# What runs of the same requests under the same configuration differ by; less is no difference. Above the second, it is one.
REFUSED_NOISE, REFUSED_REAL = 0.005, 0.03  # parts of the requests
WAIT_NOISE, WAIT_REAL = 0.10, 0.30         # parts of the wait
LEAST_WAIT_NOISE, LEAST_WAIT_REAL = 0.005, 0.15  # seconds
LATE = 0.5  # seconds: a refusal that took longer came after a wait in the queue, which counts as one
MACHINE = 0.05  # seconds by which a busy machine adds to a wait that is promised
# Whose refusals cost most.
PROTECTED = ("system:node:", "system:kube-", "system:apiserver", "system:serviceaccount:kube-system:")
GOALS = ["workload-high.rejected == 0", "workload-high.p99wait < 1s", "workload-low.rejected == 0",
         "workload-low.p99wait < 1s", "global-default.rejected == 0", "global-default.p99wait < 1s",
         "workload-high.p99wait < 100ms", "workload-low.rejected < 10%"]
WAIT_BOUND = 0.1  # of headroom


class Truth:
    """What happened in a run, by what requests have in common: requests, refusals, clients that hung up, waits."""

    def __init__(self, recorded):
        self.by = {kind: collections.defaultdict(lambda: [0, 0, []]) for kind in ("level", "flowSchema", "userAgent", "user")}
        levels = recordings.names_of_levels(recorded.path("config.yaml"))
        schemas = names_of_schemas(recorded.path("config.yaml"))
        asked = {}
        for line in open(recorded.path("audit.log")):
            event = json.loads(line)
            asked[event["auditID"]] = (event["user"]["username"], event.get("userAgent", ""))
        for line in open(recorded.path("truth.jsonl")):
            request = json.loads(line)
            user, agent = asked.get(request["auditID"], ("", ""))
            for kind, name in (("level", levels.get(request.get("plUID", ""))), ("userAgent", agent), ("user", user),
                               ("flowSchema", schemas.get(request.get("fsUID", "")))):
                if not name:
                    continue
                row = self.by[kind][name]
                row[0] += 1
                if request["status"] == 429:
                    row[1] += 1
                    if request["latency"] > LATE:
                        row[2].append(request["latency"])
                elif request["status"] != 0:
                    row[2].append(request["wait"])

    def figures(self, kind, name):
        """Requests, refused ones, mean and p99 of the waits; None: the run has no such requests."""
        if name not in self.by[kind]:
            return None
        requests, refused, waits = self.by[kind][name]
        waits = sorted(waits)
        return requests, refused, run.mean(waits), run.quantile(waits, 0.99)


def names_of_schemas(config):
    names = {}
    for document in pathlib.Path(config).read_text().split("\n---\n"):
        if "kind: FlowSchema" not in document:
            continue
        name = uid = ""
        for line in document.splitlines():
            if line.startswith("  name: "):
                name = name or line[8:].strip().strip('"')
            elif line.startswith("  uid: "):
                uid = line[7:].strip().strip('"')
        names[uid] = name
    return names


def server_flags(a, b, config):
    return ["--builtins", "mandatory", "--consistent-list-from-cache", "off", "--threads", "1", "--kubernetes-version", "1.36",
            "--objects", a.path("objects.txt"), "-q", "-o", "json", "--max-requests-inflight", str(b.reads),
            "--max-mutating-requests-inflight", str(b.writes), "-f", config]


def logs(a):
    return [a.path("audit.log"), a.path("kube-apiserver.log")]


def ask(apfctl, command, *flags, ok=(0, 1)):
    done = subprocess.run([apfctl, command, *flags], capture_output=True, text=True)
    if done.returncode not in ok:
        raise SystemExit(f"apfctl {command} {' '.join(flags)}\n{done.stderr}")
    return json.loads(done.stdout) if done.stdout else {}


def is_protected(user):
    return user.startswith(PROTECTED)


def refused_by_user(apfctl, a, config):
    """User -> refused requests of A's log under a configuration, in the recorded phase."""
    users = {}
    for line in open(a.path("audit.log")):
        event = json.loads(line)
        users[event["auditID"]] = event["user"]["username"]
    with tempfile.TemporaryDirectory() as folder:
        decisions = os.path.join(folder, "decisions")
        ask(apfctl, "replay", *logs(a), *run.recorded_flags(a), *run.clients(a, a), *server_flags(a, a, config),
            "--decisions", decisions)
        refused = collections.Counter()
        for line in open(decisions):
            decision = json.loads(line)
            if decision["outcome"] == "rejected" and not decision.get("beyondLog"):
                refused[users.get(decision.get("id"), "")] += 1
    return refused


def changed_config(a, yaml, folder):
    """A's configuration with the objects of an answer in place of those of the same names."""
    def key(document):
        kind = name = ""
        for line in document.splitlines():
            if line.startswith("kind: "):
                kind = line[6:]
            elif line.startswith("  name: "):
                name = name or line[8:].strip().strip('"')
        return kind, name
    new = [d for d in ("\n" + yaml).split("\n---\n") if "kind:" in d]
    old = [d for d in pathlib.Path(a.path("config.yaml")).read_text().split("---\n") if "kind:" in d]
    changed = {key(d) for d in new}
    path = os.path.join(folder, "config.yaml")
    pathlib.Path(path).write_text("---\n".join([d.rstrip("\n") + "\n" for d in old if key(d) not in changed] +
                                               [d.strip("\n") + "\n" for d in new]))
    return path


def shown(change):
    if change["field"] == "level":
        return f"{change['priorityLevel']} with {change['shares']} shares for {change['user']}"
    return f"{change['priorityLevel'] or 'server'} {change['field']} {change['from']} to {change['to']}"


def isolate(apfctl, a, details):
    """Counts of one answer; the text to print of it."""
    answer = ask(apfctl, "suggest", *logs(a), "--recorded", "config=same", *run.clients(a, a),
                 *server_flags(a, a, a.path("config.yaml")), "--isolate", "auto")
    counts = collections.Counter(answers=1)
    if answer["outOfBudget"]:
        counts["out of budget"] += 1
    if not answer["change"]:
        counts["none"] += 1
        return counts, f"{a.name}: no change"
    isolated = {change["user"] for change in answer["change"] if change["field"] == "level"}
    with tempfile.TemporaryDirectory() as folder:
        before = refused_by_user(apfctl, a, a.path("config.yaml"))
        after = refused_by_user(apfctl, a, changed_config(a, answer["yaml"], folder))

    def sums(refused, chosen):
        return sum(n for user, n in refused.items() if user not in isolated and chosen(user))
    was, now = sums(before, lambda u: True), sums(after, lambda u: True)
    protected_was, protected_now = sums(before, is_protected), sums(after, is_protected)
    if now > was:
        counts["others refused more often"] += 1
    if protected_now > protected_was:
        counts["protected refused more often"] += 1
    return counts, (f"{a.name}: {'; '.join(map(shown, answer['change']))}: others refused {was} -> {now}, protected "
                    f"{protected_was} -> {protected_now}, {answer['tried']} replays")


def met(goal, truth):
    """Whether a goal holds in a run."""
    subject, _, rest = goal.partition(".")
    metric, operator, value = rest.split()
    figures = truth.figures("level", subject)
    if figures is None:
        return None
    requests, refused, _, p99 = figures
    actual = p99 if metric == "p99wait" else 100 * refused / max(requests, 1) if value.endswith("%") else refused
    wanted = recordings.duration(value) if metric == "p99wait" else float(value.rstrip("%"))
    return actual == wanted if operator == "==" else actual < wanted


def goals(apfctl, a, b, truth, details):
    counts, text = collections.Counter(), []
    for goal in GOALS:
        real = met(goal, truth(b))
        if real is None:
            continue
        answer = ask(apfctl, "suggest", *logs(a), *run.recorded_flags(a), *run.clients(a, b),
                     *server_flags(a, b, b.path("config.yaml")), "--goal", goal, "--budget", "1")
        counts["promised and kept" if answer["metBefore"] and real else "promised and missed" if answer["metBefore"]
               else "met, not promised" if real else "neither"] += 1
        if answer["metBefore"] and not real:
            text.append(f"{a.name} > {b.name}: {goal} was not met: {answer['goals'][0]['before']}")
    return counts, "\n".join(text)


def span(value):
    return (value["low"], value["high"]) if isinstance(value, dict) else (value, value)


def ranges(apfctl, a, b, truth, details):
    answer = ask(apfctl, "suggest", *logs(a), *run.recorded_flags(a), *run.clients(a, b),
                 *server_flags(a, b, b.path("config.yaml")), "--goal", "total.rejected < 1000000000")
    counts, text = collections.Counter(), []
    for level in answer["before"]["levels"]:
        real = truth(b).figures("level", level["priorityLevel"])
        if real is None or (real[1] == 0 and real[3] < 0.02):
            continue
        low, high = span(level["rejected"])
        counts["refusals"] += 1
        counts["refusals inside"] += low <= real[1] <= high
        counts["within 5 or 7 %"] += low - max(5, 0.07 * real[1]) <= real[1] <= high + max(5, 0.07 * real[1])
        least, most = (nanos / 1e9 for nanos in span(level["p99WaitNs"]))
        counts["p99"] += 1
        counts["p99 inside"] += least - MACHINE <= real[3] <= most + MACHINE
        text.append(f"{a.name} > {b.name} {level['priorityLevel']}: refused {low} to {high}, {real[1]}; "
                    f"p99 {least:.2f} to {most:.2f}, {real[3]:.2f}")
    return counts, "\n".join(text)


def difference(metric, befores, afters):
    """Of real runs of two configurations, each repeated as often as it was: -1, 0, 1; None: they do not agree, or it
    is within what cannot be told from the server's own spread."""
    found = {difference_of_two(metric, before, after) for before in befores for after in afters}
    return found.pop() if len(found) == 1 else None


def difference_of_two(metric, before, after):
    if metric == "rejected":
        was, now = before[1] / max(before[0], 1), after[1] / max(after[0], 1)
        noise, real = max(REFUSED_NOISE, 3 / max(before[0], 1)), max(REFUSED_REAL, 6 / max(before[0], 1))
    else:
        at = 2 if metric == "meanWaitNs" else 3
        was, now = before[at], after[at]
        noise, real = max(LEAST_WAIT_NOISE, WAIT_NOISE * was), max(LEAST_WAIT_REAL, WAIT_REAL * max(was, now))
    by = now - was
    return 0 if abs(by) <= noise else None if abs(by) <= real else 1 if by > 0 else -1


def claims(apfctl, a, b, truth, repeats, details):
    flags = server_flags(a, b, "")[:-2]
    answer = ask(apfctl, "compare", a.path("config.yaml"), b.path("config.yaml"), "--log", *logs(a), *run.clients(a, b),
                 *(flags if (a.reads, a.writes) == (b.reads, b.writes) else
                   flags[:-4] + ["--old", "max-requests-inflight=" + str(a.reads), "--old",
                                 "max-mutating-requests-inflight=" + str(a.writes), "--new", "max-requests-inflight=" + str(b.reads),
                                 "--new", "max-mutating-requests-inflight=" + str(b.writes)]))
    said = {(c["what"], c["name"], c["metric"]): c["verdict"] for c in answer["changes"] if c["beyondChance"]}
    counts, text = collections.Counter(), []
    for kind in ("level", "flowSchema", "userAgent"):
        for name in truth(a).by[kind]:
            before, after = truth(a).figures(kind, name), truth(b).figures(kind, name)
            if after is None:
                continue
            for metric in ("rejected", "p99WaitNs"):
                real = difference(metric, [truth(r).figures(kind, name) or before for r in repeats(a)],
                                  [truth(r).figures(kind, name) or after for r in repeats(b)])
                claim = {"worse": 1, "better": -1}.get(said.get((kind, name, metric)), 0)
                what = None
                if real:
                    counts["real"] += 1
                    what = "right" if claim == real else "missed" if claim == 0 else "reversed"
                elif claim:
                    counts["claims without"] += 1
                    what = "false" if real == 0 else "undecided"
                if claim:
                    counts["claims"] += 1
                if what:
                    counts[what] += 1
                if what in ("missed", "false", "reversed"):
                    text.append(f"{a.name} > {b.name} {what}: {kind} {name} {metric}: {before} -> {after}")
    return counts, "\n".join(text)


def headroom(apfctl, a, b, truth, details):
    answer = ask(apfctl, "headroom", *logs(a), *run.recorded_flags(a), *run.clients(a, b),
                 *server_flags(a, b, b.path("config.yaml")), "--of", "load=0.95..1.05")
    counts, text = collections.Counter(), []
    for level in answer["levels"]:
        real = truth(b).figures("level", level["priorityLevel"])
        if real is None:
            continue
        for key, does in (("waitsAt", real[3] > WAIT_BOUND), ("refusesAt", real[1] > 0)):
            figure = level[key]
            low, high = (figure.get("low"), figure.get("high")) if isinstance(figure, dict) else (figure, figure)
            surely, perhaps = high is not None and high <= 1, low is not None and low <= 1
            verdict = "right" if surely == perhaps == does else "open" if surely != perhaps else "wrong"
            counts[verdict] += 1
            if verdict == "wrong":
                text.append(f"{a.name} > {b.name} {level['priorityLevel']} {key}: {low} to {high}, real {real[1]}, {real[3]:.3f}")
    return counts, "\n".join(text)


def seats(run_of):
    return {"max-requests-inflight": run_of["maxRequestsInflight"], "max-mutating-requests-inflight": run_of["maxMutatingRequestsInflight"]}


def refused(run_of):
    return sum(level["queueFullOrLimit"] + level["timeOut"] for level in run_of["levels"].values())


def loads(apfctl, folder, load, name):
    """Counts of one alternative of a load; the text to print of it. Of NAMEx the exempt client is gone, of NAMEhNNN the
    load is a multiple; those of r9 are without the exempt client, too."""
    of, own = load["alternatives"][name], folder / load["load"]
    multiple = re.search(r"h(\d+)$", name)
    scale = ["--scale", str(int(multiple[1]) / 100)] if multiple else []
    if name.endswith("x") or name.startswith("r9h"):
        scale += ["--scale", "user:oncall-admin=0"]
    answer = ask(apfctl, "replay", str(own / "audit.log.gz"), str(own / "kube-apiserver.log.gz"), "--builtins", "mandatory",
                 "--kubernetes-version", load["version"].lstrip("v").split("-")[0], "--objects", str(own / "objects.txt"), "-q", "-o", "json",
                 "-f", str(folder / of["config"]), "--recorded", f"config={own}/config.yaml", *scale,
                 *(word for flag, value in seats(of).items() for word in (f"--{flag}", str(value))),
                 *(word for flag, value in seats(load).items() for word in ("--recorded", f"{flag}={value}")))
    promised, real = answer["total"]["rejected"]["total"], refused(of)
    kept = abs(promised - real) <= max(10, real / 7)
    return collections.Counter(alternatives=1, kept=kept), f"{name}: {promised} of {load['load']}, real {real}" + ("" if kept else ": apart")


def is_asked(a):
    """Recordings on which questions are asked: what a server in need of advice wrote, once each."""
    return "tight" in a.name and not a.name.endswith(("-b", "-x1", "-p5"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("apfctl", nargs="?", default=str(ROOT / "build/release/bin/apfctl"))
    parser.add_argument("--only", default="", help="pairs whose names (A>B) hold this text")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    source = os.environ.get("APF_RECORDINGS")
    if not source:
        raise SystemExit("APF_RECORDINGS is not set: give the folder that holds counterfactual/")
    cache = ROOT / "build/recordings"
    recordings.unpack(pathlib.Path(source) / "counterfactual" / "advice", cache)
    runs = [recordings.Run(folder) for folder in recordings.unpack(pathlib.Path(source) / "counterfactual", cache)]
    known = {}

    def truth(b):
        if b.name not in known:
            known[b.name] = Truth(b)
        return known[b.name]

    def repeats(a):
        """The runs of the same requests under the same configuration in the same phase of the 10 s clock."""
        return [r for r in runs if (r.schedule, r.config_key, r.lead) == (a.schedule, a.config_key, a.lead)]
    for a in runs:
        a.config_key = (a.configuration[1:], a.config_text)
    run.CAN_TIME_OUT = True
    asked = [a for a in runs if is_asked(a)]
    pairs = [(a, b) for a in asked for b in runs if a.schedule == b.schedule and args.only in f"{a.name}>{b.name}"]
    work = {"isolate": [(a, a) for a in asked if args.only in f"{a.name}>{a.name}"], "goals": pairs, "ranges": pairs,
            "compare": [(a, b) for a, b in pairs if a.config_key != b.config_key and a.lead == b.lead],
            # A multiple has no clients that wait for their answers.
            "headroom": [(a, b) for a, b in pairs if "--client-model" not in run.clients(a, b)]}
    does = {"isolate": lambda a, b: isolate(args.apfctl, a, args.details),
            "compare": lambda a, b: claims(args.apfctl, a, b, truth, repeats, args.details),
            **{name: (lambda a, b, f=f: f(args.apfctl, a, b, truth, args.details))
               for name, f in (("goals", goals), ("ranges", ranges), ("headroom", headroom))}}
    folder = pathlib.Path(source) / "counterfactual" / "loads"
    of_loads = [json.loads(line) for line in open(folder / "truth.jsonl")] if folder.is_dir() else []
    work["loads"] = [(load, name) for load in of_loads for name in load["alternatives"] if args.only in name]
    does["loads"] = lambda load, name: loads(args.apfctl, folder, load, name)
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    begin = time.monotonic()
    for part in args.part or PARTS:
        sums, started = collections.Counter(), time.monotonic()
        for counts, text in pool.map(lambda pair: does[part](*pair), work[part]):
            sums += counts
            if text and (args.details or part in ("isolate", "loads")):
                print(text)
        print(f"{part:9s}", ", ".join(f"{name} {number}" for name, number in sums.items()),
              f"({time.monotonic() - started:.0f} s)", flush=True)
    print(f"all in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
