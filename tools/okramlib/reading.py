# SPDX-License-Identifier: MIT
"""A file of JSON lines: the valid records, and what is wrong with the rest."""

import io
import math
from dataclasses import dataclass, field

from . import Trouble, records

# Above the longest lines, which list every bad page.
_LINE_CHARS_MAX = 16 << 20
_BAD_LINES_MAX = 100_000  # then the file is something else
_NAMED_MAX = 10  # bad lines, one a sentence

# How a run begins. Only `start` is always there; the others come with a report that was kept.
_BEGIN = ("saved", "state", "start")

_NUMBER_LIMIT = 2.0**64  # no field holds more than 64 bits


@dataclass
class Reading:
    """The records of a file's last run, and what is wrong with the file, in sentences."""

    records: list = field(default_factory=list)
    problems: list = field(default_factory=list)
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


def _read(file, name):
    reading, bad, number = Reading(), [], 0
    while line := file.readline(_LINE_CHARS_MAX):
        number += 1
        if len(line) == _LINE_CHARS_MAX and not line.endswith("\n"):
            bad.append(f"line {number}: longer than any line of okram; nothing was read after it")
            break
        try:
            reading.records.append(_parse(line.rstrip("\r\n")))
        except records.BadLine as why:
            bad.append(f"line {number}: {why}")
            if len(bad) >= _BAD_LINES_MAX:
                bad.append(f"line {number}: too many bad lines; nothing was read after it")
                break
    if number == 0:
        raise Trouble(f"{name} is empty.")
    if not reading.records:
        raise Trouble(f"{name} has no JSON lines of okram: {bad[0]}.")
    reading.problems = _named(bad)
    _take_last_run(reading)
    is_last_named = bool(bad) and bad[-1].startswith(f"line {number}:")
    if _is_unfinished(reading.records) and not is_last_named:
        reading.problems.append(f"line {number}: the lines end here, before the run's result")
    return reading


def _named(bad):
    if len(bad) <= _NAMED_MAX:
        return bad
    return [*bad[: _NAMED_MAX - 1], f"and {len(bad) - _NAMED_MAX + 1} bad lines more; {bad[-1]}"]


def _take_last_run(reading):
    begins = [i for i in range(len(reading.records)) if _is_begin(reading.records, i)]
    if len(begins) > 1:
        reading.records = reading.records[begins[-1] :]
        reading.notes.append(f"there are {len(begins)} runs in it; this is the last")


def _is_begin(found, i):
    before, kind = found[i - 1]["type"] if i else None, found[i]["type"]
    return kind in _BEGIN and before not in _BEGIN[: _BEGIN.index(kind)]


def _is_unfinished(run):
    """A run that begins in the file must end there, too; a file may have only some of its lines."""
    kinds = {record["type"] for record in run}
    return not kinds.isdisjoint(_BEGIN) and "result" not in kinds


def _parse(line):
    return {name: _clean(value, name) for name, value in records.parse(line).items()}


def _clean(value, name):
    """The value without what harms the output.

    These are numbers that are infinite or too large, control characters, which a terminal would
    obey, and halves of surrogate pairs, which cannot be written.
    """
    if isinstance(value, dict):
        return {key: _clean(inner, name) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner, name) for inner in value]
    if isinstance(value, str):
        return "".join(c if _is_shown(c) else "\N{REPLACEMENT CHARACTER}" for c in value)
    if isinstance(value, int | float) and not (
        math.isfinite(value) and -_NUMBER_LIMIT < value < _NUMBER_LIMIT
    ):
        raise records.BadLine(f"{name} is out of range")
    return value


def _is_shown(character):
    code = ord(character)
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_lone_surrogate = 0xD800 <= code < 0xE000
    is_not_xml = code in (0xFFFE, 0xFFFF)
    return character == "\n" or not (is_control or is_lone_surrogate or is_not_xml)
