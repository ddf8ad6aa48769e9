"""How JSON is laid out in schemas: what fits into 120 columns is one line, and values that do not are parted."""
import json

WIDTH = 120


def laid_out(value):
    return "\n".join(lines_of(value, "", "", "")) + "\n"


def lines_of(value, indent, before, after):
    """`before` and `after` are of the same lines: a key and a comma."""
    line = indent + before + written(value) + after
    if len(line) <= WIDTH or not value or not isinstance(value, (dict, list)):
        return [line]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return [indent + before + opening, *parts_of(value, indent + "  "), indent + closing + after]


def parts_of(value, indent):
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        return filled([written(item) for item in value], indent)
    members = [(written(key) + ": ", item) for key, item in value.items()] if isinstance(value, dict) else [("", item) for item in value]
    return [line for at, (key, item) in enumerate(members, 1) for line in lines_of(item, indent, key, "," if at < len(members) else "")]


def filled(words, indent):
    """Words, as many to a line as there is room for."""
    lines = []
    for at, word in enumerate(words, 1):
        word += "," if at < len(words) else ""
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += " " + word
        else:
            lines.append(indent + word)
    return lines


def written(value):
    return json.dumps(value, ensure_ascii=False)
