"""Writes the pages of the manual: those of man/, with what is described once for several of them (flags.mdoc) and what the
table of remarks says. apfctl-rules(7) comes from the program: rules_page.py.

    python3 tools/docs/pages.py FOLDER
"""
import pathlib
import sys

sys.dont_write_bytecode = True
import remarks

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def descriptions():
    """By what stands behind ".It Fl": the lines."""
    parts = (part.rstrip("\n").split("\n") for part in (ROOT / "tools/docs/flags.mdoc").read_text(encoding="utf-8").split("\n\n")[1:])
    return {head.removeprefix(".It Fl "): lines for head, *lines in parts}


def items(lines):
    """Place and end of each description of a flag, which may have lists within, and what stands behind ".It Fl"."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith(".It Fl "):
            at += 1
            continue
        depth, end = 0, at + 1
        while depth or not lines[end].startswith((".It ", ".El", ".Sh", ".Ss")):
            depth += lines[end].startswith(".Bl ") - lines[end].startswith(".El")
            end += 1
        yield at, end, lines[at].removeprefix(".It Fl ")
        at = end


def for_page(page, lines):
    """".See replay STAGES ." is a section of that page, there and elsewhere."""
    for line in lines:
        if not line.startswith(".See "):
            yield line
            continue
        of, *words = line.split(" ")[1:]
        section, end = " ".join(word for word in words if word.isupper()), " ".join(w for w in words if not w.isupper())
        if of == page:
            yield f".Sx {section} {end}".rstrip()
        else:
            yield f"{section} in"
            yield f".Xr apfctl-{of} 1 {end}".rstrip()


class Flags:
    """The flags of all pages: what they have of their own, and what is filled in."""

    def __init__(self):
        self.known, self.own, self.filled = descriptions(), {}, {}

    def fill(self, page, text):
        lines, out, done = text.split("\n"), [], 0
        for at, end, head in items(lines):
            out += lines[done : at + 1]
            body = lines[at + 1 : end]
            if body:
                self.own.setdefault(head, {})[page] = body
            elif head in self.known:
                self.filled.setdefault(head, []).append(page)
                body = for_page(page, self.known[head])
            out += body
            done = end
        return "\n".join(out + lines[done:])

    def faults(self):
        for head, lines in self.known.items():
            if len(self.filled.get(head, [])) < 2:
                yield f"--{head} of tools/docs/flags.mdoc is not on two pages of man/ that have nothing below it"
            for page, body in self.own.get(head, {}).items():
                if body == list(for_page(page, lines)):
                    yield f"man/apfctl-{page}.1 describes --{head} as tools/docs/flags.mdoc does: leave it out"
        for head, by_page in self.own.items():
            alike = [page for page, body in by_page.items() if list(by_page.values()).count(body) > 1]
            if alike and head not in self.known:
                yield f"--{head} is alike in {' and '.join(alike)}: describe it in tools/docs/flags.mdoc"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, flags = pathlib.Path(sys.argv[1]), Flags()
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "man").glob("apfctl*.[157]"))}
    for name in pages:
        if name.endswith(".1"):
            pages[name] = flags.fill(name.removeprefix("apfctl-").removesuffix(".1"), pages[name])
    pages["apfctl-remarks.7"] = remarks.page_of(pages["apfctl-remarks.7"], remarks.table())
    faults = [*flags.faults(), *(f"man/{name}: nothing describes --{line}" for name, text in pages.items() for line in bare(text))]
    if faults:
        sys.exit("\n".join(faults))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


def bare(text):
    """Flags at the end of a list that nothing is said of; others may share what the next one says."""
    lines = text.split("\n")
    return [head for at, end, head in items(lines) if end == at + 1 and not lines[end].startswith(".It ")]


if __name__ == "__main__":
    main()
