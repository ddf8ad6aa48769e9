"""The html report in a real browser, Chromium without a screen: the plots are there, light and dark differ, nothing is
fetched or run, names from the log stay text. Last line: "N passed, N failed"."""
import concurrent.futures
import functools
import html.parser
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree

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
FOREIGN = {"script", "img", "iframe", "link", "object", "embed", "form", "input", "video", "audio", "base", "b"}


counting = threading.Lock()
checks, running = concurrent.futures.ThreadPoolExecutor(os.cpu_count()), []


def verdict(what, ok, why=""):
    global passed
    with counting:
        if ok:
            passed += 1
        else:
            failed.append(f"FAILED {what}: {why}")


def side_by_side(check):
    """Chromium works on one processor; as many checks as there are processors run at once."""
    @functools.wraps(check)
    def begin(*args, **kwargs):
        running.append(checks.submit(check, *args, **kwargs))
    return begin


def page(name, *args, command="replay", seats=("--server-concurrency", "12"), ok=(0,)):
    path = scratch / name
    command = [apfctl, command, "-q", "-o", f"html={path}", *seats, *map(str, args)]
    run = subprocess.run(command, capture_output=True, text=True)
    verdict(f"{path.stem}: it is made", run.returncode in ok and path.exists(), run.stderr)
    return path


def chromium(url, *args):
    # As root, and in a container, Chromium's own sandbox cannot start.
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
               "--disable-extensions", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
               f"--user-data-dir={scratch / f'profile-{threading.get_ident()}'}", *args, url]
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


@side_by_side
def check_dom(path, plots, names, links=()):
    run = chromium(path.as_uri(), "--dump-dom", "--enable-logging=stderr", "--v=0")
    dom = Page(run.stdout)
    name = path.stem
    verdict(f"{name}: Chromium shows the page", "</footer>" in run.stdout, run.stderr[-2000:])
    verdict(f"{name}: nothing is refused by the policy, nothing fails",
            not re.search(r"Refused to|Content Security Policy|Uncaught|ERR_", run.stderr), run.stderr[-2000:])
    hrefs = [a.get("href") for tag, a in dom.elements if tag == "a"]
    places = {"#" + a["id"] for _, a in dom.elements if "id" in a}
    beside = [h for h in hrefs if not h.startswith("#")]
    verdict(f"{name}: links to the pages beside it alone", beside == list(links) and all(re.fullmatch(r"[\w.%-]+", h) for h in beside), beside)
    verdict(f"{name}: links within the page lead somewhere", set(hrefs) - set(beside) <= places, set(hrefs) - places)
    foreign = {tag for tag, _ in dom.elements} & FOREIGN
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


@side_by_side
def check_widths(path, plots=True):
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
        verdict(f"{path.stem} at {width}: plots are shown", seen["plots"] > 0 or not plots, seen)
        verdict(f"{path.stem} at {width}: text of plots has 11 px or more", seen["smallest"] >= 11, seen)
        verdict(f"{path.stem} at {width}: no label is clipped", not seen["clipped"], seen["clipped"][:5])
        verdict(f"{path.stem} at {width}: no label runs into another", not seen["overlapping"], seen["overlapping"][:5])


def check_verdict(path, style, text):
    """The first sentence says what happened, in the colour of it."""
    html = path.read_text(encoding="utf-8")
    main = html[html.index("<main>"):]
    first = re.search(r'<p class="verdict (\w+)">([^<]*)</p>', main)
    after = [main.index(mark) for mark in ("<svg", "<table") if mark in main]
    verdict(f"{path.stem}: the verdict comes first", first and main.index(first.group(0)) < min(after), main[:200])
    verdict(f"{path.stem}: the verdict is {style}", first and first.group(1) == style and text in first.group(2), first and first.groups())


def check_order(path, last, *places):
    """The charts stand before the tables, and what is named is there, with a link to it."""
    html = path.read_text(encoding="utf-8")
    verdict(f"{path.stem}: charts before tables", -1 < html.find('<svg class="plot') < html.find("<table"), html[:200])
    verdict(f"{path.stem}: {last} is last", re.findall(r"<h2[^>]*>([^<]*)</h2>", html)[-1] == last, re.findall(r"<h2[^>]*>([^<]*)</h2>", html))
    for place in places:
        verdict(f"{path.stem}: {place} is a place with links to it", f'id="{place}"' in html and f'href="#{place}"' in html, place)
    command = re.search(r"<footer><code>([^<]*)</code>", html)
    verdict(f"{path.stem}: the command that made it", command and command.group(1).startswith("apfctl ") and "-o" not in command.group(1).split(), command)


@side_by_side
def check_picture_alone(name, *args, command, seats=("--server-concurrency", "12")):
    """-o svg: XML that needs nothing else, and that Chromium draws."""
    path = scratch / name
    subprocess.run([apfctl, command, "-q", "-o", f"svg={path}", *seats, *map(str, args)], capture_output=True)
    text = path.read_text(encoding="utf-8")
    svg = xml.etree.ElementTree.fromstring(text)
    verdict(f"{name}: a picture", svg.tag == "{http://www.w3.org/2000/svg}svg" and float(svg.get("height")) > 60, svg.tag)
    verdict(f"{name}: without variables, links to elsewhere and scripts", not re.search(r"var\(|<script|url\(|href=\"[^#]", text), text[:300])
    picture = scratch / f"{path.stem}-svg.png"
    chromium(path.as_uri(), "--window-size=700,900", f"--screenshot={picture}")
    verdict(f"{name}: Chromium draws it", picture.exists() and len(png.colors(picture)) > 20, picture)


@side_by_side
def check_print(path):
    pdf = scratch / f"{path.stem}.pdf"
    chromium(path.as_uri(), f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
    verdict(f"{path.stem}: it can be printed", pdf.exists() and pdf.read_bytes().startswith(b"%PDF") and pdf.stat().st_size > 10000, pdf)


def linear(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(a, b):
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in (linear(a), linear(b)))
    return light[1] / light[0]


# Machado, Oliveira and Fernandes 2009: what people without the cones for green see.
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))


def lab(color, deuteranopia):
    rgb = linear(color)
    if deuteranopia:
        rgb = [min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in DEUTERANOPIA]
    r, g, b = rgb
    x, y, z = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
               (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def check_colors(path):
    """Text can be read (WCAG AA), parts of a chart can be told apart, by people who see no green, too."""
    style = re.search(r"<style>(.*?)</style>", path.read_text(encoding="utf-8"), re.S).group(1)
    for scheme, block in zip(("light", "dark"), re.findall(r":root\{(.*?)\}", style, re.S)):
        of = dict(re.findall(r"--([\w-]+):(#[0-9a-f]+)", block))
        of = {name: "#" + "".join(2 * c for c in color[1:]) if len(color) == 4 else color for name, color in of.items()}
        texts = [(text, on) for text in ("ink", "soft", "good", "warn", "bad", "use") for on in ("paper", "card")]
        texts += [("on", part) for part in ("use", "full", "over")] + [("on-pale", part) for part in ("wait", "late")]
        for text, on in texts:
            verdict(f"{scheme}: {text} on {on} has a contrast of 4.5 or more", contrast(of[text], of[on]) >= 4.5, contrast(of[text], of[on]))
        for group in (("use", "wait", "full", "over", "late"), ("c0", "c1", "c2", "c3", "c4", "c5")):
            for part in group:
                verdict(f"{scheme}: {part} stands out from the card", contrast(of[part], of["card"]) >= 3, contrast(of[part], of["card"]))
            for a, b in itertools.combinations(group, 2):
                for deuteranopia in (False, True):
                    far = sum((p - q) ** 2 for p, q in zip(lab(of[a], deuteranopia), lab(of[b], deuteranopia))) ** 0.5
                    verdict(f"{scheme}: {a} and {b} are told apart{' without green' * deuteranopia}", far >= 19, far)


@side_by_side
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
    others = [u for u in asked if not re.match(r"file:|https?://([a-z0-9.-]+\.)?google(apis)?\.com/", u)]
    verdict(f"{path.stem}: the page fetches nothing", not others, others)


@side_by_side
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
check_order(amok, "Assumptions", "level-workload-low", "over-time")
check_print(amok)
check_colors(amok)
verdict("amok: each figure is said once above the first chart",
        re.search(r"<main>.*?<svg", amok.read_text(), re.S).group(0).count(" 29 ") == 1, "29 refused")
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
check_order(compared, "What this holds for", "level-workload-low")
headroom = page("headroom.html", inputs / "amok.jsonl", "--spread", "0", command="headroom")
check_dom(headroom, 2, ["Headroom on"])
check_widths(headroom)
check_verdict(headroom, "bad", "already refuses")
# The pages of a comparison link to each other.
incident = root / "examples/incident/audit.log.gz"
log = page("log.html", incident, command="log", seats=())
check_dom(log, 6, ["order-sync rose", "Refused, by whom and when"])
check_order(log, "Next", "over-time")
check_widths(log)
check_pictures(log, plots=False)
check_print(log)
# Who is at fault, who suffers and what helps are rows, with links to what the log says of them.
blamed = page("blamed.html", inputs / "joined-audit.log", inputs / "joined-kube-apiserver.log", command="log", seats=())
check_dom(blamed, 0, ["Because of whom", "What helps"])
verdict("blamed: a link from the culprit to its rows", 'href="#client-sa_3akube-system_2fcontroller"' in blamed.read_text(), "")
inspected = page("inspect.html", "--metrics", root / "examples/live-server/metrics-1.txt", "--metrics",
                 root / "examples/live-server/metrics-2.txt", command="inspect", seats=())
check_dom(inspected, 2, ["limit in force"])
check_order(inspected, "What this holds for")
check_widths(inspected)
quota = page("quota.html", "-f", root / "examples/quota-fit/quota.yaml", root / "examples/quota-fit/api.yaml", command="quota", seats=())
check_dom(quota, 2, ["hard limit"])
check_widths(quota)
for name, args in {"log": [incident], "replay": [inputs / "amok.jsonl"], "headroom": [inputs / "amok.jsonl", "--spread", "0"],
                   "inspect": ["--metrics", inputs / "inspect/elephant-metrics.txt"]}.items():
    check_picture_alone(f"{name}.svg", *args, command=name, seats=() if name in ("log", "inspect") else ("--server-concurrency", "12"))
subprocess.run([apfctl, "compare", "builtins@1.37", str(inputs / "ci.yaml"), "--log", str(inputs / "hostile.jsonl"), str(inputs / "amok.jsonl"), "-q",
                "--spread", "0", "--top", "20", "--server-concurrency", "12", "-o", "text=/dev/null", "--pages", str(scratch / "c.html")], check=True)
pages = ["c.html", "c.old.html", "c.new.html"]
for own in pages:
    check_dom(scratch / own, 2, ["See also", HOSTILE], links=[other for other in pages if other != own])
check_widths(scratch / "c.old.html")
# Pages without plots: which FlowSchema a request gets and why, and the order in which they are asked.
explained = page("explain.html", "list", "pods", "-A", "--as", "<b>eve</b>", command="explain", seats=())
check_dom(explained, 0, ["<b>eve</b>"])
verdict("explain: the rung that is taken is marked", explained.read_text().count('<tr id="taken">') == 1, "")
check_widths(explained, plots=False)
# The pages of a log, a live server, a quota, a change and a suggestion: charts of their own, or none.
incident_log = page("log.html", incident, command="log", seats=())
check_dom(incident_log, 1, ["Refused, by whom and when"])
check_widths(incident_log)
check_requests(incident_log)
hostile_log = page("hostile-log.html", inputs / "hostile.jsonl", inputs / "amok.jsonl", command="log")
check_dom(hostile_log, 0, [HOSTILE])
live = root / "examples/live-server"
inspected = page("inspect.html", live / "metrics-1.txt", live / "metrics-2.txt", live / "dump_requests.txt", command="inspect", seats=())
check_dom(inspected, 1, ["workload-low"])
check_widths(inspected)
fit = page("quota.html", "-f", root / "examples/quota-fit", command="quota", seats=(), ok=(0, 1))
check_dom(fit, 1, ["compute"])
check_widths(fit)
changed = page("diff.html", "builtins@1.37", inputs / "ci.yaml", command="diff", seats=(), ok=(0, 1))
check_dom(changed, 0, ["600 seats are assumed"])
check_widths(changed, plots=False)
suggested = page("suggest.html", inputs / "amok.jsonl", "-f", inputs / "ci.yaml", "--spread", "0", "--budget", "12", command="suggest", ok=(0, 1))
check_dom(suggested, 0, ["Tried and rejected"])
check_widths(suggested, plots=False)
ladder = page("ladder.html", "-f", inputs / "ci.yaml", command="ladder", seats=())
check_dom(ladder, 0, ["global-default"])
empty = page("quiet.html", "--from", "1000000000000000000", inputs / "amok.jsonl")
check_dom(empty, 0, ["Replay of"])

for check in running:
    check.result()
shutil.rmtree(scratch, ignore_errors=True)
print("\n".join(sorted(failed)))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
