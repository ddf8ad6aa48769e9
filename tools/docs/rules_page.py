"""The rules of lint as mdoc, from what `apfctl rules -o json` prints: apfctl-rules(7) of all on standard output, or one
page for each (docs.py).

    apfctl rules -o json | python3 tools/docs/rules_page.py >apfctl-rules.7
"""
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


def head(name, summary):
    return f""".Dd November 22, 2026
.ds doc-volume-operating-system apfctl
.Dt {name.upper()} 7
.Os apfctl
.Sh NAME
.Nm {name}
.Nd {summary}
.Sh DESCRIPTION"""


def body(rule):
    return "\n".join([text(rule["what"]), ".Pp\n" + text(rule["why"]), ".Pp\nFor example:\n" + block(rule["example"]),
                      ".Pp\nInstead:\n" + block(rule["instead"])])


SEE_ALSO = """.Sh SEE ALSO
.Xr apfctl-lint 1 ,
.Xr apfctl-rules 1 ,
.Xr apfctl-config 5"""


def page_of(rule):
    """The page of one rule."""
    ignored = f""".Sh SUPPRESSIONS
At the end of a line, or on its own line before it:
.Pp
.Dl # apfctl: ignore[{rule["code"]}] until=2027-01-31 -- why"""
    return "\n".join([head(rule["code"], f"{rule['name']}: {rule['summary']}"), body(rule) + f"\n.Pp\nSeverity: {rule['severity']}.",
                      ignored, SEE_ALSO, ""])


def page_of_all(rules):
    out = [head("apfctl-rules", "the rules of apfctl lint"), """What
.Xr apfctl-lint 1
looks for, with the severity that each rule has unless
.Xr apfctl-config 5
says otherwise.
The code of a rule is never used for another one."""]
    for heading, group in itertools.groupby(rules, lambda rule: rule["group"]):
        out.append(f".Ss {heading}\n.Bl -tag -width Ds")
        for rule in group:
            out.append(f".It Sy {rule['code']} {rule['name']} Pq {rule['severity']}\n" + body(rule))
        out.append(".El")
    return "\n".join([*out, SEE_ALSO])


if __name__ == "__main__":
    print(page_of_all(json.load(sys.stdin)["rules"]))
