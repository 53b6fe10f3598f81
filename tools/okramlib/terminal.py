# SPDX-License-Identifier: MIT
"""The rows of text that a terminal would show of a log with its controls (ECMA-48, 8.3).

A program that draws a screen puts each word where it belongs, so that a line of the log is no line
of the text. Rows are taken before something else is written over one of them, and at the end: again
and again, and some half written.
"""

import re

_ROWS_MAX, _COLUMNS_MAX = 200, 400
_CONTROL = re.compile(
    r"\x1b(?:\[([0-?]*)[ -/]*([@-~])|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[ -/]*[0-~])"
    r"|[\x00-\x1f\x7f]"
)
# Text that may become a control with the next part of the log.
_BEGUN = re.compile(r"\x1b(?:\[[0-?]{0,30}[ -/]{0,4}|\][^\x07\x1b]{0,200}|[ -/]{0,4})?$")
_PLACED = re.compile(r"\x1b\[\d*(?:;\d*)?[Hfd]")


def is_drawn(line):
    """Whether a program puts words of it where they belong."""
    return "\x1b" in line and bool(_PLACED.search(line))


def plain(line):
    """Without the controls that only colour it."""
    if "\x1b" not in line:
        return line
    return _CONTROL.sub(lambda match: "" if match[0][0] == "\x1b" else match[0], line)


def is_more(after, before):
    """Whether a row has all that it had before, each in its place."""
    return all(a in (" ", b) for a, b in zip(before, after.ljust(len(before))))


class Terminal:
    def __init__(self):
        self._rows = [""] * _ROWS_MAX
        self._row = self._column = 0
        self._is_new = True  # nothing was written over since it came to this row
        self._rest = ""
        self._taken = [""] * _ROWS_MAX

    def feed(self, text):
        """Takes a part of the log. Yields rows that are complete."""
        text = self._rest + text
        begun = _BEGUN.search(text)
        self._rest = begun[0] if begun else ""
        text = text[: len(text) - len(self._rest)]
        at = 0
        for control in _CONTROL.finditer(text):
            yield from self._write(text[at : control.start()])
            yield from self._obey(control)
            at = control.end()
        yield from self._write(text[at:])

    def finish(self):
        yield from self._take()

    def _take(self):
        """The rows as they are now, unless they are as they were; an empty one ends them."""
        rows = [row.rstrip() for row in self._rows]
        if rows != self._taken:
            last = max((i for i, row in enumerate(rows) if row), default=-1)
            yield from [*rows[: last + 1], ""]
            self._taken = rows

    def _write(self, text):
        text = text[: max(0, _COLUMNS_MAX - self._column)]
        if not text:
            return
        row = self._rows[self._row]
        end = self._column + len(text)
        if self._is_new and not is_more(text, row[self._column : end]):
            yield from self._take()
            self._is_new = False
        self._rows[self._row] = row[: self._column].ljust(self._column) + text + row[end:]
        self._column = end

    def _obey(self, control):
        words = (control[1] or "").split(";")[:2]
        first, second = (*(int(word[:5]) if word.isdecimal() else 0 for word in words), 0)[:2]
        count = max(first, 1)
        match control[2] or control[0]:
            case "H" | "f":
                self._go(count - 1, max(second, 1) - 1)
            case "d":
                self._go(count - 1, self._column)
            case "G":
                self._go(self._row, count - 1)
            case "A":
                self._go(self._row - count, self._column)
            case "B":
                self._go(self._row + count, self._column)
            case "C":
                self._go(self._row, self._column + count)
            case "D":
                self._go(self._row, self._column - count)
            case "\b":
                self._go(self._row, self._column - 1)
            case "\r":
                self._go(self._row, 0)
            case "\n" if self._row == _ROWS_MAX - 1:
                yield from self._take()
                self._rows = [*self._rows[1:], ""]
                self._is_new = True
            case "\n":
                self._go(self._row + 1, self._column)
            case "J" | "K" as what:
                yield from self._take()
                self._clear(what, first)

    def _go(self, row, column):
        row = min(max(row, 0), _ROWS_MAX - 1)
        self._is_new |= row != self._row
        self._row, self._column = row, min(max(column, 0), _COLUMNS_MAX)

    def _clear(self, what, how):
        """From the cursor on, up to it, or all: of the row, or of the screen."""
        row = self._rows[self._row]
        parts = row[: self._column], " " * self._column + row[self._column :], ""
        self._rows[self._row] = parts[min(how, 2)]
        for i in range(_ROWS_MAX) if what == "J" else ():
            if (i > self._row and how != 1) or (i < self._row and how != 0):
                self._rows[i] = ""
