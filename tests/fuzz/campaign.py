#!/usr/bin/env python3
"""Mutates whole command lines and the files that they name, and runs them with limits on memory and time. It begins with the
commands of the golden tests, each command as often as any other, and with those of made_commands.py. Of every run it checks

  - that it ends by itself, in time, within its memory, without a report of a sanitizer;
  - that the exit code is 0, 1 or 2, and that 2 comes with a message;
  - that what a terminal would obey is in no output, and that each output is well-formed in its format.

    campaign.py [--count N] [--seed S] [--only I] [--jobs J] [APFCTL]    (default build/release/bin/apfctl)

An input follows from the seed and its number alone: --only runs one again and keeps its folder. What was found is kept in
build/campaign/. Last line: "N passed, N failed".
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import outputs
from made_commands import MadeCommands

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
FINDINGS = ROOT / "build/campaign"
sys.path.insert(0, str(GOLDEN))
import case_file  # noqa: E402

HUGE = ["9223372036854775807", "-9223372036854775808", "18446744073709551616", "2147483648", "-1", "0", "00", "1e308", "1e-400", "NaN",
        "0x10", "99999999999999999999999999", "4294967297", "0.0000001", "1_000"]
TIMES = ["2562047h47m16s", "2562047h", "-2562047h", "1ns", "0s", "99999999h", "1h1h1h", ".5s", "1700-01-01T00:00:00Z", "2200-12-31T23:59:59Z",
         "2262-04-11T23:47:16.854775807Z", "9999-12-31T23:59:60Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2026-02-30T25:61:61Z", "1µs"]
STRANGE = ["", " ", "\x1b[31mred", "\x1b]0;title\x07", "\u009b31m", "\u202eabc", "\u2066x", "\r\n", "a" * 5000, "%s%n", "../..", "'\"`$(x)", "\ufeff", "é", "𝔸",
           "*", "**", "~", "!!python/object:x", "&a *a", "{}", "[]", "null", "{\"a\":", "<script>", "]]>", "-->", "::error::x", "\u2028", "=", ",", "a,b", "|"]
# Flags whose value is a file to write, and the format of what is written.
WRITES = {"--decisions": "json", "--timeline": "json", "--metrics": "metrics", "--write-baseline": "", "-o": "", "--output": ""}
# Not run: what only waits for input.
NO_FILES_FOR = ("completion", "help", "version", "schema", "rules")


@dataclasses.dataclass
class Seed:
    """A command of a golden test, and the folder it runs in."""
    words: list[str]
    folder: pathlib.Path
    stdin: str = ""


@dataclasses.dataclass
class Outcome:
    number: int
    problem: str = ""
    words: tuple = ()


def commands_of(case: case_file.Case) -> list[Seed]:
    """The calls of apfctl in a case, without what the shell does around them."""
    if "\n" in case.command.strip() or re.search(r"[`]|\$[({]|<\(|<<", case.command):
        return []
    try:
        words = list(shlex.shlex(case.command.strip(), posix=True, punctuation_chars=True))
    except ValueError:
        return []
    found, current, folder, stdin = [], [], case.folder, ""
    skip = ""
    for word in words + [";"]:
        if skip:
            stdin, skip = (word if skip == "<" else stdin), ""
        elif word in ("<", ">", ">>", ">&", "2>"):
            skip = word
        elif re.fullmatch(r"[;&|]+", word):
            if current[:1] == ["cd"] and len(current) == 2:
                folder = pathlib.Path(os.path.normpath(folder / current[1]))
            elif current[:1] == ["apfctl"] and len(current) > 1 and not any("$" in w for w in current):
                found.append(Seed(current[1:], folder, stdin))
            current, stdin = [], ""
        else:
            current.append(word)
    return found


def read_seeds() -> list[Seed]:
    seeds = []
    for path in sorted(GOLDEN.glob("*/*.test")):
        seeds += commands_of(case_file.read(path))
    return seeds


def flags_of(apfctl: str) -> dict[str, list[tuple[str, bool]]]:
    """Per command: its long flags, and whether each takes a value."""
    def help_of(*words):
        return subprocess.run([apfctl, *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True).stdout.decode()

    flags = {}
    for command in re.findall(r"^  ([a-z]+)  ", help_of("help", "--all"), re.M):
        flags[command] = [(name, bool(value)) for name, value in re.findall(r"^  (?:-., |    )(--[a-z-]+)( [A-Z])?", help_of(command, "--help=all"), re.M)]
    return flags


class Mutation:
    """One input: a command line and its files, in a folder of its own."""

    def __init__(self, rng: random.Random, seed: Seed, folder: pathlib.Path, flags: dict, corpus: list[bytes]) -> None:
        self.rng, self.seed, self.folder, self.corpus = rng, seed, folder, corpus
        self.flags = flags.get(seed.words[0], [])
        self.files: list[pathlib.Path] = []
        self.words = [self.bring(word) for word in seed.words]
        stdin = self.bring(seed.stdin) if seed.stdin else ""
        self.stdin = stdin if (folder / stdin).is_file() else ""
        self.mutate()
        self.tame()

    def bring(self, word: str) -> str:
        """Copies the file or folder that a word names into the input's own folder; the word then names that."""
        head, separator, tail = word.rpartition("=") if "=" in word and not (self.seed.folder / word).exists() else ("", "", word)
        path = pathlib.Path(os.path.normpath(self.seed.folder / tail))  # a case without files has no folder
        if not tail or tail in (".", "..", "-") or len(tail) > 200 or "\0" in tail or not path.exists():
            return word
        if path.is_dir():
            target = self.folder / path.resolve().name
            if not target.exists():
                shutil.copytree(path, target, symlinks=True)
                self.files += [f for f in sorted(target.rglob("*")) if f.is_file() and not f.is_symlink()]
        elif path.is_file():
            target = self.folder / path.name
            if not target.exists():
                shutil.copyfile(path, target)
                self.files.append(target)
        else:
            return word
        return head + separator + target.name

    def mutate(self) -> None:
        for _ in range(self.rng.choice((1, 1, 2, 3, 5))):
            if self.files and self.rng.random() < 0.6:
                path = self.rng.choice(self.files)
                path.write_bytes(self.mutate_bytes(path.read_bytes()))
            else:
                self.mutate_words()

    def mutate_bytes(self, data: bytes) -> bytes:
        rng = self.rng
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 2, 8, 64, 1024)))
        kind = rng.randrange(9)
        if kind == 0 and data:
            at = min(at, len(data) - 1)
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
        if kind == 1:
            return data[:at] + data[end:]
        if kind == 2:
            return data[:end] + data[at:end] * rng.choice((1, 3, 100)) + data[end:]
        if kind == 3:
            return data[:at]
        if kind == 4:
            other = rng.choice(self.corpus)
            begin = rng.randrange(len(other) + 1)
            return data[:at] + other[begin:begin + 4096] + data[at:]
        if kind == 5:
            lines = data.split(b"\n")
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            return b"\n".join(lines)
        if kind == 6:
            return data[:at] + rng.choice(STRANGE).encode() + data[at:]
        # A number or a time becomes an absurd one.
        spots = list(re.finditer(rb"\d{4}-\d\d-\d\dT[\d:.]+Z?|-?\d[\d.]*(?:ns|us|ms|s|m|h)?", data))
        if not spots:
            return data + rng.choice(HUGE).encode()
        spot = rng.choice(spots)
        return data[:spot.start()] + rng.choice(TIMES if rng.random() < 0.5 else HUGE).encode() + data[spot.end():]

    def value(self) -> str:
        return self.rng.choice(self.rng.choice((HUGE, TIMES, STRANGE, [path.name for path in self.files] or [""])))

    def mutate_words(self) -> None:
        rng, words = self.rng, self.words
        at = rng.randrange(1, len(words) + 1)
        kind = rng.randrange(7)
        if kind <= 2 and self.flags:
            name, takes_value = rng.choice(self.flags)
            words[at:at] = [f"{name}={self.value()}"] if takes_value and rng.random() < 0.5 else [name, self.value()] if takes_value else [name]
        elif kind == 3:
            words[at:at] = ["-o", rng.choice([*outputs.FORMATS, "text", "concise", "markdown", "json=made", "html=made", ""])]
        elif at == len(words):
            words.append(self.value())
        elif kind == 4:
            del words[at]
        elif kind == 5:
            words[at] = self.value() if rng.random() < 0.5 else words[at] + self.value()
        else:
            words.insert(at, words[at])

    def tame(self) -> None:
        """Nothing is written, and no file is rewritten, outside of the folder; a program's argument holds no NUL."""
        words = [word.replace("\0", "") for word in self.words]
        files = words[0] in ("lint", "validate", "default", "convert", "trace", "log", "replay", "quota")
        for i, word in enumerate(words):
            flag, separator, value = word.partition("=")
            writes = flag in WRITES and separator or i > 0 and words[i - 1] in WRITES or word.startswith("-o")
            if (writes or files or flag == "--fix") and ("/" in word or ".." in word) and "/dev/" not in word and not (self.folder / word).exists():
                words[i] = word.replace("..", "_").replace("/", "_") if writes else re.sub(r"(^|=)/+", r"\1", word.replace("..", "_"))
        self.words = words

    def written(self) -> list[tuple[str, pathlib.Path]]:
        """The outputs that the command line asks for, with their formats; standard output without a path."""
        found = []
        for i, word in enumerate(self.words):
            flag, separator, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if flag not in WRITES:
                continue
            value = value if separator else self.words[i + 1] if i + 1 < len(self.words) else ""
            fmt, to, path = value.partition("=") if flag in ("-o", "--output") else (WRITES[flag], "=", value)
            if to and path and "\0" not in path and (self.folder / path).is_file() and not (self.folder / path) in self.files:
                found.append((fmt, self.folder / path))
        return found

    def format_of_stdout(self) -> str:
        """Where exactly one format goes to standard output; otherwise only a terminal's safety is looked at."""
        if self.words[0] in ("builtins", "default", "convert") and not any(w.startswith(("-o", "--output", "-h", "--help", "--diff", "--check")) for w in self.words):
            return "yaml"
        given, valued = [], {name for name, takes_value in self.flags if takes_value}
        for i, word in enumerate(self.words):
            before = self.words[i - 1] if i else ""
            if word == "--" or word.startswith("-o") and (before in valued or len(before) == 2 and before[0] == "-" and before[1] not in "qv"):
                return ""  # no flag, but an argument, or the value of the flag before it
            if word in ("-o", "--output") and i + 1 < len(self.words):
                given.append(self.words[i + 1])
            elif word.startswith(("--output=", "-o=")):
                given.append(word.partition("=")[2])
        others = any(w in ("-h", "--help", "--diff", "--show-settings", "--trace") or w.startswith(("-h", "--help", "--write-baseline")) or "/dev/" in w for w in self.words)
        return given[0] if len(given) == 1 and "=" not in given[0] and not others else ""


class Limits:
    def __init__(self, apfctl: str) -> None:
        # Sanitizers need address space for their own tables, and time.
        symbols = subprocess.run(["nm", "-D", apfctl], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        self.sanitized = b"__asan_init" in symbols or b"__tsan_init" in symbols
        self.memory = 2 << 30
        self.seconds = 60 if self.sanitized else 15
        # No kubectl is found, whatever --from-cluster asks for.
        self.env = {"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "dumb", "TZ": "UTC", "HOME": "/nonexistent",
                    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:hard_rss_limit_mb=2048:allocator_may_return_null=1", "UBSAN_OPTIONS": "exitcode=99", "TSAN_OPTIONS": "exitcode=99"}

    def apply(self) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
        if not self.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))


def run_one(apfctl: str, limits: Limits, mutation: Mutation) -> str:
    """What is wrong with this run, or nothing."""
    stdin = open(mutation.folder / mutation.stdin, "rb") if mutation.stdin else subprocess.DEVNULL
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    try:
        process = subprocess.Popen([apfctl, *mutation.words], cwd=mutation.folder, env=limits.env, stdin=stdin, stdout=out, stderr=err, preexec_fn=limits.apply)
        try:
            code = process.wait(timeout=limits.seconds * 8)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return f"hangs: not ended after {limits.seconds * 8} s"
    finally:
        if mutation.stdin:
            stdin.close()
    out.seek(0)
    err.seek(0)
    stdout, stderr = out.read(), err.read()
    if re.search(rb"Sanitizer|runtime error:", stderr):
        return "a sanitizer's report:\n" + stderr.decode(errors="replace")[:3000]
    if code < 0:
        what = {-24: f"takes more than {limits.seconds} s of processor time", -25: "writes more than 64 MiB"}.get(code, f"killed by signal {-code}")
        return f"{what}\n{stderr.decode(errors='replace')[:500]}"
    if code not in (0, 1, 2):
        return f"exit code {code}\n{stderr.decode(errors='replace')[:1000]}"
    if code == 2 and not stderr.strip() and "-q" not in mutation.words:
        return "exit code 2 without a message"
    if b"std::" in stderr or b"basic_string" in stderr or b"Assertion" in stderr:
        return "a message of the program's insides: " + stderr.decode(errors="replace")[:500]
    always_color = "--color=always" in mutation.words or "always" in mutation.words
    if wrong := outputs.wrong_with("", re.sub(rb"\x1b\[[0-9;]*m", b"", stderr) if always_color else stderr):
        return f"standard error: {wrong}"
    fmt = mutation.format_of_stdout() if code != 2 else ""
    if not fmt and any("csv" in w for w in mutation.words):
        stdout = stdout.replace(b"\r\n", b"\n")
    if not always_color and (wrong := outputs.wrong_with(fmt, stdout)):
        return f"standard output{f' ({fmt})' if fmt else ''}: {wrong}"
    if code != 2:
        for made, path in mutation.written():
            if wrong := outputs.wrong_with(made, path.read_bytes()):
                return f"{path.name} ({made}): {wrong}"
    return ""


class Campaign:
    def __init__(self, options) -> None:
        self.options = options
        self.apfctl = str(pathlib.Path(options.apfctl).resolve())
        self.limits = Limits(self.apfctl)
        self.seeds: dict[str, list[Seed]] = {}
        for seed in read_seeds():
            self.seeds.setdefault(seed.words[0], []).append(seed)
        self.flags = flags_of(self.apfctl)
        self.commands = [command for command in sorted(self.seeds) if command in self.flags]
        self.has_preset = {command for command, flags in self.flags.items() if ("--preset", True) in flags}
        presets = subprocess.run([self.apfctl, "builtins", "--provider", "all", "-o", "json"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True).stdout
        folders = [GOLDEN, *(ROOT / "tests/fuzz/seeds" / name for name in ("replay", "klog", "scrape"))]
        self.made = MadeCommands(folders, re.findall(r'"name":"([^"]+)"', presets.decode()), [self.partial_results()])
        self.corpus = [f.read_bytes()[:65536] for f in sorted(GOLDEN.glob("*/*/*")) if f.is_file()]
        if len(self.commands) < 20 or len(self.corpus) < 300 or len(self.made.files) < 7 or not self.made.presets:
            sys.exit(f"too little to begin with: {self.commands}, {len(self.corpus)} files, {sorted(self.made.files)}, {self.made.presets}")

    def partial_results(self) -> pathlib.Path:
        """Of two tasks, for merge."""
        self.partials = tempfile.TemporaryDirectory(prefix="apfctl-partial-")
        folder = pathlib.Path(self.partials.name)
        (folder / "a.jsonl").write_text("".join(f'{{"time":{i},"user":"u{i % 3}","groups":["g"],"verb":"{"get" if i % 2 else "update"}","uri":"/api/v1/pods/x","execution":9}}\n' for i in range(60)))
        (folder / "plan.yaml").write_text("logs: [a.jsonl]\nconfigurations: [{name: a}]\nseeds: 2\n")
        for task in ("1/2", "2/2"):
            subprocess.run([self.apfctl, "sweep", "plan.yaml", "-q", "--task", task, "--partial", "results/"], cwd=folder, stdin=subprocess.DEVNULL, check=True)
        return folder / "results"

    def input(self, number: int, folder: pathlib.Path) -> Mutation:
        rng = random.Random(f"{self.options.seed}/{number}")
        if rng.random() < 0.5:
            with tempfile.TemporaryDirectory(prefix="apfctl-made-") as made:
                words = self.made.make(rng, pathlib.Path(made), self.has_preset)
                return Mutation(rng, Seed(words, pathlib.Path(made)), folder, self.flags, self.corpus)
        return Mutation(rng, rng.choice(self.seeds[rng.choice(self.commands)]), folder, self.flags, self.corpus)

    def one(self, number: int) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="apfctl-campaign-") as folder:
            mutation = self.input(number, pathlib.Path(folder))
            problem = run_one(self.apfctl, self.limits, mutation)
            return Outcome(number, problem, tuple(mutation.words))

    def keep(self, outcome: Outcome) -> pathlib.Path:
        """The finding's files as they were before the run, with a command to paste."""
        folder = FINDINGS / f"{self.options.seed}-{outcome.number}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        mutation = self.input(outcome.number, folder)
        command = " ".join(map(shlex.quote, [self.apfctl, *mutation.words])) + (f" <{shlex.quote(mutation.stdin)}" if mutation.stdin else " </dev/null")
        (folder / "run.sh").write_text(f"#!/bin/sh\n# {outcome.problem.splitlines()[0]}\ncd \"$(dirname \"$0\")\" && {command}\n", errors="surrogateescape")
        return folder

    def run(self) -> int:
        numbers = [self.options.only] if self.options.only is not None else range(self.options.count)
        passed = failed = 0
        started = time.monotonic()
        print(f"seed {self.options.seed}: {len(numbers)} inputs from {len(self.commands)} commands", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for outcome in pool.map(self.one, numbers):
                if not outcome.problem:
                    passed += 1
                    continue
                failed += 1
                if failed <= 50:
                    kept = self.keep(outcome)
                    print(f"FAILED input {outcome.number} of seed {self.options.seed}: {outcome.problem}\n  {kept.relative_to(ROOT)}/run.sh", flush=True)
        print(f"{time.monotonic() - started:.0f} s")
        print(f"{passed} passed, {failed} failed")
        return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default=os.environ.get("APF_TEST_SEED", "1"))
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("apfctl", nargs="?", default=str(ROOT / "build/release/bin/apfctl"))
    return Campaign(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
