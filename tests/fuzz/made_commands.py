"""Command lines that no golden test has: each command that reads logs, configurations, dumps or plans, on any of those that
the tests have, with any preset. A log is now and then put out of order, or is of two logs."""
import pathlib
import random
import re
import shutil

MOST_BYTES = 32 << 10  # replays of many kinds are made of each log
# {log}, {config}, {dump}, {scrape}, {quota}, {policy}, {plan} and {tests} are files, {partial} is a folder; what is in
# brackets is left out now and then.
COMMANDS = {
    "builtins": "[--provider {preset}] [--kubernetes-version {release}] [--builtins mandatory]",
    "compare": "{config} {config} --log {log} [--spread 1] [--expect worsening<=5%] [--dump-at 2s] [--objects {scrape}]",
    "convert": "--to {version} {config} [--partial] [--check] [--diff]",
    "default": "{config} [--with-builtins] [--check] [--diff]",
    "diff": "{config} {config} [--old kubernetes-version={release}] [--new kubernetes-version={release}]",
    "explain": "--requests {log} [-f {config}] [--audit-policy {policy}] [--objects {scrape}] [--expect exempt]",
    "headroom": "{log} --of load=0.5..2 [--spread 1] [-f {config}] [--client sa:shop/*]",
    "hand": "--level workload-low [-f {config}] [--flow service-accounts/a] [--log {log}]",
    "inspect": "{dump} [{dump}] [--metrics {scrape}] [--metrics {scrape}] [--interval 30s] [--expect total.rejected==0] [-f {config}]",
    "ladder": "[-f {config}] [--place {config}]",
    "limits": "-f {config} [--kubernetes-version {release}] [--server {scrape}]",
    "lint": "{config} [--log {log}] [--fix --unsafe-fixes]",
    "log": "{log} [-f {config}] [--by user,minute -o csv] [--audit-policy {policy}] [--server-metrics {scrape},{scrape}] [--from {time}] "
           "[--to {time}] [--ignore CLIENT-LIST-LOOP] [--expect refused==0] [--top 2 -o wide]",
    "quota": "{quota} [-f {quota}] [--quota-used zero] [--no-expand] [--nodes 3] [--quota-config {quota}] [-n x]",
    "replay": "{log} [-f {config}] [--server {scrape}] [--execution-scale 2] [--width-cap 5] [--width-bytes 100k] [--spread 2] [--retries] [--scale 1.5] [--recorded config=same] [--client-model auto] [--dump-at {time}]",
    "suggest": "{log} --goal total.rejected==0 --budget 12 [-f {config}] [--server-concurrency 2]",
    "sweep": "{swept}",
    "test": "{tested} [-f {config}]",
    "trace": "{log} [--redact]",
    "new": "level a --for sa:a/* [-f {config}] [--seats 50]",
    "validate": "{config} [--old {config}] [--strict] [--kubernetes-version {release}]",
}
PLAN = """logs: [{log}]
configurations: [{{name: a}}, {{name: b, files: [{config}]}}]
flags: [{{name: few, server-concurrency: 2}}, {{name: many}}]
seeds: {seeds}
"""
RELEASES = ("1.20", "1.26.0", "1.33", "1.34.2-eks-1a2b3c", "1.37", "1.38", "1.99")
VERSIONS = ("v1", "v1beta1", "v1beta2", "v1beta3")
TIMES = ("2020-01-01T00:00:00Z", "2026-11-20T10:00:00Z", "2199-01-01T00:00:00Z", "0s", "90s")


def kind_of(path: pathlib.Path) -> str:
    if path.suffix in (".yaml", ".yml"):
        text = path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"kind: *(FlowSchema|PriorityLevel|RequestPriority)", text):
            return "config"
        if re.search(r"kind: *(ResourceQuota|LimitRange|Pod|Deployment)", text):
            return "quota"
        if "audit.k8s.io" in text and re.search(r"kind: *Policy", text):
            return "policy"
        return "tests" if re.search(r"^tests:", text, re.M) else ""
    text = b"" if path.suffix == ".test" else path.read_bytes()[:4096]
    if re.search(rb"^ *apiserver_", text, re.M):
        return "scrape"
    if b"PriorityLevelName," in text:
        return "dump"
    return "log" if re.search(rb'"auditID"|"verb"|httplog\.go|wrap\.go', text) else ""


class MadeCommands:
    """`partials`: folders of partial results, for sweep --merge."""

    def __init__(self, folders: list[pathlib.Path], presets: list[str], partials: list[pathlib.Path]) -> None:
        self.presets, self.partials = presets, partials
        self.files: dict[str, list[pathlib.Path]] = {}
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= MOST_BYTES and (kind := kind_of(path)):
                    self.files.setdefault(kind, []).append(path)

    def make(self, rng: random.Random, folder: pathlib.Path, has_preset: set[str]) -> list[str]:
        """Writes the files into the folder. The words of the command line."""
        command = rng.choice(sorted(COMMANDS))
        words = [command]
        for part in re.findall(r"\[[^]]*\]|\S+", COMMANDS[command]):
            if not part.startswith("["):
                words += self.filled(part, rng, folder)
            elif rng.random() < 0.4:
                for word in part[1:-1].split():
                    words += self.filled(word, rng, folder)
        if command in has_preset and rng.random() < 0.3:
            words += ["--preset", rng.choice(self.presets)]
        return words

    def filled(self, word: str, rng: random.Random, folder: pathlib.Path) -> list[str]:
        if word == "{tested}":
            return rng.choice(([self.put("tests", rng, folder), "--expect", "coverage >= 10%"], ["--generate"], ["--generate", self.put("log", rng, folder)]))
        if word == "{swept}":
            if rng.random() < 0.5:
                return [self.made("plan", rng, folder)]
            return ["--merge", self.made("partial", rng, folder), *rng.choice(([], ["--allow-missing"], ["--allow-empty"]))]
        return [re.sub(r"\{(\w+)\}", lambda name: self.made(name[1], rng, folder), word)]

    def made(self, name: str, rng: random.Random, folder: pathlib.Path) -> str:
        choices = {"time": TIMES, "release": RELEASES, "version": VERSIONS, "preset": self.presets}
        if name in choices:
            return rng.choice(choices[name])
        if name == "partial":
            shutil.copytree(rng.choice(self.partials), folder / "partial")
            return "partial"
        if name == "plan":
            plan = PLAN.format(log=self.put("log", rng, folder), config=self.put("config", rng, folder), seeds=rng.choice((1, 2)))
            (folder / "plan.yaml").write_text(plan)
            return "plan.yaml"
        return self.put(name, rng, folder)

    def put(self, kind: str, rng: random.Random, folder: pathlib.Path) -> str:
        path = rng.choice(self.files[kind])
        data = path.read_bytes()
        if kind == "log" and path.suffix not in (".gz", ".zst"):
            data = self.disordered(data, rng)
        target = folder / f"{len(list(folder.iterdir()))}-{path.name}"
        target.write_bytes(data)
        return target.name

    def disordered(self, data: bytes, rng: random.Random) -> bytes:
        lines = data.splitlines(keepends=True)
        if rng.random() < 0.3:
            lines += rng.choice(self.files["log"]).read_bytes().splitlines(keepends=True)
        if rng.random() < 0.3:
            rng.shuffle(lines)
        return b"".join(lines)
