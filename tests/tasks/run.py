#!/usr/bin/env python3
"""Twenty tasks, each by the first thing that a person would type, in a terminal of 80 columns and 24 rows: what is visible
when the prompt is back has the answer. A row is (the task, what is typed, what is visible, as regular expressions).

run.py APFCTL [TASK]      -v prints each screen. Needs tmux. Last line: "N passed, N failed".
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMPT = "type> "
OPERATORS = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: operators}
spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration: {name: workload-high}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - {kind: ServiceAccount, serviceAccount: {name: my-operator, namespace: ops}}
    resourceRules:
    - {verbs: [list, watch], apiGroups: [""], resources: [pods], namespaces: ["*"]}
"""
POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, userGroups: ["system:nodes"]}
- {level: None, verbs: [watch]}
- level: Metadata
"""
LOG = "audit.log.gz"  # of the incident
SHORT = "short.jsonl.gz"
AMOK = f"{SHORT} --server-concurrency 12"
TASKS = [
    ("who", f"apfctl log {LOG}", [r"refused 301 of 2,662", r"order-sync: 236"]),
    ("which", "apfctl explain list pods -n ci --as sa:ci/builder", [r"^service-accounts → workload-low"]),
    ("why not mine", "apfctl explain list pods -A --as sa:ops/my-operator -f operators.yaml",
     [r'^service-accounts → workload-low; not operators: namespace "" needs clusterScope:']),
    ("whose name is it", "apfctl explain list pods -A --as my-operator -f operators.yaml",
     [r"did you mean sa:ops/my-ope", r"^global-default → global-default"]),
    ("what if 40 shares", "apfctl diff after.yaml forty.yaml", [r"shares of order-sync 5 → 40", r"^order-sync +nominal +12 +8\d"]),
    ("500 more nodes", f"apfctl headroom {AMOK} --nodes 500", [r"500 times as many nodes, or 500 more\? Write 500x or \+5"]),
    ("500 more nodes, said so", f"apfctl headroom {AMOK} --nodes +500 -q", [r"already refuses requests at this load"]),
    ("which queue", "apfctl hand sa:ci/builder", [r"^Hand +\d+ \d+ \d+ \d+ \d+ \d+"]),
    ("which level starves", f"apfctl replay {AMOK}", [r"^Refused 29 of 83", r"workload-low +73", r"without sa:ci/amok"]),
    ("is my gate red", f"apfctl replay {AMOK} --expect 'total.rejected == 0'", [r"expectation not met: total.rejected == 0: it is 29"]),
    ("what does the upgrade change", "apfctl diff builtins@1.28 builtins@1.34", [r"\d+ regions of requests move"]),
    ("how many seats", "apfctl limits workload-low", [r"600 seats \(default: nothing says how many\)", r"^workload-low +Queue .* 245 "]),
    ("is the policy good enough", "apfctl lint policy.yaml", [r"keeps out of the log all requests of", r"a replay of the log lack"]),
    ("a tenant's configuration", "apfctl new level --help", [r"apfctl new "]),
    ("a test", "apfctl test tests.yaml", [r"\d+ of \d+ tests failed|tests? passed"]),
    ("where time went", f"apfctl log {LOG}", [r"mutating\s+webhooks 36\.6s"]),
    ("a picture", f"apfctl replay {AMOK} -o html=page.html && head -c 15 page.html", [r"<!DOCTYPE html>"]),
    ("a spreadsheet", f"apfctl log {LOG} --by user,minute -o csv | head -3", [r"^user,minute,requests,refused"]),
    ("who, as a table", f"apfctl log {LOG} --by user", [r"^USER +REQUESTS +REFUSED", r"order-sync +1,073"]),
    ("two scrapes", "apfctl inspect metrics-1.txt metrics-2.txt", [r"1 of 4 levels refuses requests: workload-low", r"^workload-low +refusing"]),
    ("why the quota denies", "apfctl quota -f quota.yaml api.yaml index.yaml", [r"denied"]),
    ("what to do", f"apfctl suggest {AMOK}", [r"One change meets the goals", r"a new FlowSchema and level ci-amok"]),
    ("EventRateLimit", "apfctl new event-rate-limit --help", [r"apfctl new "]),
    ("a live cluster", "apfctl inspect --from-cluster --for 10ms", [r"workload-low", r"^LEVEL +STATE"]),
    ("a view that stays", "watch -t -c -n 5 apfctl inspect --from-cluster --for 10ms --color always",
     [r"^\d+ of \d+ levels", r"^LEVEL +STATE", r"^workload-low "]),
    ("an object in place of a test", "apfctl test operators.yaml", [r"this is a FlowSchema"]),
]


class Terminal:
    def __init__(self, folder, env):
        self.socket = str(folder / "tmux")
        self.folder, self.env = folder, env
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "env", f"PS1={PROMPT}", "bash", "--norc", "--noprofile")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], cwd=self.folder, env=self.env, capture_output=True, timeout=60, check=True)
        return done.stdout.decode()

    def screen(self, command):
        """What is visible when the prompt is back."""
        self.tmux("send-keys", "-l", f"clear; {command}; tmux -S {self.socket} wait-for -S done")
        self.tmux("send-keys", "Enter")
        self.tmux("wait-for", "done")
        return self.at_prompt()

    def at_prompt(self):
        for _ in range(100):
            shown = self.tmux("capture-pane", "-p")
            if shown.rstrip("\n").split("\n")[-1].strip() == PROMPT.strip():
                break
            time.sleep(0.05)
        return shown

    def stays(self, command, visible):
        """What is visible while the command goes on, once it has all that it has to."""
        self.tmux("send-keys", "-l", f"clear; {command}")
        self.tmux("send-keys", "Enter")
        for _ in range(100):
            shown = self.tmux("capture-pane", "-p")
            if all(re.search(pattern, shown, re.M) for pattern in visible):
                break
            time.sleep(0.1)
        self.tmux("send-keys", "C-c")
        self.at_prompt()  # what is typed sooner, watch throws away as it ends
        return shown

    def end(self):
        self.tmux("kill-server")


def lay_out(folder, apfctl):
    examples = ROOT / "examples"
    for file in ("incident/audit.log.gz", "amok-controller/short.jsonl.gz", "amok-controller/after.yaml", "live-server/metrics-1.txt",
                 "live-server/metrics-2.txt", "quota-fit/quota.yaml", "quota-fit/api.yaml", "quota-fit/index.yaml", "config-tests/tests.yaml",
                 "config-tests/jail.yaml", "config-tests/fixed.yaml"):
        shutil.copy(examples / file, folder)
    (folder / "operators.yaml").write_text(OPERATORS)
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "forty.yaml").write_text(re.sub(r"(name: order-sync\nspec:\n(?:.*\n)*?.*nominalConcurrencyShares: )5\b", r"\g<1>40", (examples / "amok-controller/after.yaml").read_text()))
    live = ROOT / "tests/golden/inspect/from-cluster/bin"
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TMUX")}
    out = folder / "out"
    out.mkdir()
    return {**env, "PATH": f"{apfctl.parent}:{live}:{env['PATH']}", "TERM": "xterm", "LC_ALL": "C.UTF-8", "OUT": str(out), "HISTFILE": ""}


def main():
    words = [word for word in sys.argv[1:] if word != "-v"]
    apfctl = pathlib.Path(words[0]).resolve()
    if not shutil.which("tmux"):
        print("skipped: tmux is not installed (.ci/deps.sh check)\n0 passed, 0 failed")
        return 0
    passed, failed = 0, []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        terminal = Terminal(folder, lay_out(folder, apfctl))
        try:
            for task, command, visible in TASKS:
                if words[1:] and task not in words[1:]:
                    continue
                shown = terminal.stays(command, visible) if command.startswith("watch ") else terminal.screen(command)
                if "-v" in sys.argv:
                    print(f"--- {task}: {command}\n{shown}")
                missing = [pattern for pattern in visible if not re.search(pattern, shown, re.M)]
                if missing:
                    failed.append(f"FAILED {task}: {command}\n  not visible: {missing}\n{shown}")
                else:
                    passed += 1
        finally:
            terminal.end()
    print("\n".join(failed))
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
