#!/usr/bin/env python3
"""Compares what libapf.so exports with what the public headers declare, both ways.
Usage: public_functions.py INCLUDE_DIR <DEMANGLED. Standard input: the exported symbols, demangled, one a line.
Prints a line for each difference; with --count only how many functions are declared and exported."""
import pathlib
import re
import sys
from collections import Counter


def plain(text):
    """Code without comments, preprocessor lines, literals and template arguments."""
    text = re.sub(r'//.*', '', text)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r"(?<![0-9a-fA-F])'(\\.|[^'\\])+'", "0", text)
    text = re.sub(r'(?m)^\s*#.*(\\\n.*)*$', '', text)
    text = re.sub(r'\b(APF_API|APF_LOCAL|alignas\([^)]*\)|\[\[\w+\]\])', lambda m: m.group(1) if m.group(1) == 'APF_API' else '', text)
    text = text.replace('operator<=>', 'operator__spaceship').replace('<=', ' ').replace('>=', ' ').replace('<<', ' ')
    while (less := re.sub(r'<[^<>;{}]*>', ' ', text)) != text:
        text = less
    return text


def declarations(text):
    """(qualified name, is defined here) for each function; and the qualified names of all classes."""
    functions, classes, scopes, statement, at = [], set(), [], '', 0

    def past_braces(begin):
        depth, at = 0, begin
        while True:
            depth += {'{': 1, '}': -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                return at

    def note(statement, defined):
        statement = re.sub(r'\b(public|private|protected)\s*:', ' ', statement).strip()
        if '(' not in statement or re.match(r'(using|typedef|static_assert|template|friend)\b', statement):
            return
        head = statement[:statement.index('(')].strip()
        if '=' in head and 'operator' not in head:
            return  # a value
        found = re.search(r'(operator\s*\S+|~?\w+)$', head)
        if found:
            gone = re.search(r'=\s*(default|delete|0)$', statement)
            functions.append(('::'.join(scopes + [found.group(1).replace(' ', '')]), defined or bool(gone)))

    while at < len(text):
        c = text[at]
        if c == ';':
            note(statement, False)
            statement = ''
        elif c == '{':
            head = re.sub(r'\b(public|private|protected)\s*:(?!:)', ' ', statement).strip()
            opens = re.match(r'(?:namespace|class|struct|union)\s+(?:APF_API\s+)?(\w+)', head)
            if opens and '(' not in head:
                scopes.append(opens.group(1))
                if not head.startswith('namespace'):
                    classes.add('::'.join(scopes))
                statement = ''
            else:
                end = past_braces(at)
                if '(' in head and not re.match(r'enum\b', head):
                    rest = re.match(r'\s*[;,]', text[end:])
                    if '=' in re.sub(r'operator\S+', '', head.split('(')[0]) or (rest and ')' not in head):
                        pass  # an initializer
                    else:
                        note(statement, True)
                        statement = ''
                at = end - 1
        elif c == '}':
            scopes.pop()
            statement = ''
        else:
            statement += c
        at += 1
    return functions, classes


def name_of(symbol):
    symbol = re.sub(r'\[abi:\w+\]', '', symbol).replace('operator<=>', 'operator__spaceship')
    name = symbol.split('operator()')[0] + 'operator()' if 'operator()' in symbol else symbol.split('(')[0]
    while (less := re.sub(r'<[^<>]*>', '', name)) != name:
        name = less
    return name


arguments = [a for a in sys.argv[1:] if a != '--count']
declared, defined, classes = Counter(), set(), set()
for header in sorted(pathlib.Path(arguments[0], 'apf').glob('*.h')):
    functions, found = declarations(plain(header.read_text()))
    classes |= found
    for name, here in functions:
        if here:
            defined.add(name)
        else:
            declared[name] += 1
special = {f'{c}::{sign}{c.split("::")[-1]}' for c in classes for sign in ('', '~')} | {f'{c}::operator=' for c in classes}
symbols = {line.strip() for line in sys.stdin if re.match(r'apf::', line)}
exported = Counter(name_of(s) for s in symbols)
if '--count' in sys.argv:
    print(f'{sum(declared.values())} functions declared, {sum(exported.values())} symbols of functions exported')
    sys.exit()
for name, number in sorted(declared.items()):
    if exported[name] < number:
        print(f'{name}: declared {number} times, exported {exported[name]} times')
for name in sorted(exported):
    if name not in declared and name not in defined and name not in special:
        print(f'{name}: exported, but no public header declares it')
