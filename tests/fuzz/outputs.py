"""Is this output well-formed? One function for each format; each returns what is wrong, or nothing."""
import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree

import yaml

# What a terminal obeys, or what shows text in another order than it is: C0 but tab and newline, DEL, C1, bidirectional controls.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def terminal(text: str) -> str:
    found = OBEYED.search(text)
    return f"U+{ord(found[0]):04X} at {found.start()}: {text[max(0, found.start() - 40):found.start() + 20]!r}" if found else ""


def no_constant(name: str):
    raise ValueError(f"{name} is not JSON")


def no_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError(f"a key twice in {[key for key, _ in pairs]}")
    return dict(pairs)


def json_lines(text: str) -> str:
    for number, line in enumerate(text.splitlines(), 1):
        try:
            json.loads(line, parse_constant=no_constant, object_pairs_hook=no_duplicates)
        except ValueError as error:
            return f"line {number}: {error}: {line[:200]}"
    return "" if not text or text.endswith("\n") else "the last line does not end"


def json_document(text: str) -> str:
    try:
        json.loads(text, parse_constant=no_constant, object_pairs_hook=no_duplicates)
    except ValueError as error:
        return str(error)
    return ""


def comma_separated(text: str) -> str:
    """Every row has as many fields as the header."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            return f"row {number} has {len(row)} fields, the header {len(rows[0])}: {row}"
    return ""


def xml_document(text: str) -> str:
    try:
        xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        return str(error)
    return ""


def yaml_documents(text: str) -> str:
    try:
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.YAMLError as error:
        return str(error)
    return ""


class Nesting(html.parser.HTMLParser):
    """Elements that are closed in the order in which they were opened, and scripts that are the page's own."""

    VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr", "circle", "path", "rect", "line", "polyline", "polygon", "use", "stop"}

    def __init__(self) -> None:
        super().__init__()
        self.open, self.wrong = [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if any(name.startswith("on") for name, _ in attrs):
            self.wrong = self.wrong or f"<{tag}> with a handler {attrs}"

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        while self.open and self.open[-1] != tag and self.open[-1] in ("li", "p", "td", "th", "tr", "tbody", "thead", "dt", "dd", "option"):
            self.open.pop()  # whose ends may be left out
        if not self.open or self.open.pop() != tag:
            self.wrong = self.wrong or f"</{tag}> in {self.open}"


def html_page(text: str) -> str:
    if not text.lower().startswith("<!doctype html>"):
        return f"begins with {text[:40]!r}"
    nesting = Nesting()
    nesting.feed(text)
    nesting.close()
    left = [tag for tag in nesting.open if tag not in ("html", "body", "p")]
    return nesting.wrong or (f"not closed: {left}" if left else "")


METRIC = re.compile(r'(# (HELP|TYPE) .*|[a-zA-Z_:][\w:]*(\{(\w+="([^"\\\n]|\\[\\"n])*",?)*\})? (-?[0-9.]+(e[+-]?\d+)?|[+-]Inf|NaN))', re.A)


def metrics(text: str) -> str:
    for line in text.splitlines():
        if line and not METRIC.fullmatch(line):
            return f"no line of metrics: {line[:200]}"
    return ""


def github(text: str) -> str:
    for line in text.splitlines():
        if line.startswith("::") and not re.match(r"::(error|warning|notice)( [a-zA-Z]+=[^,:]*(,[a-zA-Z]+=[^,:]*)*)?::", line):
            return f"no annotation: {line[:200]}"
    return ""


def tap(text: str) -> str:
    lines = text.splitlines()
    if lines[:1] != ["TAP version 13"]:
        return f"no TAP: {lines[:1]}"
    results, block = 0, False
    for line in lines[2:]:
        if block:
            block = line != "  ..."
        elif re.match(r"(not )?ok \d+ - ", line):
            results += 1
        elif line == "  ---":
            block = True
        elif not line.startswith("#"):
            return f"no line of TAP: {line[:200]}"
    return "" if lines[1] == f"1..{results}" and not block else f"{results} results, not {lines[1]}"


FORMATS = {
    "json": json_lines, "sarif": json_document, "junit": xml_document, "checkstyle": xml_document, "yaml": yaml_documents,
    "html": html_page, "github": github, "metrics": metrics, "tap": tap,
    **{f"csv{part}": comma_separated for part in ("", "-flowschemas", "-flows", "-stages", "-agreement", "-spread")},
}


def wrong_with(fmt: str, data: bytes) -> str:
    """What is wrong with this output, the first thing of it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error}"
    try:
        # Rows of CSV end as RFC 4180 has it.
        return terminal(text.replace("\r\n", "\n") if fmt.startswith("csv") else text) or FORMATS.get(fmt, lambda _: "")(text)
    except csv.Error as error:
        return f"no {fmt}: {error}"
