#!/usr/bin/env python3
"""Writes the manual as HTML: each page, a page for each rule of lint, and an index.

    docs.py APFCTL PAGES FOLDER    for `make docs`; needs mandoc. The same pages give the same bytes.

What findings link to (libapf/src/lint/docs_uri.cc) is FOLDER, wherever it is published.
"""
import html
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

import rules_page

HERE = pathlib.Path(__file__).resolve().parent
BEGIN = ("apfctl.1", "apfctl-faq.7", "apfctl-glossary.7", "apfctl-what-if.7", "apfctl-fidelity.7")


def rendered(mdoc: bytes, to_root: str) -> str:
    """A page as HTML. Its table of contents stands above it where it has many sections."""
    options = f"man={to_root}%N.%S.html,style={to_root}style.css" + (",toc" if mdoc.count(b"\n.S") > 12 else "")
    page = subprocess.run(["mandoc", "-T", "html", "-O", options], input=mdoc, capture_output=True, check=True).stdout.decode()
    up = f'<p class="up"><a href="{to_root}index.html">apfctl: the manual</a></p>'
    return page.replace('<html>', '<html lang="en">', 1).replace("<body>", f"<body>\n{up}", 1)


def summary_of(page: pathlib.Path) -> str:
    return re.search(r"^\.Nd (.*)", page.read_text(), re.M)[1]


def links(entries: list[tuple[str, str, str]]) -> str:
    """A list of (address, name, summary)."""
    return "\n".join(["<dl>", *(f'<dt><a href="{address}">{html.escape(name)}</a></dt><dd>{html.escape(summary)}</dd>'
                                for address, name, summary in entries), "</dl>"])


def index_of(pages: list[pathlib.Path], rules: list[dict]) -> str:
    def part(heading: str, chosen: list[pathlib.Path]) -> str:
        return f"<h2>{heading}</h2>\n" + links([(f"{p.name}.html", f"{p.stem}({p.suffix[1:]})", summary_of(p)) for p in chosen])
    begin = [pages[0].parent / name for name in BEGIN]
    rest = [page for page in pages if page not in begin]
    out = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>',
           '<meta name="viewport" content="width=device-width, initial-scale=1.0"/>',
           '<link rel="stylesheet" href="style.css"/>\n<title>apfctl: the manual</title>\n</head>\n<body>\n<h1>apfctl: the manual</h1>',
           part("Begin here", begin), part("Commands", [p for p in rest if p.suffix == ".1"]),
           part("Files", [p for p in rest if p.suffix == ".5"]), part("Subjects", [p for p in rest if p.suffix == ".7"]),
           "<h2>Rules of lint</h2>"]
    for heading, group in itertools.groupby(rules, lambda rule: rule["group"]):
        out.append(f"<h3>{html.escape(heading)}</h3>\n" +
                   links([(f"rules/{r['code']}.html", f"{r['code']} {r['name']}", r["summary"]) for r in group]))
    return "\n".join([*out, "</body>\n</html>\n"])


def main() -> None:
    apfctl, made, folder = (pathlib.Path(word) for word in sys.argv[1:])
    rules = json.loads(subprocess.run([apfctl, "rules", "-o", "json"], capture_output=True, check=True).stdout)["rules"]
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "rules").mkdir(parents=True)
    pages = sorted(made.glob("*.[157]"))
    for page in pages:
        (folder / f"{page.name}.html").write_text(rendered(page.read_bytes(), ""))
    for rule in rules:
        (folder / "rules" / f"{rule['code']}.html").write_text(rendered(rules_page.page_of(rule).encode(), "../"))
    shutil.copy(HERE / "style.css", folder)
    (folder / "index.html").write_text(index_of(pages, rules))


main()
