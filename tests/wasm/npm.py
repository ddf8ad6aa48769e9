#!/usr/bin/env python3
"""The package of `make npm`, run by npx in a folder with spaces: what it prints, its exit codes, pipes, colors, Ctrl-C. Last
line: "N passed, N failed".

    npm.py PACKAGE.tgz NATIVE LOG     NATIVE: the native program; LOG: a long log
"""
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE, NATIVE, LOG = (pathlib.Path(one).resolve() for one in sys.argv[1:4])
CORPUS = ROOT.parent / "shared/corpus"
passed = failed = 0


def verdict(name, fault):
    global passed, failed
    passed, failed = (passed, failed + 1) if fault else (passed + 1, failed)
    if fault:
        print(f"FAILED {name}: {fault}")


def difference(one, other):
    return "" if one == other else f"{other!r:.600} in place of {one!r:.600}"


scratch = pathlib.Path(tempfile.mkdtemp(prefix="a folder with spaces "))
for name in ("before.yaml", "after.yaml"):
    shutil.copy(ROOT / "examples/amok-controller" / name, scratch)
(scratch / "broken.yaml").write_text("kind: [\n")
(scratch / "ü a.yaml").write_text((scratch / "before.yaml").read_text())
shutil.copy(ROOT / "examples/incident/audit.log.gz", scratch / "audit log.gz")
env = {**os.environ, "npm_config_cache": str(scratch / ".npm"), "npm_config_offline": "true", "npm_config_update_notifier": "false", "TERM": "xterm"}
for name in ("NO_COLOR", "CLICOLOR_FORCE"):
    env.pop(name, None)

with tarfile.open(PACKAGE) as packed:
    manifest = json.load(packed.extractfile("package/package.json"))
    names = sorted(member.name for member in packed)
verdict("no dependencies, no scripts at installation", difference((None, None), (manifest.get("dependencies"), manifest.get("scripts"))))
verdict("what is packed", difference(["package/README.md", "package/apfctl.mjs", "package/apfctl.wasm", "package/cli.mjs", "package/node_files.mjs", "package/package.json"], names))

NPX = ["npx", "--yes", f"--package={PACKAGE}", "apfctl"]
subprocess.run([*NPX, "version"], cwd=scratch, env=env, capture_output=True, check=False)  # into npm's cache
verdict("npx runs it", difference(0, subprocess.run([*NPX, "version"], cwd=scratch, env=env, capture_output=True, check=False).returncode))
# What npx runs, without npx: a second of each run is its own.
installed = next((scratch / ".npm").glob("_npx/*/node_modules/.bin/apfctl"))


def run(arguments, program=installed, **more):
    result = subprocess.run([program, *map(str, arguments)], cwd=scratch, env=env, capture_output=True, check=False, **more)
    return result.returncode, result.stdout, result.stderr


def same(name, arguments, **more):
    verdict(name, difference(run(arguments, NATIVE, **more), run(arguments, **more)))


same("lint of a folder, with a broken file", ["lint", "."])
same("lint of a file, without findings", ["lint", "after.yaml", "--fail-on", "error"])
same("names with spaces and others", ["validate", "ü a.yaml"])
same("a file that is not there", ["lint", "absent.yaml"])
same("a wrong flag", ["lint", "--no-such-flag"])
same("a diff, exit 1", ["diff", "before.yaml", "after.yaml"])
same("a compressed log", ["log", "audit log.gz"])
same("standard input", ["validate", "-"], input=(scratch / "before.yaml").read_bytes())
same("colors", ["lint", "before.yaml", "broken.yaml", "--color", "always"])
same("an output file", ["limits", "-f", "before.yaml", "-o", "json=limits.json"])
verdict("which is written", "" if json.loads((scratch / "limits.json").read_text())["levels"] else "nothing in it")
verdict("and nothing is left beside it", difference([], [path.name for path in scratch.glob(".limits*")]))
if CORPUS.is_dir():
    for form in ("text", "json"):
        arguments = ["lint", CORPUS, "--no-config", "-o", form]
        verdict(f"lint of the corpus, {form}", difference(run(arguments, NATIVE), run(arguments)))
else:
    print("skipped: lint of the corpus: ../shared/corpus is not there")

# Pipes: one that is closed early ends it quietly; one that is fed slowly is waited for.
head = subprocess.run(["bash", "-c", f"'{installed}' schema flowcontrol | head -c 10; echo ${{PIPESTATUS[0]}}"], cwd=scratch, env=env, capture_output=True, check=False)
verdict("a closed pipe", difference((b"0\n", b""), (head.stdout[10:], head.stderr)))
slow = subprocess.run(["bash", "-c", f"(cat before.yaml; sleep 1; echo) | '{installed}' validate -"], cwd=scratch, env=env, capture_output=True, check=False)
verdict("a slow pipe", difference(0, slow.returncode))


def in_terminal(arguments):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(scratch)
        os.execve(arguments[0], [str(one) for one in arguments], env)
    out = b""
    while select.select([terminal], [], [], 20)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not part:
            break
        out += part
    os.waitpid(process, 0)
    os.close(terminal)
    return out


verdict("a terminal has colors and its own width", difference(in_terminal([NATIVE, "diff", "before.yaml", "after.yaml"]), in_terminal([installed, "diff", "before.yaml", "after.yaml"])))


def interrupted(arguments, after):
    silent, _open = os.pipe()
    process = subprocess.Popen([installed, *map(str, arguments)], cwd=scratch, env=env, stdin=silent, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    try:
        out, _ = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        return "goes on", b"", 0
    return process.returncode, out, time.monotonic() - began


long = scratch / "long.log"
with open(long, "wb") as to:
    for _ in range(6):
        to.write(LOG.read_bytes())
code, out, took = interrupted(["replay", "long.log", "-f", "before.yaml", "-o", "text=report.txt"], 2)
verdict("Ctrl-C in a long run: exit 130, soon", "" if code in (130, -signal.SIGINT) and took < 3 else f"{code} after {took:.1f} s")
verdict("Ctrl-C in a long run leaves no part of a file", difference([], [path.name for path in scratch.glob(".report*")] + [path.name for path in scratch.glob("report*")]))
code, out, took = interrupted(["replay", "long.log", "-f", "before.yaml"], 2)
verdict("and what was done so far is reported", "" if code == 130 and out else f"{code}, {len(out)} bytes")
code, _, took = interrupted(["validate", "-"], 1)
verdict("Ctrl-C while it waits for input", "" if code == -signal.SIGINT and took < 3 else f"{code} after {took:.1f} s")

shutil.rmtree(scratch)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
