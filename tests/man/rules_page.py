"""Writes apfctl-rules(7) from the output of `apfctl rules -o json` on standard input."""
import itertools
import json
import re
import sys


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


print(""".Dd November 22, 2026
.ds doc-volume-operating-system apfctl
.Dt APFCTL-RULES 7
.Os apfctl
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
for heading, group in itertools.groupby(rules, lambda rule: rule["group"]):
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
