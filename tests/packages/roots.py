"""Programs run with a folder as their whole file system."""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tally:
    """Counts verdicts, as the last line of a suite has them."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def verdict(self, what: str, ok, why: object = "") -> bool:
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}\n{why}" if why != "" else f"FAILED {what}")
        return bool(ok)

    def done(self) -> int:
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def run(*command, folder=ROOT, env=None, timeout=1800):
    """Exit code and output; the environment is this one's unless another is given."""
    done = subprocess.run([str(c) for c in command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def can_change_root() -> bool:
    """Is there a way to run a program with another root, by root's right or by a user namespace?"""
    return os.geteuid() == 0 or run("unshare", "--user", "--map-root-user", "true")[0] == 0


def run_in(root, *command, folder="/", timeout=300):
    """A program in `root`, with nothing in its environment but PATH."""
    prefix = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    # chroot(8) goes to "/" itself; a program that needs another folder is given it by env(1), where the root has one.
    inside = command if folder == "/" else ("/usr/bin/env", "-C", folder, *command)
    return run(*prefix, chroot, root, *inside, env=env, timeout=timeout)
