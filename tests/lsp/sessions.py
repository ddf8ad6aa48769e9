#!/usr/bin/env python3
"""Sessions of random steps: what a client has seen at the end is what a new server says of the same files and buffers.

    sessions.py COUNT    (APF_TEST_SEED: the first one's)
"""
import json
import os
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
from client import Session

FILES = ["a.yaml", "one/a.yaml", "one/b.yaml", "one/sub/c.yaml", "two/d.yaml", "two/e.yml"]
SETTINGS = [".apfctl.yaml", "one/.apfctl.yaml", "one/sub/.apfctl.yaml", "two/.apfctl.yaml"]
FOLDERS = [".", "one", "two", "one/sub"]
SCHEMA = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {{name: {name}}}
spec:
  priorityLevelConfiguration: {{name: {level}}}
  matchingPrecedence: {precedence}
  rules: [{{subjects: [{{kind: User, user: {{name: x}}}}], nonResourceRules: [{{verbs: [get], nonResourceURLs: [/x/]}}]}}]
"""
LEVEL = """apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {{name: {name}}}
spec: {{type: Limited, limited: {{nominalConcurrencyShares: 30, limitResponse: {{type: Reject}}}}}}
"""


def drawn_text(draw, name, with_faults):
    if name in SETTINGS:
        return draw.choice(["rules: {unused-level: off}\n", "", 'kubernetes-version: "1.30"\n', *["rules: {unusd-level: off}\n", "rules: [\n"] * with_faults])
    schema = SCHEMA.format(name=draw.choice("abc"), level=draw.choice(["exempt", "l1", "l2", "nope"]), precedence=draw.choice([500, 600, 700]))
    level = LEVEL.format(name=draw.choice(["l1", "l2"]))
    return draw.choice([schema, schema, level, f"{schema}---\n{level}", "kind: Deployment\napiVersion: apps/v1\n", *[f"a: [\n{schema}"] * with_faults])


def seen(session):
    session.sync()
    last = {note["params"]["uri"]: note["params"]["diagnostics"] for note in session.server.notes if note["method"] == "textDocument/publishDiagnostics"}
    return {uri: json.dumps(found) for uri, found in sorted(last.items()) if found}


def play(draw, work, with_faults):
    """What a client and a new one have seen, and the steps."""
    session, roots, steps = Session(work, False, False, False, []), ["."], []
    for _ in range(60):
        name, folder = draw.choice(FILES + SETTINGS), draw.choice(FOLDERS)
        text, step = drawn_text(draw, name, with_faults), draw.choice(["open", "open", "retype", "retype", "retype", "close", "write", "delete", "move"])
        if step == "open" and name not in session.buffers:
            session.do_open(name, text)
        elif step == "retype" and name in session.buffers:
            session.do_retype(name, text)
        elif step == "close" and name in session.buffers:
            session.do_close(name)
        elif step == "write":
            session.do_write(name, text)
        elif step == "delete" and (work / name).exists():
            session.do_delete(name)
        elif step == "move":
            name = folder
            (session.do_leave if folder in roots else session.do_join)(folder)
            (roots.remove if folder in roots else roots.append)(folder)
        else:
            continue
        steps.append(f"{step} {name} {text!r}" if step in ("open", "retype", "write") else f"{step} {name}")
        if draw.random() < 0.3:
            session.sync()
    new = Session(work, False, False, False, [])
    new.do_leave()
    for folder in roots:
        new.do_join(folder)
    for name, text in session.buffers.items():
        new.do_open(name, text)
    new.server.notes.clear()
    found = seen(session), seen(new)
    for one in (session, new):
        one.server.ask("shutdown", None)
        one.server.send({"method": "exit"})
        one.server.process.wait(60)
    return *found, steps


def main():
    first = int(os.environ.get("APF_TEST_SEED") or random.randrange(1 << 30))
    for seed in range(first, first + int(sys.argv[1])):
        with tempfile.TemporaryDirectory() as work:
            (pathlib.Path(work) / ".git").mkdir()
            for folder in FOLDERS:
                (pathlib.Path(work) / folder).mkdir(exist_ok=True, parents=True)
            # Of a file with a syntax error its last good text counts, of settings with a fault the last good ones: then only
            # what is said of settings is the same.
            with_faults = seed % 3 == 0
            old, new, steps = play(random.Random(seed), pathlib.Path(work).resolve(), with_faults)
        of_settings = lambda found: {uri: text for uri, text in found.items() if uri.endswith(".apfctl.yaml")}
        if of_settings(old) != of_settings(new) or (old != new and not with_faults):
            sys.exit("\n".join([f"FAILED with APF_TEST_SEED={seed}", *steps, f"the client has seen {old}", f"a new one sees {new}"]))
    print(f"{sys.argv[1]} sessions end as a new one begins")


if __name__ == "__main__":
    main()
