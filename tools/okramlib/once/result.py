# SPDX-License-Identifier: MIT
"""What came of the test at the last start: the report in UEFI variables, in a few lines.

Anybody can write variables, so each field that is used is looked at. It needs no module of others:
the unit okram-result runs it at a start.
"""

import json
from dataclasses import dataclass

from .. import (
    EXIT_BAD_PAGES,
    EXIT_CORRECTED,
    EXIT_ERROR,
    EXIT_PASS,
    EXIT_UNFINISHED,
    copied,
    output,
    saved,
    varstore,
)
from ..units import count, format_size
from . import text_of
from .start import report_crc, state_file

_CODES = {
    "pass": EXIT_PASS,
    "fail": EXIT_BAD_PAGES,
    "corrected": EXIT_CORRECTED,
    "stopped": EXIT_UNFINISHED,
    "error": EXIT_ERROR,
}
_VERDICTS = {
    "pass": "PASS: no bad page found",
    "corrected": "ECC corrected errors of memory",
    "stopped": "stopped before a whole pass; no bad page found until then",
    "error": "the test ended with an error",
}
_NOT_STARTED = (
    "okram did not start, or did not come far enough to leave a report: firmware has ignored the"
    " entry, Secure Boot has refused it, or the computer hung or was switched off."
)


@dataclass
class Result:
    code: int
    lines: list  # for people
    is_bad: bool = False  # faults were found


def read(arguments):
    """The Result of the test that was last; the report may be older where no test is known of."""
    noted = state_file(arguments).read()
    if noted and report_crc(arguments.efivars) == noted.get("report"):
        return Result(EXIT_ERROR, [_NOT_STARTED])
    kept = saved.decode(varstore.read(arguments.efivars, saved.NAME))
    if not kept.head:
        return Result(EXIT_ERROR, [*_sentences(kept.problems), "There is no report of okram."])
    return _of_records(_last_of_each(kept.jsonl), _sentences(kept.problems))


def _sentences(problems):
    return [f"{output.line(problem)}." for problem in problems]


def _last_of_each(jsonl):
    """{type: its last record}."""
    found = {}
    for line in jsonl.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            found[text_of(record, "type")] = record
    return found


def _of_records(found, problems):
    state, result = found.get("state", {}), found.get("result", {})
    status = text_of(result, "status") or text_of(state, "status")
    started = text_of(state, "started").replace("T", " ")
    begin = f"okram's memory test{f' of {started}' if started else ''}"
    lines = [*problems, f"{begin}: {_verdict(state, result, status)}."]
    if advice := text_of(found.get("advice", {}), "text"):
        lines.append(advice)
    if line := _badram(found.get("badram", {})):
        lines.append(line)
    is_bad = status == "fail" or bool(_number(state, "bad_pages"))
    code = EXIT_BAD_PAGES if is_bad else _CODES.get(status, EXIT_UNFINISHED)
    if code == EXIT_PASS and not _is_complete(state, result):
        code = EXIT_UNFINISHED
    return Result(code, [output.line(line) for line in lines], is_bad)


def _verdict(state, result, status):
    bad = _number(result, "bad_pages") or _number(state, "bad_pages")
    if status == "fail" or (bad and not status):
        found = count(bad, "bad page") if bad else "uncorrected errors of memory"
        return f"FAIL: {found}{'' if status else ', and the test did not come to its end'}"
    if not status:
        tested = format_size(_number(state, "tested_bytes"))
        ran = text_of(state, "test")
        where = f" It was in the test {ran}, with {tested} tested" if ran else ""
        return f"it did not come to its end: the computer hung, or was switched off.{where}"
    if status == "pass" and not _is_complete(state, result):
        return "no bad page found, but not all memory was tested"
    return _VERDICTS.get(status, "its result is unknown")


def _is_complete(state, result):
    """Of all memory, not of a part. The state has it in a report that is the verdict alone."""
    return (result or state).get("complete") is True and not result.get("part_of_bytes")


def _badram(record):
    """ "": none, or not what okram writes."""
    if not isinstance(record.get("patterns"), list) or not text_of(record, "line"):
        return ""
    line, _ = copied.other({"name": "grub", "text": record["line"]})
    return line


def _number(record, name):
    value = record.get(name)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value > 0 else 0
