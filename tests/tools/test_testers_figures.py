# SPDX-License-Identifier: MIT
"""Figures and results of the comparison of testers (tests/testers)."""

import argparse
import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from okramlib import Trouble, schema, version
from okramlib.qmp import NoAnswer
from okramlib.units import PAGE
from testers import faults, figures, linux, run, table, trial
from testers.linux import take_line
from testers.machine import machine
from testers.memtest86 import Image, take_screen
from testers.okram import take_record
from testers.reader import Told, pages_taken, patterns_of


def row(fault=1, end="found", **more):
    given = {"fault": fault, "end": end, "cpu_s": 10.0, "writes": 4, "page": None, "limit_s": 60}
    given |= {"together": 1, "date": "2026-11-28", "release": None}
    given |= {"preallocated": True, "from_entry": True}
    return {**given, **more}


def test_score():
    rows = [
        row(page="right", cpu_s=2.0, writes=1),
        row(page="wrong", cpu_s=4.0, writes=3),
        row(page="untold", cpu_s=9.0, writes=9),
        row(end="passed"),
        row(end="limit"),
        row(end="failed"),
        row(end="silent"),
    ]
    score = figures.score(rows)
    assert (score.runs, score.found, score.limit, score.failed) == (7, 3, 1, 2)
    assert (score.right, score.wrong, score.untold) == (1, 1, 1)
    assert (score.cpu_s, score.writes) == (4.0, 3)
    low, high = score.interval
    assert low < 3 / 7 < high


def test_seconds_are_of_faults_that_were_alone():
    rows = [row(cpu_s=2.0, writes=1), row(cpu_s=80.0, writes=3, together=9)]
    score = figures.score(rows)
    assert (score.found, score.cpu_s, score.writes) == (2, 2.0, 2)
    both = figures.pair({1: rows[0], 2: rows[0]}, {1: row(cpu_s=4.0), 2: rows[1]})
    assert (both.both, both.cpu_ratio, both.writes_ratio) == (2, 2.0, 3.5)


def test_score_of_nothing():
    score = figures.score([])
    assert (score.runs, score.cpu_s, score.interval) == (0, None, (0.0, 1.0))


def test_pair():
    first = {1: row(cpu_s=2.0), 2: row(), 3: row(end="passed"), 4: row(), 9: row()}
    second = {1: row(cpu_s=8.0), 2: row(end="limit"), 3: row(), 4: row(end="passed"), 8: row()}
    both = figures.pair(first, second)
    assert (both.faults, both.both, both.unfinished) == (4, 1, 1)
    assert [len(both.first_only), len(both.second_only)] == [2, 1]
    assert both.cpu_ratio == 4.0
    assert (both.cpu_ahead, both.writes_ahead) == ((1, 0, 0), (0, 1, 0))


@pytest.mark.parametrize(
    "other", [{"date": "2026-11-26"}, {"preallocated": False}, {"from_entry": False}]
)
def test_seconds_of_another_day_or_machine_are_not_compared(other):
    both = figures.pair({1: row(cpu_s=2.0)}, {1: row(cpu_s=8.0, **other)})
    assert (both.cpu_ratio, both.cpu_ahead, both.writes_ratio) == (None, (0, 0, 0), 1)


def test_found_by():
    rows = [row(cpu_s=5.0), row(cpu_s=1.0), row(end="passed"), row(end="limit")] * 5
    rows += [row(together=2), row(from_entry=False), row(preallocated=False)]
    assert figures.found_by(rows, "cpu_s") == [(1.0, 0.25), (5.0, 0.5)]
    assert figures.found_by(rows, "writes") == [(4, 13 / 23)]
    assert figures.found_by(rows[1:], "cpu_s") == [], "too few"


def test_what_only_others_find():
    ours = {1: row(1), 2: row(2, "passed"), 3: row(3, "limit"), 4: row(4, "failed")}
    others = {"a": {n: row(n) for n in (1, 2, 9)}, "b": {2: row(2), 3: row(3), 4: row(4, "limit")}}
    found = figures.only_others(ours, others)
    assert [(of["fault"], names) for of, names in found] == [(2, ["a", "b"]), (3, ["b"])]
    assert figures.only_others({}, others) == []


@pytest.mark.parametrize(
    ("spec", "more", "why"),
    [
        ("fade@0x16.0:0.1", {"place": faults.LOW}, "below 1 MiB only what comes again"),
        ("lapse@0x16.0:100/97", {}, "fails at one store of 100; a pass has 4"),
        ("lapse@0x16.0:100/36", {}, "fails at store 64; a pass has 4"),
        ("fade@0x16.0:2.01", {}, "holds its data for 2.0 s; a pass waits 2 s"),
        ("leak@0x16.0:98.05/010", {}, "holds its data for 98.0 s"),
        ("leak@0x16.0:2.00/010", {}, "a pass tries two of the eight states"),
        ("couple@0x1.0>0x2.0:f/0", {"kind": "linked, two aggressors"}, "one coupling undoes"),
        ("one-cpu@0x2.0:1", {"kind": "by one CPU only"}, "by chance: which CPU stores"),
        ("misread@0x2.0:1000", {"kind": "misread, 1 in 1000"}, "by chance: one load in 1000"),
        ("couple@0x1.0>0x2.0:r/0/0x3.0=0", {"kind": "three cells"}, "by chance: the data"),
        ("stuck0@0x16.0", {}, ""),
        ("fade@0x16.0:9.00", {"end": "limit"}, "cut off"),
        ("fade@0x16.0:9.00", {"end": "silent"}, "did not run"),
    ],
)
def test_why_a_fault_is_missed(spec, more, why):
    told = table._why_missed({**row(end="passed", spec=spec, kind="", place=""), **more})
    assert told.startswith(why) and bool(told) == bool(why)


def test_builds_of_a_tester():
    builds = ("a" * 12, "a" * 12, "b" * 12, "")
    rows = [row(n, version="1", program=build) for n, build in enumerate(builds)]
    assert table._version("okram-quick", rows) == "1 (aaaaaa: 2, bbbbbb: 1 of 4)"
    assert table._version("okram-quick", [row(version="1", program="")]) == "1"
    assert table._version("memtester", rows) == "1"


def test_what_is_missing(tmp_path):
    testers = [run.TESTERS["okram-quick"], run.TESTERS["memtester"]]
    path = tmp_path / "results"
    path.write_text(
        "".join(
            run.line_of(one)
            for one in (
                row(0, "passed", tester="okram-quick", cpu_s=400.0),
                row(1, "limit", tester="okram-quick", limit_s=60),
                row(1, "limit", tester="memtester", limit_s=3600),
                row(2, "passed", tester="memtester"),
            )
        )
    )
    done = run.read_results(path)
    assert run.limit_of("okram-quick", done, 3600) == 600
    assert run.limit_of("memtester", done, 3600) == 3600
    left = [
        (drawn.number if drawn else 0, tester.name)
        for drawn, tester in run.missing({0, 1, 2}, testers, done, lambda _: 3600)
    ]
    # A shorter limit than it may have now ended one of them.
    assert left == [(0, "memtester"), (1, "okram-quick"), (2, "okram-quick")]


def test_more_passes_are_for_what_one_does_not_find():
    done = {
        (number, "okram-standard"): row(number, end)
        for number, end in enumerate(("passed", "found", "passed", "failed"))
    }
    several = run.TESTERS["okram-standard-3-passes"]
    left = run.missing(set(range(6)), [several], done, lambda _: 3600)
    assert [drawn.number if drawn else 0 for drawn, _ in left] == [0, 2]


def test_results_are_by_their_schema():
    check = schema.checker(json.loads(run.SCHEMA.read_text()))
    lines = [json.loads(line) for line in run.RESULTS.read_text().splitlines()]
    for line in lines:
        check(line)
    whole = next(iter(run.read_results(run.RESULTS).values()))
    for bad in (
        {"fault": -1},
        {"end": "lost"},
        {"page": "none"},
        {"together": 0},
        {"date": "today"},
        {"preallocated": 1},
        {"from_entry": 1},
    ):
        with pytest.raises(schema.Violation):
            check(list({**whole, **bad}.values()))
    with pytest.raises(schema.Violation):
        check([*whole.values(), 1])


def test_older_results_lack_fields(tmp_path):
    path = tmp_path / "results"
    given = {"tester": "a", "preallocated": True, "program": "0123456789ab", "from_entry": True}
    lines = [json.loads(run.line_of(row(n, **given))) for n in (1, 2, 3, 4)]
    path.write_text("".join(json.dumps(line[: 20 + n]) + "\n" for n, line in enumerate(lines)))
    rows = run.read_results(path)
    later = ("preallocated", "program", "from_entry")
    assert [[rows[n, "a"][name] for name in later] for n in (1, 2, 3, 4)] == [
        [False, "", False],
        [True, "", False],
        [True, "0123456789ab", False],
        [True, "0123456789ab", True],
    ]


def test_what_another_build_gave_is_run_again(monkeypatch):
    monkeypatch.setattr(run, "program_of", lambda tester: "new")
    builds = ("new", "old", "", "old")
    done = {(n, "okram-quick"): row(n, program=program) for n, program in enumerate(builds)}
    for again, numbers in ((True, [1, 2, 3, 4]), (False, [4])):
        left = run.missing(set(range(5)), [run.TESTERS["okram-quick"]], done, lambda _: 60, again)
        assert [drawn.number for drawn, _ in left] == numbers


def test_faults_of_another_release_do_not_count(tmp_path):
    path = tmp_path / "results"
    rows = [
        row(231, "passed", tester="a", release=version()),
        row(231, tester="a", release="0"),
        row(1, tester="a"),
    ]
    path.write_text("".join(run.line_of(one) for one in rows))
    assert {key: one["end"] for key, one in run.read_results(path).items()} == {
        (231, "a"): "passed",
        (1, "a"): "found",
    }


@pytest.mark.parametrize("line", ["{", '{"fault": 1}', "[]"])
def test_results_that_cannot_be_read(tmp_path, line):
    path = tmp_path / "results"
    path.write_text(line + "\n")
    with pytest.raises(Trouble, match="line 1 is not a result"):
        run.read_results(path)
    assert run.read_results(tmp_path / "nowhere") == {}


def test_numbers_of_faults():
    assert run._numbers("3-5,1", 9) == {1, 3, 4, 5}
    assert run._numbers("", 2) == {0, 1, 2}
    for bad in ("x", "1-", "10", "-3"):
        with pytest.raises(Trouble, match="is not a number from 0 to 9"):
            run._numbers(bad, 9)


def test_pages_of_a_line():
    text = "badram=0x0000000002801230,0xfffffffffffffff8,\n  0x3000000,0xffffffffffffe000"
    patterns = patterns_of(text)
    assert patterns == [(0x2801230, 0xFFFFFFFFFFFFFFF8), (0x3000000, 0xFFFFFFFFFFFFE000)]
    assert pages_taken(patterns, [(0, 64 << 20)]) == 3
    assert pages_taken(patterns, [(0, 40 << 20)]) == 0


SCREEN = """      Memtest86+ v7.20      | QEMU TCG CPU version 2.5+
CLK/Temp: 2000MHz    N/A    | Pass 12% ####
L1 Cache:   64KB  1.0 GB/s  | Test 15% ######
L2 Cache:  512KB  1.0 GB/s  | Test #3  [Moving inversions, 1s & 0s]
L3 Cache:   N/A             | Testing: 1MB - 256MB [255MB of 255MB]
Memory  :  255MB  1.0 GB/s  | Pattern: 0xffffffff
--------------------------------------------------------------------------------
CPU: SMP: 2T (PAR)          | Time:  0:00:12  Status: {status}
Using: 2 CPUs               | Pass:  {passes}        Errors: {errors}
--------------------------------------------------------------------------------
{found}"""
RAM = [(0, 0, 64 << 20)]


def screen(status="Testing", passes=0, errors=0, found=""):
    told = Told()
    text = SCREEN.format(status=status, passes=passes, errors=errors, found=found)
    take_screen(text.splitlines(), told, RAM)
    return told


def test_screen_without_errors():
    told = screen()
    assert (told.version, told.has_begun, told.has_found, told.has_ended) == (
        *("7.20", True),
        *(False, False),
    )
    assert screen(passes=1).has_ended


def test_screen_with_errors():
    told = screen(errors=2, found="  0      0    3   000002801230 (40.01MB)  ffffffffffffffff")
    assert (told.has_found, told.addr, told.given_up) == (True, 0x2801230, None)
    assert not told.has_named_all
    assert screen(errors=1, found="  0  0  3   000002801230 (40.01MB)").has_named_all
    told = screen(errors=2, found="badram=0x0000000002801230,0xfffffffffffffff8")
    assert (told.has_found, told.addr, told.given_up) == (True, None, 1)
    told = screen(errors=2)
    assert (told.has_found, told.addr) == (True, None)


def test_screen_that_is_none():
    told = Told()
    take_screen(["Welcome to GRUB!", ""], told, RAM)
    assert told == Told(said=["Welcome to GRUB!"])
    take_screen(["Unexpected interrupt on CPU 0"], told, RAM)
    assert told.why == "it halted"


def test_records():
    told = Told()
    take_record({"type": "alias", "addr": "0x3000"}, told)
    assert told.addr == 0x3000
    told = Told()
    take_record({"type": "start", "version": "1.2"}, told)
    assert told.has_begun and told.version == "1.2"
    take_record({"type": "badram", "bad_pages": 0, "sacrificed_pages": 0, "patterns": []}, told)
    assert not told.has_found
    line = {"type": "badram", "bad_pages": 1, "sacrificed_pages": 2}
    take_record({**line, "patterns": [["0x2801000", "0xffffffffff000"]]}, told)
    assert told.addr == 0x2801000
    told = Told(has_begun=True, version="1.2")
    take_record({"type": "fault", "addr": "0x2801230"}, told)
    take_record({"type": "fault", "addr": "0x1000"}, told)
    take_record({**line, "patterns": [["0x1000", "0xffffffffff000"]]}, told)
    assert (told.addr, told.given_up, told.has_ended) == (0x2801230, 2, False)
    take_record({"type": "result", "status": "fail"}, told)
    assert told.has_ended and not told.why
    take_record({"type": "result", "status": "error"}, told)
    assert told.why


def test_lines_of_programs_in_linux():
    told = Told()
    take_line("memtester", "testers: begin", told)
    take_line("memtester", "memtester version 4.6.0 (64-bit)", told)
    assert told.has_begun and told.version == "4.6.0" and not told.has_found
    take_line("memtester", "FAILURE: 0x10 != 0x00 at offset 0x00000010.", told)
    assert (told.has_found, told.addr) == (True, None)
    take_line("memtester", "testers: end 4", told)
    assert told.has_ended and not told.why

    told = Told(has_begun=True)
    take_line("stressapptest", "Report Error: miscompare : DIMM Unknown : 1 : 3s", told)
    assert not told.has_found
    text = "Hardware Error: miscompare on CPU 0(0x1) at 0x7f3bb54ff010(0x2801230:DIMM Unknown)"
    take_line("stressapptest", text, told)
    assert (told.has_found, told.addr, told.pages) == (True, 0x2801230, set())
    told.bad_pages = frozenset({0x2801230 // 8})
    take_line("stressapptest", text, told)
    assert told.pages == told.bad_pages, "a page's number times 8"
    told = Told(has_begun=True, bad_pages=frozenset({0x2801}))
    take_line("stressapptest", text, told)
    assert told.pages == told.bad_pages, "from 1.0.11 on an address"
    take_line("stressapptest", "testers: end 139", told)
    assert told.why == "stressapptest was ended by signal 11"
    told = Told(has_begun=True)
    take_line("stressapptest", "testers: end 1", told)
    assert told.why == "stressapptest ended with 1"
    take_line("stressapptest", "Process Error: CPU 0(0x1) CRC mismatch 1 != 2, but no", told)
    assert (told.has_found, told.addr) == (True, None)
    take_line("memtester", "Kernel panic - not syncing: no init", told)
    assert told.why == "Linux failed"


def test_the_document_has_the_results():
    document = table.DOCUMENT.read_text()
    results = run.read_results(run.RESULTS)
    assert table.with_tables(document, results) == document, "run make testers-docs"
    for curve in (table.WRITES, table.SECONDS):
        assert curve.path.read_text() == table.plot(results, curve) + "\n", "run make testers-docs"


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (("found", "found"), "No other program found more"),
        (("found", "limit"), "No other program found more"),
        (("passed", "found"), "memtester, one loop found more of the same faults"),
        (("passed", "limit"), "memtester, one loop might have, in the runs that were cut off"),
        (("passed", "passed"), "No other program found more"),
    ],
)
def test_who_finds_more(ends, sentence):
    whole = run.read_results(run.RESULTS)[1, "okram-standard"]
    testers = ("okram-standard", "memtester")
    results = {
        (1, name): {**whole, "tester": name, "end": end}
        for name, end in zip(testers, ends, strict=True)
    }
    text = table.tables(results, "summary")
    assert sentence in text and f"found {int(ends[0] == 'found')} of 1 of the 230 faults" in text
    assert ("might have" in text) == ("might have" in sentence)


GROUP = faults.groups(faults.draw(), 3, (0, 0))[0]
PAGES = [min(faults.place(drawn, (0, 0)).pages) for drawn in GROUP]
ABOUT = {"kind": "", "place": "", "why": "", "seconds": 1.0, "tester": "okram-quick"}


def watched(monkeypatch, named, end="passed", has_found=True, has_named_all=False):
    """named: {page: seconds}."""
    told = Told(version="1", has_found=has_found, pages=set(named), has_named_all=has_named_all)
    moments = trial.Moments(
        now=trial.Moment(90, 80.0, 70),
        begun=trial.Moment(10, 5.0, 2),
        named={page: trial.Moment(at, at / 2, at // 4) for page, at in named.items()},
    )
    tester = run.TESTERS["okram-quick"]
    result = trial._Watched(tester, told, moments, end, 100, 0.5)
    monkeypatch.setattr(trial, "_watch", lambda *_: result)
    rows = trial.run_together(tester, GROUP, 100)
    return [(row["fault"], row["end"], row["cpu_s"], row["writes"]) for row in rows]


def test_faults_in_one_machine(monkeypatch):
    found = watched(monkeypatch, {PAGES[1]: 40, 5: 20})
    assert found == [(GROUP[1].number, "found", 15.0, 8)], "others may not have been seen"
    numbers = [drawn.number for drawn in GROUP]
    all_named = watched(monkeypatch, {PAGES[1]: 40}, has_named_all=True)
    assert [end for _, end, _, _ in all_named] == ["passed", "found", "passed"]
    astray = watched(monkeypatch, {PAGES[1]: 40, 5: 20}, has_named_all=True)
    assert len(astray) == 1, "page 5 is of none of them, and may be told for one"
    none = watched(monkeypatch, {}, has_found=False)
    assert none == [(number, "passed", 75.0, 68) for number in numbers]
    cut_off = watched(monkeypatch, {}, end="limit", has_found=False)
    assert cut_off == [(number, "limit", 75.0, 68) for number in numbers]
    assert watched(monkeypatch, {}) == [], "a fault without a page"
    assert watched(monkeypatch, {}, end="failed", has_found=False) == []


@pytest.mark.parametrize(
    ("addr", "page"), [(None, "untold"), (PAGES[0] * PAGE, "right"), (PAGES[0], "wrong")]
)
def test_the_page_of_one_of_several(addr, page):
    told = Told(bad_pages=frozenset(PAGES), addr=addr)
    assert trial._judge(told, faults.place(GROUP[1], (0, 0)), len(GROUP)) == page


def test_what_a_run_does_not_name_is_in_another(monkeypatch, tmp_path):
    cut_off = [row(drawn.number, "limit", tester="okram-quick", limit_s=20) for drawn in GROUP]
    cut_off.append(row(0, "passed", tester="okram-quick", cpu_s=100.0))
    path = tmp_path / "results"
    path.write_text("".join(run.line_of(one) for one in cut_off))
    groups = []

    def together(tester, group, limit_s):
        groups.append([drawn.number for drawn in group])
        assert limit_s == 600, "six whole passes"
        return [new(group[0])] if len(groups) == 1 else []

    def new(drawn):
        return {**row(drawn.number), **ABOUT}

    monkeypatch.setattr(run, "run_together", together)
    monkeypatch.setattr(run, "run_trial", lambda tester, drawn, limit_s: new(drawn))
    numbers = [drawn.number for drawn in GROUP]
    given = {"results": path, "hours": 1, "faults": ",".join(map(str, numbers))}
    given |= {
        "testers": "okram-quick",
        "image": [],
        "limit": 900.0,
        "alone": 20.0,
        "group": 48,
        "again": False,
    }
    assert run.run_all(argparse.Namespace(**given)) == 3
    assert groups == [numbers, numbers[1:]]
    assert run.run_all(argparse.Namespace(**given)) == 0


@pytest.mark.parametrize("most", [2, 3])
def test_faults_in_one_machine_at_most(monkeypatch, tmp_path, most):
    """With 2 of the three faults in one machine, the third is alone."""
    groups = []

    def together(tester, group, limit_s):
        groups.append(len(group))
        return [{**row(drawn.number), **ABOUT} for drawn in group]

    monkeypatch.setattr(run, "run_together", together)
    monkeypatch.setattr(run, "run_trial", lambda t, drawn, limit_s: {**row(drawn.number), **ABOUT})
    given = {"results": tmp_path / "results", "hours": 1, "testers": "okram-quick", "image": []}
    given |= {
        "faults": ",".join(str(drawn.number) for drawn in GROUP),
        "limit": 900.0,
        "again": False,
    }
    assert run.run_all(argparse.Namespace(**given, alone=0.0, group=most)) == 3
    assert groups == [most]


@pytest.mark.parametrize("is_pass_known", [True, False])
def test_a_group_that_is_cut_off(monkeypatch, tmp_path, is_pass_known):
    """Where a pass is known to be shorter, a fault holds it up: the others are not decided."""
    path = tmp_path / "results"
    good = row(0, "passed", tester="okram-quick", cpu_s=100.0)
    path.write_text(run.line_of(good) if is_pass_known else "")
    alone = []

    def trial_of(tester, drawn, limit_s):
        alone.append(drawn.number)
        return {**row(drawn.number), **ABOUT}

    def together(tester, group, limit_s):
        return [{**row(one.number, "limit", limit_s=limit_s), **ABOUT} for one in group]

    monkeypatch.setattr(run, "run_together", together)
    monkeypatch.setattr(run, "run_trial", trial_of)
    numbers = [drawn.number for drawn in GROUP]
    given = {"results": path, "hours": 1, "faults": ",".join(map(str, numbers))}
    given |= {
        "testers": "okram-quick",
        "image": [],
        "limit": 900.0,
        "alone": 0.0,
        "group": 48,
        "again": False,
    }
    assert run.run_all(argparse.Namespace(**given)) == 3
    assert alone == (numbers if is_pass_known else [])


class Idle:
    """A machine, its clock, which goes on by ten seconds, and a tester that never begins or, as one
    without a serial port, never says so."""

    name, gives_badram, after, program = "idle", False, None, Path("nowhere")

    def __init__(self, cpu_share):
        self.seconds, self.cpu_share = 0, cpu_share

    def own(self):
        return 0, 0

    def machine(self, made, ends_at):
        return machine(made)

    def entry(self):
        return None

    def now(self):
        self.seconds += 10
        return trial.Moment(self.seconds, self.seconds * self.cpu_share, 0)

    begun = now

    def poll(self, qemu, told):
        pass

    def wait(self, seconds):
        return None


class Hung(Idle):
    """It has begun, says nothing more, and hardly uses a CPU."""

    def poll(self, qemu, told):
        told.has_begun = True


class Waiting(Hung):
    """The same with a clock on its screen."""

    def poll(self, qemu, told):
        super().poll(qemu, told)
        told.said = [f"Time: {self.seconds}"]
        told.has_ended = self.seconds > 10 * trial.WAITS_LIMIT_S


@pytest.mark.parametrize(
    ("tester", "end", "why"),
    [
        (Idle(0.08), "silent", "it halted before it began to test"),
        (Idle(1.0), "silent", "no sign of a test in 180 s"),
        (Hung(0.001), "limit", "it hangs, or waits longer than any test does"),
        (Hung(1.0), "limit", ""),
        (Waiting(0.001), "passed", ""),
    ],
)
def test_a_tester_that_says_nothing(monkeypatch, tester, end, why):
    """A row says so."""
    monkeypatch.setattr(trial, "Qemu", lambda _: contextlib.nullcontext(tester))
    monkeypatch.setattr(trial, "Clock", lambda _qemu, _log: tester)
    row = trial.run_trial(tester, faults.draw()[0], 100)
    assert (row["end"], row["why"], row["page"], row["writes"]) == (end, why, None, 0)
    schema.checker(json.loads(run.SCHEMA.read_text()))(json.loads(run.line_of(row)))


class Process:
    """QEMU, as its clock sees it: this process, and a witness that is stored to all the time."""

    pid, stores = os.getpid(), 0

    def witness_stores(self):
        self.stores += 1
        return self.stores


def test_a_run_begins_with_the_last_entry(tmp_path):
    """GRUB has been there before, and a tester that moves comes there again."""
    log, process = tmp_path / "log", Process()
    log.touch()
    clock = trial.Clock(process, log)
    seen = []
    for n in (1, 2):
        log.write_text("x" * n)
        while clock._entered in (None, *seen):
            time.sleep(0.001)
        seen.append(clock._entered)
    process.stores = 1000
    assert clock.begun() == seen[1] and seen[1].stores < 1000
    log.write_text("xxx")
    time.sleep(10 * trial._ENTRY_POLL_S)
    assert clock.begun() == seen[1]


def test_a_run_begins_when_it_is_seen():
    clock = trial.Clock(Process(), Path("/nowhere"))
    before = clock.now()
    assert clock.begun().stores > before.stores


@pytest.mark.parametrize(
    ("tester", "entry"), [("memtest86+-8.10", 1 << 20), ("memtester", None), ("mine", None)]
)
def test_where_a_tester_is_entered(tester, entry):
    known = {**run.TESTERS, "mine": Image("mine", __file__)}
    assert known[tester].entry() == entry


class Broken:
    """It does not run even on good memory, and its machine is not started."""

    name, gives_badram, after, program = "broken", False, None, Path("nowhere")

    def own(self):
        raise Trouble("it does not run")

    def machine(self, made, ends_at):
        raise OSError("no such file")


@pytest.mark.parametrize("place", ["elsewhere", faults.OWN])
def test_a_tester_that_is_not_started(place):
    """A row, and the others go on."""
    drawn = next(one for one in faults.draw() if one.place == place)
    row = trial.run_trial(Broken(), drawn, 100)
    assert (row["fault"], row["end"]) == (drawn.number, "failed")
    assert row["why"] == "it was not started: no such file"
    schema.checker(json.loads(run.SCHEMA.read_text()))(json.loads(run.line_of(row)))


class Busy(Idle):
    """A machine that does not answer at first, on a busy host."""

    n_polls = 0

    def poll(self, qemu, told):
        self.n_polls += 1
        if self.n_polls < 3:
            raise NoAnswer("QEMU does not answer within 31 s.")
        told.has_begun = told.has_ended = True


def test_a_machine_that_answers_late():
    busy, told = Busy(1.0), Told()
    moments = trial.Moments(trial.Moment(0, 0.0, 0))
    assert trial._follow(busy, busy, told, busy, moments, 100, trial.FIRST, []) == "passed"
    assert told.why == ""


@pytest.mark.parametrize(("name", "ends_at"), [("okram-quick", "wide"), ("memtester", "first")])
def test_only_what_gives_a_line_goes_on(monkeypatch, name, ends_at):
    seen = []

    def watch(tester, placed, limit_s, ends_at):
        seen.append(ends_at)
        moments = trial.Moments(trial.Moment(1, 1.0, 1))
        return trial._Watched(tester, Told(), moments, "passed", limit_s, 0.0)

    monkeypatch.setattr(trial, "_watch", watch)
    column = next(drawn for drawn in faults.draw() if drawn.kind == "column")
    trial.run_trial(run.TESTERS[name], column, 100)
    assert seen == [ends_at]


def test_where_linux_is_unpacked(monkeypatch, tmp_path):
    kernel = tmp_path / "vmlinuz"
    kernel.write_bytes(bytes(0x260) + (0x3378000).to_bytes(4, "little"))
    monkeypatch.setattr(linux, "VMLINUZ", kernel)
    assert run.TESTERS["memtester"].start() == range(0x1000000, 0x4378000)
