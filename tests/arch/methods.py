#!/usr/bin/env python3
"""No class has more methods than one can keep in mind: declarations of functions in the body of each class and struct
of the tree are counted, constructors and private ones included, those of nested classes apart. And no source speaks of
more types of ours than that: what it needs of many is a noun that is missing.

  methods.py          fails where a class has more than MOST, or a source speaks of more than MOST_TYPES; last line: "N passed, N failed"
  methods.py LEAST    prints the classes with more than LEAST methods
"""
import re
import sys
from pathlib import Path

MOST = 24
MOST_TYPES = 36
# Class -> why it may have more, and how many.
EXCEPTIONS = {}

ROOT = Path(__file__).resolve().parent.parent.parent
# Comments, raw strings, strings, characters and directives: nothing in them is code.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\''
    r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
HEAD = re.compile(r'\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?([A-Za-z_][\w:]*)(?:\s*<[^;{]*>)?\s*(?:final\s*)?(?::(?!:)[^;{]*)?$')
ACCESS = re.compile(r'^\s*(?:(?:public|private|protected)\s*:(?!:)\s*|\[\[[^\]]*\]\]\s*)')
NO_FUNCTION = re.compile(r'^(?:using|typedef|friend|static_assert|enum|class|struct|union)\b')


def is_function(declaration):
    """Whether the first bracket that is no template's is a list of parameters."""
    text = declaration
    while True:
        rest = ACCESS.sub('', text).strip()
        if rest.startswith('template'):
            depth = 0
            for i, c in enumerate(rest):
                depth += (c == '<') - (c == '>')
                if c == '>' and depth == 0:
                    rest = rest[i + 1:]
                    break
        if rest == text:
            break
        text = rest
    if NO_FUNCTION.match(text):
        return False
    if re.search(r'\boperator\b', text):
        return True
    text = re.sub(r'\b(?:alignas|decltype|noexcept)\s*\([^()]*\)', '', text)
    depth = 0
    for c in text:
        depth += (c == '<') - (c == '>')
        if depth == 0 and c in '={':
            return False
        if depth == 0 and c == '(':
            return True
    return False


def classes(text):
    """(name, number of methods) of each class with a body."""
    text = NO_CODE.sub(' ', text)
    scopes = []  # (name of a class or None, its methods)
    declaration = ''
    parentheses = 0
    for c in text:
        if c == '(':
            parentheses += 1
        elif c == ')':
            parentheses -= 1
        if c == '{' and parentheses == 0:
            head = HEAD.search(declaration)
            in_class = bool(scopes) and scopes[-1][0] is not None
            if in_class and not head and is_function(declaration):
                scopes[-1][1] += 1
                declaration = ''
                scopes.append([None, 0])
            elif head:
                outer = '::'.join(name for name, _ in scopes if name)
                scopes.append([f'{outer}::{head[1]}' if outer else head[1], 0])
                declaration = ''
            else:  # a namespace, an initializer, a block: what follows it goes on
                scopes.append([None, 0])
        elif c == '}' and parentheses == 0:
            name, methods = scopes.pop()
            if name is not None:
                yield name, methods
            if name is not None or not scopes or scopes[-1][0] is None:
                declaration = ''
        elif c == ';' and parentheses == 0:
            if scopes and scopes[-1][0] is not None and is_function(declaration):
                scopes[-1][1] += 1
            declaration = ''
        elif not scopes or scopes[-1][0] is not None or c not in '{}':
            declaration += c


def all_classes():
    for folder in ('libapf', 'tools'):
        for path in sorted((ROOT / folder).rglob('*')):
            if path.suffix in ('.h', '.cc'):
                for name, methods in classes(path.read_text()):
                    yield name, methods, path.relative_to(ROOT)


def sources_with_types():
    """(number of types that are declared in a header of the tree and spoken of, source) of each source."""
    texts = {path: NO_CODE.sub(' ', path.read_text()) for folder in ('libapf', 'tools')
             for path in sorted((ROOT / folder).rglob('*')) if path.suffix in ('.h', '.cc')}
    declared = {name for path, text in texts.items() if path.suffix == '.h'
                for name in re.findall(r'\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*[:{]', text)}
    for path, text in texts.items():
        if path.suffix == '.cc':
            yield len(declared & set(re.findall(r'\b[A-Z]\w+', text))), path.relative_to(ROOT)


def main():
    found = sorted(all_classes(), key=lambda c: (-c[1], c[0]))
    if len(sys.argv) > 1:
        for name, methods, path in found:
            if methods > int(sys.argv[1]):
                print(f'{methods:4} {name} ({path})')
        return 0
    failed = 0
    for name, methods, path in found:
        if methods > EXCEPTIONS.get(name, MOST):
            failed += 1
            print(f'FAILED {path}: {name} has {methods} methods; {MOST} are the most: give a part of its work its own class')
    sources = list(sources_with_types())
    for types, path in sources:
        if types > MOST_TYPES:
            failed += 1
            print(f'FAILED {path} speaks of {types} types; {MOST_TYPES} are the most: which noun is missing?')
    print(f'{len(found) + len(sources) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
