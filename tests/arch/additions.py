#!/usr/bin/env python3
"""Follows the table "To add X, touch Y" of libapf/README.md for everything that exists: each rule, log format, output
format, subcommand, stage and release has the files and lines that its row names. Last line: "N passed, N failed"."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / 'tools/docs'))
import remarks

root = pathlib.Path(__file__).resolve().parent.parent.parent
passed = failed = 0


# The pages of the manual as they are made.
made = tempfile.TemporaryDirectory()
subprocess.run([sys.executable, root / 'tools/docs/pages.py', made.name], check=True)


def read(path):
    return pathlib.Path(made.name if path.startswith('man/') else root, path.removeprefix('man/')).read_text()


def verdict(name, found):
    global passed, failed
    if found:
        failed += 1
        print(f'FAILED {name}')
        print('\n'.join(found))
    else:
        passed += 1


def numbered(pattern, text, what):
    """All that the table of `what` lists; an empty list would make its check pass without looking."""
    found = re.findall(pattern, text)
    verdict(f'{what} are found in their table', [] if found else [f'{pattern} finds nothing'])
    return found


# The row's own paths exist, once their placeholders are left out.
table = [line for line in read('libapf/README.md').splitlines() if re.match(r'\| an? [a-zA-Z]', line)]
rows = {cells[1].strip(): cells[2:6] for line in table if len(cells := line.split('|')) == 7}
missing = []
for name, cells in rows.items():
    for path in re.findall(r'`([a-z.][\w./-]*)`', ' '.join(cells)):
        there = list(root.glob(path.replace('NAME', '*').replace('CODE', '*').replace('LAYER', '*')))
        missing += [] if there else [f'{name}: {path} does not exist']
verdict('the table has its twelve rows', [] if len(rows) == 12 else [f'{len(rows)} rows: {", ".join(rows)}'])
verdict('the paths of the table exist', missing)


def paths(row, **values):
    """The paths of a row with placeholders filled in."""
    for path in re.findall(r'`([a-z.][\w./-]*(?:NAME|CODE)[\w./-]*)`', ' '.join(rows.get(row, []))):
        for key, value in values.items():
            path = path.replace(key, value)
        yield path


def lacks(row, **values):
    return [f'{values}: no {p}' for p in paths(row, **values) if not (root / p).exists()]


# a lint rule
found = []
for rule in numbered(r'(?m)^RULE\((\w+)\)', read('libapf/src/lint/rules.inc'), 'rules'):
    source = root / f'libapf/src/lint/rules/{rule}.cc'
    code = re.search(r'"(APF\d{3})"', source.read_text()) if source.exists() else None
    if not code:
        found.append(f'{rule}: no code in {source.relative_to(root)}')
        continue
    found += lacks('a lint rule', NAME=rule, CODE=code.group(1))
listed = set(re.findall(r'RULE\((\w+)\)', read('libapf/src/lint/rules.inc')))
found += [f'{p.name}: not in rules.inc' for p in (root / 'libapf/src/lint/rules').glob('*.cc') if p.stem not in listed]
verdict('every rule has its file, line and test', found)

# a log format
found, formats = [], ''.join(p.read_text() for p in (root / 'libapf/src/logs/formats').glob('*.cc'))
inputs = ''.join(p.read_text(errors='replace') for p in (root / 'tests/golden').rglob('*.test'))
tests = inputs + ''.join(p.read_text() for p in (root / 'tests/unit/logs').glob('*.cc'))
for constant in numbered(r'APF_LOG_FORMAT\((k\w+Format)\)', read('libapf/src/logs/formats/formats.inc'), 'log formats'):
    name = re.search(constant + r'\s*(?:=\s*)?\{\s*"([\w-]+)"', formats)
    if not name:
        found.append(f'{constant}: its row is in no file of logs/formats/')
        continue
    if name.group(1) not in read('man/apfctl-logs.5').replace('\\-', '-'):
        found.append(f'{name.group(1)}: not in man/apfctl-logs.5')
    if not re.search(name.group(1).replace('-', '.?'), tests, re.I):
        found.append(f'{name.group(1)}: no test names it')
verdict('every log format has its row, page and test', found)

# an output format of findings
found = []
row = re.search(r'findings_formats\(\) \{\s*return \{(.*?)\}', read('tools/apfctl/commands/findings_output.cc'), re.S)
for name in numbered(r'"(\w+)"', row.group(1) if row else '', 'formats of findings'):
    found += lacks('an output format of findings', NAME=name)
    if not re.search(rf'\b{name}\b', read('man/apfctl-lint.1')):
        found.append(f'{name}: not in man/apfctl-lint.1')
    if name != 'text' and not re.search(rf'lint[^\n]*-o {name}\b', inputs):
        found.append(f'{name}: no golden test of lint asks for it')
verdict('every format of findings has its file, page and test', found)

# a metric of expectations: each report's page names it, and a test expects something of it
found, pages = [], {'replay/replay_facts.cc': 'replay compare', 'logs/inspect_facts.cc': 'inspect',
                    'advise/headroom_facts.cc': 'headroom', 'logs/log_facts.cc': 'log', 'lint/test_facts.cc': 'test'}
expecting = tests + ''.join(p.read_text() for p in (root / 'tests/unit/report').glob('*.cc'))
for source, commands in pages.items():
    text = read(f'libapf/src/report/{source}')
    page = ''.join(read(f'man/apfctl-{command}.1') for command in commands.split()).replace('\\-', '-')
    for name in numbered(r'"([\w-]+)",\s*(?:ExpectedUnit|Unit)::', text, f'metrics of {source}'):
        if not re.search(rf'\b{name}\b', page):
            found.append(f'{name}: in no page of {commands}')
        if not re.search(rf'\b{name} *[<>=!]', expecting):
            found.append(f'{name}: no test expects anything of it')
verdict('every metric of expectations has its page and test', found)

# a remark: something finds it, with no value that its row does not name, as that would not be in JSON
found, named = [], {row.name.replace('-', '_'): {value.member for value in row.values}
                    for group in remarks.table().values() for row in group}
sources = '\n'.join(p.read_text() for folder in ('libapf/src', 'tools/apfctl') for p in sorted((root / folder).rglob('*.cc')))
found += [f'{name}: no source finds it' for name in named if not re.search(rf'Kind::{name}\b', sources)]
for name, rest in numbered(r'\{\.kind = (?:apf::)?(?:Remark)?Kind::(\w+)([^;]*)', sources, 'remarks'):
    depth, end = 1, 0
    while depth and end < len(rest):
        depth += (rest[end] == '{') - (rest[end] == '}')
        end += 1
    values = set(re.findall(r',\s*\.(count|total|other|time|duration|name|detail) =', rest[:end]))
    if name in named and not values <= named[name]:
        found.append(f'{name}: its row does not name {", ".join(sorted(values - named[name]))}')
verdict('every remark is found, with the values of its row', found)
pages = '\n'.join(p.read_text() for p in sorted(pathlib.Path(made.name).glob('apfctl-*.1')))
verdict('the flags that remarks name have their page',
        [flag for flag in numbered(r'--([a-z][\w-]+)', remarks.TABLE.read_text(encoding='utf-8'), 'flags in remarks')
         if not re.search(rf'(?m)^\.It Fl (?:\w , Fl )?-{flag}\b', pages)])

# a subcommand
found = []
for name in numbered(r'\{"(\w+)",[^}]*?, cmd_\w+\}', read('tools/apfctl/shared/commands.cc'), 'subcommands'):
    found += lacks('a subcommand', NAME=name) if name != 'help' else []
verdict('every subcommand has its file, page and tests', found)

# a report
found = []
for source in sorted((root / 'tools/apfctl/commands').glob('cmd_*.cc')):
    if '#include "flags/report_output.h"' in source.read_text() and f'("{source.stem[4:]} ' not in read('tests/golden/formats.py'):
        found.append(f'{source.stem[4:]}: tests/golden/formats.py does not compare its formats')
verdict('every report is compared in its formats', found)

# a stage inside the handler
found = []
outcomes = read('libapf/include/apf/limits.h')
for name in numbered(r'AdmissionStage::(\w+), "(?:event|resource)', outcomes, 'stages inside the handler'):
    found += lacks('a stage inside the handler', NAME=name)
    if name.replace('_', '-') not in read('man/apfctl-replay.1').replace('\\-', '-'):
        found.append(f'{name}: not in man/apfctl-replay.1')
verdict('every stage has its file and page', found)

# a Kubernetes release
oldest, newest = (int(re.search(rf'k{w}KubeVersion{{(\d+)}}', read('libapf/include/apf/version.h')).group(1))
                  for w in ('Oldest', 'Newest'))
found = [f'{page} does not name 1.{newest}' for page in ('man/apfctl-builtins.1', 'README.md')
         if f'1.{newest}' not in read(page)]
found += [] if oldest < newest else ['the oldest release is not before the newest']
verdict('the newest release is named in its pages', found)

print(f'{passed} passed, {failed} failed')
sys.exit(failed > 0)
