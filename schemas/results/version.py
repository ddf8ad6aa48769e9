from parts import *

SCHEMA = schema("apfctl version -o json", record("What is running.", {
    "version": text(pattern="^[0-9]+\\.[0-9]+\\.[0-9]+$"),
    "commit": or_null(text(
        "Of the sources: 12 hex digits, with -changed after them if there were uncommitted changes; null if unknown.",
        pattern="^[0-9a-f]{12}(-changed)?$",
    )),
    "kubernetes": record({"oldest": text(), "newest": text(), "next": text("Known, but not out yet.")}),
    "libraries": table(text(), required=["libapf"]),
    "build": record({"compiler": text(), "flags": text("Flags of the compiler and the linker, without paths.")}),
}))
