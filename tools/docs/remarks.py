"""The remarks stand in one table, libapf/src/report/remarks.inc: this writes what follows from it, or with --check says
what differs. It is the list of kinds in findings.h, the items of apfctl-remarks(7) below their headings, and the schema.

    python3 tools/docs/remarks.py [--check]
"""
import ast
import json
import pathlib
import re
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "libapf/src/report/remarks.inc"
HEADER = ROOT / "libapf/include/apf/findings.h"
PAGE = ROOT / "man/apfctl-remarks.7"
SCHEMA = ROOT / "schemas/replay.schema.json"
# Members of Remark that hold several kinds of values, how JSON calls some, and what is unusual in one.
MEMBERS = {"thousandths": "other", "second_duration": "time", "offset": "duration"}
KEYS = {"time": "timeNs", "duration": "durationNs"}
UNITS = {"thousandths": ", in thousandths", "second_duration": ", a duration"}


class Value(typing.NamedTuple):
    member: str  # of Remark
    key: str     # in JSON
    what: str
    own: bool    # whether the kind has a key of its own for it


class Row(typing.NamedTuple):
    name: str
    values: list
    line: str  # of the manual


def value(field, what, own=None):
    member = MEMBERS.get(field, field)
    return Value(member, own, what, True) if own else Value(member, KEYS.get(member, member), what + UNITS.get(field, ""), False)


def table():
    """The rows by heading."""
    groups = {}
    for part in re.split(r"(?m)^// --- ", TABLE.read_text(encoding="utf-8"))[1:]:
        heading, text = part.split("\n", 1)
        # Braces are lists, words are texts; texts one after the other are one, as in C++.
        tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[{},]|\w+', text)
        rows = ast.literal_eval("[" + " ".join({"{": "[", "}": "]"}.get(t, t if t[0] in '",' else f'"{t}"') for t in tokens) + "]")
        groups[heading] = [Row(name, [value(*v) for v in values], line) for name, values, _, line, *_ in rows]
    return groups


def mdoc(text):
    """Prose, each sentence on a line of its own: --flag, --flag=value and `literal` are macros, with what stands around."""
    lines = []
    for sentence in re.split(r"(?<=[.!?]) +", text):
        for piece in re.split(r"(?:^| )(\(?(?:--[\w-]+(?:=\w+)?|`[^`]+`)\)?[.,:;]?)(?: |$)", sentence):
            found = re.fullmatch(r"(\(?)(?:--([\w-]+)(?:=(\w+))?|`([^`]+)`)\)?([.,:;]?)", piece)
            if not found:
                lines += [piece] if piece else []
                continue
            bracket, flag, value, literal, end = found.groups()
            word = f"Fl -{flag}" + (f" Ns = Ns Cm {value}" if value else "") if flag else f"Li {literal}"
            lines.append(f".{'Pq ' if bracket else ''}{word} {end}".rstrip())
    return lines


def item(row):
    """A kind on the page: its values stand behind the first sentence."""
    lines = [f".It Cm {row.name}"]
    first, *rest = re.split(r"(?<=[.!?]) +", row.line)
    if not row.values:
        return lines + mdoc(" ".join([first.removesuffix(".") + ".", *rest]))
    listed = " ; ".join(f"Li {value.key} : No {value.what}" for value in row.values)
    return lines + mdoc(first.removesuffix(".")) + [f".Pq {listed} ."] + (mdoc(" ".join(rest)) if rest else [])


def header_of(groups):
    names = [f"  // {heading}\n" + "".join(f"  {row.name.replace('-', '_')},\n" for row in rows) for heading, rows in groups.items()]
    text = HEADER.read_text(encoding="utf-8")
    return re.sub(r"(enum class RemarkKind [^{]*\{\n).*?(  kCount\n)", lambda m: m[1] + "".join(names) + m[2], text, flags=re.S)


def page_of(groups):
    text = PAGE.read_text(encoding="utf-8")
    for heading, rows in groups.items():
        items = "".join("\n".join(item(row)) + "\n" for row in rows)
        text, found = re.subn(rf"(?s)(^\.Ss {re.escape(heading)}\n(?:(?!^\.Ss).)*?^\.Bl -tag -width Ds\n).*?(^\.El\n)",
                              lambda m, items=items: m[1] + items + m[2], text, flags=re.M)
        if found != 1:
            sys.exit(f"{PAGE.relative_to(ROOT)} has no list below \"{heading}\", a heading of {TABLE.relative_to(ROOT)}")
    return text


def schema_of(groups):
    text = SCHEMA.read_text(encoding="utf-8")
    schema = json.loads(text)
    properties = schema["$defs"]["remarkMembers"]["properties"]
    rows = [row for group in groups.values() for row in group]
    properties["kind"]["enum"] = [row.name for row in rows]
    own = {}
    for row in rows:
        for value in row.values:
            if value.own:
                kind = {"type": "string"} if value.member in ("name", "detail") else {"type": "integer", "minimum": 0}
                own.setdefault(value.key, (kind, value.what, []))[2].append(row.name)
    for key in list(properties)[list(properties).index("detail") + 1:]:
        del properties[key]
    for key, (kind, what, names) in own.items():
        properties[key] = kind | {"description": f"of {' and '.join(names)}: {what}"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main():
    check = sys.argv[1:] == ["--check"]
    groups, wrong = table(), []
    for path, text in ((HEADER, header_of(groups)), (PAGE, page_of(groups)), (SCHEMA, schema_of(groups))):
        if path.read_text(encoding="utf-8") == text:
            continue
        wrong.append(f"{path.relative_to(ROOT)} differs from {TABLE.relative_to(ROOT)}")
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
