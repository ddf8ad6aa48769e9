from parts import *

SCHEMA = schema("apfctl builtins --provider all -o json, apfctl builtins --provider NAME -o json", record(
    "What providers document of the servers that they run.",
    {
        "providers": array(record({
            "name": text(),
            "title": text(),
            "maxRequestsInflight": or_null(integer()),
            "maxMutatingRequestsInflight": or_null(integer()),
            "serverConcurrency": or_null(integer()),
            "objects": count("How many objects the preset adds."),
            "facts": array("Each value, where it was read, and when.", record({
                "what": text(),
                "source": text(),
                "date": text(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
            })),
            "notCovered": array("What the documentation leaves open.", text()),
        })),
    },
))
