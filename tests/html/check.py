"""The html report in a real browser, Chromium without a screen: the plots are there, light and dark differ, nothing is
fetched or run, names from the log stay text. Last line: "N passed, N failed"."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import png  # noqa: E402

root = pathlib.Path(__file__).resolve().parents[2]
apfctl = os.environ.get("APFCTL", str(root / "build/release/bin/apfctl"))
passed, failed = 0, []
if not shutil.which("chromium"):
    print("Chromium is not installed, and without it nobody looks at the page: .ci/deps.sh check-all installs it\n0 passed, 1 failed")
    sys.exit(1)
scratch = pathlib.Path(tempfile.mkdtemp())
# Under a path without a place to break it: pages show the paths of their inputs.
inputs = scratch / "a_folder_whose_name_is_as_long_as_names_of_folders_get_where_machines_invent_them" / "inputs"
shutil.copytree(root / "tests/golden/inputs", inputs)

HOSTILE = "<script>alert(1)</script>"
# An element that only a name of the log could have made.
FOREIGN = {"script", "img", "iframe", "a", "link", "object", "embed", "form", "input", "video", "audio", "base", "b"}


def verdict(what, ok, why=""):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(f"FAILED {what}: {why}")


def page(name, *args, command="replay", seats=("--server-concurrency", "12")):
    path = scratch / name
    command = [apfctl, command, "-q", "-o", f"html={path}", *seats, *map(str, args)]
    subprocess.run(command, capture_output=True, check=True)
    return path


def chromium(url, *args):
    # As root, and in a container, Chromium's own sandbox cannot start.
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
               "--disable-extensions", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
               f"--user-data-dir={scratch / 'profile'}", *args, url]
    return subprocess.run(command, capture_output=True, text=True, timeout=180)


def screenshot(path, scheme):
    picture = scratch / f"{path.stem}-{scheme}.png"
    dark = "0" if scheme == "dark" else "1"
    run = chromium(path.as_uri(), "--window-size=1200,1500", f"--screenshot={picture}",
                   f"--blink-settings=preferredColorScheme={dark}")
    verdict(f"{path.stem} {scheme}: Chromium takes a picture", picture.exists(), run.stderr[-2000:])
    return picture


class Page(html.parser.HTMLParser):
    """What the browser made of the page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.svgs, self.paths, self.inside = [], "", 0, [], []
        self.titles, self.names = {}, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag == "svg" and (attributes.get("class") or "").split()[:1] == ["plot"]:
            self.svgs += 1
            self.paths.append([])
        if tag == "path" and self.paths:
            self.paths[-1].append((attributes.get("class"), attributes.get("d", "")))
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self.inside:
            self.text += data


def check_dom(path, plots, names, links=()):
    run = chromium(path.as_uri(), "--dump-dom", "--enable-logging=stderr", "--v=0")
    dom = Page(run.stdout)
    name = path.stem
    verdict(f"{name}: Chromium shows the page", "</footer>" in run.stdout, run.stderr[-2000:])
    verdict(f"{name}: nothing is refused by the policy, nothing fails",
            not re.search(r"Refused to|Content Security Policy|Uncaught|ERR_", run.stderr), run.stderr[-2000:])
    hrefs = [a.get("href") for tag, a in dom.elements if tag == "a"]
    verdict(f"{name}: links to the pages beside it alone", hrefs == list(links) and all(re.fullmatch(r"[\w.%-]+", h) for h in hrefs), hrefs)
    foreign = {tag for tag, _ in dom.elements} & (FOREIGN - ({"a"} if links else set()))
    verdict(f"{name}: no element of a name's making, none that fetches", not foreign, foreign)
    reaching = [(tag, a) for tag, a in dom.elements if tag != "a"
                if any(k in ("src", "href", "style", "srcset", "action", "data") or k.startswith("on") for k in a)]
    verdict(f"{name}: no attribute fetches, runs or styles", not reaching, reaching[:3])
    policies = [a.get("content", "") for tag, a in dom.elements if a.get("http-equiv") == "Content-Security-Policy"]
    verdict(f"{name}: a strict policy", len(policies) == 1 and "default-src 'none'" in policies[0]
            and "unsafe" not in policies[0] and "http" not in policies[0], policies)
    for text in names:
        verdict(f"{name}: {text} stays text", text in dom.text, "it is not in the text")
    verdict(f"{name}: {plots} plots or more", dom.svgs >= plots, dom.svgs)
    for number, paths in enumerate(dom.paths):
        drawn = [d for style, d in paths if style not in ("axis", "grid", "tick")]
        verdict(f"{name}: plot {number} is drawn", bool(drawn) and all(drawn), paths)
        numbers = re.findall(r"[^MLHVZhv ]+", " ".join(d for _, d in paths))
        verdict(f"{name}: plot {number} has finite coordinates",
                all(re.fullmatch(r"-?\d+(\.\d+)?", n) for n in re.split(r"[ ]+", " ".join(numbers)) if n), numbers[:5])
    ids = [a["id"] for _, a in dom.elements if "id" in a]
    verdict(f"{name}: ids are unique", len(ids) == len(set(ids)), "twice the same")
    labelled = [a for tag, a in dom.elements if tag == "svg" and a.get("role") == "img"]
    verdict(f"{name}: every plot has a title and a description",
            len(labelled) == dom.svgs and all(set(a["aria-labelledby"].split()) <= set(ids) for a in labelled), labelled[:1])
    return dom


MEASURE = """
const page = document.getElementById("page").contentDocument, out = {overflow: 0, smallest: 99, clipped: [], overlapping: [], plots: 0};
out.overflow = page.documentElement.scrollWidth - page.documentElement.clientWidth;
for (const svg of page.querySelectorAll("svg.plot")) {
  const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  if (box.width === 0) continue;
  out.plots += 1;
  let end = -1e9, row = -1;
  for (const text of svg.querySelectorAll("text.label")) {  // of the axis of x: they follow each other in a row
    const at = text.getBBox();
    if (Math.abs(at.y - row) < 1 && at.x > 50 && at.x < end) out.overlapping.push(text.textContent);
    [row, end] = [at.y, at.x + at.width];
  }
  for (const text of svg.querySelectorAll("text")) {
    const size = parseFloat(page.defaultView.getComputedStyle(text).fontSize) * box.width / view.width;
    out.smallest = Math.min(out.smallest, size);
    const of = text.getBBox();
    if (of.x < 0 || of.x + of.width > view.width || of.y < 0 || of.y + of.height > view.height) out.clipped.push(text.textContent);
  }
}
document.body.textContent = JSON.stringify(out);
"""


def check_widths(path):
    """On a wide screen and on a phone: nothing sticks out, the text of plots can be read, no label is clipped."""
    for width in (1280, 400):
        frame = scratch / f"{path.stem}-{width}.html"
        frame.write_text(f'<body><iframe id="page" width="{width}" height="3000" src="{path.name}"></iframe>'
                         f"<script>onload = () => {{{MEASURE}}}</script></body>")
        run = chromium(frame.as_uri(), "--allow-file-access-from-files", "--window-size=1400,3100", "--dump-dom")
        found = re.search(r"<body>(\{.*\})</body>", run.stdout)
        verdict(f"{path.stem} at {width}: Chromium measures the page", bool(found), run.stdout[-300:] + run.stderr[-1000:])
        if not found:
            continue
        seen = json.loads(found.group(1))
        verdict(f"{path.stem} at {width}: nothing sticks out", seen["overflow"] <= 0, seen)
        verdict(f"{path.stem} at {width}: plots are shown", seen["plots"] > 0, seen)
        verdict(f"{path.stem} at {width}: text of plots has 11 px or more", seen["smallest"] >= 11, seen)
        verdict(f"{path.stem} at {width}: no label is clipped", not seen["clipped"], seen["clipped"][:5])
        verdict(f"{path.stem} at {width}: no label runs into another", not seen["overlapping"], seen["overlapping"][:5])


def check_verdict(path, style, text):
    """The first sentence says what happened, in the colour of it."""
    html = path.read_text(encoding="utf-8")
    main = html[html.index("<main>"):]
    first = re.search(r'<p class="verdict (\w+)">([^<]*)</p>', main)
    after = [main.index(mark) for mark in ('class="tiles"', "<table") if mark in main]
    verdict(f"{path.stem}: the verdict comes first", first and main.index(first.group(0)) < min(after), main[:200])
    verdict(f"{path.stem}: the verdict is {style}", first and first.group(1) == style and text in first.group(2), first and first.groups())


def check_requests(path):
    """What the browser asked the network for."""
    log = scratch / f"{path.stem}-net.json"
    chromium(path.as_uri(), "--dump-dom", f"--log-net-log={log}")
    text = log.read_text(encoding="utf-8", errors="replace").rstrip().rstrip(",")
    for end in ("", "]}", "}]}"):
        try:
            events = json.loads(text + end)["events"]
            break
        except json.JSONDecodeError:
            events = []
    verdict(f"{path.stem}: Chromium kept a log of the network", bool(events), text[:200])
    asked = {e["params"]["url"] for e in events if isinstance(e.get("params"), dict) and "url" in e["params"]}
    # Chromium itself asks its maker for updates and the time, whatever the page is.
    others = [u for u in asked if not re.match(r"file:|https?://([a-z0-9.]+\.)?google(apis)?\.com/", u)]
    verdict(f"{path.stem}: the page fetches nothing", not others, others)


def check_pictures(path, plots=True):
    light, dark = screenshot(path, "light"), screenshot(path, "dark")
    if not (light.exists() and dark.exists()):
        return
    pictures = {"light": png.colors(light), "dark": png.colors(dark)}
    for scheme, colors in pictures.items():
        verdict(f"{path.stem} {scheme}: more than 100 colours", len(colors) > 100, len(colors))
        paper = max(colors, key=colors.get)
        ink = sum(n for color, n in colors.items() if max(abs(a - b) for a, b in zip(color, paper)) > 60)
        verdict(f"{path.stem} {scheme}: something stands on the paper", ink > 20000, ink)
        bright = sum(paper) / 3
        verdict(f"{path.stem} {scheme}: the paper is {scheme}", bright > 200 if scheme == "light" else bright < 60, paper)
        blue = sum(n for (r, g, b), n in colors.items() if b > r + 40 and b > g)
        amber = sum(n for (r, g, b), n in colors.items() if r > b + 40 and r > g)
        verdict(f"{path.stem} {scheme}: seats in use and waiting are drawn", not plots or (blue > 1000 and amber > 1000), (blue, amber))


hostile = page("hostile.html", inputs / "hostile.jsonl", inputs / "amok.jsonl", "--top", "20", "--expect", "total.requests > 0")
check_dom(hostile, 6, [HOSTILE, '=HYPERLINK("http://evil.example/","x")', "<img src=x onerror=alert(1)>", "a|b`c`*d*"])
check_requests(hostile)
check_pictures(hostile)
check_widths(hostile)
amok = page("amok.html", inputs / "amok.jsonl", "--expect", "total.requests > 0")
check_verdict(amok, "bad", "Refused 29 of 83 requests")
check_widths(amok)
servers = page("servers.html", "--server", f"east={inputs / 'amok.jsonl'}", "--server", f"west={inputs / 'hostile.jsonl'}")
check_dom(servers, 6, ["All 2 servers", "Server east", "Server west", HOSTILE])
# What was recorded and jitter, as tables; requests in flight in place of levels, and who was held back.
joined = page("joined.html", inputs / "joined-audit.log", inputs / "joined-kube-apiserver.log", "--spread", "1")
check_dom(joined, 3, ["Spread over 1 more replay", "Compared with the log", "Agreement: "])
in_flight = page("in-flight.html", inputs / "hostile.jsonl", inputs / "amok.jsonl", "--apf=off", "--max-requests-inflight", "4",
                 "--max-mutating-requests-inflight", "1", "--client-qps", "2", seats=())
check_widths(in_flight)
check_dom(in_flight, 2, ["that client-limiter delayed most", "that max-in-flight refused most", HOSTILE,
                         "<img src=x onerror=alert(1)>"])
# Both sides of a comparison over each other, the level that burns first; how much more load is borne.
compared = page("compared.html", "builtins@1.37", inputs / "ci.yaml", "--log", inputs / "hostile.jsonl", inputs / "amok.jsonl", "--spread", "0",
                command="compare")
check_dom(compared, 4, ["What changes on this traffic", HOSTILE])
check_widths(compared)
check_pictures(compared, plots=False)  # they are further down
check_verdict(compared, "bad", "requests change level")
headroom = page("headroom.html", inputs / "amok.jsonl", "--spread", "0", command="headroom")
check_dom(headroom, 2, ["Headroom on"])
check_widths(headroom)
check_verdict(headroom, "bad", "already refuses")
# The pages of a comparison link to each other.
subprocess.run([apfctl, "compare", "builtins@1.37", str(inputs / "ci.yaml"), "--log", str(inputs / "hostile.jsonl"), str(inputs / "amok.jsonl"), "-q",
                "--spread", "0", "--top", "20", "--server-concurrency", "12", "-o", "text=/dev/null", "--pages", str(scratch / "c.html")], check=True)
pages = ["c.html", "c.old.html", "c.new.html"]
for own in pages:
    check_dom(scratch / own, 2, ["See also", HOSTILE], links=[other for other in pages if other != own])
check_widths(scratch / "c.old.html")
# Pages without plots: which FlowSchema a request gets and why, and the order in which they are asked.
explained = page("explain.html", "list", "pods", "-A", "--as", "<b>eve</b>", command="explain", seats=())
check_dom(explained, 0, ["<b>eve</b>"])
ladder = page("ladder.html", "-f", inputs / "ci.yaml", command="ladder", seats=())
check_dom(ladder, 0, ["global-default"])
empty = page("quiet.html", "--from", "1000000000000000000", inputs / "amok.jsonl")
check_dom(empty, 0, ["Replay of"])

shutil.rmtree(scratch, ignore_errors=True)
print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
