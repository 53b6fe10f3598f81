# SPDX-License-Identifier: MIT
"""A row of one of okram's tables is named in each file that has to name it. A failure lists what is
left to do after an addition (CONTRIBUTING.md)."""

import re

import pytest

from march_sim import parse_march
from okramlib import ROOT

WORD = r"(?<![\w-])NAME(?![\w-])"

# The table; what its rows look like; and how each other file names one of them, NAME.
TABLES = {
    "option": (
        "kernel/core/formats/options/options.c",
        re.compile(r'^    \{ "([\w.]+)", set_\w+,', re.M),
        {
            "tests/unit/options/test_options.c": r"\bNAME=",
            "docs/manual.md": r"^\| (`[\w.]+=` )*`NAME=`.* \|",
            "docs/security.md": r"^\| [^|]*`NAME=`.* \|",
            "CHANGELOG.md": r"`NAME=",
        },
    ),
    "memory test": (
        "kernel/core/march/sweep/tests.c",
        re.compile(r'^    (?:\{ \.name = |[A-Z_]+\()"([\w+-]+)", ', re.M),
        {
            "tests/unit/sweep/test_tests.c": r'\{ "NAME", ',
            "docs/manual.md": r"^\| (`[\w+-]+` )*`NAME`.* \|",
            "docs/coverage.md": r"^\| NAME \||\*\*NAME\*\*",
            "CHANGELOG.md": r"`NAME`",
        },
    ),
    "bootloader's line": (
        "kernel/core/faults/bootcfg/lines.c",
        re.compile(r'^    \[LINE_\w+\] = \{ "([\w-]+)",', re.M),
        {
            "kernel/core/formats/options/options.c": WORD,
            "tests/unit/bootcfg/test_lines.c": r'"NAME"',
            "tests/tools/test_badram.py": r'^        \("NAME"|^            "NAME",',
            "tools/okramlib/badram.py": WORD,
            "tools/okramlib/copied.py": r'^    "NAME": ',
            "docs/badram.md": r"^\| NAME \|",
            "docs/manual.md": rf"^\| `lines=` .*{WORD}",
        },
    ),
}

MARCH = re.compile(r'^    [A-Z_]+\("([\w+-]+)", (\d+),\s*((?:"[^"]*"\s*)+)\)', re.M)


def names(kind, root):
    table, row, _ = TABLES[kind]
    return [name for path in sorted(root.glob(table)) for name in row.findall(path.read_text())]


def left_to_do(kind, root):
    text = {place: (root / place).read_text() for place in TABLES[kind][2]}
    return [
        f"{kind} {name} is missing in {place}"
        for name in names(kind, root)
        for place, form in TABLES[kind][2].items()
        if not re.search(form.replace("NAME", re.escape(name)), text[place], re.M)
    ]


def misplaced(source):
    """The marches that are not in the order of the pairs they find, then of their sweeps. One with
    a + follows the same march without."""
    found, last = [], (0, 0)
    for name, pairs, notation in MARCH.findall(source):
        sweeps = sum(len(operations) for _, operations in parse_march(notation))
        place = (int(pairs), sweeps)
        if name.endswith("+") and f'"{name[:-1]}"' in source:
            continue
        if place < last:
            found.append(f"{name} ({pairs} pairs, {sweeps} sweeps) belongs further up")
        last = max(last, place)
    return found


@pytest.mark.parametrize("kind", TABLES)
def test_a_name_is_everywhere(kind):
    assert len(names(kind, ROOT)) > 10
    left = left_to_do(kind, ROOT)
    assert not left, "\n" + "\n".join(left)


@pytest.mark.parametrize("kind, name", list(zip(TABLES, ("beep", "pmovi", "xen"))))
def test_a_new_name_is_asked_for(kind, name, tmp_path):
    table, _, places = TABLES[kind]
    for path in (*ROOT.glob(table), *(ROOT / place for place in places)):
        text = path.read_text()
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text.replace(f'"{name}"', '"new"') if path.match(table) else text)
    assert left_to_do(kind, tmp_path) == [f"{kind} new is missing in {place}" for place in places]


def test_the_manual_has_no_option_more():
    rows = re.findall(r"^\| (`[\w.]+=`.*?) \|", (ROOT / "docs/manual.md").read_text(), re.M)
    named = re.findall(r"`([\w.]+)=`", " ".join(rows))
    assert sorted(named) == sorted(names("option", ROOT))


def test_marches_are_in_order():
    source = (ROOT / TABLES["memory test"][0]).read_text()
    assert len(MARCH.findall(source)) > 8
    left = misplaced(source)
    assert not left, "\n" + "\n".join(left)


def test_a_march_in_the_wrong_place():
    def rows(*names):
        notation = {"a": '24, "up(w0,r0)"', "b": '24, "any(w0);"\n "up(r0,w1)"', "c": '2, "up(w0)"'}
        return "".join(f'    CLASSIC("{name}", {notation[name[0]]}),\n' for name in names)

    assert misplaced(rows("c", "a", "a+", "b")) == []
    assert misplaced(rows("c", "b", "a")) == ["a (24 pairs, 2 sweeps) belongs further up"]
    assert misplaced(rows("a", "c", "b")) == ["c (2 pairs, 1 sweeps) belongs further up"]


def test_the_loader_knows_the_variables_that_it_writes():
    """It names all others, as damaged or not okram's."""
    text = {path: path.read_text() for path in ROOT.glob("boot/**/*.[ch]")}
    (lister,) = (text for path, text in text.items() if path.name == "last_report.c")
    used = {name for one in text.values() for name in re.findall(r'"(Okram[A-Z][a-z]\w+)"', one)}
    assert len(used) >= 10
    assert [name for name in sorted(used) if f'L"{name}' not in lister] == []
