# SPDX-License-Identifier: MIT
"""Puts a bench's tables into docs/coverage.md:
docs_table.py [--document=FILE] [--marches=FILE] NAME=FILE...

Each is between the markers of its name, "<!-- coverage -->" and "<!-- /coverage -->". With the list
of marches (coverage marches=FILE) the table "coverage" gets a column of linked faults. The tables
of what is in front of the cells (BEHIND) become one, "behind".
"""

import sys
from pathlib import Path

from march_sim import detects_linked, linked_faults, parse_march

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"

BEHIND = ("scrambler", "encryption", "controller", "side-cache")
_LEFT_OUT = ("sweeps", "leak by neighbours")  # the first table has them


def _markers(name):
    return f"<!-- {name} -->\n", f"<!-- /{name} -->\n"


def table_of(text, name="coverage"):
    """The text between the markers."""
    begin, end = _markers(name)
    return text.split(begin, 1)[1].split(end, 1)[0]


def with_table(text, table, name="coverage"):
    begin, end = _markers(name)
    before, rest = text.split(begin, 1)
    return before + begin + table + end + rest.split(end, 1)[1]


def marches_of(text):
    """{test or level: its marches}"""
    marches = {}
    for line in text.splitlines():
        name, notation = line.split("\t")
        marches.setdefault(name, []).append(parse_march(notation))
    return marches


def with_linked(table, marches):
    """With a column more, after that of two cells: the linked faults that one of the marches of a
    row's test or level finds. Empty where it has none on one background."""
    pairs = linked_faults()
    title, rule, *rows = (line.split("|") for line in table.splitlines())
    after = next(i for i, cell in enumerate(title) if cell.strip().startswith("2 cells")) + 1
    title.insert(after, f" linked /{len(pairs)} ")
    rule.insert(after, "---")
    for row in rows:
        tried = marches.get(row[1].strip(), [])
        found = sum(any(detects_linked(march, pair) for march in tried) for pair in pairs)
        row.insert(after, f" {found} " if tried else " ")
    return "".join("|".join(row) + "\n" for row in (title, rule, *rows))


def _cells(table):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def _per_cent(cell):
    """Rounded down; 100 is all."""
    return cell if 99 <= float(cell) < 100 else str(int(float(cell)))


def shares(table):
    """{test: its per cents} of a table of the bench's."""
    titles, _, *rows = _cells(table)
    kept = [i for i, title in enumerate(titles[1:], 1) if not title.startswith(_LEFT_OUT)]
    return {row[0]: [_per_cent(row[i]) for i in kept] for row in rows}


def shares_behind(text, name):
    """The same of a document, behind one of BEHIND."""
    _, _, *rows = _cells(table_of(text, "behind"))
    return {row[0]: [cell.split("/")[BEHIND.index(name)] for cell in row[1:]] for row in rows}


def behind_table(tables):
    """One table of those of BEHIND, in this order."""
    titles = [t for t in _cells(tables[0])[0] if not t.startswith(_LEFT_OUT)]
    found = [shares(table) for table in tables]
    rows = [[test, *("/".join(c) for c in zip(*(f[test] for f in found)))] for test in found[0]]
    head = f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    words = sys.argv[1:]
    document = DOCUMENT
    if words[0].startswith("--document="):
        document = Path(words.pop(0).partition("=")[2])
    marches = None
    if words[0].startswith("--marches="):
        marches = marches_of(Path(words.pop(0).partition("=")[2]).read_text())
    text = document.read_text()
    tables = {name: Path(path).read_text() for name, _, path in (w.partition("=") for w in words)}
    if marches and "coverage" in tables:
        tables["coverage"] = with_linked(tables["coverage"], marches)
    if BEHIND[0] in tables:
        tables["behind"] = behind_table([tables.pop(name) for name in BEHIND])
    for name, table in tables.items():
        text = with_table(text, table, name)
    document.write_text(text)
