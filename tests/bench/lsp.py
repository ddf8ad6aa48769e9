#!/usr/bin/env python3
"""apfctl lsp in a folder of 10,000 objects: how long a change waits for its answer, and how the memory grows with
changes. Prints "NAME VALUE" lines; tests/bench/run.py holds them against bars.

    lsp.py FOLDER OBJECTS CHANGES    writes FOLDER, of nine files for ten objects, if it is not there
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


def path_of(n):
    return f"{n // 1000:02}/{n - (n % 10 == 1):05}.yaml"


def write(folder, objects):
    for n in range(objects):
        path = folder / path_of(n)
        path.parent.mkdir(parents=True, exist_ok=True)
        document = LEVEL.format(n=n) if n % 10 == 0 else SCHEMA.format(n=n, level=n // 10 * 10, precedence=1000 + n % 7000)
        with path.open("a") as file:
            file.write(("---\n" if n % 10 == 1 else "") + document)


def memory(session):
    """In KiB."""
    status = pathlib.Path(f"/proc/{session.server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def main():
    folder, objects, changes = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if not folder.exists():
        write(folder, objects)
    session = Session(folder, utf8=False, pull=False, refresh=False, arguments=["--today", "2026-11-20"])
    name = path_of(objects // 20 * 10)  # a level and a FlowSchema
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
    growth = memory(session) / after_first  # what questions keep comes on top, once
    # What is asked right after a change, or after a file is saved.
    questions = {"hover": "{name: le|vel", "completion": "priorityLevelConfiguration: {name: |", "references": "{name: le|vel", "codeAction": "hand|Size", "save": "|api"}
    slowest = 0
    for question, marked in questions.items() if changes >= 200 else []:
        times = []
        for i in range(10):
            session.do_change(name, *(("ByUser", "ByNamespace") if i % 2 == 0 else ("ByNamespace", "ByUser")))
            started = time.perf_counter()
            if question == "save":
                session.do_save(name)
            where = session.place(name, marked)
            more = {"range": {"start": where["position"], "end": where["position"]}, "context": {"diagnostics": [], "includeDeclaration": True}}
            session.server.ask(f"textDocument/{'diagnostic' if question == 'save' else question}", {**where, **more})
            times.append((time.perf_counter() - started) * 1000)
        print(f"{question}-ms {statistics.median(times):.2f}")
        slowest = max(slowest, statistics.median(times))
    print(f"question-ms {slowest:.2f}")
    print(f"median-ms {statistics.median(waits):.2f}")
    print(f"p99-ms {sorted(waits)[len(waits) * 99 // 100]:.2f}")
    print(f"growth {growth:.3f}")
    # The editor goes while all files are looked at.
    session.do_change(name, "handSize: 6", "handSize: 7")
    time.sleep(1)
    started = time.perf_counter()
    session.server.send({"method": "exit"})
    session.server.process.wait()
    print(f"exit-ms {(time.perf_counter() - started) * 1000:.2f}")


main()
