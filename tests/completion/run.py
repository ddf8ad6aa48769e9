"""Completion in bash and zsh on a terminal of their own: a line is typed, then Tab, then a key that shows the line as it is
now. fish says itself what it would complete. Every flag of every command's help must be offered in each of them."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
apfctl = pathlib.Path(os.environ.get("APFCTL") or root / "build/release/bin/apfctl").resolve()
passed, failed = 0, []


def verdict(what, ok, why=""):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(f"FAILED {what}: {why}")


# What is typed, and the word that it becomes.
CASES = [
    ("apfctl repl", "replay"),
    ("apfctl --vers", "--version"),
    ("apfctl replay --borr", "--borrowing"),
    ("apfctl replay --borrowing ke", "kep"),
    ("apfctl replay --borrowing=ke", "--borrowing=kep"),
    ("apfctl limits -o js", "json"),
    ("apfctl limits --output js", "json"),
    ("apfctl limits -o json=outc", "json=outcome.json"),
    ("apfctl limits --output=json=outc", "--output=json=outcome.json"),
    ("apfctl limits --builtins man", "mandatory"),
    ("apfctl limits --color al", "always"),
    ("apfctl limits -f conf", "config.yaml"),
    ("apfctl limits --filename=conf", "--filename=config.yaml"),
    ("apfctl test conf", "config.yaml"),
    ("apfctl test -o jun", "junit"),
    ("apfctl test --gen", "--generate"),
    ("apfctl replay aud", "audit.log"),
    ("apfctl replay -- aud", "audit.log"),
    ("apfctl replay --config-at 10s=conf", "10s=config.yaml"),
    ("apfctl help built", "builtins"),
    ("apfctl schema flowschema-v1beta2", "flowschema-v1beta2"),
    ("apfctl schema timel", "timeline"),
    ("apfctl completion zs", "zsh"),
    ("apfctl lint conf", "config.yaml"),
    ("apfctl lint -o sar", "sarif"),
    ("apfctl lint -o sarif=outc", "sarif=outcome.json"),
    ("apfctl lint --fail-on in", "info"),
    ("apfctl lint --select dangl", "dangling-level"),
    ("apfctl lint --kubernetes-version 1.33", "1.33"),
    ("apfctl lint --baseline outc", "outcome.json"),
    ("apfctl rules dangl", "dangling-level"),
    ("apfctl rules -o js", "json"),
    ("apfctl validate --old conf", "config.yaml"),
    ("apfctl convert --to v1beta2", "v1beta2"),
    ("apfctl convert conf", "config.yaml"),
    ("apfctl default conf", "config.yaml"),
    ("apfctl schema rul", "rules"),
    ("apfctl explain lis", "list"),
    ("apfctl explain list deploy", "deployments.apps"),
    ("apfctl hand --level workload-l", "workload-low"),
    ("apfctl replay --expect total.p99", "total.p99wait"),
    ("apfctl replay --log aud", "audit.log"),
    ("apfctl builtins --provider openshi", "openshift"),
    ("apfctl new aud", "audit-policy"),
    ("apfctl compare git:feat", "git:feature-x"),
    ("apfctl diff conf", "config.yaml"),
    ("apfctl hand --queues conf", "conf"),
    ("apfctl limits conf", "conf"),
]


class Terminal:
    """A shell on a pseudo terminal, in which Ctrl-X shows the line."""

    def __init__(self, argv, folder, setup):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            env = {"PATH": f"{apfctl.parent}:/usr/bin:/bin", "TERM": "dumb", "HOME": folder, "LC_ALL": "C.UTF-8", "PS1": "", "HISTFILE": ""}
            os.execvpe(argv[0], argv, env)
        self.send(setup + "\necho rea''dy\n")
        self.wait("ready")

    def send(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern):
        """All that comes until the pattern is there."""
        seen, end = "", time.monotonic() + 30
        while not re.search(pattern, seen, re.S):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no {pattern} in {seen!r}")
            try:
                seen += os.read(self.fd, 65536).decode(errors="replace")
            except OSError as error:  # the shell is gone
                raise TimeoutError(f"no {pattern} in {seen!r}") from error
        return seen

    def complete(self, typed):
        self.send(typed + "\t")
        self.send("\x18")
        line = re.search("<<<(.*?)>>>", self.wait("<<<.*?>>>"), re.S).group(1)
        self.send("\x15")
        return line

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def bash(folder):
    setup = "set +H; PS1=; bind -x '\"\\C-x\": echo \"<<<$READLINE_LINE>>>\"'; source <(apfctl completion bash)"
    return Terminal(["bash", "--norc", "--noprofile", "-i"], folder, setup)


def zsh(folder):
    setup = (
        "PS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; zmodload zsh/zle; autoload -U compinit; compinit -u -D; "
        "show() { print -r -- \"<<<$BUFFER>>>\" }; zle -N show; bindkey '^X' show; bindkey '^U' kill-whole-line; "
        "bindkey '^I' expand-or-complete; unsetopt list_beep; source <(apfctl completion zsh)"
    )
    return Terminal(["zsh", "-f", "-i"], folder, setup)


def check_terminal(name, start, folder):
    terminal = start(folder)
    for typed, word in CASES:
        want = typed[: typed.rindex(" ") + 1] + word
        try:
            # A flag that takes a value may get its "=" (zsh), a whole word a blank.
            got = terminal.complete(typed).rstrip(" =")
        except TimeoutError as error:
            got = str(error)
        verdict(f"{name}: {typed}", got == want, f"became {got!r}, not {want!r}")
    terminal.close()


def fish_candidates(script, folder, typed):
    env = {**os.environ, "PATH": f"{apfctl.parent}:{os.environ['PATH']}", "HOME": folder, "XDG_CONFIG_HOME": folder}
    command = f"source {script}; complete -C {typed!r}"
    out = subprocess.run(["fish", "--no-config", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [line.split("\t")[0] for line in out.stdout.decode().splitlines()]


def check_fish(script, folder):
    for typed, word in CASES:
        got = fish_candidates(script, folder, typed)
        nothing = word == "conf"  # where no file is expected
        verdict(f"fish: {typed}", word not in got if nothing else word in got, f"offers {got[:8]}")


def flags_of(help_text):
    return re.findall(r"^  (?:-., |    )(--[a-z-]+)", help_text, re.M)


def offered_flags(shell, scripts, folder, commands):
    """By command: what the shell offers after `apfctl COMMAND --`."""
    if shell == "bash":
        listing = f"source {scripts['bash']}; for c in {' '.join(commands)}; do COMP_WORDS=(apfctl $c --); COMP_CWORD=2; _apfctl; echo $c ${{COMPREPLY[@]}}; done"
        printed = subprocess.run(["bash", "-c", listing], check=True, stdout=subprocess.PIPE).stdout.decode()
        return {line.split(" ")[0]: set(line.split(" ")[1:]) for line in printed.splitlines()}
    if shell == "zsh":
        text = scripts["zsh"].read_text()
        blocks = {c: re.search(rf"^        {c}\)$(.*?)^          ;;$", text, re.M | re.S).group(1) for c in commands}
        return {c: set(re.findall(r"--[a-z-]+", block)) for c, block in blocks.items()}
    return {c: set(fish_candidates(scripts["fish"], folder, f"apfctl {c} --")) for c in commands}


def check_all_flags(scripts, folder):
    """Each long flag of each command, in each shell."""
    run = lambda *args: subprocess.run([apfctl, *args], check=True, stdout=subprocess.PIPE).stdout.decode()
    commands = [c for c in re.findall(r"^  ([a-z]+)  ", run("help", "--all"), re.M) if c != "apfctl"]
    verdict("there are commands", len(commands) > 8, commands)
    offered = {shell: offered_flags(shell, scripts, folder, commands) for shell in scripts}
    for command in commands:
        flags = flags_of(run(command, "--help=all"))
        verdict(f"{command} has flags", bool(flags))
        for shell in scripts:
            missing = [flag for flag in flags if flag not in offered[shell][command]]
            verdict(f"{shell}: flags of {command}", not missing, f"{missing} are missing")
    for shell in scripts:
        got = [c for c in commands if re.search(rf"\b{c}\b", scripts[shell].read_text())]
        verdict(f"{shell}: commands", got == commands, got)


def main():
    shells = sys.argv[1:] or ["bash", "zsh", "fish"]
    for shell in shells:
        verdict(f"{shell} is installed", shutil.which(shell), "it is needed for this test")
    if failed:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in ("audit.log", "config.yaml", "outcome.json"):
            pathlib.Path(folder, name).write_text("")
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
        subprocess.run([*git, "branch", "feature-x"], check=True)
        scripts = {}
        for shell in shells:
            script = pathlib.Path(folder, f".completion.{shell}")
            script.write_bytes(subprocess.run([apfctl, "completion", shell], check=True, stdout=subprocess.PIPE).stdout)
            scripts[shell] = script
            check = subprocess.run([shell, "-n", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            verdict(f"{shell} parses its script", check.returncode == 0 and not check.stdout, check.stdout.decode())
        for shell in shells:
            if shell == "fish":
                check_fish(scripts[shell], folder)
            else:
                check_terminal(shell, {"bash": bash, "zsh": zsh}[shell], folder)
        check_all_flags(scripts, folder)


main()
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
