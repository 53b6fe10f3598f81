# SPDX-License-Identifier: MIT
"""Puts the bench's tables into docs/kinds.md: kinds_table.py FILE"""

import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "kinds.md"
_BEGIN, _END = "<!-- kinds -->\n", "<!-- /kinds -->\n"


def table_of(text):
    """What is between the markers."""
    return text.split(_BEGIN, 1)[1].split(_END, 1)[0]


def with_table(text, table):
    before, rest = text.split(_BEGIN, 1)
    return before + _BEGIN + table + _END + rest.split(_END, 1)[1]


def _rows(table):
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]


def shares(text):
    """{kind of fault: {name that it got: share}} of the first table."""
    rows = _rows(text.split("\n\n")[0])
    names = rows[0][2:]
    return {
        row[0]: {name: float(cell or 0) for name, cell in zip(names, row[2:], strict=True)}
        for row in rows[2:]
    }


def sure_ones(text):
    """{of which faults: share of the verdicts called sure that was right}, by the other tables."""
    said, parts = (_rows(table) for table in text.split("\n\n")[1:])
    of_all = next(float(row[2]) for row in said if row[0] == "sure")
    return {"all": of_all} | {row[0]: float(row[4]) for row in parts[2:]}


if __name__ == "__main__":
    table = Path(sys.argv[1]).read_text()
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(), table))
