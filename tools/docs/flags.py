"""Flags that several commands have are described once, in flags.mdoc: this writes the descriptions into the pages of
man/, or with --check says which of them differ, and which flag several pages describe alike that is not there.

    python3 tools/docs/flags.py [--check]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OWN = '.\\" not in '


def descriptions():
    """By what stands behind ".It Fl": the lines, and the pages that have a text of their own."""
    found = {}
    for part in (ROOT / "tools/docs/flags.mdoc").read_text(encoding="utf-8").split("\n\n")[1:]:
        head, *lines = part.rstrip("\n").split("\n")
        own = lines.pop(0).removeprefix(OWN).split() if lines[0].startswith(OWN) else []
        found[head.removeprefix(".It Fl ")] = (lines, own)
    return found


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


def main():
    check, known, seen, wrong = "--check" in sys.argv, descriptions(), {}, []
    for path in sorted((ROOT / "man").glob("apfctl*.1")):
        page, lines, out, done = path.stem.removeprefix("apfctl-"), path.read_text(encoding="utf-8").split("\n"), [], 0
        for at, end, head in items(lines):
            body = lines[at + 1 : end]
            seen.setdefault(head, {})[page] = body
            text, own = known.get(head, (None, []))
            text = list(for_page(page, text)) if text else None
            out += lines[done : at + 1] + (body if page in own or text is None else text)
            done = end
            if text is not None and page not in own and text != body:
                wrong.append(f"{page}: --{head} differs from tools/docs/flags.mdoc")
        if not check and out:
            path.write_text("\n".join(out + lines[done:]), encoding="utf-8")
    for head, by_page in seen.items():
        if head not in known:
            alike = [page for page, body in by_page.items() if list(by_page.values()).count(body) > 1]
            if alike:
                wrong.append(f"--{head} is alike in {' and '.join(alike)}: describe it in tools/docs/flags.mdoc")
        elif len(by_page) - len(known[head][1]) < 2 or not set(known[head][1]) <= set(by_page):
            wrong.append(f"--{head} of tools/docs/flags.mdoc is not on two pages without a text of their own")
    if check and wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
