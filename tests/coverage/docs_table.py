# SPDX-License-Identifier: MIT
"""Puts a bench's tables into docs/coverage.md:
docs_table.py [--document=FILE] [--marches=FILE] NAME=FILE...

Each is between the markers of its name, "<!-- coverage -->" and "<!-- /coverage -->". With the list
of marches (coverage marches=FILE) the table "coverage" gets a column of linked faults.
"""

import sys
from pathlib import Path

from march_sim import detects_linked, linked_faults, parse_march

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"


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


if __name__ == "__main__":
    words = sys.argv[1:]
    document = DOCUMENT
    if words[0].startswith("--document="):
        document = Path(words.pop(0).partition("=")[2])
    marches = None
    if words[0].startswith("--marches="):
        marches = marches_of(Path(words.pop(0).partition("=")[2]).read_text())
    text = document.read_text()
    for word in words:
        name, _, path = word.partition("=")
        table = Path(path).read_text()
        if marches and name == "coverage":
            table = with_linked(table, marches)
        text = with_table(text, table, name)
    document.write_text(text)
