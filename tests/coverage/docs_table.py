# SPDX-License-Identifier: MIT
"""Puts a bench's tables into docs/coverage.md:
docs_table.py [--rows] [--document=FILE] [--marches=FILE] NAME=FILE...

Each is between the markers of its name, "<!-- coverage -->" and "<!-- /coverage -->". The tables
of what is in front of the cells (BEHIND) become one, "behind". With --rows the files have some of
the rows only, and the document keeps its others; the list of marches (coverage marches=FILE) has
the order of rows.
"""

import argparse
from pathlib import Path

from march_sim import parse_march

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"

BEHIND = ("scrambler", "encryption", "controller", "side-cache")
_LEFT_OUT = ("sweeps", "linked", "leak by neighbours")  # the first table has them


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
        marches.setdefault(name, []).extend([parse_march(notation)] if notation else [])
    return marches


def _rows(table):
    """{test: its row}"""
    return {line.split("|")[1].strip(): line for line in table.splitlines(keepends=True)[2:]}


def with_rows(table, new, order):
    """The table with the rows of another in place of its own. A test that it does not have comes
    after those that are before it in order."""
    rows = _rows(table)
    for name, row in _rows(new).items():
        if name not in rows:
            before = set(order[: order.index(name)])
            names = list(rows)
            place = max((i + 1 for i, old in enumerate(names) if old in before), default=0)
            names.insert(place, name)
            rows = {one: rows.get(one, "") for one in names}
        rows[name] = row
    return "".join([*table.splitlines(keepends=True)[:2], *rows.values()])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    parser.add_argument("--marches", type=Path)
    parser.add_argument("tables", nargs="+", metavar="NAME=FILE")
    arguments = parser.parse_args()
    marches = marches_of(arguments.marches.read_text()) if arguments.marches else {}
    given = (word.partition("=") for word in arguments.tables)
    tables = {name: Path(path).read_text() for name, _, path in given}
    if BEHIND[0] in tables:
        tables["behind"] = behind_table([tables.pop(name) for name in BEHIND])
    text = arguments.document.read_text()
    for name, table in tables.items():
        whole = with_rows(table_of(text, name), table, list(marches)) if arguments.rows else table
        text = with_table(text, whole, name)
    arguments.document.write_text(text)


if __name__ == "__main__":
    main()
