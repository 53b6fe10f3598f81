# SPDX-License-Identifier: MIT
"""Arrows run one way: no include circle between the kernel's folders, nor between its modules.

A module is a .c and its .h. A .c that includes a header whose .c includes it back is a circle, too.
"""

import re

import pytest

from okramlib import ROOT

KERNEL = ROOT / "kernel"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# (module, module it includes): why the arrow back is right. As few as possible.
EXCEPTIONS = {}


def modules():
    """Each module, as "folder/name", and the modules that it includes."""
    arrows = {}
    for path in sorted([*KERNEL.rglob("*.[ch]")]):
        name = str(path.relative_to(KERNEL).with_suffix(""))
        included = {include.rsplit(".", 1)[0] for include in INCLUDE.findall(path.read_text())}
        arrows.setdefault(name, set()).update(included - {name})
    return {
        name: {other for other in others if other in arrows and (name, other) not in EXCEPTIONS}
        for name, others in arrows.items()
    }


def folders():
    """Each folder and those that its modules include; main.c is in none."""
    arrows = {}
    for name, others in modules().items():
        folder = name.rpartition("/")[0]
        arrows.setdefault(folder, set()).update(other.rpartition("/")[0] for other in others)
    return {folder: others - {folder} for folder, others in arrows.items()}


def reach(arrows, start):
    """All that can be come to from there."""
    seen, left = set(), list(arrows[start])
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += arrows[name]
    return seen


def circles(arrows):
    """The groups of names that all reach each other."""
    reached = {name: reach(arrows, name) for name in arrows}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in arrows
        if name in reached[name]
    }
    return [" <-> ".join(group) for group in sorted(groups)]


def test_a_circle_is_found():
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert circles(arrows) == ["b <-> c"]


@pytest.mark.parametrize("arrows", [folders, modules])
def test_no_circle(arrows):
    assert len(arrows()) > 10
    assert circles(arrows()) == []


def test_exceptions_are_needed():
    for name, other in EXCEPTIONS:
        text = "".join((KERNEL / name).with_suffix(s).read_text() for s in (".c", ".h"))
        assert f'"{other}.h"' in text
