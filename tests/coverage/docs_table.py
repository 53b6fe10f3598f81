# SPDX-License-Identifier: MIT
"""Puts the bench's tables into docs/coverage.md: docs_table.py NAME=FILE...

Each stands between the markers of its name, "<!-- coverage -->" and "<!-- /coverage -->".
"""

import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"


def _markers(name):
    return f"<!-- {name} -->\n", f"<!-- /{name} -->\n"


def table_of(text, name="coverage"):
    """What stands between the markers."""
    begin, end = _markers(name)
    return text.split(begin, 1)[1].split(end, 1)[0]


def with_table(text, table, name="coverage"):
    begin, end = _markers(name)
    before, rest = text.split(begin, 1)
    return before + begin + table + end + rest.split(end, 1)[1]


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    for word in sys.argv[1:]:
        name, _, path = word.partition("=")
        text = with_table(text, Path(path).read_text(), name)
    DOCUMENT.write_text(text)
