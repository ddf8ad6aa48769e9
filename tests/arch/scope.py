#!/usr/bin/env python3
"""Holds libapf/SCOPE.md to the sources: each source and header of libapf and tools counts in one row, and the lines that
the page gives are those that are there. Last line: "N passed, N failed".

    tests/arch/scope.py [--write]      --write puts today's lines into the page
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "libapf/SCOPE.md"
CEILING = 143_000  # of all sources and headers of libapf and tools
TO_GO = 10_800  # lines above it that are known: what reading logs in any order and box, what lint computes, charts, screens and causes came to
# Capability: what its files' paths match, below libapf/src, libapf/include/apf or tools/apfctl; the first row counts. Then
# its manual, its schemas and its tests, by the beginnings of their names.
ROWS = [
    ("KEP-1040's dialect", r"(^|/)kep(/|_)", "apfctl-kep", "kep", "kep"),
    ("suggest", r"^advise/(?!headroom|figures|multiples)|report/advise/suggest|suggest", "apfctl-suggest", "suggest", "suggest"),
    ("headroom", r"^advise/|headroom|report/advise/load_plots", "apfctl-headroom", "headroom", "headroom"),
    ("sweep", r"^sweep/|sweep|task_", "apfctl-sweep", "sweep", "sweep"),
    ("compare", r"compare|report/advise/(?!log_question|contradiction)|passes/(harm|sides)|books/(subjects|traffic_book)|side_", "apfctl-compare", "compare", "compare"),
    ("quotas", r"^admission/|quota|limit_range|workload", "apfctl-quota", "quota resourcequota limitrange", "quota admission"),
    ("EventRateLimit, max-in-flight and client-go's limiter", r"event_(rate_)?limit|event_senders|in_flight|client_limiter|replay/stages/|replay/clients/|admission", "apfctl-what-if", "eventratelimit admissionconfiguration", "four-limits"),
    ("metrics of a replay", r"metrics_|metric_counters|histograms", "", "", "metrics"),
    ("live servers: inspect", r"^inspect/|inspect|server_dump|dump_", "apfctl-inspect", "inspect server-dump", "inspect"),
    ("a server by evidence", r"^setup/|server_scrape|scrape|server_flags|setup\.h|named_by_files|known_server|server\.h|measured_widths|coverage", "apfctl-server", "", "setup"),
    ("what a log says: log", r"^summary/|log_summary|api_request_counts|report/logs/|cmd_log|explained|logs_report", "apfctl-log.1", "log", "log summary"),
    ("logs as requests: trace", r"^logs/|logs\.h|cmd_trace|trace", "apfctl-trace apfctl-logs apfctl-incomplete-logs", "trace-line", "trace logs order wrappings"),
    ("replay", r"^replay/|report/replay/|replay|log_question|contradiction_hint|recorded|agreement|timeline", "apfctl-replay apfctl-fidelity", "replay decision timeline", "replay fidelity"),
    ("tests of configurations", r"^test_file/|test", "apfctl-test", "test", "test test_file"),
    ("editors: the language server", r"^lsp/|lsp|language_server", "apfctl-lsp", "", "lsp"),
    ("changes: diff and ladder", r"^change/|diff|ladder|change\.h", "apfctl-diff apfctl-ladder", "diff ladder", "diff ladder change"),
    ("what FlowSchemas reach", r"^lint/reach/", "", "", "reach"),
    ("lint", r"^lint/|lint|rules|findings|baseline|fix|related_files|preset", "apfctl-lint apfctl-rules apfctl-config", "lint rules apfctl.", "lint repositories"),
    ("seats: limits and the scheduler", r"^schedule/|limits|hand|collisions|shard", "apfctl-limits apfctl-hand", "limits hand", "limits hand schedule"),
    ("which FlowSchema: explain", r"^classify/|classif|explain|request_(words|flags)|traffic\.h|policy_coverage", "apfctl-explain", "explain", "explain classify"),
    ("configurations: validate, default, convert, builtins, new", r"^config/|^settings/|config\.h|validate|default|convert|rewrite|builtin|new_|cmd_new|settings|schema|project", "apfctl-validate apfctl-default apfctl-convert apfctl-builtins apfctl-new apfctl-yaml apfctl-schema", "flowschema prioritylevel providers validate", "config validate default convert builtins new settings"),
    ("documents in all notations", r"^report/core/|document|expectation|report", "", "", "report html"),
    ("what all modules use", r"^base/|.*", "apfctl.1 apfctl-version apfctl-help apfctl-completion apfctl-glossary apfctl-faq apfctl-remarks", "version", "base tool help completion"),
]
passed = failed = 0


def verdict(name, found):
    global passed, failed
    if found:
        failed += 1
        print("\n".join([f"FAILED {name}", *found]))
    else:
        passed += 1


def lines(paths):
    return sum(path.read_bytes().count(b"\n") for path in paths)


def kept():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in names.splitlines() if (ROOT / name).is_file()]


def begins(name, words):
    return name.startswith(tuple(words.split()))


def counted():
    """By capability: lines of code, of the manual, of schemas, of tests."""
    names = kept()
    code = [n for n in names if n.startswith(("libapf/", "tools/")) and n.endswith((".cc", ".h"))]
    out = {row[0]: [0, 0, 0, 0] for row in ROWS}
    for name in code:
        short = re.sub(r"^(libapf/src|libapf/include/apf|libapf/include|tools/apfctl/(shared|flags|commands)|tools/apfctl|tools)/", "", name)
        capability = next(row[0] for row in ROWS if re.search(row[1], short))
        out[capability][0] += lines([ROOT / name])
    for capability, _, manual, schemas, tests in ROWS:
        out[capability][1] = lines(ROOT / n for n in names if n.startswith("man/") and begins(n[4:], manual))
        out[capability][2] = lines(ROOT / n for n in names if n.startswith("schemas/") and begins(n.rsplit("/", 1)[1], schemas))
        parts = {f"tests/{folder}{word}/" for word in tests.split() for folder in ("", "golden/", "unit/")}
        out[capability][3] = lines(ROOT / n for n in names if n.startswith(tuple(parts)) and n.endswith((".cc", ".h", ".py", ".sh", ".test")))
    return out, sum(lines([ROOT / name]) for name in code)


def cells(line):
    return [cell.strip() for cell in line.strip("|\n ").split("|")]


rows, total = counted()
if sys.argv[1:] == ["--write"]:
    page = []
    for line in PAGE.read_text().splitlines():
        cell = cells(line)
        if line.startswith("|") and cell[0] in rows:
            line = f"| {cell[0]} | " + " | ".join(str(number or "") for number in rows[cell[0]]) + " | " + " | ".join(cell[5:]) + " |"
        page.append(re.sub(r"have [\d,]+ lines", f"have {total:,} lines", line))
    PAGE.write_text("\n".join(page) + "\n")
text = PAGE.read_text().split("| said no to |", 1)[0]
page = {cells(line)[0]: cells(line) for line in text.splitlines() if line.startswith("| ")}
for capability, numbers in rows.items():
    row = page.get(capability)
    if not row:
        verdict(capability, ["libapf/SCOPE.md has no row for it"])
        continue
    given = [int(cell or 0) for cell in row[1:5]]
    # What a change moves by less than a twentieth is not worth a change of the page.
    drifted = [f"the page says {has}, there are {is_}" for has, is_ in zip(given, numbers) if abs(has - is_) > max(30, is_ // 20)]
    verdict(capability, drifted and [*drifted, "tests/arch/scope.py --write puts them right"])
    verdict(f"{capability}: a user", [] if len(row) > 5 and row[5] else ["the page names nobody who needs it"])
verdict("rows of capabilities that there are", sorted(page.keys() - rows.keys() - {"capability"}))
verdict("the ceiling", [] if total <= CEILING + TO_GO else [f"libapf and tools have {total:,} lines: {total - CEILING:,} more than {CEILING:,}"])
print(f"{total:,} lines; the ceiling is {CEILING:,}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
