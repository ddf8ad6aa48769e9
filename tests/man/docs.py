#!/usr/bin/env python3
"""The manual as HTML (`make docs`): whole, with a page for each rule under the address that findings link to, and no link
that leads nowhere.

    docs.py APFCTL    last line: "N passed, N failed"
"""
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = "https://docs.example/apfctl"
apfctl = pathlib.Path(sys.argv[1]).resolve()
MANUAL = apfctl.parents[1] / "man"
passed = failed = 0


def verdict(name, found):
    global passed, failed
    passed, failed = (passed, failed + 1) if found else (passed + 1, failed)
    if found:
        print(f"FAILED {name}\n{found}")


class Page(html.parser.HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]
        self.names.add(attributes.get("id"))


def links_of_program(codes, folder):
    """The address of each rule's page, as libapf writes it when it is built with DOCS_URL."""
    source = folder / "uris.cc"
    source.write_text('#include "lint/docs_uri.h"\n#include <cstdio>\nint main(int n, char** codes) {\n  for (int i = 1; i < n; ++i)'
                      ' std::puts(apf::rule_page_uri(apf::docs_url(), codes[i]).c_str());\n}\n')
    subprocess.run(["g++", "-std=c++20", f'-DAPF_DOCS_URL="{DOCS}/"', f"-I{ROOT}/libapf/src", source,
                    ROOT / "libapf/src/lint/docs_uri.cc", "-o", folder / "uris"], check=True)
    return subprocess.run([folder / "uris", *codes], capture_output=True, text=True, check=True).stdout.split()


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    for name in ("docs", "again"):
        subprocess.run([sys.executable, ROOT / "tools/docs/docs.py", apfctl, MANUAL, work / name], check=True)
    files = {path.relative_to(work / "docs"): path for path in (work / "docs").rglob("*") if path.is_file()}
    verdict("made twice, the manual is the same",
            [name for name, path in files.items() if (work / "again" / name).read_bytes() != path.read_bytes()])
    rules = json.loads(subprocess.run([apfctl, "rules", "-o", "json"], capture_output=True, check=True).stdout)["rules"]
    codes = [rule["code"] for rule in rules]
    verdict("there are rules", "" if len(codes) > 100 else codes)
    links = links_of_program(codes, work)
    verdict("each rule has a link", "" if len(links) == len(codes) else links)
    for code, link in zip(codes, links):
        page = work / "docs" / link.removeprefix(DOCS + "/")
        verdict(f"the page of {code}", "" if link.startswith(DOCS + "/") and page.is_file() and f">{code}<" in page.read_text() else link)
    pages = {name: Page(path.read_text()) for name, path in files.items() if name.suffix == ".html"}
    index = pages[pathlib.Path("index.html")]
    for page in sorted(MANUAL.iterdir()):
        verdict(f"{page.name} in the index", "" if f"{page.name}.html" in index.links and pathlib.Path(f"{page.name}.html") in pages else "is missing")
    for name, page in pages.items():
        broken = []
        for link in page.links:
            path, _, anchor = link.partition("#")
            target = pathlib.Path(os.path.normpath(name.parent / path)) if path else name
            if target not in files or (anchor and anchor not in pages[target].names):
                broken.append(link)
        verdict(f"links of {name}", broken)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
