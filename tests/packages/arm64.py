#!/usr/bin/env python3
"""The static program for arm64, under qemu: it does what this machine's program does, byte for byte, and is packed.

    arm64.py    after `make dist-binary-arm64 deb-static-arm64`; last line: "N passed, N failed"
"""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from roots import ROOT, Tally, run

HERE, THERE = ROOT / "build/release/bin/apfctl", ROOT / "build/arm64/static/apfctl"
QEMU = "qemu-aarch64-static"
COMMANDS = [
    ["lint", "before.yaml", "-o", "json"],
    ["lint", "before.yaml", "--fix", "--diff"],
    ["explain", "list", "pods", "-n", "ci", "--as", "system:serviceaccount:ci:runner", "-f", "before.yaml"],
    ["limits", "-f", "before.yaml"],
    ["replay", "trace.jsonl", "-f", "before.yaml", "--server-concurrency", "20", "-o", "json", "--threads", "4"],
    ["replay", "trace.jsonl.gz", "-o", "html"],
    ["replay", "trace.jsonl.zst", "--server-concurrency", "20", "--decisions", "-", "-q", "-o", "text=/dev/null"],
    ["trace", "trace.jsonl", "--redact=key"],
    ["log", "audit.log.gz"],
    ["hand", "--queues", "128", "--hand-size", "6", "--flow", "a/b", "-o", "json"],
    ["schema", "version"],
    ["explain", "get", "/nothing", "-f", "absent.yaml"],
]
tally = Tally()

header = run("readelf", "-hWl", THERE)[1]
tally.verdict("it is a program for arm64", "AArch64" in header, header)
tally.verdict("without a loader", "INTERP" not in header, header)
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    shutil.copy(ROOT / "examples/lint-review/before.yaml", folder)
    shutil.copy(ROOT / "examples/incident/audit.log.gz", folder)
    log = folder / "trace.jsonl"
    log.write_text("".join(
        '{"time":%d,"user":"u%d","groups":["dev"],"verb":"list","uri":"/api/v1/namespaces/n%d/pods","execution":"%dms"}\n'
        % (i * 1_000_000, i % 7, i % 5, 5 + i % 90) for i in range(5_000)))
    subprocess.run(["gzip", "-k", log], check=True)
    subprocess.run(["zstd", "-q", "-k", log], check=True)
    for command in COMMANDS:
        wanted, got = run(HERE, *command, folder=folder), run(QEMU, THERE, *command, folder=folder)
        tally.verdict(f"the same: {' '.join(command)}", got == wanted, f"{got[0]}: {got[1][:500]}\nnot {wanted[0]}: {wanted[1][:500]}")
        tally.verdict(f"and it does something: {command[0]}", (got[0] == 2) == ("absent.yaml" in command), got[1][:500])
archive = next((ROOT / "build/dist").glob("apfctl-*-linux-arm64.tar.gz"))
checked = run("sha256sum", "-c", f"{archive.name}.sha256", folder=archive.parent)
tally.verdict("the checksum of its archive", checked[0] == 0, checked[1])
with tarfile.open(archive) as packed:
    member = packed.extractfile(f"{archive.name.removesuffix('.tar.gz')}/bin/apfctl")
    tally.verdict("its archive holds it", member.read() == THERE.read_bytes())
    completion = packed.extractfile(f"{archive.name.removesuffix('.tar.gz')}/share/bash-completion/completions/apfctl").read()
    tally.verdict("with the same completion", completion == subprocess.run([HERE, "completion", "bash"], capture_output=True, check=True).stdout)
deb = next((ROOT / "build/dist").glob("apfctl-static_*_arm64.deb"))
fields = run("dpkg-deb", "-f", deb)[1]
tally.verdict("its Debian package is for arm64", "Architecture: arm64" in fields and "Depends:" not in fields, fields)
sys.exit(tally.done())
