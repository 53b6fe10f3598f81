# SPDX-License-Identifier: MIT
"""okram(1) from docs/manual.md: the Markdown that go-md2man makes a manual page of.

A page has no use for links between files, for comments, and for tables whose cells are sentences:
these become lists. usage: manual_page.py docs/manual.md >okram.md
"""

import re
import sys
from pathlib import Path

TITLE = """\
okram 1 "" "okram" "User Commands"
==================================

# NAME

okram - find faulty memory, and keep operating systems away from it

# SYNOPSIS

**okram guard** install|status|remove|test [options]

**okram esp** install|remove [options]

**okram test** --next|--cancel|--result|--after-crash [options] [option...]

**okram badram**|**report**|**run** [options] [file...]

**okram fleet** init|receive|import|report [options] [file...]

**okram** --version|--help

# DESCRIPTION

"""

_CELL_MAX = 40  # characters: what a table of a page has room for


def page(manual):
    """The text of the page's source."""
    _, _, text = manual.partition("\n")
    text = re.sub(r"<!--.*?-->\n?", "", text)
    text = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<(https?:[^>]*)>", r"\1", text)
    text = re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE)
    return TITLE + re.sub(r"(^\|.*\n)+", _table, text, flags=re.MULTILINE).lstrip("\n")


def _table(found):
    head, _, *rows = (
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in found[0].splitlines()
    )
    if max(len(cell) for row in rows for cell in row) <= _CELL_MAX:
        return found[0]
    return "".join(f"- {_item(head, row)}\n" for row in rows)


def _item(head, row):
    """The first cell, those in the middle with the names of their columns, the last one."""
    first, *middle, last = row
    named = [f"{name}: {cell}" for name, cell in zip(head[1:], middle) if cell]
    return f"{first} ({', '.join(named)}): {last}" if named else f"{first}: {last}"


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1]).read_text()))
