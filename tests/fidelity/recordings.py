"""Recordings of a real kube-apiserver: what a run's folder holds, as far as the comparison with a replay takes it."""
import collections
import json
import pathlib
import tarfile

Level = collections.namedtuple("Level", "requests refused waits")  # waits: seconds, of the requests that were served


class Run:
    """One recording: the logs, the configuration, and what the server did, by priority level."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.name = self.folder.name
        info = json.loads((self.folder / "run.json").read_text())
        self.schedule = self.name.split("-")[0]
        self.config_name = info.get("config", "-")
        self.reads = info["maxRequestsInflight"]
        self.writes = info["maxMutatingRequestsInflight"]
        self.start = info.get("serverStart")
        self.lead = info.get("lead_s")
        self.info = info
        self._truth = None

    def path(self, name):
        return str(self.folder / name)

    @property
    def configuration(self):
        """What makes two runs of one schedule the same experiment, but for the server's own spread."""
        return (self.config_name, self.reads, self.writes, "gives up" if "giveup" in self.name else "")

    @property
    def config_text(self):
        """The configuration without what differs by run: when its objects were made, and by whom."""
        varies = ("uid:", "creationTimestamp:", "resourceVersion:", "generation:", "- lastTransitionTime:", "lastTransitionTime:")
        lines = pathlib.Path(self.path("config.yaml")).read_text().splitlines()
        return "\n".join(line for line in lines if not line.strip().startswith(varies))

    @property
    def truth(self):
        if self._truth is None:
            self._truth = read_truth(self.folder)
        return self._truth


def names_of_levels(config):
    """UID -> name of each PriorityLevelConfiguration. The files are written by one program: no YAML parser is needed."""
    names, kind, name, indent = {}, "", "", False
    for line in pathlib.Path(config).read_text().splitlines():
        if line.startswith(("---", "kind:")):
            kind, name = line.partition(":")[2].strip() if line.startswith("kind:") else "", ""
            indent = False
        elif line == "metadata:":
            indent = True
        elif indent and line.startswith("  name: "):
            name = line[8:].strip().strip('"')
        elif indent and line.startswith("  uid: ") and kind == "PriorityLevelConfiguration":
            names[line[7:].strip().strip('"')] = name
        elif line and not line.startswith(" "):
            indent = False
    return names


def duration(text):
    """A Go duration in seconds."""
    seconds, number = 0.0, ""
    units = {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
    unit = ""
    for char in text + "0":
        if char.isdigit() or char == ".":
            if unit:
                seconds += float(number) * units[unit]
                number, unit = "", ""
            number += char
        else:
            unit += char
    return seconds


def read_truth(folder):
    """Level name -> Level, from the client's record and the server's counters."""
    names = names_of_levels(folder / "config.yaml")
    waits = collections.defaultdict(list)
    hung_up = set()
    level_of_flow = {}
    for line in open(folder / "truth.jsonl"):
        request = json.loads(line)
        level = names.get(request.get("plUID", ""))
        if request["status"] == 0:
            hung_up.add(request["auditID"])
        elif request["status"] != 429 and level is not None:
            waits[level].append(request["wait"])
    if hung_up:
        add_waits_of_hung_up(folder, hung_up, waits)
    refused = collections.Counter()
    for line in open(folder / "metrics.txt"):
        if line.startswith("apiserver_flowcontrol_rejected_requests_total{"):
            refused[line.split('priority_level="')[1].split('"')[0]] += int(float(line.rsplit(None, 1)[1]))
    return {level: Level(len(waits[level]) + refused[level], refused[level], sorted(waits[level]))
            for level in set(waits) | set(refused)}


def add_waits_of_hung_up(folder, ids, waits):
    """A client that left while its request was running does not know how long it had waited; the server's log does."""
    places, wait_of = {}, {}
    for line in open(folder / "kube-apiserver.log"):
        if 'audit-ID="' in line and 'apf_pl="' in line:
            places[line.split('audit-ID="')[1].split('"')[0]] = line.split('apf_pl="')[1].split('"')[0]
    for line in open(folder / "audit.log"):
        event = json.loads(line)
        if event["auditID"] in ids and event["responseStatus"]["code"] != 429 and event["auditID"] in places:
            wait = event.get("annotations", {}).get("apiserver.latency.k8s.io/apf-queue-wait")
            waits[places[event["auditID"]]].append(duration(wait) if wait else 0.0)


def unpack(source, cache):
    """Unpacks the archives of a folder once; returns the folders of the runs."""
    cache.mkdir(parents=True, exist_ok=True)
    for archive in sorted(pathlib.Path(source).glob("*.tar.xz")):
        name = archive.name[: -len(".tar.xz")]
        if not (cache / name).exists() and name != "schedules":
            with tarfile.open(archive) as tar:
                tar.extractall(cache)
    return sorted(p for p in cache.iterdir() if (p / "run.json").exists())
