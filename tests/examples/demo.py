"""The demo of `make demo`: after its steps at most 24 lines, of 80 columns but for the one that sets PATH; a verdict; pages
that exist; and commands that run. Last line: "N passed, N failed"."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
passed, failed = 0, []


def verdict(what, fault):
    global passed
    if fault:
        failed.append(f"FAILED the demo: {what}: {fault}")
    else:
        passed += 1


done = subprocess.run([ROOT / "examples/amok-controller/demo.sh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
out = done.stdout.decode()
verdict("it runs", done.stderr.decode() or "" if done.returncode == 0 else f"exit {done.returncode}: {done.stderr.decode()}")
steps, _, shown = out.partition("A log of five")
lines = ("A log of five" + shown).splitlines()
verdict("what it does, while it does it", "" if len(steps.splitlines()) >= 3 else steps)
verdict("24 lines", "" if 15 < len(lines) <= 24 else f"{len(lines)} lines")
verdict("80 columns", "\n".join(line for line in lines if len(line) > 80 and "export PATH" not in line))
verdict("the verdict of compare", "" if re.search(r"Better for \d+ flows, worse for [1-9]", " ".join(lines)) and "BETTER" in shown else shown)
pages = re.findall(r"\bcompare[\w.]*\.html", shown)
verdict("three pages", "" if len(pages) == 3 else pages)
for page in pages:
    text = (ROOT / "build/demo" / page).read_text()
    verdict(page, "" if all(f'href="{other}"' in text for other in pages if other != page) else "does not lead to the others")
export = next((line.strip() for line in lines if "export PATH" in line), "false")
commands = [line.strip() for line in lines if line.startswith("  apfctl ")]
verdict("three commands", "" if len(commands) == 3 else commands)
for command in commands:
    tried = subprocess.run(["sh", "-c", f"{export}\n{command}"], cwd="/", env={"PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    verdict(command, "" if tried.returncode in (0, 1) and tried.stdout else f"exit {tried.returncode}: {tried.stdout.decode()}")
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
