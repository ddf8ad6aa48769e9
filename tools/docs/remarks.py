"""The remarks stand in one table, libapf/src/report/core/remarks.inc. This writes the list of their kinds in remarks.h, or with
--check says whether it differs. The items of apfctl-remarks(7) and the schema of remarks follow from it when they are made.

    python3 tools/docs/remarks.py [--check]
"""
import ast
import pathlib
import re
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "libapf/src/report/core/remarks.inc"
HEADER = ROOT / "libapf/include/apf/remarks.h"
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


def page_of(page, groups):
    """The page, with the items of each heading in its list."""
    for heading, rows in groups.items():
        items = "".join("\n".join(item(row)) + "\n" for row in rows)
        page, found = re.subn(rf"(?s)(^\.Ss {re.escape(heading)}\n(?:(?!^\.Ss).)*?^\.Bl -tag -width Ds\n)(?=\.El\n)",
                              lambda m, items=items: m[1] + items, page, flags=re.M)
        if found != 1:
            sys.exit(f"man/apfctl-remarks.7 has no empty list below \"{heading}\", a heading of {TABLE.relative_to(ROOT)}")
    return page


def main():
    text = header_of(table())
    if HEADER.read_text(encoding="utf-8") == text:
        return
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{HEADER.relative_to(ROOT)} differs from {TABLE.relative_to(ROOT)}: python3 tools/docs/remarks.py writes it")
    HEADER.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
