#!/usr/bin/env python3
"""apfctl lsp in a folder of 10,000 objects: how long a change waits for its answer, and how the memory grows with
changes. Prints "NAME VALUE" lines; tests/bench/run.py holds them against bars.

    lsp.py FOLDER OBJECTS CHANGES    writes FOLDER, of files of 20 objects each, if it is not there
"""
import pathlib
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
from client import Session

LEVEL = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {{name: level-{n}}}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse: {{type: Queue, queuing: {{queues: 64, handSize: 6, queueLengthLimit: 50}}}}
"""
SCHEMA = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {{name: schema-{n}}}
spec:
  priorityLevelConfiguration: {{name: level-{level}}}
  matchingPrecedence: {precedence}
  distinguisherMethod: {{type: ByUser}}
  rules:
  - subjects: [{{kind: ServiceAccount, serviceAccount: {{namespace: ns-{n}, name: builder}}}}]
    resourceRules: [{{verbs: [get, list], apiGroups: [""], resources: [pods], namespaces: ["*"], clusterScope: true}}]
"""


def write(folder, objects):
    folder.mkdir(parents=True)
    for first in range(0, objects, 20):
        numbers = range(first, first + 20)
        documents = [LEVEL.format(n=n) if n % 10 == 0 else SCHEMA.format(n=n, level=n // 10 * 10, precedence=1000 + n % 7000) for n in numbers]
        (folder / f"{first // 20:04}.yaml").write_text("---\n".join(documents))


def memory(session):
    """In KiB."""
    status = pathlib.Path(f"/proc/{session.server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def main():
    folder, objects, changes = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if not folder.exists():
        write(folder, objects)
    session = Session(folder, utf8=False, pull=False, refresh=False, arguments=["--today", "2026-11-20"])
    name = f"{objects // 40:04}.yaml"
    session.do_open(name)
    session.sync()
    while session.server.read(3):  # what all files together say comes later
        pass
    waits, after_first, every = [], 0, max(1, changes // 1000)
    for i in range(changes):
        old, new = ("handSize: 6", "handSize: 66") if i % 2 == 0 else ("handSize: 66", "handSize: 6")
        started = time.perf_counter()
        session.do_change(name, old, new)
        if i % every:
            continue
        session.server.ask("textDocument/diagnostic", {"textDocument": {"uri": session.uri(name)}})
        waits.append((time.perf_counter() - started) * 1000)
        session.server.notes.clear()
        if i >= changes // 10 and not after_first:
            after_first = memory(session)
    print(f"median-ms {statistics.median(waits):.2f}")
    print(f"p99-ms {sorted(waits)[len(waits) * 99 // 100]:.2f}")
    print(f"growth {memory(session) / after_first:.3f}")
    session.server.process.kill()


main()
