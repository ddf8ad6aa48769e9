"""Writes apfctl-rules(7) from the output of `apfctl rules -o json` on standard input."""
import json
import re
import sys

HEADINGS = [
    ("APF0", "The API server rejects it"),
    ("APF1", "Never matches, or dangles"),
    ("APF2", "Surprising precedence, overlap or matching"),
    ("APF3", "Concurrency and lending"),
    ("APF4", "Queues and hands"),
    ("APF5", "Versions and defaulting"),
    ("APF6", "EventRateLimit"),
    ("APF6", "EventRateLimit"),
    ("APF7", "ResourceQuota"),
    ("APF8", "The KEP's own dialect"),
    ("APF9", "Suppressions"),
]


def escaped(line):
    """A line of mdoc: one that begins with a dot or a quote would be a request."""
    line = line.replace("\\", "\\e")
    return "\\&" + line if line[:1] in (".", "'") else line


def text(words):
    """Prose, each sentence on a line of its own."""
    return "\n".join(escaped(sentence) for sentence in re.split(r"(?<=[.!?]) +", words))


def block(words):
    """YAML as it stands, prose as a paragraph."""
    if "\n" not in words:
        return ".Pp\n" + text(words)
    lines = [escaped(line) for line in words.rstrip("\n").split("\n")]
    return "\n".join([".Bd -literal -offset indent", *lines, ".Ed"])


print(""".Dd November 20, 2026
.Dt APFCTL-RULES 7
.Os
.Sh NAME
.Nm apfctl-rules
.Nd the rules of apfctl lint
.Sh DESCRIPTION
What
.Xr apfctl-lint 1
looks for, with the severity that each rule has unless
.Xr apfctl-config 5
says otherwise.
The code of a rule is never used for another one.""")
rules = json.load(sys.stdin)["rules"]
for prefix, heading in HEADINGS:
    group = [rule for rule in rules if rule["code"].startswith(prefix)]
    if not group:
        continue
    print(f".Ss {heading}\n.Bl -tag -width Ds")
    for rule in group:
        print(f".It Sy {rule['code']} {rule['name']} Pq {rule['severity']}")
        print(text(rule["what"]))
        print(".Pp\n" + text(rule["why"]))
        print(".Pp\nFor example:\n" + block(rule["example"]))
        print(".Pp\nInstead:\n" + block(rule["instead"]))
    print(".El")
print(""".Sh SEE ALSO
.Xr apfctl-lint 1 ,
.Xr apfctl-rules 1 ,
.Xr apfctl-config 5""")
