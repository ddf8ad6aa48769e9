#!/usr/bin/env python3
"""The Debian packages: built from the packed sources, looked through by lintian, installed, tried and removed in a clean
Debian (tests/packages/clean_root.sh), or unpacked where none could be made. As they are built in another folder, by another
way, and with the flags of a plain build, this also says whether builds are reproducible.

    deb.py [--built]    after `make static`; --built: the packages are there already. Last line: "N passed, N failed"
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from roots import ROOT, Tally, can_change_root, run, run_in

MAKE = os.environ.get("MAKE", "make").split()
DEBS = ROOT / "build/deb"
tally = Tally()


def build() -> bool:
    # Debian's flags would be added to ours; without them, objects are comparable, and hardening is ours alone. ccache would
    # make objects the same whatever the build does.
    env = {**os.environ, "DEB_BUILD_OPTIONS": "nocheck noautodbgsym", "CCACHE": "", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}
    for flags in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"):
        env[f"DEB_{flags}_SET"] = ""
        env.pop(flags, None)
    code, out = run("sh", "-c", 'umask 027; exec "$@"', "sh", *MAKE, "deb", env=env, timeout=14400)
    (ROOT / "build/check").mkdir(exist_ok=True)
    (ROOT / "build/check/deb-build.log").write_text(out)
    return tally.verdict("make deb", code == 0, out[-4000:])


def check_same_bytes(tree: pathlib.Path) -> None:
    """What was built there and here."""
    shown = run(ROOT / "build/release/bin/apfctl", "--version")[1].splitlines()[0]
    there = run(tree / "build/release/bin/apfctl", "--version", env={**os.environ, "LD_LIBRARY_PATH": f"{tree}/build/release/lib"})[1].splitlines()[0]
    if "-changed" in shown:
        print("the sources here have changes that are in no commit: builds were not compared")
        return
    tally.verdict("the packed sources know their commit", shown == there and re.search(r", commit [0-9a-f]{12}$", there), f"{there}, not {shown}")
    # Of the program only the way to its library differs, so the static one is compared.
    (tree / "build/sources").mkdir(parents=True, exist_ok=True)
    for source in (ROOT / "build/sources").glob("simdjson"):
        there = tree / "build/sources" / source.name
        if not there.is_symlink():
            there.symlink_to(source)
    code, out = run(*MAKE, "-s", "-j2", "static", "CCACHE=", folder=tree)
    tally.verdict("the packed sources make the static program", code == 0, out)
    for file in ("static/apfctl", "lib/libapf.a", next((ROOT / "build/release/lib").glob("libapf.so.*.*.*")).relative_to(ROOT / "build/release")):
        one, other = ROOT / "build/release" / file, tree / "build/release" / file
        tally.verdict(f"built elsewhere: the same {file}", one.read_bytes() == other.read_bytes())
        tally.verdict(f"no path of the build in {file}", str(ROOT).encode() not in one.read_bytes())


def check_lintian() -> None:
    changes = next(DEBS.glob("*.changes"))
    code, out = run("lintian", "--allow-root", "--fail-on", "error", "--info", changes)
    print("\n".join(line for line in out.splitlines() if line[:2] in ("E:", "W:")))
    tally.verdict("lintian finds no error", code == 0, out[-3000:])


def names() -> dict[str, pathlib.Path]:
    return {deb.name.split("_")[0]: deb for deb in DEBS.glob("*.deb")}


def check_contents(debs: dict[str, pathlib.Path]) -> None:
    # Until 1.0 the soname has the minor version, and so has the package that must be there twice when two versions are.
    soname = re.search(r"SONAME +(libapf)\.so\.([\d.]+)", run("objdump", "-p", next((ROOT / "build/release/lib").glob("libapf.so.*.*.*")))[1])
    library = soname[1] + soname[2]
    tally.verdict("three packages", set(debs) == {"apfctl", library, "libapf-dev"}, sorted(debs))
    version = run("dpkg-parsechangelog", "-l", ROOT / "tools/packaging/debian/changelog", "-S", "Version")[1].strip()
    headers = re.findall(r"^#define APF_VERSION_\w+ (\d+)$", (ROOT / "libapf/include/apf/version.h").read_text(), re.M)
    tally.verdict("the changelog has the version of the headers", version.split("-")[0] == ".".join(headers[:3]), version)
    listed = {name: set(re.findall(r" \./(\S*[^/\s])(?: -> \S+| link to \S+)?$", run("dpkg-deb", "-c", deb)[1], re.M)) for name, deb in debs.items()}
    everything = set().union(*listed.values())
    for page in (ROOT / "build/release/man").glob("*.[157]"):
        tally.verdict(f"{page.name} is packed", f"usr/share/man/man{page.suffix[1:]}/{page.name}.gz" in listed["apfctl"])
    for path in ("usr/bin/apfctl", "usr/bin/kubectl-apfctl", "usr/share/bash-completion/completions/apfctl",
                 "usr/share/zsh/vendor-completions/_apfctl", "usr/share/fish/vendor_completions.d/apfctl.fish"):
        tally.verdict(f"{path} is packed", path in listed["apfctl"], sorted(listed["apfctl"]))
    tally.verdict("nothing is packed twice", sum(map(len, listed.values())) == len(everything), "some file is in two packages")


def check_dependencies(debs: dict[str, pathlib.Path]) -> None:
    """What libapf is built with is what the source package asks for, and what libapf-dev brings along."""
    control = (ROOT / "tools/packaging/debian/control").read_text().replace("\n ", " ")
    asked = re.search(r"^Build-Depends: (.*)$", control, re.M)[1]
    brought = run("dpkg-deb", "-f", debs["libapf-dev"], "Depends")[1]
    needed = re.search(r"^Requires\.private: (.*)$", (ROOT / "build/release/lib/pkgconfig/apf.pc").read_text(), re.M)[1].split()
    tally.verdict("libapf is built with libraries", len(needed) > 5, needed)
    for library in needed:
        folder = run("pkg-config", "--variable=pcfiledir", library)[1].strip()
        package = run("dpkg", "-S", os.path.realpath(f"{folder}/{library}.pc"))[1].split(":")[0]
        for where, names in (("Build-Depends", asked), ("libapf-dev", brought)):
            tally.verdict(f"{where} has {library}", re.search(rf"(^|[ ,]){re.escape(package)}($|[ ,])", names), f"{package} is not in: {names}")


def check_installed(root: pathlib.Path, debs: dict[str, pathlib.Path]) -> None:
    """dpkg in the clean Debian, offline: what the packages depend on is there already."""
    (root / "debs").mkdir()
    for name in ("apfctl", *(n for n in debs if n.startswith("libapf0"))):
        shutil.copy(debs[name], root / "debs")
    before = set(run_in(root, "dpkg-query", "-W")[1].splitlines())
    code, out = run_in(root, "sh", "-c", "dpkg -i /debs/*.deb")
    if not tally.verdict("dpkg installs apfctl and the library", code == 0, out):
        return
    try_installed(root)
    code, out = run_in(root, "sh", "-c", "dpkg --purge apfctl " + " ".join(n for n in debs if n.startswith("libapf0")))
    tally.verdict("dpkg removes them", code == 0, out)
    left = run_in(root, "sh", "-c", "find / -xdev -path /proc -prune -o \\( -name '*apfctl*' -o -name 'libapf*' -o -name 'kubectl-apfctl' \\) -print | grep -v '^/debs'")[1]
    tally.verdict("and nothing of them is left", left == "", left)
    tally.verdict("and nothing else has changed", set(run_in(root, "dpkg-query", "-W")[1].splitlines()) == before)


def try_installed(root: pathlib.Path) -> None:
    shutil.copy(ROOT / "examples/lint-review/before.yaml", root / "before.yaml")
    shown = run(DEBS / f"apfctl-{VERSION}/build/release/bin/apfctl", "--version", env={**os.environ, "LD_LIBRARY_PATH": str(DEBS / f"apfctl-{VERSION}/build/release/lib")})[1]
    code, out = run_in(root, "apfctl", "--version")
    # The clean Debian may have newer libraries.
    words = [line for line in shown.splitlines() if line.startswith(("apfctl", "Kubernetes", "libapf", "Built"))]
    tally.verdict("apfctl runs, with the library of the system", code == 0 and set(words) <= set(out.splitlines()) and len(words) == 4, out)
    code, out = run_in(root, "kubectl-apfctl", "lint", "/before.yaml")
    tally.verdict("kubectl-apfctl lints", code == 1 and "APF110" in out, out)
    (root / "trace.jsonl").write_text('{"time":1,"user":"alice","verb":"list","uri":"/api/v1/pods","execution":"2s"}\n')
    code, out = run_in(root, "apfctl", "replay", "/trace.jsonl", "-q")
    tally.verdict("apfctl replays", code == 0 and "workload" in out, out)


def check_development(debs: dict[str, pathlib.Path]) -> None:
    """A client compiles with libapf-dev, unpacked: a compiler would be too much for the clean Debian."""
    with tempfile.TemporaryDirectory() as folder:
        for name in debs:
            subprocess.run(["dpkg-deb", "-x", debs[name], folder], check=True)
        lib = next(pathlib.Path(folder, "usr/lib").glob("*/libapf.so")).parent
        env = {**os.environ, "PKG_CONFIG_PATH": f"{lib}/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": folder}
        flags = run("pkg-config", "--cflags", "--libs", "apf", env=env)[1].split()
        code, out = run("g++", "-std=c++20", ROOT / "tests/install/client.cc", *flags, "-o", f"{folder}/client")
        tally.verdict("a client compiles with libapf-dev and pkg-config", code == 0, out)
        code, out = run(f"{folder}/client", env={**os.environ, "LD_LIBRARY_PATH": str(lib)})
        tally.verdict("and runs with libapf0", code == 0 and "workload-low" in out, out)
        code, out = run(f"{folder}/usr/bin/apfctl", "builtins", env={**os.environ, "LD_LIBRARY_PATH": str(lib)})
        tally.verdict("apfctl runs as unpacked", code == 0 and "kind: FlowSchema" in out, out)


VERSION = run("dpkg-parsechangelog", "-l", ROOT / "tools/packaging/debian/changelog", "-S", "Version")[1].strip().split("-")[0]
if "--built" in sys.argv or build():
    found = names()
    check_contents(found)
    check_lintian()
    check_dependencies(found)
    check_development(found)
    check_same_bytes(DEBS / f"apfctl-{VERSION}")
    if (ROOT / "build/sources/clean-root.tar").exists() and os.geteuid() == 0 and can_change_root():
        with tempfile.TemporaryDirectory() as clean:
            subprocess.run([ROOT / "tests/packages/clean_root.sh", "unpack", clean], check=True)
            check_installed(pathlib.Path(clean), found)
    else:
        print("no clean Debian, or not root: the packages were unpacked and tried, not installed and removed")
sys.exit(tally.done())
