"""Checks every schema itself, that the golden outputs satisfy theirs, that each schema refuses what it must, and that the
formats of findings are what they are taken for. What is wrong in the notation of schemas/ is said in words."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

sys.dont_write_bytecode = True
import formats
import notation
import objects
import plugins
import sweep_plans
import test_files

root = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(root / "tests/golden"), str(root / "tools/docs")]
import case_file
import remarks

os.chdir(root)
passed, failed = 0, []


def verdict(what, ok, why=""):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(f"FAILED {what}: {why}")


schemas = {}
# Schemas refer to each other by their $id.
by_id = {}


def validator(schema):
    try:
        from referencing import Registry, Resource
    except ImportError:  # jsonschema before 4.18
        return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store=by_id))
    registry = Registry().with_resources((i, Resource.from_contents(s)) for i, s in by_id.items())
    return jsonschema.Draft202012Validator(schema, registry=registry)


with tempfile.TemporaryDirectory() as folder:
    made = subprocess.run([sys.executable, "schemas/generate.py", folder], capture_output=True, text=True, check=False)
    if made.returncode:
        print(f"FAILED schemas/generate.py: {made.stderr}\n0 passed, 1 failed")
        sys.exit(1)
    read = {path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).iterdir())}
by_id.update({schema["$id"]: schema for schema in read.values()})
for name, schema in read.items():
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[name] = validator(schema)
        verdict(f"{name} is a schema", True)
    except jsonschema.SchemaError as error:
        verdict(f"{name} is a schema", False, error.message)


def unnamed_values(instance):
    """Values of remarks that the table of remarks does not name."""
    if isinstance(instance, list):
        return [found for item in instance for found in unnamed_values(item)]
    if not isinstance(instance, dict):
        return []
    out = [found for item in instance.values() for found in unnamed_values(item)]
    if instance.get("kind") in remark_keys and "message" in instance:
        own = remark_keys[instance["kind"]]
        out += [f"{instance['kind']} has {key}" for key in instance if key in all_remark_keys and key not in own]
    return out


remark_keys = {row.name: {value.key for value in row.values} for rows in remarks.table().values() for row in rows}
all_remark_keys = {*(key for keys in remark_keys.values() for key in keys), "count", "total", "other", "timeNs", "durationNs", "name", "detail"}

samples = {name: [] for name in schemas}
cases = [case_file.read(path) for path in sorted((root / "tests/golden").glob("*/*.test"))]
for case in [c for c in cases if c.schema]:
    if case.schema not in schemas:
        verdict(case.name, False, f"there is no schema {case.schema}")
        continue
    fault, lines = None, case.stdout.decode("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        instance = json.loads(line)
        error = jsonschema.exceptions.best_match(schemas[case.schema].iter_errors(instance))
        if error is not None and fault is None:
            fault = f"line {number}: {error.json_path}: {error.message}"
        if (unnamed := unnamed_values(instance)) and fault is None:
            fault = f"line {number}: {unnamed[0]}, which libapf/src/report/core/remarks.inc does not name"
        samples[case.schema].append(instance)
    verdict(f"{case.name} satisfies {case.schema}", fault is None and bool(lines), fault or "no output")

# Results with members that no golden case keeps: a schema, a folder, a command.
for name, folder, command in (
    ("replay", "replay/quota-conflicts", "replay a.jsonl b.jsonl --quota quota.yaml --quota-conflicts 100ms --top all"),
):
    printed = subprocess.run([objects.APFCTL, *command.split(), "-q", "-o", "json"], cwd=root / "tests/golden" / folder, capture_output=True, check=False)
    error = jsonschema.exceptions.best_match(schemas[name].iter_errors(json.loads(printed.stdout or "null")))
    verdict(f"{command} satisfies {name}", error is None, error and f"{error.json_path}: {error.message}")

# A case that writes JSON must name its schema.
for case in cases:
    # What bootstrap, convert and default write are the Kubernetes API's own objects; commands that pass the JSON on to a filter have no JSON of ours in stdout.
    writes_json = re.search(r"-o ?json(\s|$)|--batch", case.command) and "|" not in case.command and "text=-" not in case.command
    if writes_json and case.path.parent.name not in ("builtins", "convert", "default") and case.code == 0:
        verdict(f"{case.name} names its schema", bool(case.schema), "no line `=== schema`")

notation.check(verdict)

# Those of what users write have their own tests.
for name in objects.check(schemas, verdict) + plugins.check(schemas, verdict) + test_files.check(schemas, verdict) + sweep_plans.check(schemas, verdict):
    del samples[name]

with tempfile.TemporaryDirectory() as folder:
    formats.check(schemas, folder, verdict)

# A schema that lets everything pass is none: an unknown member and a missing one must be refused.
for name, instances in samples.items():
    verdict(f"{name} is used by a golden test", bool(instances), "no golden case names it")
    if not instances:
        continue
    largest = max(instances, key=lambda i: len(json.dumps(i)))
    verdict(f"{name} refuses an unknown member", not schemas[name].is_valid({**largest, "unknownMember": 1}), "it is let pass")
    verdict(f"{name} refuses the empty object", not schemas[name].is_valid({}), "it is let pass")
    for key in largest:
        wrong = {**largest, key: {"not": ["this"]}}
        if key != "object":
            verdict(f"{name} refuses {key} of another type", not schemas[name].is_valid(wrong), "it is let pass")

print("\n".join(failed))
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
