"""The notation of the schemas in results/, which generate.py writes as JSON. One line is one member:

    record("A level.", {"name": text(), "nominalCL": maybe(count("Seats.")), "queues": array(count("Its number."))})

What a value is comes first; it may be left out. A record has exactly the members that it names, and those in maybe() may be
absent. Keywords of JSON Schema that have no words here follow as they are: text(pattern="^[0-9]+$").
"""
import pathlib
import sys


class Wrong(Exception):
    """What is wrong in a schema, in words."""


class Maybe:
    def __init__(self, value):
        self.value = value


def maybe(value):
    """A member that may be absent."""
    return Maybe(value)


def said(what, value):
    """The value, and what it is."""
    return {"description": what, **value} if what else value


def what_and(words, expected):
    """The description, if it comes first, and the value behind it."""
    what, *rest = words if words and isinstance(words[0], str) else ("", *words)
    if len(rest) != 1 or not isinstance(rest[0], dict):
        found = ", ".join(type(word).__name__ if not isinstance(word, Maybe) else "maybe()" for word in words)
        raise Wrong(f"expected {expected}, with what it is before it or without, found ({found})")
    return what, rest[0]


def parted(value):
    """What a value is, and the value without."""
    if not isinstance(value, dict):
        raise Wrong(f"expected a value, found {'maybe(), which goes around all of it' if isinstance(value, Maybe) else value}")
    return value.get("description"), {name: keyword for name, keyword in value.items() if name != "description"}


def given(**keywords):
    return {name: value for name, value in keywords.items() if value is not None}


# --- one value ----------------------------------------------------------------------------------------------------------------


def text(what="", **more):
    return said(what, {"type": "string", **more})


def word(words, what=""):
    """One of them: word("Queue | Reject")."""
    if words.count("|") != words.count(" | "):
        raise Wrong(f'write "{" | ".join(word.strip() for word in words.split("|"))}"')
    return said(what, {"enum": words.split(" | ")})


def integer(what="", least=None, most=None):
    return said(what, {"type": "integer", **given(minimum=least, maximum=most)})


def count(what="", least=0, most=None):
    """An integer that is not negative."""
    return integer(what, least, most)


def number(what="", least=None, most=None, **more):
    return said(what, {"type": "number", **given(minimum=least, maximum=most), **more})


def amount(what=""):
    """A number that is not negative."""
    return number(what, least=0)


def boolean(what=""):
    return said(what, {"type": "boolean"})


def always(value, what=""):
    return said(what, {"const": value})


def or_null(value):
    what, plain = parted(value)
    if "enum" in plain:
        return said(what, {**plain, "enum": [*plain["enum"], None]})
    if isinstance(plain.get("type"), str) and "properties" not in plain:
        return said(what, {**plain, "type": [plain["type"], "null"]})
    return said(what, {"anyOf": [{"type": "null"}, plain]})


# --- several --------------------------------------------------------------------------------------------------------------------


def array(*words, least=None, most=None):
    """array("What it is.", items)"""
    what, items = what_and(words, "what its items are")
    return said(what, {"type": "array", "items": items, **given(minItems=least, maxItems=most)})


def table(*words, **more):
    """An object with any names: table("What it is.", values)."""
    what, values = what_and(words, "what its values are")
    return said(what, {"type": "object", "additionalProperties": values, **more})


def properties_of(members):
    for name, value in members.items():
        if not isinstance(value.value if isinstance(value, Maybe) else value, dict):
            raise Wrong(f'"{name}" is no value: write {getattr(value, "__name__", "text")}()')
    out = {name: value.value if isinstance(value, Maybe) else value for name, value in members.items()}
    required = [name for name, value in members.items() if not isinstance(value, Maybe)]
    return {"type": "object", "properties": out, **({"required": required} if required else {})}


def open_record(*words, **more):
    """A record that may have further members."""
    what, members = what_and(words, "the members of the record")
    return said(what, {**properties_of(members), **more})


def record(*words, **more):
    """record("What it is.", {"name": value, …})"""
    return open_record(*words, additionalProperties=False, **more)


def either(what, *choices):
    """A record with the members of one of them."""
    all_members = {name: value for members in choices for name, value in members.items()}
    out = {**properties_of(all_members), "oneOf": [{"required": properties_of(members)["required"]} for members in choices]}
    del out["required"]
    return said(what, {**out, "additionalProperties": False})


def any_of(*words):
    return alternatives("anyOf", words)


def one_of(*words):
    """One alone of them: one_of("What it is.", values, …)."""
    return alternatives("oneOf", words)


def alternatives(keyword, words):
    what, *values = words if isinstance(words[0], str) else ("", *words)
    return said(what, {keyword: values})


def when(members, needs, never=""):
    """What else a record needs, or never has, when members are one of these words: when({"outcome": "executed | delayed"}, "waitNs")."""
    values = {name: words.split(" | ") for name, words in members.items()}
    conditions = {name: {"enum": words} if len(words) > 1 else {"const": words[0]} for name, words in values.items()}
    then = {"required": needs.split(), **({"properties": {name: False for name in never.split()}} if never else {})}
    return {"if": {"properties": conditions}, "then": then}


# --- what is said elsewhere -------------------------------------------------------------------------------------------------------


def ref(name, what=""):
    """A definition of this schema."""
    return said(what, {"$ref": f"#/$defs/{name}"})


def of(schema, path="", what=""):
    """Another schema, a member in it, or one of its definitions: of("replay", "levels[].name"), of("replay", "#remark")."""
    steps = ["$defs", path[1:]] if path.startswith("#") else []
    for step in path.split(".") if path and not steps else ():
        steps += ["properties", step.removesuffix("[]"), *(["items"] if step.endswith("[]") else [])]
    return said(what, {"$ref": f"urn:apfctl:schema:{schema}" + ("#/" + "/".join(steps) if steps else "")})


def members_of(schema, path, names):
    """Members of a record of another schema."""
    return {name: of(schema, f"{path}.{name}") for name in names.split()}


def ranged(value):
    """A figure, or its range over several replays, for which a schema has the definition RANGE."""
    what, plain = parted(value)
    return said(what, {"anyOf": [plain, ref("range")]})


def without_ranges(value):
    """The same of one replay."""
    if isinstance(value, Maybe):
        return Maybe(without_ranges(value.value))
    if not isinstance(value, dict):
        return value
    if value.get("anyOf", [])[1:] == [ref("range")]:
        return said(value.get("description"), value["anyOf"][0])
    return {name: without_ranges(part) for name, part in value.items()}


def remarks(what=""):
    """What a result assumes, warns of or remarks; absent or not empty."""
    return array(what, of("replay", "#remark"), least=1)


def remark_rows():
    """The rows of libapf/src/report/core/remarks.inc."""
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools/docs"))
    from remarks import table as rows_by_heading
    return [row for rows in rows_by_heading().values() for row in rows]


def schema(title, value, definitions=None):
    return {"title": title, **value, **({"$defs": definitions} if definitions else {})}


# --- what several results have ------------------------------------------------------------------------------------------------------

HASH = text("the flow's 64-bit hash, in decimal because JSON readers lose digits beyond 2^53", pattern="^[0-9]{1,20}$")
OF_RELEASE_AND_OBJECTS = "about the release, and about objects that the server changes by itself; absent if nothing"
ADMISSION_STAGES = "client-limiter | apf | max-in-flight | event-rate-limit | resource-quota"

QUANTILES = {
    "meanNs": ranged(count()),
    "p50Ns": ranged(count()),
    "p90Ns": ranged(count()),
    "p99Ns": ranged(count()),
    "maxNs": ranged(count()),
}
WAIT = record({"count": ranged(count("requests executed and timed out")), **QUANTILES})


def figures(rejected):
    """What a replay reports of requests: of all, of a level, of a flow."""
    return {
        "requests": ranged(count()),
        "executed": ranged(count()),
        "queued": ranged(count("could not start at once")),
        "rejected": rejected,
        "tooWide": maybe(ref("tooWide")),
        "seatSeconds": ranged(amount()),
        "wait": WAIT,
    }


TOO_WIDE = record("requests that are wider than their level, or the server, allows; absent where there are none", {
    "requests": ranged(count()),
    "seatsWanted": ranged(count("the sum of the seats that they would take if nothing capped them")),
    "seatsAllowed": ranged(count("the sum of the seats that they may take")),
    "widest": ranged(count("the most seats that one of them would take")),
})
RANGE = record(
    "a figure that further replays of the same log change, or that the log does not decide: that of the replay, and the least and the most",
    {"value": number(), "low": number(), "high": number()},
)
COUNT_OR_RANGE = any_of(count(), record({"value": count(), "low": count(), "high": count()}))

LEVEL_LIMITS = {
    "name": text(),
    "type": word("Limited | Exempt"),
    "nominalConcurrencyShares": count(),
    "nominalCL": count(),
    "lendableCL": count(),
    "borrowingCL": count(),
    "minCL": count(),
    "maxCL": count(),
    "initialCL": count("in force on a fresh server"),
    "maxSeats": count("the widest one request can be; 0 = the release's cap alone"),
    "queues": count("0 = no queues"),
    "handSize": count(),
    "queueLengthLimit": count(),
}

REQUEST_INFO = {
    "isResourceRequest": boolean(),
    "path": text(),
    "verb": text(),
    "apiPrefix": text(),
    "apiGroup": text(),
    "apiVersion": text(),
    "namespace": text(),
    "resource": text(),
    "subresource": text(),
    "name": text(),
    "parts": or_null(array(text())),
    "fieldSelector": text(),
    "labelSelector": text(),
}

BAD_LINES = array(
    "lines that look like events and cannot be used, by log, and the first of each; absent: there are none",
    record({
        "log": text(),
        "lines": count(least=1),
        "first": array(record({"line": count(), "why": text(), "text": text("its beginning")}), most=3),
    }),
)

POSITION = {
    "file": or_null(text("the file it is in; null when it is in none", minLength=1)),
    "line": or_null(count("from 1; null when the position is not known, as for the next three", least=1)),
    "column": or_null(count("from 1, in bytes", least=1)),
    "endLine": or_null(count("line of the end", least=1)),
    "endColumn": or_null(count("column after the last byte", least=1)),
}

FINDING = {
    "code": text("of the rule; empty for what has no rule of its own", pattern="^(APF[0-9]{3})?$"),
    "name": text("of the rule, in words", pattern="^[a-z0-9-]*$"),
    "severity": word("info | warning | error"),
    **POSITION,
    "document": count("index of the YAML document or JSON value within the file, from 0"),
    "object": record("the object the finding is about; empty texts where there is none", {
        "apiVersion": text(),
        "kind": text(),
        "name": text(),
    }),
    "field": text("the field as kube-apiserver prints it: spec.rules[0].subjects"),
    "type": text("kube-apiserver's type of error, such as 'Required value'; empty for what it would accept"),
    "detail": text("kube-apiserver's own text without field and type; empty for what it would accept"),
    "message": text("the whole text; of what kube-apiserver rejects, to the letter", minLength=1),
    "notes": array("other places that have to do with it", record({"message": text(), **POSITION})),
    "witness": or_null(text("a request that shows it, as a command; null if there is none", minLength=1)),
    "fix": or_null(record("how the file can be changed to cure it; null if that is not known", {
        "title": text("what the fix does"),
        "safe": boolean("true: the server treats the object as before; false: requests may be treated otherwise"),
        "edits": array(record({
            "file": text(),
            "begin": count("offset in bytes of the first byte that is replaced"),
            "end": count("offset after the last one"),
            "text": text("what takes its place"),
        }), least=1),
    })),
}

FINDINGS = {
    "findings": array("sorted by file and position", ref("finding")),
    "summary": record("what was looked at, and counts", {
        "files": count("files read"),
        "objects": count("FlowSchemas and PriorityLevelConfigurations"),
        "skipped": count("objects of other kinds"),
        "errors": count("findings of severity error"),
        "warnings": count("findings of severity warning"),
        "infos": count("findings of severity info"),
        "suppressed": count("findings that comments or a baseline silence"),
    }),
    "remarks": maybe(remarks("about the release; absent if nothing")),
}
