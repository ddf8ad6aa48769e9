"""The changes that tests/mutate.py makes: one comparison, constant or condition each. Most can be switched on while the program
runs, so that one build has them all; the others are compiled one by one."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("logs", "replay", "schedule", "admission", "lint/reach")
# Code that changes nothing but speed, or that the compiler checks.
NOT_HERE = re.compile(r"static_assert|\bassert\(|^\s*#|__builtin_prefetch|reserve\(|\bcase '|gnu::|template <|operator")
SWAPS = [
    (r"(?<=[\w)\]] )<=(?= )", "<"), (r"(?<=[\w)\]] )>=(?= )", ">"), (r"(?<=[\w)\]] )<(?= )", "<="), (r"(?<=[\w)\]] )>(?= )", ">="),
    (r"(?<= )==(?= )", "!="), (r"(?<= )!=(?= )", "=="), (r"(?<= )&&(?= )", "||"), (r"(?<= )\|\|(?= )", "&&"),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[\w)\]] )\+(?= \w)", "-"), (r"(?<=[\w)\]] )-(?= \w)", "+"),
    (r"\bif \(!(?=\w)", "if ("), (r"\bif \((?=[\w.>-]+(\([^()]*\))?\))", "if (!"),
]
NUMBER = r"(?<![\w.'\"])(\d[\d']*)(?![\w.'\"])"
# How tightly operators bind; clang-format puts spaces around those that have two operands.
BINDS = {"?": 2, ":": 2, "||": 3, "&&": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, ">": 9, "<=": 9, ">=": 9, "<=>": 9,
         "<<": 10, ">>": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
         **dict.fromkeys(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="), 1)}
TOKEN = re.compile(r"(?<= )(?:<=>|<<=|>>=|\|\||&&|[=!<>]=|<<|>>|[-+*/%&|^]=|[-+*/%&|^<>=?:])(?= |$)|\b(?:return|throw|else|case|co_return)\b |[][(){},;]")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str  # from the root
    line: int
    number: int  # of the mutants of this line
    before: str
    begin: int  # of what is replaced in the line
    end: int
    replacement: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.number}"

    @property
    def after(self) -> str:
        return self.before[:self.begin] + self.replacement + self.before[self.end:]


def code_of(line: str) -> str:
    """The line with its comment and the insides of its strings blanked out, column by column."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'", lambda m: m[0][0] + " " * (len(m[0]) - 2) + m[0][-1], line)
    at = line.find("//")
    return line if at < 0 else line[:at] + " " * (len(line) - at)


def mutants_of_line(file: str, number: int, line: str) -> list[Mutant]:
    code = code_of(line)
    if NOT_HERE.search(code):
        return []
    found = []
    for pattern, replacement in SWAPS:
        for match in re.finditer(pattern, code):
            found.append((match.start(), match.end(), replacement))
    for match in re.finditer(NUMBER, code):
        found.append((match.start(), match.end(), str(int(match[1].replace("'", "")) + 1)))
    return [Mutant(file, number, i, line, *change) for i, change in enumerate(found, 1)]


def all_mutants(under: tuple) -> list[Mutant]:
    mutants = []
    for folder in under:
        base = ROOT / "libapf/src" / folder
        for path in sorted(base.rglob("*")) if base.is_dir() else sorted(base.parent.glob(base.name + "*")):
            if path.suffix not in (".cc", ".h"):
                continue
            inside_comment = False
            for number, line in enumerate(path.read_text().splitlines(), 1):
                inside_comment = (inside_comment or "/*" in line) and "*/" not in line
                if not inside_comment:
                    mutants += mutants_of_line(str(path.relative_to(ROOT)), number, line)
    return mutants


def read_equivalent() -> set[tuple[str, str]]:
    """File and changed line of the mutants that change nothing; the reasons are in the lines before them."""
    known, file = set(), ""
    path = ROOT / "tests/mutate-equivalent.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("file "):
            file = line[5:].strip()
        elif line.startswith("    "):
            known.add((file, line.strip()))
    return known


def closing(code: str, at: int) -> int:
    """Where the bracket that opens at `at` is closed in this line; -1: it is not."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i
    return -1


def operands(code: str, begin: int, end: int, swap: tuple[str, str]) -> tuple[int, int] | None:
    """Where the left operand of the operator begins and the right one ends, if both are in this line."""
    least = min(BINDS[swap[0]], BINDS[swap[1]])
    tokens = list(TOKEN.finditer(code))
    depth, left = 0, None
    for token in reversed([t for t in tokens if t.end() <= begin]):
        word = token[0].strip()
        depth += (word in ")]}") - (word in "([{") if len(word) == 1 else 0
        if depth < 0 or depth == 0 and (word in ",;}" or BINDS.get(word, 99 if word in "()[]{" else 0) < least):
            left = token.end()
            break
    depth, right = 0, None
    both = {"&&", "||"} & set(swap)
    for token in [t for t in tokens if t.start() >= end]:
        word = token[0].strip()
        depth += (word in "([{") - (word in ")]}") if len(word) == 1 else 0
        binds = BINDS.get(word, 99)
        if depth < 0 or depth == 0 and (word in ",;" or (binds < least or binds == least and not (both and word == "&&" and swap[0] == "&&"))):
            right = token.start()
            break
    if left is None or right is None:
        return None
    return left + len(code[left:]) - len(code[left:].lstrip()), right - (len(code[:right]) - len(code[:right].rstrip()))


def switched(mutant: Mutant, number: int) -> str | None:
    """The line with both ways, the changed one where `number` is chosen; None: it cannot be said in the line."""
    code, line = code_of(mutant.before), mutant.before
    begin, end, was = mutant.begin, mutant.end, mutant.before[mutant.begin:mutant.end]
    chosen = f"apf_mutant::is({number})"
    if "constexpr" in code:
        return None
    if was.startswith("if ("):
        if was.endswith("!"):
            return f"{line[:begin]}if ({chosen} != !{line[end:]}"
        shut = closing(code, end - 1)
        return f"{line[:begin]}if ({chosen} != static_cast<bool>({line[end:shut]})){line[shut + 1:]}"
    if was in ("true", "false") or was[0].isdigit():
        return f"{line[:begin]}({chosen} ? {mutant.replacement} : {was}){line[end:]}"
    if was.startswith("std::"):
        opens = code.find("(", end)
        shut = closing(code, opens) if opens >= 0 else -1
        if shut < 0:
            return None
        rest = line[end:shut + 1]
        return f"{line[:begin]}({chosen} ? {mutant.replacement}{rest} : {was}{rest}){line[shut + 1:]}"
    extent = operands(code, begin, end, (was, mutant.replacement))
    if not extent:
        return None
    left, right = line[extent[0]:begin], line[end:extent[1]]
    return f"{line[:extent[0]]}({chosen} ? {left}{mutant.replacement}{right} : {left}{was}{right}){line[extent[1]:]}"
