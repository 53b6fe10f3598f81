# SPDX-License-Identifier: MIT
"""Logs of consoles: what is not okram's is skipped, and what is missing is named."""

import json
import time

import pytest

from okramlib import (
    EXIT_ERROR,
    EXIT_LINES_LOST,
    EXIT_PASS,
    ROOT,
    Trouble,
    console_log,
    reading,
)
from tools.command import okram
from tools.sample_runs import make_run
from tools.samples import GOOD

RUN = make_run(bandwidth=False)
LINES = [json.dumps(record, separators=(",", ":")) for record in RUN]
FAULT = json.dumps({"t": 2, **next(r for r in GOOD if r["type"] == "fault")})
UP = "[-- Console up -- Thu Nov 26 01:12:00 2026]"
DOWN = "[-- Console down -- Thu Nov 26 01:11:00 2026]"
SOL = "[SOL Session operational.  Use ~? for help]"


def read(lines, end="\r\n"):
    text = "".join(line + end for line in lines)
    return reading.read_text(text, "console")


def with_line(index, line):
    return [*LINES[:index], line, *LINES[index:]]


WHOLE = {
    "ipmitool": ([SOL, *LINES, "[terminated ipmitool]"], 2),
    "conserver": ([UP, *LINES, "[-- MARK -- Thu Nov 26 02:00:00 2026]", DOWN], 3),
    "conserver's times": ([f"[Thu Nov 26 01:12:00 2026] {line}" for line in LINES], 0),
    "a system before and after": (["GRUB loading.", *LINES, "login: "], 2),
    "a mark within": (with_line(3, "[-- MARK -- Thu Nov 26 02:00:00 2026]"), 1),
    "noise within": (with_line(4, "\x00\xff\ufffd~~ }"), 1),
    "terminal controls": ([f"\x1b[2J\x1b[01;01H\x1b[0m{line}\x1b[K" for line in LINES], 0),
    "other controls": ([f"\x1b]0;title\x07\x1b(B\x0e{line}\x00\x00" for line in LINES], 0),
    "firmware without a line's end": (["BdsDxe: starting Boot0001" + LINES[0], *LINES[1:]], 0),
    "two on a line": ([LINES[0] + LINES[1], *LINES[2:]], 0),
    "carriage returns": ([line + "\r\r" for line in LINES], 0),
    "empty lines": ([part for line in LINES for part in (line, "", " ")], 0),
}


@pytest.mark.parametrize("lines, n_others", WHOLE.values(), ids=WHOLE)
def test_nothing_is_lost(lines, n_others):
    found = read(lines)
    assert found.records == RUN and found.problems == [] and found.lost == []
    said = [note for note in found.notes if "not okram's" in note]
    assert len(said) == (n_others > 0)
    if n_others:
        assert said[0].startswith("1 line is" if n_others == 1 else f"{n_others} lines are")


def test_all_in_one_line():
    """Where a console keeps carriage returns only."""
    assert read(["\r".join(LINES[:9])]).records == RUN[:9]


CUT = {
    "the end of a line": with_line(2, FAULT[:40]),
    "the beginning": with_line(2, FAULT[40:]),
    "a few characters": with_line(2, '00"}'),
    "the middle": with_line(2, FAULT[20:40]),
    "a line's end, the next one's beginning": [*LINES[:2], FAULT[:40] + LINES[2], *LINES[3:]],
    "around the session's own lines": with_line(
        2, f"{FAULT[:40]}\r\n{DOWN}\r\n{SOL}\r\n{FAULT[40:]}"
    ),
    "a session that began again": with_line(2, SOL),
    "the same by conserver": with_line(2, f"{DOWN}\r\n{UP}"),
    "the same by FreeIPMI": with_line(2, "[SOL established]"),
    "in a session's line": with_line(2, FAULT[:40] + SOL),
}


@pytest.mark.parametrize("lines", CUT.values(), ids=CUT)
def test_lines_are_lost(lines):
    """The rest is there. Two pieces never become a record: what is missing may be a digit."""
    found = read(lines)
    assert found.records == RUN and found.problems == []
    assert found.lost and all(sentence.startswith("line ") for sentence in found.lost)


def test_what_was_lost_of_another_run_does_not_count():
    first = [LINES[0], FAULT[:40], SOL, *LINES[1:]]
    assert read(first).lost
    assert read([*first, *LINES]).lost == []
    assert len(read([*LINES, *first]).lost) == 2


def test_a_run_whose_first_lines_are_missing():
    """It begins after the result of another one."""
    found = read([*LINES, SOL, *LINES[3:]])
    assert found.records == RUN[3:]
    assert found.lost == [f"line {len(LINES) + 2}: the first lines of this run are missing"]


def test_without_a_result_it_is_an_error():
    found = read([*LINES[:4], SOL])
    assert found.lost == [] and len(found.problems) == 1 and "began again" in found.problems[0]
    found = read([*LINES[:4], FAULT[:40], SOL, LINES[5]])
    assert found.lost == [] and len(found.problems) == 3


def test_a_record_against_the_schema_is_an_error():
    found = read(with_line(2, "[Thu Nov 26 01:12:00 2026] " + FAULT.replace('"cpu"', '"cup"')))
    assert found.records == RUN and len(found.problems) == 1 and found.lost == []


@pytest.mark.parametrize(
    "lines, code",
    [([SOL, *LINES], EXIT_PASS), (with_line(2, SOL), EXIT_LINES_LOST), (LINES[:4], EXIT_ERROR)],
)
def test_exit_code(tmp_path, lines, code):
    log = tmp_path / "console.log"
    log.write_text("".join(line + "\r\n" for line in lines))
    assert okram("report", str(log)).returncode == code
    page = okram("report", str(log), "--html")
    assert page.returncode == code and ("began again" in page.stdout) == (code == EXIT_LINES_LOST)
    assert okram("report", "--compare", str(log), str(log)).returncode == code


@pytest.mark.parametrize(
    "name, code, why",
    [
        ("ipmitool.log", EXIT_PASS, "5 lines are not okram's"),
        ("conserver.log", EXIT_PASS, "lines are not okram's"),
        ("resumed.log", EXIT_LINES_LOST, "a session began again"),
    ],
)
def test_recorded(name, code, why):
    """Of a machine in QEMU behind ipmi_sim (tests/system/sol.py)."""
    ran = okram("report", str(ROOT / "tests" / "data" / "consoles" / name))
    assert ran.returncode == code and why in ran.stderr
    assert ran.stdout.splitlines()[-1] == "badram=0x2000000,0xffffffffff000"


@pytest.mark.parametrize(
    "line",
    ['{"t":' * 200_000, '{"t":1,"a":"' * 80_000, "\x1b]" * 500_000, "\x1b[" * 500_000, "[" * 10**6],
)
def test_a_hostile_line_takes_little_time(line):
    begin = time.monotonic()
    with pytest.raises(Trouble):
        read([line])
    console_log.split(line)
    assert time.monotonic() - begin < 5
