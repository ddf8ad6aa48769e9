"""What is wrong in the notation of schemas/, or in a file that is kept as JSON, is said in words, and where; and the kept files are laid
out as all others."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In which file, what is written, what is written wrongly in its place, and what is said of it.
MISTAKES = [
    ("results/limits.py", '"shareSum": count(),', '"shareSum": count(),\n    "shareSum": count(),', 'limits.py: line 5: "shareSum" is there twice'),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": count,', 'limits.py: line 3: "shareSum" is no value: write count()'),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": cuont(),', "limits.py: line 5: the notation of parts.py has no cuont"),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": count()', "limits.py: line 5: "),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": array("Sums."),', "limits.py: line 5: expected what its items are"),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": or_null(maybe(count())),', "limits.py: line 5: expected a value, found maybe()"),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": word("a|b"),', 'limits.py: line 5: write "a | b"'),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": count(lesat=1),', "limits.py: line 5: count() got an unexpected keyword argument 'lesat'"),
    ("results/limits.py", '"shareSum": count(),', '"shareSum": ref("sum"),', "limits: nothing is at #/$defs/sum"),
    ("results/limits.py", "SCHEMA =", "SCHEME =", "limits.py: there is no SCHEMA"),
    ("results/replay-systems.py", '"stages[]", "seen bypassed', '"stages[]", "seen bypast', "nothing is at urn:apfctl:schema:replay#/properties/stages/items/properties/bypast"),
    ("results/validate.py", '"finding": record(FINDING),', '"finding": record(FINDING),\n    "fnding": record(FINDING),', "validate: nothing refers to the definition fnding"),
    ("prioritylevelconfiguration-v1.schema.json", "0 gives the level no seats", "0 means no seats", "is not in"),
]


def made(schemas, folder):
    result = subprocess.run([sys.executable, schemas / "generate.py", folder], capture_output=True, text=True, check=False)
    return result.returncode, result.stderr.strip()


def check(verdict):
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        for path in ("schemas", "tools/docs", "libapf/src/report"):
            shutil.copytree(ROOT / path, root / path)
        schemas = root / "schemas"
        for name, right, wrong, said in MISTAKES:
            path, text = schemas / name, (schemas / name).read_text(encoding="utf-8")
            verdict(f"{name} has {right}", text.count(right) == 1, f"it is there {text.count(right)} times")
            path.write_text(text.replace(right, wrong), encoding="utf-8")
            code, words = made(schemas, root / "made")
            path.write_text(text, encoding="utf-8")
            verdict(f"{name} with {wrong}", code == 1 and said in words and "Traceback" not in words, f"expected {said}, got {words}")
        code, words = made(schemas, root / "made")
        verdict("without mistakes the schemas are made", code == 0, words)
        subprocess.run([sys.executable, schemas / "generate.py", "--layout"], check=True)
        for path in sorted(schemas.glob("*.json")):
            kept = (ROOT / "schemas" / path.name).read_text(encoding="utf-8")
            verdict(f"{path.name} is laid out", path.read_text(encoding="utf-8") == kept, "run schemas/generate.py --layout")
