"""How time and memory grow with the size of a configuration: tests/growth/run.py APFCTL.

Each command reads inputs of 2,000 and of 4,000 objects. Its time must grow by no more than the size to the power of
MOST_EXPONENT, and must stay below MOST_SECONDS and MOST_MB at the larger size. Times are processor seconds, the least of
some runs; the last line is "N passed, N failed"."""

import math
import os
import subprocess
import sys
import tempfile

MOST_EXPONENT, MOST_SECONDS, MOST_MB = 1.2, 5, 200
SIZES, RUNS = (2000, 4000), 3


def flow_schema(number, subjects, namespace='"*"'):
    return f"""apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {{name: s{number}}}
spec:
  matchingPrecedence: {2 + number % 9000}
  priorityLevelConfiguration: {{name: workload-low}}
  rules:
  - subjects: [{subjects}]
    resourceRules: [{{verbs: [get], apiGroups: ["*"], resources: ["*"], namespaces: [{namespace}]}}]
"""


def user(number):
    return f"{{kind: User, user: {{name: u{number}}}}}"


def group(number):
    return f"{{kind: Group, group: {{name: g{number}}}}}"


def users(n):
    return "---\n".join(flow_schema(i, user(i)) for i in range(n))


def groups_and_namespaces(n):
    return "---\n".join(flow_schema(i, group(i % 16), f"n{i}") for i in range(n))


def one_of_groups(n):
    return flow_schema(1, ", ".join(group(i) for i in range(n)))


def audit_rules(n):
    rules = (f"- {{level: Metadata, users: [u{i}], verbs: [get], resources: [{{group: g{i}, resources: [r{i}]}}]}}\n"
             for i in range(n))
    return "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n" + "".join(rules)


COMMANDS = (
    ("ladder, a user each", users, "ladder -f input"),
    ("ladder, 16 groups and a namespace each", groups_and_namespaces, "ladder -f input"),
    ("test --generate, a user each", users, "test --generate -f input"),
    ("diff, a user each", users, "diff small input"),
    ("diff, 16 groups and a namespace each", groups_and_namespaces, "diff small input"),
    ("diff, groups of one FlowSchema", one_of_groups, "diff small input"),
    ("lint, a user each", users, "lint input"),
    ("lint, 16 groups and a namespace each", groups_and_namespaces, "lint input"),
    ("lint, groups of one FlowSchema", one_of_groups, "lint input"),
    ("log, rules of an audit policy", audit_rules, "log log --audit-policy input"),
)


def measure(apfctl, command):
    """Processor seconds and MB of one run."""
    process = subprocess.Popen([apfctl, *command.split(), "--no-config", "-q"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"apfctl {command}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    apfctl = os.path.abspath(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("small", "w") as out:
            out.write(flow_schema(1, user(1)))
        with open("log", "w") as out:
            for k in range(1, 300):
                out.write(f'{{"time":{k},"user":"u{k % 10}","groups":["g"],"verb":"get",'
                          f'"uri":"/api/v1/pods/x","execution":1}}\n')
        for name, make, command in COMMANDS:
            seconds, megabytes = [], 0
            for size in SIZES:
                with open("input", "w") as out:
                    out.write(make(size))
                runs = [measure(apfctl, command) for _ in range(RUNS)]
                seconds.append(min(run[0] for run in runs))
                megabytes = max(run[1] for run in runs)
            exponent = math.log2(seconds[1] / seconds[0])
            fits = exponent <= MOST_EXPONENT and seconds[1] <= MOST_SECONDS and megabytes <= MOST_MB
            failed += not fits
            print(f"{'ok  ' if fits else 'FAIL'} {name}: {seconds[0]:.2f} s, {seconds[1]:.2f} s "
                  f"(exponent {exponent:.2f}), {megabytes:.0f} MB", flush=True)
    print(f"{len(COMMANDS) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
