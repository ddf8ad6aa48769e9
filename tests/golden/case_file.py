"""The file of a golden test, tests/golden/COMMAND/CASE.test: a command and what it must print. tests/golden/README.md
shows the format.
"""
import dataclasses
import pathlib
import re

GOLDEN = pathlib.Path(__file__).resolve().parent
MARK = "=== "
# What does not survive an editor, or a terminal, is written as an escape.
NEEDS_ESCAPES = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
NAMED = {"e": b"\x1b", "r": b"\r", "n": b"\n", "t": b"\t", "\\": b"\\", "=": b"="}


@dataclasses.dataclass
class Case:
    """One golden test."""
    path: pathlib.Path
    command: str
    code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    schema: str = ""  # the schema that each line of stdout satisfies
    skip_if: str = ""  # a shell condition, with the reason as its comment

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def folder(self) -> pathlib.Path:
        """Where its input files are, if it has any."""
        return self.path.with_suffix("")


def is_verbatim(output: bytes) -> bool:
    if NEEDS_ESCAPES.search(output) or (output and not output.endswith(b"\n")):
        return False
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(line.startswith(MARK) for line in text.split("\n"))


def escape(output: bytes) -> str:
    """As lines of text: backslash escapes, and a backslash at the end of a line that does not end there."""
    letters = {0x1B: "\\e", 0x0D: "\\r", 0x5C: "\\\\", 0x0A: "\n", 0x09: "\t"}
    parts = []
    for character in output.decode("utf-8", "surrogateescape"):
        byte = ord(character)
        if 0xDC80 <= byte <= 0xDCFF:
            parts.append(f"\\x{byte - 0xDC00:02x}")
        elif byte in letters:
            parts.append(letters[byte])
        else:
            parts.append(f"\\x{byte:02x}" if byte < 0x20 or byte == 0x7F else character)
    text = re.sub(f"^{MARK}", f"\\\\{MARK}", "".join(parts), flags=re.M)
    return text if not text or text.endswith("\n") else text + "\\\n"


def unescape(text: str, where: str) -> bytes:
    def value(match: re.Match) -> bytes:
        what = match[1]
        if what == b"\n":
            return b""
        if what[:1] == b"x" and len(what) == 3:
            return bytes([int(what[1:], 16)])
        if (named := NAMED.get(what.decode("latin-1"))) is None:
            raise ValueError(f"{where}: unknown escape \\{what.decode('latin-1')}")
        return named
    return re.sub(rb"\\(x[0-9a-fA-F]{2}|[\x00-\xff])", value, text.encode("utf-8"))


def read(path: pathlib.Path) -> Case:
    command, *sections = re.split(f"^{MARK}", path.read_bytes().decode("utf-8"), flags=re.M)
    case = Case(path, command)
    for section in sections:
        head, _, text = section.partition("\n")
        key, _, rest = head.partition(" ")
        where = f"{path}: {MARK}{head}"
        if key in ("stdout", "stderr"):
            if rest not in ("", "escaped"):
                raise ValueError(f"{where}: only `escaped` can follow {key}")
            setattr(case, key, unescape(text, where) if rest else text.encode("utf-8"))
        elif text:
            raise ValueError(f"{where}: lines follow that belong to no section")
        elif key == "exit":
            case.code = int(rest)
        elif key == "schema":
            case.schema = rest
        elif key == "skip-if":
            case.skip_if = rest
        else:
            raise ValueError(f"{where}: unknown section")
    if not command.strip():
        raise ValueError(f"{path}: no command")
    return case


def write(case: Case) -> None:
    text = case.command if case.command.endswith("\n") else case.command + "\n"
    if case.skip_if:
        text += f"{MARK}skip-if {case.skip_if}\n"
    if case.schema:
        text += f"{MARK}schema {case.schema}\n"
    if case.code:
        text += f"{MARK}exit {case.code}\n"
    for key in ("stdout", "stderr"):
        output = getattr(case, key)
        if is_verbatim(output):
            text += f"{MARK}{key}\n{output.decode('utf-8')}" if output else ""
        else:
            text += f"{MARK}{key} escaped\n{escape(output)}"
    if not case.path.exists() or case.path.read_bytes() != text.encode("utf-8"):
        case.path.write_bytes(text.encode("utf-8"))


def lay_out(tree: pathlib.Path, cases: list[Case]) -> None:
    """A copy of the tree of cases made of links, with an empty folder for each case that has no input files."""
    (tree / "inputs").symlink_to(GOLDEN / "inputs")
    for command in {path.parent for path in GOLDEN.glob("*/*.test")}:
        (tree / command.name).mkdir()
        for folder in command.iterdir():
            if folder.is_dir():
                (tree / command.name / folder.name).symlink_to(folder)
    for case in cases:
        (tree / case.name).mkdir(exist_ok=True)
