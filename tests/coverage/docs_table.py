# SPDX-License-Identifier: MIT
"""Puts a bench's tables into docs/coverage.md: docs_table.py [--document=FILE] NAME=FILE...

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
    words = sys.argv[1:]
    document = DOCUMENT
    if words[0].startswith("--document="):
        document = Path(words.pop(0).partition("=")[2])
    text = document.read_text()
    for word in words:
        name, _, path = word.partition("=")
        text = with_table(text, Path(path).read_text(), name)
    document.write_text(text)
