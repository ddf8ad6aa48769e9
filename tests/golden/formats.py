#!/usr/bin/env python3
"""One report, three notations: text, Markdown and HTML of every command have the same tables and the same numbers.

A page, which is read where its command line is not, says what it holds for: each file that was read, and the release.

The tables of the Markdown are those of the page, cell by cell, but for what the page has only to draw. Each number of the text
is in both of them, and each number of their tables is in the text where that shows all (-o wide).
Last line: "N passed, N failed".
"""
import html.parser
import os
import pathlib
import re
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
INPUTS = REPO / "tests/golden/inputs"
APFCTL = os.environ.get("APFCTL", str(REPO / "build/release/bin/apfctl"))
# The report of each command, and what makes its text show all; in the folder of inputs.
REPORTS = [
    ("explain list pods -n ci --as system:serviceaccount:ci:builder", "-o wide"),
    ("explain get /healthz", "-o wide"),
    ("limits -f ci.yaml --server-concurrency 300", "-o wide"),
    ("hand --level workload-low --flow service-accounts/system:serviceaccount:ci:builder --elephants 1,4,16", "-o text"),
    ("hand --table", "-o text"),
    ("hand --level workload-low --log amok.jsonl", "-o text"),
    ("ladder -f ci.yaml", "-o text"),
    ("ladder --place sa:ci/* -f ci.yaml", "-o text"),
    ("diff builtins@1.28 ci.yaml --old server-concurrency=600 --new server-concurrency=300", "-o text"),
    ("quota -v -f quota/quota.yaml quota/shop.yaml quota/bigger.yaml", "-o wide"),
    ("inspect inspect/elephant-levels.txt inspect/elephant-queues.txt inspect/elephant-requests.txt "
     "--metrics inspect/elephant-metrics.txt", "-o wide"),
    ("test test/replay.yaml --coverage", "-o text"),
    ("builtins --provider all ", "-o text"),
    ("builtins --provider openshift", "-o text"),
    ("rules ", "-o text"),
    ("rules APF101", "-o text"),
    ("version ", "-o text"),
    ("log amok.jsonl -q", "-o wide"),
    ("replay amok.jsonl --server-concurrency 12 -q", "-o wide"),
    ("replay amok.jsonl hostile.jsonl --server-concurrency 12 --spread 1 --top 20 -q", "-o wide"),
    ("replay joined-audit.log joined-kube-apiserver.log --server-concurrency 12 -q", "-o wide"),
    ("replay hostile.jsonl amok.jsonl --apf=off --max-requests-inflight 4 --max-mutating-requests-inflight 1 --client-qps 2 -q",
     "-o wide"),
    ("replay --server east=amok.jsonl --server west=hostile.jsonl --server-concurrency 12 -q", "-o wide"),
    ("compare builtins@1.37 ci.yaml --log hostile.jsonl amok.jsonl --server-concurrency 12 --spread 1 -q", "-o text"),
    ("compare builtins@1.37 ci.yaml builtins@1.30 --log amok.jsonl --server-concurrency 12 --spread 0 -q", "-o text"),
    ("headroom amok.jsonl --server-concurrency 30 --spread 0 --start -1m -q", "-o text"),
    ("suggest amok.jsonl --server-concurrency 20 --goal workload-low.rejected==0 --spread 0 -q", "-o text"),
    ("sweep sweep/plan.yaml -q --allow-empty", "-o text"),
]
# Of no server.
WITHOUT_SETUP = re.compile(r"hand --table|builtins|rules|version")
# What is one number: 1,234.5 and 1.2e-05, not the dashes between two of them.
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?")
BAR = re.compile("[█▒×]+")
# Curves and what explains them are for pages alone, as are the hands of flows.
DRAWN = re.compile(r'<section class="level".*?</section>|<ul class="key".*?</ul>|<nav.*?</nav>'
                   r"|<table><caption>Queues in common.*?</table>", re.S)
# Between the rows of a table that are open and the others.
FOLD = re.compile(r'</tbody></table></div>\n<details><summary>[\d,]+ more</summary><div class="scroll"><table class="stack">'
                  r"(?:<thead>.*?</thead>)?<tbody>\n(.*?</tbody></table></div>)</details>", re.S)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.text, self.cell, self.skips, self.open = [], "", None, 0, []
        self.feed(FOLD.sub(r"\1", DRAWN.sub("", text)))
        if self.open:
            raise AssertionError(f"elements that do not end: {self.open}")

    def handle_starttag(self, tag, _):
        if tag in ("meta", "link", "br"):
            return
        self.open.append(tag)
        self.skips += tag in ("head", "footer")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> ends another element")
        self.skips -= tag in ("head", "footer")
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None
        self.text += "\n"

    def handle_data(self, data):
        if self.skips:
            return
        self.text += data
        if self.cell is not None:
            self.cell += data


def plain(markdown):
    return html.unescape(re.sub(r"</?code>|[`*]", "", markdown))


def markdown_tables(text):
    tables, in_table = [], False
    for line in text.splitlines():
        if not line.startswith("|"):
            in_table = False
            continue
        if not in_table:
            tables.append([])
        in_table = True
        if not re.fullmatch(r"[|:-]+", line):
            tables[-1].append([plain(cell.strip()) for cell in line.strip("|").split("|")])
    return tables


def comparable(tables):
    """Rows of cells, without bars (a page draws them elsewhere) and without heads that have no titles."""
    out = []
    for table in tables:
        has_bars = any(BAR.fullmatch(row[-1]) for row in table if row)
        rows = [[BAR.sub("", cell).strip() for cell in row[:-1 if has_bars else None]] for row in table]
        out.append([row for row in rows if any(row)])
    return out


def numbers(text):
    return set(NUMBER.findall(text))


def run(arguments, *formats):
    command = [APFCTL, *arguments.split(), *formats]
    result = subprocess.run(command, cwd=INPUTS, capture_output=True, text=True, timeout=120)
    if not result.stdout or result.returncode == 2:
        raise AssertionError(f"exit {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def faults_of(arguments, wide):
    text = run(arguments, *wide.split())
    markdown, page = run(arguments, "-o", "markdown"), Page(re.sub(r"(<path[^>]*>)<title>.*?</title>", r"\1", run(arguments, "-o", "html")))
    in_markdown, in_page = comparable(markdown_tables(markdown)), comparable(page.tables)
    for number, (one, other) in enumerate(zip(in_markdown, in_page)):
        for row, (a, b) in enumerate(zip(one, other)):
            if a != b:
                yield f"table {number}, row {row}: Markdown has {a}, the page {b}"
    if [len(table) for table in in_markdown] != [len(table) for table in in_page]:
        yield f"rows of the tables: {[len(t) for t in in_markdown]} in Markdown, {[len(t) for t in in_page]} on the page"
    # But what only a terminal has to type.
    said = numbers(text.split("\nNext\n")[0])
    for name, other in (("Markdown", plain(markdown)), ("the page", page.text)):
        if missing := sorted(said - numbers(other)):
            yield f"numbers of the text that {name} does not have: {missing[:8]}"
    if not WITHOUT_SETUP.match(arguments):
        said = re.sub(r"\s", "", page.text)  # names may be broken
        if missing := [word for word in arguments.split() if (INPUTS / word).is_file() and word not in said]:
            yield f"files that the page does not name: {missing}"
        if not re.search(r"Kubernetes1\.\d\d", said):
            yield "the page names no release"
    if wide != "-o text":
        shown = {n for table in in_markdown for row in table for cell in row for n in NUMBER.findall(cell)}
        if missing := sorted(shown - numbers(text)):
            yield f"numbers of tables that {wide} does not show: {missing[:8]}"


def main():
    passed, failed = 0, 0
    for arguments, wide in REPORTS:
        try:
            faults = list(faults_of(arguments, wide))
        except (AssertionError, subprocess.TimeoutExpired) as error:
            faults = [str(error)]
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults:
            print(f"FAILED {arguments}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
