# SPDX-License-Identifier: MIT
"""A file of JSON lines, or a console's log that has them: the valid records, and what is wrong with
the rest."""

import io
import re
import sys
from dataclasses import dataclass, field

from . import Trouble, console_log, output, records
from .kept import Kept

# Above the longest lines of okram, which are some 10 KiB.
LINE_CHARS_MAX = 1 << 20
_BAD_LINES_MAX = 100_000  # then the file is something else
_NAMED_MAX = 10  # bad lines, one a sentence

# How a run begins. Only `start` is always there; the others come with a report that was kept.
_BEGIN = ("saved", "state", "start")

_NUMBER_LIMIT = 2.0**64  # no field holds more than 64 bits

# Numbers that have to be cleaned: whole ones such as 2.0; exponents, and 19 digits or more. Two
# searches are quicker than one, because each knows what it begins with.
_WHOLE = re.compile(r"\.0+(?![0-9])")
_LARGE = re.compile(r"[0-9](?:[0-9]{18}|[eE][-+]?[0-9])")


@dataclass
class Reading:
    """The records of a file's last run, and what is wrong with the file, in sentences."""

    records: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    lost: list = field(default_factory=list)  # lines of a run whose result is there
    notes: list = field(default_factory=list)  # no errors


def read(path):
    """The Reading of a file, or of standard input for "-". Trouble if there is none."""
    name = "standard input" if path == "-" else str(path)
    try:
        # Only the line feed ends a line: numbers of lines are then those of an editor.
        with open(
            0 if path == "-" else path,
            encoding="utf-8-sig",
            errors="replace",
            newline="\n",
            closefd=path != "-",
        ) as file:
            return _read(file, name)
    except OSError as error:
        raise Trouble(f"{name} cannot be read: {error.strerror}.") from None
    except ValueError:  # open() itself: a zero byte in the name
        raise Trouble(f"{name!r} cannot be the name of a file.") from None


def read_text(text, name):
    """The Reading of lines from elsewhere. Trouble if there is none."""
    return _read(io.StringIO(text), name)


class _BadLines:
    """How many there are; the first of them, and the last, in sentences."""

    def __init__(self):
        self.n = 0
        self.named = []
        self.last = ""

    def add(self, number, why):
        self.n += 1
        self.last = f"line {number}: {why}"
        if self.n <= _NAMED_MAX:
            self.named.append(self.last)

    def sentences(self):
        if self.n <= _NAMED_MAX:
            return self.named
        more = self.n - _NAMED_MAX + 1
        return [*self.named[:-1], f"and {more} bad lines more; {self.last}"]


class _Reader:
    """Line by line: of a run, only what Kept holds is in memory."""

    def __init__(self):
        self.runs = 0
        self.n_others = 0  # lines without a whole record
        self.first_other = 0
        self.first_why = ""
        self.bad = _BadLines()  # of the whole file
        self._before = None  # the type of the record before
        self._begin()

    def _begin(self):
        self.kept = Kept()
        self.lost = _BadLines()  # of this run

    def take(self, number, line):
        try:
            self._add(number, parse(line.rstrip("\r\n")), line)
        except records.InvalidRecord as why:
            self._bad(number, why)
        except records.BadLine as why:
            self.first_why = self.first_why or f"line {number}: {why}"
            self._take_parts(number, line, why)

    def _take_parts(self, number, line, why):
        """Of a line with more, or less, than a record."""
        whole, rest = console_log.split(line)
        for text in whole:
            try:
                self._add(number, parse(text), text)
            except records.BadLine as bad:
                self._bad(number, bad)
        if any(map(console_log.is_piece, rest)):
            self.lost.add(number, "a part of it is not a whole record" if whole else why)
            return
        if console_log.is_opened(line) and self._before not in (None, "result"):
            self.lost.add(number, "a session began again; what came before it may be missing")
        if rest and not whole:
            self.n_others += 1
            self.first_other = self.first_other or number

    def _bad(self, number, why):
        self.first_why = self.first_why or f"line {number}: {why}"
        self.bad.add(number, why)

    def _add(self, number, found, line):
        kind = found[0]["type"]
        is_headless = self._before == "result" and self.runs and kind not in _BEGIN
        if is_headless or is_begin(self._before, kind):
            self.runs += 1
            if self.runs > 1:
                self._begin()
        if is_headless:
            self.lost.add(number, "the first lines of this run are missing")
        self._before = kind
        for record in found:
            self.kept.add(record, line)


def _read(file, name):
    reader = _Reader()
    number = 0
    while line := file.readline(LINE_CHARS_MAX):
        number += 1
        if len(line) == LINE_CHARS_MAX and not line.endswith("\n"):
            reader.bad.add(number, "longer than any line of okram; nothing was read after it")
            break
        reader.take(number, line)
        if reader.bad.n >= _BAD_LINES_MAX:
            reader.bad.add(number, "too many bad lines; nothing was read after it")
            break
    if number == 0:
        raise Trouble(f"{name} is empty.")
    if not reader.kept.records:
        why = reader.first_why or reader.bad.named[0]
        raise Trouble(f"{name} has no JSON lines of okram: {why}.")
    return _reading(reader, number)


def _reading(reader, number):
    """What was read, of so many lines."""
    reading = Reading(reader.kept.records, reader.bad.sentences(), notes=list(reader.kept.notes()))
    is_complete = any(record["type"] == "result" for record in reading.records)
    (reading.lost if is_complete else reading.problems).extend(reader.lost.sentences())
    if reader.runs > 1:
        reading.notes.append(f"there are {reader.runs} runs in it; this is the last")
    if reader.n_others:
        lines = "1 line is" if reader.n_others == 1 else f"{reader.n_others} lines are"
        reading.notes.append(
            f"{lines} not okram's, such as line {reader.first_other}, and not used"
        )
    is_last_named = any(b.last.startswith(f"line {number}:") for b in (reader.bad, reader.lost))
    if _is_unfinished(reading.records) and not is_last_named:
        reading.problems.append(f"line {number}: the lines end here, before the run's result")
    return reading


def is_begin(before, kind):
    """Whether a record of that type is a run's first, after one of the type before it, or None."""
    return kind in _BEGIN and before not in _BEGIN[: _BEGIN.index(kind)]


def _is_unfinished(run):
    """A run that begins in the file must end there, too; a file may have only some of its lines."""
    kinds = {record["type"] for record in run}
    return not kinds.isdisjoint(_BEGIN) and "result" not in kinds


def parse(line):
    """The records on a line, without what harms the output. BadLine if there is none."""
    found = records.separated(records.parse(line))
    if not _may_harm(line):
        return found
    # The names of fields are few: one copy of each.
    return [
        {sys.intern(name): _clean(value, name) for name, value in record.items()}
        for record in found
    ]


def _may_harm(line):
    """Of most lines nothing does, and to look is quicker than to clean: for characters other than
    ASCII's, escapes that may stand for them, and numbers that are not what okram writes."""
    is_plain = line.isascii() and line.isprintable() and "\\" not in line
    return not is_plain or bool(_WHOLE.search(line) or _LARGE.search(line))


def _clean(value, name):
    """The value without what harms the output.

    These are numbers that are infinite or too large, and what a terminal would obey. JSON has one
    kind of number: 2.0 is a whole one (JSON Schema 2020-12, 6.1.1).
    """
    if isinstance(value, str):
        return output.clean(value)
    if isinstance(value, dict):
        return {key: _clean(inner, name) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner, name) for inner in value]
    if isinstance(value, int | float) and not (-_NUMBER_LIMIT < value < _NUMBER_LIMIT):
        raise records.BadLine(f"{name} is out of range")
    return int(value) if isinstance(value, float) and value.is_integer() else value
