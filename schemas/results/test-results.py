from parts import *

SCHEMA = schema("apfctl test -o json", record("What tests of configurations came to.", {
    "passed": count("Tests that passed."),
    "failed": count("Tests that failed or could not be run."),
    "tests": array("In the order of the files.", record({
        "name": text(),
        "file": text(),
        "line": count(),
        "passed": boolean(),
        "expected": text(),
        "got": text(),
        "nearestMiss": or_null(text("What is missing to what was expected.")),
        "command": or_null(text("The command that shows it.")),
        "details": maybe(array("Findings, of a test of them.", text())),
        "error": maybe(text("Why it could not be run.")),
    })),
    "coverage": maybe(record("With --coverage: what tests of requests reach.", {
        "percent": number("Of the parts: FlowSchemas, rules, subjects and entries.", least=0, most=100),
        "reached": count(),
        "parts": count(),
        "unreached": array("What no test reaches; of a FlowSchema or rule of which nothing is reached, not its parts.", record({
            "flowSchema": text(),
            "rule": or_null(count("Its index; null for the FlowSchema as a whole.")),
            "field": or_null(text("spec.rules[0].subjects[1]; null for the FlowSchema as a whole.")),
            "what": text("What is written there."),
            "file": maybe(text()),
            "line": maybe(count(least=1)),
            "reachable": boolean("Some request could reach it."),
        })),
    })),
    "warnings": maybe(remarks("about the releases of the servers; absent if nothing")),
}))
