"""Command lines that no golden test has: each command that reads logs, configurations, dumps or plans, on any of those that
the tests have, with any preset. A log is now and then put out of order, or is of two logs."""
import pathlib
import random
import re

MOST_BYTES = 32 << 10  # replays of many kinds are made of each log
# {log}, {config}, {dump}, {plan} and {tests} are files; what is in brackets is left out now and then.
COMMANDS = {
    "compare": "{config} {config} --log {log} [--spread 1] [--tolerance 5] [--dump-at 2s]",
    "diff": "{config} {config}",
    "explain": "--requests {log} [-f {config}]",
    "headroom": "{log} --most 2 --least 0.5 [--spread 1] [-f {config}] [--client sa:shop/*]",
    "hand": "--level workload-low [-f {config}] [--flow service-accounts/a]",
    "inspect": "{dump} [{dump}] [-f {config}]",
    "ladder": "[-f {config}] [--place {config}]",
    "limits": "-f {config}",
    "lint": "{config} [--traffic {log}]",
    "replay": "{log} [-f {config}] [--spread 2] [--retries] [--scale 1.5] [--recorded config=same] [--client-model auto] [--dump-at {time}] [--metrics-series made]",
    "suggest": "{log} --goal total.rejected==0 --budget 12 [-f {config}] [--server-concurrency 2]",
    "sweep": "{plan}",
    "test": "--generate [{log}] [-f {config}]",
    "log": "{log} [-f {config}] [--by user,minute -o csv]",
    "trace": "{log}",
}
PLAN = """logs: [{log}]
configurations: [{{name: a}}, {{name: b, files: [{config}]}}]
flags: [{{name: few, server-concurrency: 2}}, {{name: many}}]
seeds: {seeds}
"""
TIMES = ("2020-01-01T00:00:00Z", "2026-11-20T10:00:00Z", "2199-01-01T00:00:00Z", "0s", "90s")


def kind_of(path: pathlib.Path) -> str:
    if path.suffix in (".yaml", ".yml"):
        text = path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"kind: *(FlowSchema|PriorityLevel|RequestPriority)", text):
            return "config"
        return "tests" if re.search(r"^tests:", text, re.M) else ""
    text = b"" if path.suffix == ".test" else path.read_bytes()[:4096]
    if re.search(rb"PriorityLevelName,|apiserver_flowcontrol_", text):
        return "dump"
    return "log" if re.search(rb'"auditID"|"verb"|httplog\.go|wrap\.go', text) else ""


class MadeCommands:
    def __init__(self, folders: list[pathlib.Path], presets: list[str]) -> None:
        self.presets = presets
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
                words.append(self.filled(part, rng, folder))
            elif rng.random() < 0.4:
                words += [self.filled(word, rng, folder) for word in part[1:-1].split()]
        if command in has_preset and rng.random() < 0.3:
            words += ["--preset", rng.choice(self.presets)]
        return words

    def filled(self, word: str, rng: random.Random, folder: pathlib.Path) -> str:
        if word == "{time}":
            return rng.choice(TIMES)
        if word == "{plan}":
            plan = PLAN.format(log=self.put("log", rng, folder), config=self.put("config", rng, folder), seeds=rng.choice((1, 2)))
            (folder / "plan.yaml").write_text(plan)
            return "plan.yaml"
        return self.put(word[1:-1], rng, folder) if re.fullmatch(r"\{\w+\}", word) else word

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
