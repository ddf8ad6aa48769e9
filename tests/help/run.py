"""The short help: of each command at most 41 lines of 80 columns, at most 15 flags, and three examples, which work in the
root of a clone. The help without a command, and each flag that tools/apfctl/shared/usual_flags.cc names. Last line: "N passed,
N failed"."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
APFCTL = pathlib.Path(os.environ.get("APFCTL") or ROOT / "build/release/bin/apfctl").resolve()
LINES, COLUMNS, FLAGS, EXAMPLES = 41, 80, 15, 3
passed, failed = 0, []


def verdict(what: str, fault: str) -> None:
    global passed
    if fault:
        failed.append(f"FAILED {what}: {fault}")
    else:
        passed += 1


def help_of(*words: str) -> str:
    return subprocess.run([APFCTL, *words], check=True, stdout=subprocess.PIPE).stdout.decode()


def flags_of(text: str) -> list[str]:
    return re.findall(r"^  (?:-., |    )--([a-z-]+)", text, re.M)


def examples_of(text: str) -> list[str]:
    """Each command; a line that ends with a backslash goes on."""
    block = text[text.index("\nExamples"):text.index("\nUsage: ")]
    return re.findall(r"^  (?!#)(\S(?:.*\\\n)*.*)$", block, re.M)


def too_large(text: str, lines: int) -> str:
    found = text.splitlines()
    wide = [line for line in found if len(line) > COLUMNS]
    return (f"{len(found)} lines" if len(found) > lines else "") + (f" {wide[0]!r} is wide" if wide else "")


def check_examples(command: str, examples: list[str], folder: pathlib.Path) -> None:
    verdict(f"examples of {command}", "" if len(examples) == EXAMPLES else f"{len(examples)} of them")
    environment = {**os.environ, "PATH": f"{APFCTL.parent}:{os.environ['PATH']}", "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    for example in examples:
        done = subprocess.run(["bash", "-c", example], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
        # 1: a finding, a change, an expectation that is not met.
        fault = "" if done.returncode in (0, 1) else f"exit {done.returncode}: {done.stderr.decode()}"
        verdict(f"{command}: {example}", fault or ("" if done.stdout or ">" in example or "source" in example or
                                                   done.stderr else "prints nothing"))


def main() -> None:
    verdict("the help without a command", too_large(help_of("help"), 23))
    commands = re.findall(r"^  ([a-z]+)  ", help_of("help", "--all"), re.M)
    verdict("there are commands", "" if len(commands) > 20 else str(commands))
    rows = dict(re.findall(r'\{"([a-z]+)",\s*((?:"[a-z -]*"\s*)+)\}', (ROOT / "tools/apfctl/shared/usual_flags.cc").read_text()))
    verdict("usual_flags.cc has rows", "" if len(rows) > 12 else str(list(rows)))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "home/.config/fish/completions").mkdir(parents=True)
        for command in commands:
            text, whole = help_of(command, "--help"), help_of(command, "--help=all")
            verdict(f"the size of {command} --help", too_large(text, LINES))
            verdict(f"the question of {command}", "" if text.split("\n\n")[0].endswith("?") else "none")
            shown, every = flags_of(text), flags_of(whole)
            verdict(f"the flags of {command} --help", "" if 1 <= len(shown) <= FLAGS else f"{len(shown)} of them")
            verdict(f"{command} --help=all has them, too", " ".join(flag for flag in shown if flag not in every))
            usual = " ".join(re.findall(r'"([^"]*)"', rows.get(command, ""))).split()
            verdict(f"usual flags of {command}", " ".join(flag for flag in usual if flag not in shown))
            verdict(f"help {command} --all", "" if help_of("help", command, "--all") == whole else "is not --help=all")
            check_examples(command, examples_of(text), folder)


main()
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
