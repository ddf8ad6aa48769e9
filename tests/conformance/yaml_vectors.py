#!/usr/bin/env python3
"""What kubectl reads in YAML texts of many layouts, as tests/conformance/vectors/yaml.jsonl.zst.

Needs kubectl and zstd, but no cluster: `kubectl annotate --local` prints the objects of a file as JSON.

    tests/conformance/yaml_vectors.py [--seed N] [--count N] [--out FILE]

Each line of the file is {"text": …, "read": [object, …]}, or {"text": …, "refused": kubectl's message}.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

OUT = pathlib.Path(__file__).parent / "vectors" / "yaml.jsonl.zst"
FILES_AT_ONCE = 100

# Each is what follows "v: " in an object.
SCALARS = """
1e3|12e03|1E5|0.|1.|1.e3|0e0|+1e3|-1e3|1e3_0|1__0.|.5|5e-1|1e+3|.5e3|1_0.5|123|0x10|-0x10|+0x1|0X1f|0b11|0b2|0B11|0o17|0O17|+0o7
017|08|09.5|00|-0|-0.0|0_|1_|_1|+_1|-_|1e|e3|.e3|.|-.|+.5|._5|1._5|1e_5|0x|0b|0o8|0x1p3|0x1.8|0x_1|1e400|-1e400|.5e400|1e-400
0.0000001|1e-7|0.000001|1e20|1e21|1e22|123456789.123|5e-324|1.7976931348623157e308|9223372036854775807|9223372036854775808
-9223372036854775808|-9223372036854775809|18446744073709551615|18446744073709551616|0xFFFFFFFFFFFFFFFF|-0xFFFFFFFFFFFFFFFF
123456789012345678901234567890|190:20:30|1:20|2001-01-01|2001-1-1|2001-01-01T00:00:00Z|2001-01-01 00:00:00|1,000|1 2|1.2.3
.inf|-.inf|+.Inf|.nan|.NaN|inf|NaN|Infinity|nan|~|null|Null|NULL|nUll|y|n|Y|N|yes|no|Yes|NO|yEs|on|off|On|OFF|true|false|True|FALSE|tRue
=|<<|a b|a  b|a: b|a:b|a :b|a: |:a|::|a#b|a #b|#a|-a|- a|-|--- a|... a|?a|? a|?|@a|`a|%a|a%|*x|&x|&x a|!x|!|! 12|'12'|"12"|''|""|''''
'a''b'|"a""b"|'a' b|"a" b|"a"#c|'a' #c|[a]#c|[a] b|"\\/"|"\\'"|"\\""|"\\\\"|"\\q"|"\\x41"|"\\xe9"|"\\x4"|"\\u263a"|"\\u12g4"|"\\ud800"
"\\ud83d\\ude00"|"\\U0001F600"|"\\U00110000"|"\\N\\_\\L\\P\\e\\0\\a\\b\\t\\n\\v\\f\\r"|"\\ a"|"a\\"|"a|'a|[a|[a,|{a|{a: 1|]|}|[]]|{}}|[,]
[a,,b]|[a,]|[,a]|{,}|{a,}|{a: 1,,}|[a b]|[a: 1]|[a: 1, b: 2]|[? a]|[? a : b]|[?a]|[a?b]|[a ? b]|[a:b]|[d:]|[::c]|[:]|[-]|[- a]|[-1, - 1]
{a}|{a:}|{a:1}|{"a":1}|{'a':1}|{a: b:c}|{a: , b}|{: a}|{? a}|{? a : b}|{a: b, ? c, d}|{[a]: b}|{{a: 1}: b}|[[a]: b]|["a":b]|["a" b]
{1: a}|{yes: a}|{~: a}|{null: a}|{0x10: a}|{010: a}|{1.5: a}|{1e3: a}|{-0: a}|{.inf: a}|{2001-01-01: a}|{12345678901234567890: a}
{1: a, "1": b}|{"true": a, yes: b}|{1: a, 0x1: b}|{yes: a, true: b}|{<<: {1: a}, "1": b}|{"1": a, <<: {1: b}}|{"y": a, y: b}|{a: 1, a: 2}|{"a": 1, a: 2}|{!!str 1: a}|{!!int "1": a}|{'': a}|{! a: 1}|{&a a: *a}|{*a : 1}
{<<: {a: 1, b: 2}, a: 3}|{a: 3, <<: {a: 1, b: 2}}|{a: 1, <<: {a: 2}, a: 3}|{<<: {a: 1}, a: 2, <<: {a: 3}}|{<<: {a: 1}, <<: {a: 2}}
{<<: [{a: 1}, {a: 2, b: 2}]}|{b: 0, <<: [{a: 1}, {a: 2, b: 2}], a: 0}|{<<: [{a: 1, c: 1}, {a: 2, b: 2}], c: 5, c: 6}|{<<: {a: 1, a: 2}}
{<<: {<<: {a: 1, b: 1}, a: 2}}|{<<: {a: 2, <<: {a: 1, b: 1}}}|{'<<': {a: 1}}|{"<<": {a: 1}}|{!!merge <<: {a: 1}}|{!!merge "<<": {a: 1}}
{!!str <<: {a: 1}}|{! <<: {a: 1}}|{? <<  : {a: 1}}|{<<: 1}|{<<: ~}|{<<}|{<<: [1]}|{<<: [[{a: 1}]]}|{<<: []}|{<<: {}}|{<<: *x}
[&x {a: 1}, {<<: *x, b: 1}]|[&x {a: 1}, {a: 0, <<: [*x, {a: 2}]}]|[&x [{a: 1}], {<<: *x, b: 1}]|[&x {a: 1}, &x {a: 2}, *x]|[*x, &x a]
&x [*x]|&x {a: *x}|[&x a, *x, *x]|[&x, b]|[&x,b, *x]|&x &y a|!!str &x a|&x !!str 1|&x *x|&a!b 1|&a.b 1|&a,b 1|[*x,a]|*x,a|&é a
!!str 12|!!str ~|!!str yes|!!str|!!int '12'|!!int 12.5|!!int abc|!!int ''|!!int 1e3|!!int|!!float 3|!!float '3'|!!float 0x10|!!float 1e3
!!float abc|!!float 18446744073709551615|!!bool yes|!!bool 'yes'|!!bool maybe|!!null ''|!!null ~|!!null '~'|!!null x|!!null
!!binary aGk=|!!binary '*'|!!binary [a]|!!timestamp 2001-01-01|!!timestamp x|!!merge x|!!map {a: 1}|!!seq [a]|!!set {a, b}|!!omap [a: 1]
!!int {a: 1}|!!str [a]|!foo 12|!foo {a: 1}|!e!x 1|!<x> 1|!<tag:yaml.org,2002:int> '12'|!<tag:yaml.org,2002:str> 12|!a%20b 1|![ 1|!!python/none x
[!!str, b]|[!foo, b]|[!foo , b]|!!str !!int 1|!foo|!a b c|!!yaml a|!!value =|!!Int 3
"""

# Each is what follows the object's metadata; texts with breaks.
LAYOUTS = [
    "v: {s} |\n a\n", "v: |\n a", "v: |", "v: >", "v: |\n", "v: |+\n\n\nw: 1", "v: |+\n a\n\nw: 1\n", "v: |-\n a\n\n", "v: >2\n   a\n  b\n", "v: |2-\n   a\n  b\n\n",
    "v: >-\n a\n b\n\n c\n  d\n e\n", "v: |#x\n a\n", "v: | #x\n a\n", "v: |x\n a\n", "v: |0\n a\n", "v: |12\n a\n", "v: |+-\n a\n", "v: |1+\n a\n\n", "v: |+1\n a\n\n",
    "v: |\n\n  a\n", "v: |\n   \n  a\n", "v: >\n a\n  b\n\n  c\n\n d", "v: >\n\n a\n", "v: |\n  a\n b\n", "v: |1\n  a\n b\n", "v:\n  |\n  a\n", "v:\n |\n a", "v: [|\n a]",
    "v: >\n a\n\n\n b\n", "v: >\n  a\n\n   b\n\n\n   c\n  d\n", "v: >+\n a\n\n \n", "v: >\n a #b\n # c\n", "v: |\n\ta\n", "v: >\n \ta", "v: |\n a\n\tb\n", "v: |2\n \ta", "v: |\n a\n b: c\nw: 1\n",
    "v: |\n a\n#c\nw: 1\n", "v: |\n ---\n x\n", "v: |\n ...\n x\n", "v: |1\n\n\n  a\n", "- a\n", "v:\n- |\n a\n- >\n  b\n  c\n", "v:\n- |\na\n", "v:\n  - |\n   a\n",
    "v: 'a\n--- b'", "v: \"a\n...\n b\"", "v: 'a\n b\n\n c '", "v: ' a\n   b\t\n  c'", "v: \"a\\\n\n b\"", "v: \"a\\\n  b\"", "v: \"a\\  \n b\"", "v: \"a \\\n  \\  b\"", "v: \"a\\\r\n b\"",
    "v: \"a\n\n  b\"", "v: 'a\n\n\n  b'", "v: a\n  b\n\n  c", "v: \"a\n# b\"\n", "v: a\n  # c\n  b\n", "v: a\n b # c\n d\n", "v:\n  a\n   b\n", "v:\na\n", "v: a\nb\n", "v: \"a\nb\"\n", "v: 'a\n  'w: 1",
    "v: [a\n]\n", "v: {a: 1\n}\n", "v: [a,\nb]\n", "v: [a\n  ,\n b]", "v: [\na\n]", "v: [a # c\n]", "v: [a, # c\n b]", "v: {a: b # c\n}", "v: [a,\n#c\nb]", "v: [a\n%b]", "v: [a b\n c]", "v: [a\n\n b]",
    "v: {a\n: b}", "v: {a\n b: c}", "v: {\"a\n b\": c}", "v: {? a\n b : c}", "v: {a:\n b}", "v: {a: b,\n c\n: d}", "v: [a: b,\n c: d]", "v: [\"a\n b\" : c]", "v: [a\n]: b", "v: [a]\nw: b", "[a]: b", "{a: b}: c",
    "v: #c\n  a", "v: #c\n- a", "v:\n #c\n - a", "v:\n- a\n #c\n- b", "v:\n  a: b\n c: d", "v:\n a: b\n  c: d", "v:\n  - a\n - b", "v:\n  - a\n  b: c", "v:\n - a\n   b", "v:\n - a: b\n   c: d\n - e",
    "v:\n -   a: b\n     c: d", "v:\n - ? a\n   : b", "v:\n - a\n  - b", "v: a\n- b", "v: a\n b\n - c", "v: a\n   b: c", "v:\n  \"a\": b\n  'c': d", "v:\n  a\n  : b", "v:\n ? |\n  a\n : b", "v:\n- - a\n  - b\n-\n  - c\n",
    "v:\n-\n- b\n", "v:\n- a:\n- b:\n", "v:\n- a:\n  - b\n", "v:\n- a:\n    b\n", "v:\n-\n  a: b\n", "v:\n- a: b\n  - c\n", "v:\n- a: b\n c: d\n", "v:\n  - a\n  -b\n", "v:\n  -a\n  - b\n", "v:\n- a\nw:\n- b\n",
    "v:\n &a b: c\n d: *a", "v:\n &a\n b: c", "v: &a\n b: c", "v: !!map\n b: c", "v:\n- !!map\n  b: c", "v:\n- &x\n  b: c\n- *x", "v: &x [1]\nw: [*x, *x]", "v: &x a\n*x : c", "v: &x a\nw: *x\n", "v: &x a\nw: *x :b\n",
    "v: &x\nw: *x\n", "v: !!str\nw: 1", "v: &x\n- a\nw: *x\n", "v: &x\n  a: 1\nw:\n  <<: *x\n  b: 2\n", "v: &x {a: 1}\nw:\n  a: 0\n  <<: *x\n", "v: &x {a: 1}\nw:\n  <<: *x\n  a: 0\n", "v: &x {a: 1}\nw:\n  <<: *x\n  <<: {a: 2}\n",
    "v: &x {a: 1, b: 1}\nw: &y {a: 2}\nz:\n  <<: [*x, *y]\n", "v: &x {a: 1, b: 1}\nw: &y {a: 2}\nz:\n  b: 3\n  <<: [*y, *x]\n", "v: &x [{a: 1}]\nw: {<<: *x}\n", "v: &x {a: 1}\nw: &y {<<: *x, b: 2}\nz: {<<: *y, a: 3}\n",
    "v: 1\nv: 2\n", "v: 1\n\"v\": 2\n", "<<: {v: 1}\n", "v: 1\n<<: {v: 2, kind: U}\n", "? v\n: a\n", "? v\nw: 1\n", "? a", "? [a]\n: b\n", "? a: b\n: c\n", ": a\n", "a b c: d", "\"v\": 1", "'v' : 1", "v : 1", "v\t: 1", "v:\t1", "v: 1\t", "v: 1 \t",
    "v: [1\t,\t2]", "\tv: 1", "v:\n \tb", "v:\n \tb: c", "v:\n  a: b\n\t", "v:\n  a: b\n\t\n  c: d", "v:\n  a: b\n \t # c\n  c: d", "v:\n  a: b\n\t# c\n  c: d", "v:\n  a: 1\n\tb: 2\n", "v: [\n\ta\n\t]", "v: {\n\ta: b\n\t}", "v: [\n\t'a'\n\t]",
    "v: 'a\n\tb'", "v: a\n\tb", "v: a\n \tb", "v: a\n\n\tb", "v: \"a\n\tb\"", "v:\n-\ta", "v:\n-\ta: b", "v:\n- \ta", "v:\n- \ta: b", "? \ta\n: b", "v: !a\tb", "v: &a\tb", "v: \ta\n", "v:\n\t- a\n", "v: a\t# c\n", "v: a\t#c\n", "v: 'a'\t#c\n",
    "-- a", "--\n", "v: 1\n%x\n", "v:\n%a: b\n", "v: |\n%x\n", "v: 'a\n%b'\n", "v: \"a\n---\"\n",
    "v: a\n...\nv: b\n", "v: a\n...\n# c\n", "v: a\n... # c\n", "v: a\n...x\n", "v: a\n... x\n", "v: a\n...\n...\n", "v: a\n...\n---\n", "v: [a\n...\n]", "v: |\n a\n...\n", "v: a\n---\n", "v: a\n--- # c\n", "v: a\n---#c\n", "v: a\n---\t \n", "v: a\n---x\n",
    "v: a\n--- x\n", "v: a\n--- |\n b\n", "v: a\n----\n", "v: a\n ---\n", "v: a\n --- b\n", "v: [a\n---\n]", "v: a\n---\n---\n# c\n---\n...\n",
    "v: a\u00a0\n", "v: a\u00a0#b\n", "v: \ufeffa\n", "v: a\ufeffb\n", "\ufeffv: a\n", "# c\n\ufeffv: a\n", "v: \u00e9: \u00e8\n", "\u00e9: 1\n", "v: {\u00e9: 1}\n", "v: \U0001F600", "v: '\x00'", "v: \x00", "v: \x01", "v: \x7f", "v: \u0080", "v: \u0084\n", "v: \ufffe", "v: \uffff", "v: \ufffd", "v: # \x01\n",
]
HIDDEN = ["\r", "\u0085", "\u2028", "\u2029"]
HIDDEN_PLACES = ["v: a # b{}w: c\n", "v: a #{}  b\n", "v: a{}w: b\n", "v: a{} b\n", "v: 'a{}b'\n", "v: \"a{}{}b\"\n", "v: [{}\"\"]\n", "v: [a{},b]\n", "v: |\n a{} b\n", "v: >\n a{} b\n", "# c{}v: a\n", "v: a\n---\n# c{}apiVersion: v1\n",
                 "v: a\n# c{}---{}w: b\n", "v: \"\\{}a\"\n", "v:{} a\n", "v: a\n{}\n", "v: a\n...{}w: b\n"]
WHOLE = ["# only\n", "", "\n", "---\n", "---\n---\n", "...\n", "---\n...\n", "...\nHEAD", "%YAML 1.1\n---\nHEAD", "%YAML 1.2\n---\nHEAD", "%TAG !e! tag:yaml.org,2002:\n---\nHEADv: !e!str 12\n", "# c\n%YAML 1.1\n---\nHEAD", " ---\nHEAD", "\ufeffHEAD",
         "HEAD---\n\ufeffHEAD", "---\r\nHEAD---\r\nHEAD", "--- {apiVersion: v1, kind: T, metadata: {name: NAME}}\n", "--- !!map\nHEAD", "--- # c\nHEAD", "null\n---\nHEAD", "~\n---\nHEAD", "HEAD---\n{apiVersion: v1, kind: T, metadata: {name: NAME}, v: 1e3}\n",
         "HEAD---\n{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\"}, \"v\": \"\\/\"}\n", "HEAD---\n{apiVersion: v1, kind: T, metadata: {name: NAME}}\nv: 1\n", "HEAD---\n{apiVersion: v1, kind: T, metadata: {name: NAME}} x\n",
         "{apiVersion: v1, kind: T, metadata: {name: NAME}}\n", " \n\t{apiVersion: v1, kind: T, metadata: {name: NAME}}\n", "# c\n{apiVersion: v1, kind: T, metadata: {name: NAME}}\n",
         "---\n{apiVersion: v1, kind: T, metadata: {name: NAME}}\n", "{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\",}}\n", "{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\"}}\n---\nHEAD",
         "{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\"}}\n{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\"}}\n", "{\"apiVersion\": \"v1\", \"kind\": \"T\", \"metadata\": {\"name\": \"NAME\"}} # c\n",
         "HEAD---\n!!map\nHEAD", "HEAD---\n&x\nHEAD", "HEAD---\n  HEADv: 1\n"]


class Maker:
    """Random values in random styles, and texts that are nearly such."""

    PIECES = ["a", "b", "1", " ", "  ", "\n", "\n ", "\n  ", ":", ": ", "- ", "-", "? ", "?", ",", ", ", "[", "]", "{", "}", "#", " #", "'", '"', "\\", "&x ", "*x", "!", "!!str ", "!!int ", "|", ">", "|-\n", ">\n",
              "<<: ", "*x ", "%", "@", "~", "null", "yes", "1e3", "0x1f", ".5", "\t", "\r\n", "---\n", "...\n", "=", "é", "\\N", "\\x41"]
    WORDS = ["a", "b", "c", "a b", "a  b", "x:y", "a#b", "-a", "it's", "é", "1", "017", "1e3", "yes", "~", "", "0x1f", "1_000", "2001-01-01", ".5", "n", "null", "a\nb", "a\n\nb\n", " a", "a ", "\"", "\\", "[", "a: b", "- a", "#", "<<"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        """A string, a list, or a tuple of keys and values."""
        pick = self.random.random()
        if depth >= 3 or pick < 0.4:
            return self.random.choice(self.WORDS)
        if pick < 0.7:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        return tuple((self.key(), self.value(depth + 1)) for _ in range(self.random.randrange(4)))

    def key(self):
        return self.random.choice("abcd" if self.random.random() < 0.8 else self.WORDS)

    def space(self):
        return self.random.choice(["", "", "", " ", "  "])

    def remark(self):
        return self.random.choice(["", "", "", "", " # c", "  #: [", "\t# c"])

    def properties(self):
        return self.random.choice([""] * 12 + ["&x ", "!!str ", "!t ", "&y "])

    def quoted(self, text):
        if self.random.random() < 0.5 and "\n" not in text:
            return "'" + text.replace("'", "''") + "'"
        return json.dumps(text, ensure_ascii=False)

    def flow(self, value):
        gap = lambda: self.random.choice(["", "", " ", "\n    ", " # c\n   "])
        if isinstance(value, str):
            return value if self.random.random() < 0.5 else self.quoted(value)
        if isinstance(value, list):
            return "[" + gap() + ",".join(self.properties() + self.flow(item) + gap() for item in value) + "]"
        return "{" + gap() + ",".join(self.flow(key) + self.random.choice([": ", " : ", ":"]) + self.properties() + self.flow(item) + gap() for key, item in value) + "}"

    def block(self, value, indent):
        """The text behind a key or dash, with its line break."""
        if self.random.random() < 0.2:
            return " " + self.properties() + self.flow(value) + self.remark() + "\n"
        if isinstance(value, str):
            pick = self.random.random()
            pad = " " * (indent + self.random.randrange(1, 4))
            if pick < 0.4:
                return " " + self.properties() + value.replace("\n", "\n" + pad) + self.remark() + "\n"
            if pick < 0.7:
                return " " + self.properties() + self.quoted(value) + self.remark() + "\n"
            header = self.random.choice("|>") + self.random.choice(["", "", "-", "+"]) + self.remark()
            return " " + header + "\n" + "".join(pad + line + "\n" for line in value.split("\n")) + self.random.choice(["", "\n"])
        pairs = isinstance(value, tuple)
        if not value:
            return self.random.choice([" []", " {}", ""]) + "\n"
        pad = " " * (indent + (self.random.randrange(0 if not pairs else 1, 3)))
        lines = ""
        for item in value:
            if self.random.random() < 0.1:
                lines += self.random.choice(["\n", pad + "# c\n", "#c\n", " # - c\n"])
            if pairs:
                key = item[0] if self.random.random() < 0.7 else self.quoted(item[0])
                lines += pad + (self.random.choice(["", "", "", "", "? "]) + key) + self.random.choice([":", ":", ":", " :"]) + self.block(item[1], len(pad))
            else:
                lines += pad + "-" + self.block(item, len(pad) + self.random.choice([0, 0, 1]))
        return self.remark() + "\n" + lines

    def layout(self):
        text = "v:" + self.block(self.value(), 0)
        if self.random.random() < 0.3:
            text += "w:" + self.block(self.value(1), 0)
        return text.replace("\n", "\r\n") if self.random.random() < 0.05 else text

    def near(self):
        text = self.layout() if self.random.random() < 0.6 else self.random.choice(LAYOUTS)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(text) + 1)
            text = text[:at] + self.random.choice(self.PIECES) + text[at + self.random.randrange(3):]
        return text

    def soup(self):
        return "v: " + "".join(self.random.choice(self.PIECES) for _ in range(self.random.randrange(1, 12)))


def texts(seed, count):
    head = "apiVersion: v1\nkind: T\nmetadata: {name: NAME}\n"
    yield from (text.replace("HEAD", head) for text in WHOLE)
    yield from (head + "v: " + scalar + "\n" for line in SCALARS.split("\n") for scalar in line.split("|") if scalar)
    yield from (head + layout for layout in LAYOUTS)
    yield from (head + place.replace("{}", hidden) for place in HIDDEN_PLACES for hidden in HIDDEN)
    maker = Maker(seed)
    for i in range(count):
        yield head + [maker.layout, maker.near, maker.near, maker.soup][i % 4]()


def number(digits):
    return int(digits) if abs(int(digits)) < 2**63 else float(digits)


def parse_output(out):
    """The objects that kubectl printed, by the name of their file, which is their own."""
    objects, decoder, at = {}, json.JSONDecoder(parse_int=number), 0
    while out[at:].strip():
        at += len(out[at:]) - len(out[at:].lstrip())
        item, at = decoder.raw_decode(out, at)
        del item["metadata"]["annotations"]
        objects.setdefault(item["metadata"]["name"], []).append(item)
    return objects


def read_with_kubectl(batch):
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{folder}/f{i}.yaml" for i in range(len(batch))]
        for name, text in zip(names, batch):
            pathlib.Path(name).write_bytes(text.replace("NAME", pathlib.Path(name).stem).encode())
        command = ["kubectl", "annotate", "--local", "x=y", "-o", "json"]
        done = subprocess.run(command + [part for name in names for part in ("-f", name)], capture_output=True)
        objects, errors = parse_output(done.stdout.decode()), done.stderr.decode()
        for i, text in enumerate(batch):
            text = text.replace("NAME", f"f{i}")
            said = [line for line in errors.replace(", error", "\nerror").replace(", unable", "\nunable").split("\n") if f"/f{i}.yaml" in line]
            if said:
                yield {"text": text, "refused": said[0].split(".yaml", 1)[1].lstrip('":').strip(" ]")}
            else:
                yield {"text": text, "read": objects.get(f"f{i}", [])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1600, help="random texts beside the fixed ones")
    parser.add_argument("--out", default=str(OUT))
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    wanted = list(dict.fromkeys(texts(options.seed, options.count)))
    lines = []
    for i in range(0, len(wanted), FILES_AT_ONCE):
        lines += read_with_kubectl(wanted[i:i + FILES_AT_ONCE])
    data = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines).encode()
    subprocess.run(["zstd", "-19", "-q", "-f", f"--stream-size={len(data)}", "-o", options.out], input=data, check=True)
    refused = sum("refused" in line for line in lines)
    print(f"{len(lines)} texts, of which kubectl refuses {refused}", file=sys.stderr)


if __name__ == "__main__":
    main()
