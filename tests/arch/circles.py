#!/usr/bin/env python3
"""Circles of units below ROOT: NAME.h and NAME.cc are one unit, and it includes others. Prints each circle as a line, and
nothing if there is none.  circles.py ROOT"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^ *# *include "([^"]+)\.h"', re.M)


def units_of(root):
    """Each unit with those it includes, in order."""
    units = {}
    for path in sorted([*root.rglob('*.h'), *root.rglob('*.cc')]):
        unit = str(path.relative_to(root).with_suffix(''))
        units.setdefault(unit, set()).update(INCLUDE.findall(path.read_text()))
    return {unit: sorted(found & units.keys() - {unit}) for unit, found in units.items()}


def reached(units, first):
    """For each unit that `first` reaches, the one before it."""
    before, work = {}, [first]
    while work:
        unit = work.pop(0)
        for other in units[unit]:
            if other not in before:
                before[other] = unit
                work.append(other)
    return before


def circles(units):
    """A shortest circle through each unit that is in one, but not through units of one that was found before."""
    seen = set()
    for unit in units:
        before = reached(units, unit)
        if unit in seen or unit not in before:
            continue
        way, at = [unit], before[unit]
        while at != unit:
            way.insert(0, at)
            at = before[at]
        seen.update(way)
        yield ' -> '.join([unit, *way])


for circle in circles(units_of(Path(sys.argv[1]))):
    print(circle)
