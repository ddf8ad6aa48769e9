"""apfctl new: for any names, users, seats and servers, what it prints passes lint and validate without a finding, gives
the seats, and takes the requests. The seed is printed; APF_TEST_SEED sets it. Last line: "N passed, N failed"."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
APFCTL = pathlib.Path(os.environ.get("APFCTL") or ROOT / "build/release/bin/apfctl").resolve()
SEED = int(os.environ.get("APF_TEST_SEED") or random.SystemRandom().randrange(10**9))
CASES = 60
passed, failed = 0, []


def verdict(what: str, fault: str) -> None:
    global passed
    if fault:
        failed.append(f"FAILED {what}: {fault}")
    else:
        passed += 1


def run(*words: str, text: str = "") -> tuple[int, str, str]:
    done = subprocess.run([APFCTL, *words], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def name_of(rng: random.Random) -> str:
    middle = "".join(rng.choice("abcdefghij0123456789-") for _ in range(rng.randrange(12)))
    return rng.choice("klmnop") + middle + rng.choice("qrstuv")


def users(rng: random.Random) -> tuple[list[str], list[tuple[str, str | None]]]:
    """--for, and for each a user of it as explain takes it, with a group."""
    who, asked = [], []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        ns, name = name_of(rng), name_of(rng)
        kind = rng.choice(("sa", "all", "user", "group"))
        if kind == "sa":
            who.append(f"sa:{ns}/{name}")
            asked.append((f"sa:{ns}/{name}", None))
        elif kind == "all":
            who.append(f"sa:{ns}/*")
            asked.append((f"sa:{ns}/{name}", None))
        elif kind == "user":
            name = rng.choice((name, f"{name}@example.com", f"{name} {ns}", "true", "12", f'{name}"#{ns}', f"oidc:{name}"))
            who.append(f"user:{name}")
            asked.append((f"user:{name}", None))
        else:
            who.append(f"group:{name}")
            asked.append(("user:somebody", name))
    return who, asked


def check_level(rng: random.Random, number: int, folder: pathlib.Path) -> None:
    name, server = name_of(rng), rng.choice((100, 150, 600, 600, 3000, rng.randrange(60, 5000)))
    seats = rng.randrange(7, max(8, server // 4))
    who, asked = users(rng)
    other = ["-f", str(folder / "other.yaml")] if rng.random() < 0.3 else []
    words = ["new", "level", name, *[w for one in who for w in ("--for", one)], "--seats", str(seats), "--server-concurrency",
             str(server), "--no-config", *other]
    what = f"case {number}: {' '.join(words)}"
    code, text, error = run(*words)
    if code != 0:
        # A refusal has to name a finding of the object that was asked for, or that there are not so many seats.
        verdict(what, "" if re.search(r"has a finding|needs? some of them", error) and seats * 5 > server else f"exit {code}: {error}")
        return
    (folder / "new.yaml").write_text(text)
    files = [str(folder / "new.yaml"), *other[1:]]
    code, found, error = run("lint", *files, "--no-config", "-o", "json", "--server-concurrency", str(server), "--together")
    findings = [f for f in json.loads(found or "{}").get("findings", []) if f["file"].endswith("new.yaml")]
    verdict(what + ": lint", f"{findings[0]['code']} {findings[0]['message']}" if findings else "" if found else error)
    verdict(what + ": validate", "" if run("validate", files[0], "--no-config")[0] == 0 else "has errors")
    given = [w for one in files for w in ("-f", one)]
    levels = json.loads(run("limits", *given, "--no-config", "-o", "json", "--server-concurrency", str(server))[1])["levels"]
    nominal = [level["nominalCL"] for level in levels if level["name"] == name]
    verdict(what + ": seats", "" if nominal and nominal[0] >= seats else f"{nominal}")
    for user, group in asked:
        extra = ["--as-group", group] if group else []
        code, _, error = run("explain", "list", "pods", "-A", "--as", user, *extra, *given, "--no-config", "--expect", name)
        verdict(what + f": takes requests of {user}", "" if code == 0 else error)


def main() -> None:
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "other.yaml").write_text(run("new", "level", "other", "--for", "sa:other/*", "--no-config")[1])
        for number in range(CASES):
            check_level(rng, number, folder)
        for kind in (["event-rate-limit"], ["audit-policy"], ["quota", name_of(rng), "-n", name_of(rng)]):
            code, text, error = run("new", *kind, "--no-config")
            code, found, error = run("lint", "-", "--no-config", "-o", "json", text=text)
            verdict(f"new {kind[0]}: lint", "" if code == 0 and json.loads(found)["findings"] == [] else found + error)
            verdict(f"new {kind[0]}: validate", "" if run("validate", "-", "--no-config", text=text)[0] == 0 else "has errors")
        for given in ([], ["-f", str(folder / "other.yaml")]):
            (folder / "tests.yaml").write_text(run("new", "test", "--no-config", *given)[1])
            code, out, error = run("test", str(folder / "tests.yaml"), "--no-config")
            verdict(f"new test {given}", "" if code == 0 else out + error)


main()
print("\n".join(failed))
print(f"seed {SEED}")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
