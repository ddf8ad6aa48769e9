#!/usr/bin/env python3
"""With --threads 1 no thread is started, and where the system has none to give, all comes out as with several. A filter of
system calls ends the program, or says "no", where it asks for a thread. Last line: "N passed, N failed".

    check.py APFCTL
"""
import ctypes
import json
import pathlib
import platform
import re
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
APFCTL = str(pathlib.Path(sys.argv[1]).resolve())
EXAMPLE = ROOT / "examples/amok-controller"
# seccomp(2): what a call of these numbers comes to.
CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLONE3 = 435
CLONE_THREAD = 0x10000
KILL, NO_THREAD, NO_CALL, ALLOW = 0x80000000, 0x50000 | 11, 0x50000 | 38, 0x7FFF0000  # EAGAIN, ENOSYS
LOAD, EQUAL, HAS, END = 0x20, 0x15, 0x45, 0x06
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22
passed = failed = 0


def filtered(answer):
    """Called in the process that becomes the program. clone3() hides its flags in memory: glibc asks clone() then."""
    rows = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, CLONE3), (END, 0, 0, NO_CALL), (EQUAL, 0, 3, CLONE), (LOAD, 0, 0, 16),
            (HAS, 0, 1, CLONE_THREAD), (END, 0, 0, answer), (END, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(code))
    libc = ctypes.CDLL(None)

    def install(_code=code):  # which `program` points to
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0) != 0:
            raise OSError("there is no seccomp here")
    return install


def verdict(name, fault):
    global passed, failed
    passed, failed = (passed, failed + 1) if fault else (passed + 1, failed)
    if fault:
        print(f"FAILED {name}: {fault}")


def run(arguments, answer=None, text=b""):
    result = subprocess.run([APFCTL, *map(str, arguments)], input=text, capture_output=True, cwd=ROOT, check=False,
                            preexec_fn=filtered(answer) if answer else None)
    # A log's report says that it missed threads.
    return result.returncode, re.sub(rb',?{"kind":"threads-missing"[^}]*}', b"", result.stdout)


def session(text):
    """What an editor sends that pulls the findings of one text."""
    document = {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": text}
    pulls = {"textDocument": {"diagnostic": {}}}
    messages = [{"id": 1, "method": "initialize", "params": {"capabilities": pulls, "rootUri": None}},
                {"method": "initialized", "params": {}},
                {"method": "textDocument/didOpen", "params": {"textDocument": document}},
                {"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": document["uri"]}}},
                {"id": 3, "method": "shutdown"}, {"method": "exit"}]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


with tempfile.TemporaryDirectory() as scratch:
    log = pathlib.Path(scratch, "audit.log")
    generator = pathlib.Path(APFCTL).parent / "generate-amok-controller"
    subprocess.run([generator, "--requests", "30000", "-o", log], check=True, capture_output=True)
    before, after = EXAMPLE / "before.yaml", EXAMPLE / "after.yaml"
    server = ["--objects", EXAMPLE / "objects.txt", "--max-requests-inflight", "100", "--max-mutating-requests-inflight", "50"]
    replay = ["replay", log, "-f", before, *server, "-o", "json"]
    with_threads = {
        "replay": replay,
        "replay of another configuration": [*replay, "--recorded", f"config={after}", "--spread", "3"],
        "replay of servers": ["replay", "-f", before, "--server", f"a={log}", "--server", f"b={log}", *server, "-o", "json"],
        "compare": ["compare", before, after, "--log", log, *server, "-o", "json"],
        "headroom": ["headroom", log, "-f", before, *server, "-o", "json"],
        "suggest": ["suggest", log, "-f", before, *server, "--isolate", "sa:shop/order-sync", "-o", "json"],
        "test": ["test", ROOT / "examples/config-tests/tests.yaml"],
    }
    without = {
        "lint": ["lint", before, "--no-config", "--log", log, "-o", "json"],
        "log": ["log", log, "-o", "json"],
        "log with experiments": ["log", log, "-f", before, "--server-concurrency", "150", "-o", "json"],
        "trace": ["trace", log],
    }
    for name, arguments in with_threads.items():
        expected = run([*arguments, "--threads", "3"])
        verdict(f"{name}: one thread", "" if run([*arguments, "--threads", "1"], KILL) == expected else "starts one, or says something else")
        verdict(f"{name}: none to be had", "" if run([*arguments, "--threads", "1"], NO_THREAD) == expected else "says something else")
    for name, arguments in without.items():
        expected = run(arguments)
        verdict(f"{name}: none to be had", "" if run(arguments, NO_THREAD) == expected else "says something else")
    talk = session(before.read_text().replace("matchingPrecedence", "matchingPrecedense", 1))
    expected = run(["lsp"], text=talk)
    verdict("lsp: none to be had", "" if b"matchingPrecedense" in expected[1] and run(["lsp"], NO_THREAD, talk) == expected else "says something else")
    verdict("the filter sees threads", "" if run(replay, KILL)[0] == -signal.SIGSYS else "a replay with threads goes on")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
