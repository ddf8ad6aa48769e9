"""words.py FILE...: the words of logs that `apfctl trace --redact` leaves, but those of the Kubernetes API."""
import json
import os
import pathlib
import re
import subprocess
import sys

WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")
API = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?|m[0-9]+s")  # versions, and what is left of durations
source = pathlib.Path(os.environ["REPO"], "libapf/src")
known = set()
for file in [*source.glob("logs/api_vocabulary*"), *source.glob("base/api_*")]:
    known |= set(WORD.findall(file.read_text()))


def texts(value):
    if isinstance(value, dict):
        return [t for member in value.values() for t in texts(member)]
    if isinstance(value, list):
        return [t for member in value for t in texts(member)]
    return [value] if isinstance(value, str) else []


lines, left = 0, set()
for name in sys.argv[1:]:
    was = set(WORD.findall(pathlib.Path(name).read_bytes().decode(errors="replace")))
    out = subprocess.run(["apfctl", "trace", "--redact=key", name], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout.decode()
    for line in out.splitlines():
        lines += 1
        for text in texts(json.loads(line)):
            plain = re.sub(r"r-[0-9a-f]{12}|%[0-9A-Fa-f]{2}|[0-9-]{10}T[0-9:.]+Z", " ", text)
            left |= {w for w in WORD.findall(plain) if w in was and w not in known and not API.fullmatch(w)}
print("hundreds of lines" if lines > 200 else lines)
print(*sorted(left))
