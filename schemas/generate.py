#!/usr/bin/env python3
"""The schemas, as `apfctl schema` prints them and `make install` installs them.

    generate.py FOLDER     writes all of them there; make calls it
    generate.py --layout   lays out the files beside it as all the others: what fits into 120 columns is one line

What users write is kept as JSON beside this file, for editors that take it from a checkout. What apfctl writes is in results/
in the notation of parts.py, each file under the name of its schema. The older API versions follow from v1 here, and so does
flowcontrol, which chooses by apiVersion and kind. Each file is complete in itself but for references to other files' $id.
"""
import ast
import copy
import json
import pathlib
import runpy
import sys
import traceback

sys.dont_write_bytecode = True  # nothing is left beside the schemas
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from layout import laid_out
from parts import Maybe, Wrong

ENDING = ".schema.json"
GROUP = "flowcontrol.apiserver.k8s.io"
KINDS = ("FlowSchema", "PriorityLevelConfiguration")
# What the versions differ in beside their names: what the shares of a Limited level are called, what 0 of them means, and
# who serves the version.
V1 = ("nominalConcurrencyShares", "0 gives the level no seats of its own.", "since Kubernetes 1.29")
OLDER = {
    "v1beta3": (
        "nominalConcurrencyShares",
        "0 counts as absent, unless the object has the annotation flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares.",
        "served by Kubernetes 1.26 to 1.31; use v1 from 1.29 on",
    ),
    "v1beta2": ("assuredConcurrencyShares", "0 counts as absent.", "served by Kubernetes 1.23 to 1.28; use v1 from 1.29 on"),
    "v1beta1": ("assuredConcurrencyShares", "0 counts as absent.", "served by Kubernetes 1.20 to 1.25; use v1 from 1.29 on"),
}
PRESERVE_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"


def kept(folder=HERE):
    """The files beside this one, by name."""
    return {path.name.removesuffix(ENDING): json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*" + ENDING))}


# --- older versions, and all of them together -----------------------------------------------------------------------------------


def with_text(where, key, old, new):
    if old not in where[key]:
        raise Wrong(f'"{old}" is not in "{where[key]}", where older versions have "{new}"')
    where[key] = where[key].replace(old, new)


def older(newest, version):
    """The schema of this version, by that of v1."""
    out, (shares, zero, served) = copy.deepcopy(newest), OLDER[version]
    with_text(out, "$id", "-v1", f"-{version}")
    with_text(out, "title", f"{GROUP}/v1", f"{GROUP}/{version}")
    of_version = out["properties"]["apiVersion"]
    with_text(of_version, "const", f"{GROUP}/v1", f"{GROUP}/{version}")
    with_text(of_version, "description", f"{GROUP}/v1, {V1[2]}", f"{GROUP}/{version}, {served}")
    limited = out["properties"]["spec"]["properties"].get("limited")
    if limited:
        with_text(limited["properties"][V1[0]], "description", V1[1], zero)
        limited["properties"] = {shares if name == V1[0] else name: value for name, value in limited["properties"].items()}
    if limited and version == "v1beta3":
        out["properties"]["metadata"]["properties"]["annotations"]["properties"][PRESERVE_ZERO] = {
            "description": "Says that 0 nominalConcurrencyShares is meant as 0 and not as absent. Its value does not matter."
        }
    return out


def when(members, then):
    return {"if": {"properties": {name: {"const": value} for name, value in members.items()}, "required": list(members)}, "then": then}


def with_items(target):
    items = {"description": "The objects.", "type": ["array", "null"], "items": {"$ref": target}}
    return {"properties": {"items": items}, "required": ["items"]}


def together(by_name):
    """All kinds in all versions. Objects of other groups pass: a file may hold them, too."""
    versions = [f"{GROUP}/{version}" for version in ("v1", *OLDER)]
    kinds = [*KINDS, *(f"{kind}List" for kind in KINDS)]
    of_group = {"type": "string", "pattern": r"^flowcontrol\.apiserver\.k8s\.io/"}
    rules = [
        {"if": {"properties": {"kind": {"enum": kinds}}, "required": ["kind"]}, "then": {"properties": {"apiVersion": {"enum": versions}}}},
        {
            "if": {"properties": {"apiVersion": of_group}, "required": ["apiVersion"]},
            "then": {"properties": {"apiVersion": {"enum": versions}, "kind": {"enum": kinds}}},
        },
        when({"apiVersion": "v1", "kind": "List"}, with_items("#")),
    ]
    definitions = {}
    for kind in KINDS:
        for version in versions:
            one = dict(by_name[f"{kind.lower()}-{version.removeprefix(GROUP + '/')}"])
            name = f"{kind}.{version.removeprefix(GROUP + '/')}"
            parts = one.pop("$defs", {})
            # Objects in a list of their kind need not repeat what they are.
            definitions[name] = {key: value for key, value in one.items() if key not in ("$schema", "$id", "title")}
            definitions[name]["required"] = [member for member in one["required"] if member not in ("apiVersion", "kind")]
            rules.append(when({"apiVersion": version, "kind": kind}, {"$ref": f"#/$defs/{name}"}))
            rules.append(when({"apiVersion": version, "kind": f"{kind}List"}, with_items(f"#/$defs/{name}")))
        definitions.update(parts)
    return {
        "title": f"Objects of {GROUP}",
        "description": "A FlowSchema, a PriorityLevelConfiguration or a list of them, in any API version. Objects of other API groups are "
        "let pass.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": "The API group and version of this object.", "type": "string", "examples": versions},
            "kind": {"description": "The kind of this object.", "type": "string", "examples": list(KINDS)},
        },
        "required": ["apiVersion", "kind"],
        "allOf": rules,
        "$defs": definitions,
    }


# --- results ----------------------------------------------------------------------------------------------------------------------


def twice(source):
    """Members that a record has twice: Python would keep the last one and say nothing."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Dict):
            continue
        names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        for key in node.keys:
            if isinstance(key, ast.Constant) and names.count(key.value) > 1:
                raise Wrong(f'line {key.lineno}: "{key.value}" is there twice')


def from_notation(path):
    """The schema of a file in results/; what is wrong in it, in words."""
    try:
        twice(path.read_text(encoding="utf-8"))
        return runpy.run_path(str(path))["SCHEMA"]
    except Wrong as wrong:
        fault, line = wrong, line_in(path, wrong)
    except NameError as wrong:
        fault, line = f"the notation of parts.py has no {wrong.name}", line_in(path, wrong)
    except SyntaxError as wrong:
        fault, line = wrong.msg, f"line {wrong.lineno}: "
    except KeyError as wrong:
        fault, line = f"there is no {wrong.args[0]}", line_in(path, wrong)
    except (TypeError, AttributeError) as wrong:
        fault, line = wrong, line_in(path, wrong)
    raise Wrong(f"schemas/results/{path.name}: {line}{fault}")


def line_in(path, wrong):
    lines = [frame.lineno for frame in traceback.extract_tb(wrong.__traceback__) if frame.filename == str(path)]
    return f"line {lines[-1]}: " if lines else ""


def nodes(value):
    """All objects in it."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(part)


def part_at(schema, pointer):
    for step in pointer.split("/")[1:]:
        schema = schema.get(step) if isinstance(schema, dict) else None
    return schema


def check_references(name, by_id):
    """That what is referred to is there, and that what is defined is referred to."""
    schema, used = by_id[f"urn:apfctl:schema:{name}"], set()
    for node in nodes(schema):
        if any(isinstance(value, Maybe) for value in node.values()):
            raise Wrong(f"{name}: maybe() is for members of records")
        if not isinstance(node.get("$ref"), str):
            continue
        of, _, pointer = node["$ref"].partition("#")
        target = by_id.get(of) if of else schema
        if target is None or part_at(target, pointer) is None:
            raise Wrong(f'{name}: nothing is at {node["$ref"]}')
        used.add(node["$ref"])
    for other in by_id.values():
        used |= {"#" + node["$ref"].partition("#")[2] for node in nodes(other) if str(node.get("$ref", "")).startswith(schema["$id"] + "#")}
    for definition in schema.get("$defs", {}):
        if f"#/$defs/{definition}" not in used:
            raise Wrong(f"{name}: nothing refers to the definition {definition}")


# --- files ------------------------------------------------------------------------------------------------------------------------


def all_schemas():
    out = kept()
    for kind in KINDS:
        for version in OLDER:
            out[f"{kind.lower()}-{version}"] = older(out[f"{kind.lower()}-v1"], version)
    made = {"flowcontrol": together(out), **{path.stem: from_notation(path) for path in sorted((HERE / "results").glob("*.py"))}}
    for name, schema in made.items():
        if name in out:
            raise Wrong(f"{name} is there as JSON and in results/")
        out[name] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:apfctl:schema:{name}", **schema}
    by_id = {schema["$id"]: schema for schema in out.values()}
    for name in out:
        check_references(name, by_id)
    return out


def main():
    if sys.argv[1:] == ["--layout"]:
        for name, schema in kept().items():
            (HERE / (name + ENDING)).write_text(laid_out(schema), encoding="utf-8")
        return
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: generate.py FOLDER, or generate.py --layout")
    folder = pathlib.Path(sys.argv[1])
    schemas = all_schemas()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*" + ENDING):
        if path.name.removesuffix(ENDING) not in schemas:
            path.unlink()
    for name, schema in schemas.items():
        (folder / (name + ENDING)).write_text(laid_out(schema), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        sys.exit(str(wrong))
