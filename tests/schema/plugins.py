"""Holds the schemas of configurations of admission plugins against what kube-apiserver says of them when it starts (the
vectors of EventRateLimit)."""
import json
import re

import yaml

from objects import lines

NAMES = ["eventratelimit-v1alpha1", "admissionconfiguration"]


def loaded(text):
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def check(schemas, verdict):
    """Returns the names of the schemas that were looked at."""
    accepted = refused = 0
    for line in lines("eventratelimit.jsonl"):
        case = json.loads(line)
        if case["mode"] == "seq":
            continue
        text = case.get("body") if case["mode"] == "config" else case["files"].get(case["main"])
        instance = loaded(text or "")
        if instance is None:
            continue
        name = "eventratelimit-v1alpha1" if case["mode"] == "config" else "admissionconfiguration"
        # Fields that the server ignores are refused here; what a plugin that is not listed would say is not of this file.
        ignored = re.search(r"unknown field in limit|plugin not listed", case["id"])
        wrong = "startup_error" in case or "load_error" in case or "error" in case
        expected = not wrong and not ignored or "plugin not listed" in case["id"]
        accepted, refused = accepted + expected, refused + (not expected)
        verdict(f"{case['id']}: {'accepted' if expected else 'refused'}", schemas[name].is_valid(instance) == expected,
                next((e.message for e in schemas[name].iter_errors(instance)), "it is let pass"))
    verdict("eventratelimit.jsonl has configurations of both kinds", accepted >= 10 and refused >= 15, f"{accepted}, {refused}")
    return NAMES
