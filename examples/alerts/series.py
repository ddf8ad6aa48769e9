#!/usr/bin/env python3
"""Turns metrics over time (apfctl replay --metrics-series) into a test of promtool: the series that the rules ask for as
input_series, and what is expected of them.

    series.py OPENMETRICS RULES EXPECTED STEP > TEST      for promtool test rules TEST; STEP in seconds
"""
import re
import sys

metrics, rules, expected, step = sys.argv[1:]
asked = set(re.findall(r"\bapiserver_\w+", open(rules, encoding="utf-8").read()))
values, times = {}, set()
for line in open(metrics, encoding="utf-8"):
    sample = re.fullmatch(r"((\w+)(?:\{.*\})?) (\S+) (\S+)\n", line)
    if sample and not line.startswith("#"):
        times.add(float(sample.group(4)))
        if sample.group(2) in asked:
            values.setdefault(sample.group(1), {})[float(sample.group(4))] = sample.group(3)

print(f"rule_files: [{rules}]\nevaluation_interval: {step}s\ntests:\n- interval: {step}s\n  input_series:")
for series, found in values.items():
    print(f"  - series: '{series}'")
    print("    values: '" + " ".join(found.get(time, "_") for time in sorted(times)) + "'")
print(open(expected, encoding="utf-8").read(), end="")
