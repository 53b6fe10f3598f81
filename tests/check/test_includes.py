# SPDX-License-Identifier: MIT
"""Includes run one way: down the order of kernel/'s groups, in no circle, from boot/ to the core.
Calls run in no circle either.

A module is a .c and its .h. A .c that includes a header whose .c includes it back is a circle, too.
"""

import re
import subprocess

import pytest

from okramlib import BUILD, ROOT

KERNEL = ROOT / "kernel"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# From the bottom up: docs/design.md, "Map". A folder includes from its own line and those above it.
ORDER = [
    "core/lib",
    "core/tables",
    "core/display",
    "core/march",
    "core/faults",
    "core/measurement",
    "core/formats",
    "core/diagnosis",
    "core/advice",
    "io",
    "cpu",
    "event",
    "hw",
    "show",
    "layout",
    "run/calibration",
    "run/run",
    "run/progress",
    "run/faults",
    "run/cover",
    "run/ecc",
    "run/facts",
    "run/verdict",
    "run/stick",
    "run/saver",
    "run/loop",
    "run/measure",
    "run/testing",
    "run/start",
    "main",
]
OF_LOADERS = {"core", "io"}  # what boot/ may include of kernel/


def by_include():
    """Each module as the sources include it, "folder/name": its path below kernel/, no suffix."""
    paths = {str(path.relative_to(KERNEL).with_suffix("")) for path in KERNEL.rglob("*.[ch]")}
    return {"/".join(path.split("/")[-2:]): path for path in sorted(paths)}


def included(path, found):
    """The modules of kernel/ that a file includes."""
    names = {include.rsplit(".", 1)[0] for include in INCLUDE.findall(path.read_text())}
    return {found[name] for name in names if name in found}


def modules():
    """Each module by its path below kernel/, and the modules of kernel/ that it includes."""
    found = by_include()
    arrows = {}
    for path in sorted(KERNEL.rglob("*.[ch]")):
        name = str(path.relative_to(KERNEL).with_suffix(""))
        arrows.setdefault(name, set()).update(included(path, found) - {name})
    return arrows


def folders():
    """Each folder and those that its modules include; main.c is in none."""
    arrows = {}
    for name, others in modules().items():
        folder = name.rpartition("/")[0]
        arrows.setdefault(folder, set()).update(other.rpartition("/")[0] for other in others)
    return {folder: others - {folder} for folder, others in arrows.items()}


def calls(built):
    """Each module that is built, and those whose functions or data it uses, whichever header
    declares them."""
    objects = {str(path.relative_to(built).with_suffix("")): path for path in built.rglob("*.o")}
    objects = {name: path for name, path in objects.items() if any(KERNEL.glob(f"{name}.*"))}
    listed = subprocess.run(
        ["nm", "-A", *objects.values()], check=True, capture_output=True, text=True
    )
    names = {str(path): name for name, path in objects.items()}
    defines, uses = {}, {name: set() for name in objects}
    for line in listed.stdout.splitlines():
        path, _, symbol = line.partition(":")
        kind, symbol = symbol.split()[-2:]
        if kind == "U":
            uses[names[path]].add(symbol)
        elif kind.isupper():
            defines[symbol] = names[path]
    return {
        name: {defines[symbol] for symbol in symbols if symbol in defines} - {name}
        for name, symbols in uses.items()
    }


def reach(arrows, start):
    """All that can be reached from there."""
    seen, waiting = set(), list(arrows[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += arrows[name]
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


# Forms of a line are a table, in which each is a file that uses what the table's file has for all.
FORMS = "core/faults/bootcfg/lines"


def test_no_circle_of_calls():
    """One may hide behind a header that declares functions of several files."""
    arrows = calls(BUILD / "kernel" / "kernel")
    assert len(arrows) > 300
    assert [circle for circle in circles(arrows) if not circle.startswith(FORMS)] == []


def rank(module):
    """The line of ORDER that a module belongs to."""
    (line,) = [i for i, prefix in enumerate(ORDER) if f"{module}/".startswith(f"{prefix}/")]
    return line


def upwards(arrows):
    """The includes that run up the order."""
    return [
        f"{name} -> {other}"
        for name, others in arrows.items()
        for other in sorted(others)
        if rank(other) > rank(name)
    ]


def test_a_circle_is_found():
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert circles(arrows) == ["b <-> c"]


@pytest.mark.parametrize("arrows", [folders, modules])
def test_no_circle(arrows):
    assert len(arrows()) > 10
    assert circles(arrows()) == []


def test_an_include_that_runs_up_is_found():
    arrows = {"cpu/arch/tsc": {"core/lib/fmt", "hw/clock/clock"}}
    assert upwards(arrows) == ["cpu/arch/tsc -> hw/clock/clock"]


def test_none_runs_up():
    assert upwards(modules()) == []


def test_boot_includes_the_core_alone():
    found = by_include()
    sources = sorted((ROOT / "boot").rglob("*.[ch]"))
    assert len(sources) > 50
    for path in sources:
        others = {name for name in included(path, found) if name.split("/")[0] not in OF_LOADERS}
        assert not others, f"{path.relative_to(ROOT)}: {sorted(others)}"


def test_folders_have_unique_names():
    names = [path.name for path in KERNEL.rglob("*") if path.is_dir() and any(path.glob("*.h"))]
    assert sorted(set(names)) == sorted(names)
