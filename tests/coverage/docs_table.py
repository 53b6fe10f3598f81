# SPDX-License-Identifier: MIT
"""Puts the bench's table into docs/coverage.md, between the markers: docs_table.py TABLE."""

import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
BEGIN, END = "<!-- coverage -->\n", "<!-- /coverage -->\n"


def table_of(text):
    """What stands between the markers."""
    return text.split(BEGIN, 1)[1].split(END, 1)[0]


def with_table(text, table):
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + table + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(), Path(sys.argv[1]).read_text()))
