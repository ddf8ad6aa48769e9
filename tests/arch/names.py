#!/usr/bin/env python3
"""A release build compiles sources of one folder together, so what their unnamed namespaces define needs names that are
unique in the folder: constants, types, and functions of the same parameters; and constants must not hide those of headers. `make together` lets the compiler look at
whole folders; this finds the usual mistake in no time.  names.py prints "N passed, N failed" last.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
UNNAMED = re.compile(r'^(?:inline )?namespace \{\n(.*?)^\}  // namespace$', re.S | re.M)
# At the start of a line: what is indented belongs to something else.
CONSTANT = re.compile(r'^(?:inline |static )?(?:constexpr|const) [^=;({]*?\b(k\w+)\b(?=[^;]*;)', re.M)
TYPE = re.compile(r'^(?:struct|class|enum class|enum) (?:\[\[\w+\]\] )?(\w+)[^;({]*\{', re.M)
# One alias may be there twice, if it means the same.
ALIAS = re.compile(r'^using (\w+ = [^;]*);', re.M)
FUNCTION = re.compile(r'^(?!(?:struct|class|enum|using|namespace|template|return|static_assert)\b)[\w:\[][^;={}()]*?(?<!::)\b(\w+)(\([^{};]*?\))(?: noexcept)? \{', re.M)


def definitions(text):
    """What the unnamed namespaces of one source define: constants and types by name, functions with their parameters."""
    for block in UNNAMED.findall(text):
        for kind in (CONSTANT, TYPE, ALIAS):
            for found in kind.finditer(block):
                yield found.group(1)
        for found in FUNCTION.finditer(block):
            yield found.group(1) + re.sub(r'\s+', ' ', found.group(2))


def without_parameter_names(function):
    """They make no other function."""
    return re.sub(r'(?<=[\w>&*]) ?(?<=[ &*])\w+(?=[,)])', '', function)


def doubles(sources):
    """(name, its sources) of what more than one of (path, text) defines."""
    places = defaultdict(list)
    spelled = {}
    for path, text in sources:
        for name in sorted(set(definitions(text))):
            places[spelled.setdefault(without_parameter_names(name), name)].append(path)
    found = [(name, paths) for name, paths in places.items() if len(paths) > 1 and ' = ' not in name]
    aliases = defaultdict(list)
    for name, paths in places.items():
        if ' = ' in name:
            aliases[name.split(' = ')[0]].append(paths[0])
    return sorted(found + [(name, paths) for name, paths in aliases.items() if len(paths) > 1])


def shared_constants(header):
    """What a header declares for all that include it."""
    for line in re.findall(r'^(?:inline )?(?:constexpr|const|extern const) [^;]*;', header, re.M):
        yield from re.findall(r'\b(k[A-Z]\w*)(?=\s*(?:\[\w*\])?\s*[={;])', line)


def hidden(sources, constants):
    """(name, source) where an unnamed namespace hides a header's constant: others that are compiled with it get this one."""
    return sorted((name, path) for path, text in sources for name in set(definitions(text)) & constants)


def check_itself():
    one = 'namespace {\n\nconstexpr int kMost = 4;  // bytes\nstruct Part {\n  int a;\n};\nint size_of(int n) {\n  return n;\n}\n}  // namespace\n'
    other = 'namespace {\nstatic constexpr std::size_t kMost = 5;\nclass Part : public Whole {\n};\nint size_of(int n) { return n; }\nint size_of(long n) { return n; }\n}  // namespace\n'
    assert [name for name, _ in doubles([('one', one), ('other', other)])] == ['Part', 'kMost', 'size_of(int n)']
    assert doubles([('one', one), ('other', 'constexpr int kMost = 4;\nnamespace {\nint size_of(long n) { return 1; }\n}  // namespace\n')]) == []
    assert [name for name, _ in doubles([('one', one), ('other', one.replace('int n', 'int m'))])][-1] == 'size_of(int n)'
    constants = set(shared_constants('inline constexpr std::string_view kMost = "most", kLeast = "least";\n  constexpr int kOwn = 1;\n'))
    assert constants == {'kMost', 'kLeast'}
    assert hidden([('one', one)], constants) == [('kMost', 'one')]


def main():
    check_itself()
    passed = failed = 0
    folders = defaultdict(list)
    for top in ('libapf', 'tools', 'tests/unit', 'tests/property', 'tests/conformance'):
        for path in sorted((ROOT / top).rglob('*.cc')):
            folders[path.parent].append((path.relative_to(ROOT), path.read_text(encoding='utf-8')))
    public = ROOT / 'libapf/include'
    seen_from = {top: {name for path in [*public.rglob('*.h'), *(ROOT / top).rglob('*.h')]
                       for name in shared_constants(path.read_text(encoding='utf-8'))} for top in ('libapf', 'tools', 'tests')}
    for folder, sources in sorted(folders.items()):
        constants = seen_from[folder.relative_to(ROOT).parts[0]]
        found = doubles(sources)
        for name, path in hidden(sources, constants):
            failed += 1
            print(f'{path}: defines {name}, which a header has, too; what is compiled together with it gets this one: rename it')
        for name, paths in found:
            print(f'{", ".join(map(str, paths))}: each defines {name}; they are compiled together: rename one')
        passed, failed = passed + (not found), failed + bool(found)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
