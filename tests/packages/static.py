#!/usr/bin/env python3
"""The static program, alone: in an empty file system, in that of the container image, packed, and as krew, Homebrew and dpkg
install it.

    static.py    after `make static`; last line: "N passed, N failed"
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import yaml

from roots import ROOT, Tally, can_change_root, run, run_in

MAKE = os.environ.get("MAKE", "make").split()
SHARED, STATIC = ROOT / "build/release/bin/apfctl", ROOT / "build/release/static/apfctl"
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
tally = Tally()
# What does not need anything but the program: a configuration, a log, hashes, an archive, all threads.
COMMANDS = [
    ["lint", "before.yaml", "-o", "json"],
    ["lint", "before.yaml", "--fix", "--diff"],
    ["validate", "before.yaml"],
    ["explain", "list", "pods", "-n", "ci", "--as", "system:serviceaccount:ci:runner", "-f", "before.yaml"],
    ["replay", "trace.jsonl", "-f", "before.yaml", "-o", "json", "--threads", "4"],
    ["replay", "trace.jsonl.gz", "-o", "html"],
    ["replay", "trace.jsonl.zst", "--decisions", "decisions", "-q"],
    ["trace", "trace.jsonl", "--redact=key"],
    ["hand", "--queues", "128", "--hand-size", "6", "--flow", "a/b", "-o", "json"],
    ["schema", "version"],
    ["explain", "get", "/nothing", "-f", "absent.yaml"],
]


def fill(folder: pathlib.Path) -> None:
    """The inputs of COMMANDS."""
    shutil.copy(ROOT / "examples/lint-review/before.yaml", folder)
    lines = "".join(
        '{"time":%d,"user":"u%d","groups":["dev"],"verb":"list","uri":"/api/v1/namespaces/n%d/pods","execution":"%dms"}\n'
        % (i * 1_000_000, i % 7, i % 5, 5 + i % 90) for i in range(20_000))
    log = folder / "trace.jsonl"
    log.write_text(lines)
    subprocess.run(["gzip", "-k", log], check=True)
    subprocess.run(["zstd", "-q", "-k", log], check=True)


def check_alone() -> None:
    header = run("readelf", "-Wld", STATIC)[1]
    tally.verdict("no shared library and no loader", "NEEDED" not in header and "INTERP" not in header, header)
    size = STATIC.stat().st_size
    tally.verdict("under 16 MB", size < 16_000_000, size)
    print(f"static program: {size / 1e6:.1f} MB")
    check_version()
    if not can_change_root():
        print("neither root nor user namespaces: the static program was not tried in an empty file system")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        fill(root)
        expected = [run(SHARED, *command, folder=root) for command in COMMANDS]
        shutil.copy(STATIC, root / "apfctl")
        written = (root / "decisions").read_bytes()
        (root / "decisions").unlink()
        for command, wanted in zip(COMMANDS, expected):
            got = run_in(root, "/apfctl", *command)
            tally.verdict(f"in an empty file system: {' '.join(command)}", got == wanted, f"{got[0]}: {got[1][:500]}\nnot {wanted[0]}: {wanted[1][:500]}")
            tally.verdict(f"and does something: {command[0]}", (got[0] == 2) == ("absent.yaml" in command), got[1][:500])
        tally.verdict("and its files are the same", (root / "decisions").read_bytes() == written)


def check_version() -> None:
    """Commit, releases and libraries are those of the shared program, but for ISA-L and libarchive, which have no archive."""
    words, shared = run(STATIC, "--version")[1], run(SHARED, "--version")[1]
    *known, built = words.splitlines()
    *expected, _ = [line for line in shared.splitlines() if not line.startswith(("libisal ", "libarchive "))]
    tally.verdict("it knows its version and its libraries", known == expected and len(known) > 5, f"{words}\nnot {shared}")
    tally.verdict("and that it is static", built.startswith("Built by ") and "-static-pie" in built, words)
    has_isal = run("pkg-config", "--exists", "libisal")[0] == 0
    tally.verdict("the shared program reads gzip with ISA-L where there is one", has_isal == ("\nlibisal " in shared), shared)


def check_image() -> None:
    """The root that the Containerfile describes, and the image itself where something can build it."""
    lines = [line.split(None, 1) for line in (ROOT / "tools/packaging/Containerfile").read_text().splitlines() if line and line[0] != "#"]
    tally.verdict("the image begins empty", lines[0] == ["FROM", "scratch"], lines)
    tally.verdict("and runs as nobody", ["USER", "65534:65534"] in lines, lines)
    entry = next(value for key, value in lines if key == "ENTRYPOINT").strip('[]"')
    work = next(value for key, value in lines if key == "WORKDIR")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for key, value in lines:
            if key == "COPY":
                source, target = value.split()
                shutil.copy(STATIC.parent / source, root / target.lstrip("/"))
        (root / work.lstrip("/")).mkdir()
        fill(root / work.lstrip("/"))
        if can_change_root():
            code, out = run_in(root, entry, "lint", f"{work}/before.yaml")
            tally.verdict("the image's file system lints", code == 1 and "APF110" in out, out)
            code, out = run_in(root, entry, "replay", "-q", f"{work}/trace.jsonl")
            tally.verdict("and replays", code == 0 and "20,000 requests" in out, out)
        else:
            print("neither root nor user namespaces: the image's file system was not tried")
        builder = next((name for name in ("buildah", "podman", "docker") if shutil.which(name) and run(name, "info")[0] == 0), None)
        if not builder:
            print("no podman, buildah or docker works here: the image's file system was tried, the image was not built")
            return
        code, out = run(*MAKE, "-s", "image", "IMAGE=apfctl:tried", f"IMAGE_BUILDER={builder}")
        tally.verdict(f"{builder} builds the image", code == 0, out)
        run(builder, "rmi", "apfctl:tried")


def check_packed() -> None:
    for target in ("dist-binary", "krew"):
        code, out = run(*MAKE, "-s", target, "RELEASES=https://releases.example/apfctl/releases/download")
        if not tally.verdict(f"make {target}", code == 0, out):
            return
    archive = next((ROOT / "build/dist").glob(f"apfctl-*-linux-{ARCH}.tar.gz"))
    first = archive.read_bytes()
    checked = run("sha256sum", "-c", f"{archive.name}.sha256", folder=archive.parent)
    tally.verdict("its checksum", checked[0] == 0, checked[1])
    # Again with another time zone, umask and language.
    run("sh", "-c", "umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 exec " + " ".join([*MAKE, "-s", "dist-binary"]))
    tally.verdict("packed again: the same bytes", archive.read_bytes() == first)
    code, out = run(*MAKE, "-s", "krew", "RELEASES=")
    if not subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, check=False).stdout.startswith(b"https://github.com"):
        tally.verdict("without an address, krew's manifest is refused", code != 0 and "RELEASES=https://" in out, out)
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        tally.verdict("all members are root's", all(m.uid == m.gid == 0 and not m.uname for m in packed), [m.name for m in packed])
        tally.verdict("all members have one time", len({m.mtime for m in packed}) == 1)
        packed.extractall(folder)
        inside = pathlib.Path(folder, archive.name.removesuffix(".tar.gz"))
        for page in ROOT.glob("build/release/man/*.[157]"):
            there = inside / "share/man" / f"man{page.suffix[1:]}" / page.name
            tally.verdict(f"{page.name} is packed", there.exists() and there.read_bytes() == page.read_bytes())
        for name in ("bash-completion/completions/apfctl", "zsh/site-functions/_apfctl", "fish/vendor_completions.d/apfctl.fish"):
            there = inside / "share" / name
            tally.verdict(f"{name} is packed", there.exists() and "apfctl" in there.read_text())
        tally.verdict("the packed program runs", run(inside / "bin/apfctl", "--version")[1] == run(STATIC, "--version")[1])
        code, out = run(inside / "bin/kubectl-apfctl", "builtins")
        tally.verdict("and so does kubectl-apfctl", code == 0 and "kind: FlowSchema" in out, out)
        check_krew(archive, pathlib.Path(folder))
    check_homebrew()
    check_deb(archive)


def check_krew(archive: pathlib.Path, unpacked: pathlib.Path) -> None:
    """The manifest has what krew asks for, and what it installs runs."""
    manifest = yaml.safe_load((ROOT / "build/dist/apfctl.yaml").read_text())
    tally.verdict("krew: kind", (manifest["apiVersion"], manifest["kind"]) == ("krew.googlecontainertools.github.com/v1alpha2", "Plugin"), manifest)
    spec = manifest["spec"]
    tally.verdict("krew: name and version", manifest["metadata"]["name"] == "apfctl" and re.fullmatch(r"v\d+\.\d+\.\d+", spec["version"]), manifest)
    tally.verdict("krew: a short description in one line", 0 < len(spec["shortDescription"]) <= 70 and not spec["shortDescription"].endswith("."), spec)
    tally.verdict("krew: a home page", spec["homepage"] == "https://releases.example/apfctl", spec)
    archives = sorted((ROOT / "build/dist").glob(f"apfctl-{spec['version'][1:]}-linux-*.tar.gz"))
    for packed, platform in zip(archives, spec["platforms"]):
        digest = hashlib.sha256(packed.read_bytes()).hexdigest()
        tally.verdict(f"krew: {packed.name}", (platform["uri"].rsplit("/", 1)[1], platform["sha256"]) == (packed.name, digest), platform)
        tally.verdict("krew: its processor", packed.name.endswith(f"-{platform['selector']['matchLabels']['arch']}.tar.gz"), platform)
    tally.verdict("krew: all archives", len(archives) == len(spec["platforms"]), spec)
    platform = spec["platforms"][archives.index(archive)]
    tally.verdict("krew: where it is", platform["uri"] == f"https://releases.example/apfctl/releases/download/{spec['version']}/{archive.name}", platform)
    digest = (archive.parent / f"{archive.name}.sha256").read_text().split()[0]
    tally.verdict("krew: its checksum", platform["sha256"] == digest, platform)
    tally.verdict("krew: its system", platform["selector"]["matchLabels"]["os"] == "linux", platform)
    installed = unpacked / "krew"
    installed.mkdir()
    for file in platform["files"]:
        target = installed / file["to"]
        shutil.copy(unpacked / file["from"], target if file["to"] != "." else installed)
    code, out = run(installed / platform["bin"], "limits")
    tally.verdict("krew: what it installs runs as kubectl-apfctl", platform["bin"] == "kubectl-apfctl" and code == 0 and "workload-low" in out, out)


def check_homebrew() -> None:
    """The formula is Ruby, and of the sources that were packed."""
    code, out = run(*MAKE, "-s", "homebrew", "RELEASES=https://releases.example/apfctl/releases/download")
    formula = ROOT / "build/dist/apfctl.rb"
    if not tally.verdict("make homebrew", code == 0 and formula.exists(), out):
        return
    text = formula.read_text()
    sources = ROOT / "build" / re.search(r'url ".*/(apfctl-[\d.]+\.tar\.gz)"', text)[1]
    tally.verdict("the formula has the checksum of the sources", hashlib.sha256(sources.read_bytes()).hexdigest() in text, text)
    code, out = run("ruby", "-c", formula) if shutil.which("ruby") else (None, "")
    if code is None:
        print("no ruby: the syntax of Homebrew's formula was not checked")
    else:
        tally.verdict("the formula is Ruby", code == 0 and "Syntax OK" in out, out)


def check_deb(archive: pathlib.Path) -> None:
    """The Debian package of the static program alone holds what the archive holds, and runs."""
    code, out = run(*MAKE, "-s", "deb-static")
    if not tally.verdict("make deb-static", code == 0, out):
        return
    deb = ROOT / out.splitlines()[-1]
    first = deb.read_bytes()
    run("sh", "-c", "umask 077; TZ=Asia/Tokyo exec " + " ".join([*MAKE, "-s", "deb-static"]))
    tally.verdict("packed again: the same package", deb.read_bytes() == first)
    fields = run("dpkg-deb", "-f", deb)[1]
    tally.verdict("it depends on nothing", "Depends:" not in fields and f"Architecture: {ARCH}" in fields, fields)
    with tempfile.TemporaryDirectory() as folder:
        run("dpkg-deb", "-x", deb, folder)
        code, out = run(pathlib.Path(folder, "usr/bin/kubectl-apfctl"), "limits")
        tally.verdict("the packed program runs as kubectl-apfctl", code == 0 and "workload-low" in out, out)
        tally.verdict("it has its manual", pathlib.Path(folder, "usr/share/man/man1/apfctl.1.gz").exists())


check_alone()
check_image()
check_packed()
sys.exit(tally.done())
