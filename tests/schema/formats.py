"""Lints every configuration of the golden tests and holds each output format against what its readers expect, and all of
them against one another: the same findings at the same places."""
import json
import os
import pathlib
import re
import subprocess
import urllib.parse
import xml.dom.minidom

import jsonschema

APFCTL = os.path.abspath(os.environ.get("APFCTL", "build/release/bin/apfctl"))
FORMATS = ["concise", "json", "sarif", "junit", "github", "checkstyle"]
LEVELS = {"info": "note", "warning": "warning", "error": "error"}


def outputs(paths, folder):
    """What apfctl lint writes about all the paths in one run, by format."""
    targets = [word for name in FORMATS for word in ("-o", f"{name}={folder}/{name}")]
    done = subprocess.run([APFCTL, "lint", "--no-config", "--fail-on", "never", "-q", *paths, *targets], check=False)
    texts = {name: pathlib.Path(folder, name).read_text(encoding="utf-8") for name in FORMATS}
    return done.returncode, texts


def place(d):
    return (d["file"] or "", d["line"] or 0, d["code"])


def text_of(region, lines):
    """What a region of SARIF covers, or None where it leaves the text."""
    first, last = region["startLine"], region["endLine"]
    if last > len(lines) + 1 or (first, region["startColumn"]) > (last, region["endColumn"]):
        return None
    if first != last:
        return ""
    line = lines[first - 1] if first <= len(lines) else ""
    if region["endColumn"] - 1 > len(line):
        return None
    return line[region["startColumn"] - 1 : region["endColumn"] - 1]


def path_of(location):
    uri = location["artifactLocation"]["uri"]
    return urllib.parse.unquote(uri[len("file://") :] if uri.startswith("file://") else uri)


def check_sarif(log, findings, verdict):
    schema = json.loads(pathlib.Path("tests/schema/sarif.schema.json").read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(log))
    verdict("sarif is SARIF 2.1.0", error is None, error and f"{error.json_path}: {error.message[:200]}")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    verdict("sarif: a result for each finding", len(run["results"]) == len(findings), len(run["results"]))
    sources, prints, outside, unlike = {}, set(), [], []
    for result, finding in zip(run["results"], findings):
        rule = rules[result["ruleIndex"]]
        if rule["id"] != result["ruleId"] or result["ruleId"] != finding["code"] or result["level"] != LEVELS[finding["severity"]]:
            unlike.append(result["ruleId"])
        places = [r["physicalLocation"] for r in result["locations"] + result.get("relatedLocations", []) if "physicalLocation" in r]
        regions = [(path_of(p), p["region"]) for p in places if "region" in p]
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                regions += [(path_of(change), r["deletedRegion"]) for r in change["replacements"]]
        prints.add((path_of(places[0]), result["partialFingerprints"]["apfctlFinding/v1"]))
        for file, region in regions:
            if file not in sources:
                sources[file] = pathlib.Path(file).read_bytes().decode("utf-8", "replace").split("\n")
            if text_of(region, sources[file]) is None:
                outside.append((file, region))
    verdict("sarif: rules and levels are those of the findings", not unlike, unlike[:3])
    verdict("sarif: regions lie within their files", not outside, outside[:3])
    verdict("sarif: fingerprints tell findings apart", len(prints) == len(findings), f"{len(prints)} of {len(findings)}")


def check_xml(texts, findings, verdict):
    junit = xml.dom.minidom.parseString(texts["junit"]).documentElement
    suites = junit.getElementsByTagName("testsuite")
    failures = len(junit.getElementsByTagName("failure"))
    verdict("junit: a failure for each finding that is no hint", failures == sum(d["severity"] != "info" for d in findings), failures)
    counts = [all(int(s.getAttribute(a)) == len(s.getElementsByTagName(t)) for a, t in (("tests", "testcase"), ("failures", "failure"))) for s in suites]
    verdict("junit: the counts are those of the cases", all(counts) and int(junit.getAttribute("failures")) == failures, counts)
    checkstyle = xml.dom.minidom.parseString(texts["checkstyle"]).documentElement
    errors = [
        (file.getAttribute("name"), int(e.getAttribute("line") or 0), e.getAttribute("source").removeprefix("apfctl."))
        for file in checkstyle.getElementsByTagName("file")
        for e in file.getElementsByTagName("error")
    ]
    verdict("checkstyle: the findings", errors == [place(d) for d in findings], f"{len(errors)} of {len(findings)}")


def check_lines(texts, findings, verdict):
    concise = texts["concise"].splitlines()
    form = re.compile(r"^(.+?):(\d+):(\d+): (info|warning|error): (APF\d{3}) .+$")
    matches = [form.match(line) for line in concise]
    found = [(m[1], int(m[2]), m[5]) for m in matches if m]
    verdict("concise: FILE:LINE:COLUMN: SEVERITY: CODE MESSAGE", found == [place(d) for d in findings], f"{len(found)} of {len(concise)}")
    form = re.compile(r"^::(notice|warning|error) file=([^,:]+),line=(\d+),col=\d+(,endLine=\d+)?(,endColumn=\d+)?,title=(APF\d{3}) [a-z0-9-]+::.+$")
    matches = [form.match(line) for line in texts["github"].splitlines()]
    found = [(urllib.parse.unquote(m[2]), int(m[3]), m[6]) for m in matches if m]
    verdict("github: ::LEVEL file=…,line=…::MESSAGE", found == [place(d) for d in findings], f"{len(found)} of {len(matches)}")


def check(schemas, folder, verdict):
    """`schemas`: validators by name; `folder`: where to write."""
    paths = sorted(str(p) for p in pathlib.Path("tests/golden").glob("*/*/*.yaml") if ".apfctl" not in p.name)
    # One configuration is in one dialect.
    kep = [p for p in paths if re.search(rb"^meta:", pathlib.Path(p).read_bytes(), re.M)]
    check_all([p for p in paths if p not in kep], 60, schemas, folder, verdict)
    check_all(kep, 15, schemas, folder, verdict)


def check_all(paths, rules, schemas, folder, verdict):
    code, texts = outputs(paths, folder)
    verdict("apfctl lint over the golden tests' configurations", code == 0, f"exit code {code}")
    document = json.loads(texts["json"])
    findings = document["findings"]
    verdict("there are findings of most rules", len({d["code"] for d in findings}) > rules, len({d["code"] for d in findings}))
    error = jsonschema.exceptions.best_match(schemas["lint"].iter_errors(document))
    verdict("json satisfies lint", error is None, error and f"{error.json_path}: {error.message[:200]}")
    summary = document["summary"]
    verdict("json: the summary counts the findings", summary["errors"] + summary["warnings"] + summary["infos"] == len(findings), summary)
    check_sarif(json.loads(texts["sarif"]), findings, verdict)
    check_xml(texts, findings, verdict)
    check_lines(texts, findings, verdict)
