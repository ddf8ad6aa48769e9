#!/usr/bin/env python3
"""Turns metrics over time (apfctl replay --metrics-series) into a test of promtool: the series that the rules and the
dashboard ask for as input_series, and what is expected: the alerts in EXPECTED, and of each query of the dashboard that
something is to be seen after three minutes.

    series.py OPENMETRICS RULES DASHBOARD EXPECTED STEP > TEST      for promtool test rules TEST; STEP in seconds
"""
import json
import re
import sys

metrics, rules, dashboard, expected, step = sys.argv[1:]
queries = [(panel["title"], target["expr"]) for panel in json.load(open(dashboard, encoding="utf-8"))["panels"]
           for target in panel.get("targets", [])]
# What Grafana puts in place of its variables when all is shown.
queries = [(title, query.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$priority_level", ".*"))
           for title, query in queries]
asked = set(re.findall(r"\bapiserver_\w+", open(rules, encoding="utf-8").read() + str(queries)))
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
print("  promql_expr_test:")
for title, query in queries:
    print(f"  # {title}\n  - eval_time: 3m\n    expr: {json.dumps(f'count(({query}) > 0) > bool 0')}\n    exp_samples: [{{labels: '{{}}', value: 1}}]")
print(open(expected, encoding="utf-8").read(), end="")
