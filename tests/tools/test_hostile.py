# SPDX-License-Identifier: MIT
"""Input that was made to harm: what it cost, what it made this tool print, and where it ended."""

import csv
import io
import json
import os
import random
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from okramlib import ROOT, copied, csv_rows, output, reading, units
from okramlib.guard import MASKED, STATUS, lists
from okramlib.units import PAGE
from tools import guard_samples
from tools.command import okram
from tools.sample_runs import make_run
from tools.samples import GOOD

OF_TYPE = {record["type"]: {"t": 1, **record} for record in GOOD}
PLAIN = [OF_TYPE[kind] for kind in ("start", "machine", "badram", "result")]

MIB = 1 << 20


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def limited(*arguments, mib, seconds=60, **options):
    """The command with so much memory for data, and seconds of CPU."""

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (mib * MIB, mib * MIB))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return subprocess.run(
        [sys.executable, ROOT / "tools" / "okram", *arguments],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        **options,
    )


# --- lines that are copied ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, why",
    [
        ("badram=0x1000,0xffffffffff000;reboot", "does not match"),
        ('badram=0x1000,0xffffffffff000"\nGRUB_CMDLINE_LINUX="init=/bin/sh', "does not match"),
        ("badram=0x1000,0xffffffffff000\n", "does not match"),
        ("badram=$(reboot)", "does not match"),
        ("badram=0x1000", "does not match"),
        ("badram=0x2000,0xffffffffff000", "not that of its patterns"),
        ("badram=0x1000,0xffffffffff000,0x2000,0xffffffffff000", "not that of its patterns"),
        ("", "not that of its patterns"),
    ],
)
def test_a_badram_line_that_is_not_that_of_its_patterns(tmp_path, line, why):
    changed = {**OF_TYPE["badram"], "line": line}
    path = written(tmp_path / "run.jsonl", [OF_TYPE["start"], changed, OF_TYPE["result"]])
    for form in ([], ["--html", "-"]):  # its page: test_viewer.py
        ran = okram("report", *form, path)
        assert ran.returncode == 2 and why in ran.stderr
        assert form or not re.search("^badram=|reboot|init=", ran.stdout, re.M)


@pytest.mark.parametrize(
    "name, text",
    [
        ("grub-default", 'GRUB_BADRAM="0x1000,0xffffffffff000"\nGRUB_CMDLINE_LINUX="init=/x"'),
        ("grub-default", 'GRUB_BADRAM="$(reboot)"'),
        ("memmap", "memmap=4K%0x1000-1+5 init=/x"),
        ("windows", "bcdedit /set {badmemory} badmemorylist 0x1 & del /q *"),
        ("lilo", "anything"),
    ],
)
def test_a_line_for_another_system_of_another_form(tmp_path, name, text):
    changed = {**OF_TYPE["line"], "name": name, "text": text}
    path = written(tmp_path / "run.jsonl", [*PLAIN[:-1], changed, PLAIN[-1]])
    ran = okram("report", path)
    assert "is not shown" in ran.stdout and text.split("\n")[-1] not in ran.stdout


def test_the_lines_of_this_version_are_shown():
    ran = okram("badram", "--to", "all", "--json", input="0x5000000\n0x6000000-0x6003000\n0x0\n")
    made = json.loads(ran.stdout)
    assert len(made["lines"]) == 11
    for line in made["lines"]:
        assert copied.other(line) == (line["text"], "")
    assert copied.badram(made) == (made["line"], "")


# --- terminals, spreadsheets, browsers ------------------------------------------------------------

HARMFUL = "\x1b[2J\x9b31m\u202e\u2066\u200f\ud800\u2028\r\x07"


@pytest.mark.parametrize("text", ["plain", "ü ± … 10⁶", "two\nlines"])
def test_text_that_is_shown_as_it_is(text):
    assert output.clean(text) == text


@pytest.mark.parametrize(
    "character",
    "\x1b\x9b\r\x07\x00\x7f\u202e\u2066\u200f\ud800\u2028\ufeff\ufffe\u061c\u200b\U000e0041",
)
def test_characters_that_command(character):
    assert output.clean(f"a{character}b") == "a\ufffdb"


@pytest.mark.parametrize("form", [[], ["--html", "-"], ["--csv", "-"]])
def test_no_report_commands_a_terminal(tmp_path, form):
    machine = {**OF_TYPE["machine"], "cpu": HARMFUL, "warnings": [HARMFUL]}
    test = {**OF_TYPE["test"], "test": HARMFUL, "note": HARMFUL}
    start = {**OF_TYPE["start"], "loader": HARMFUL, HARMFUL: 1}
    path = written(tmp_path / "run\x1b[2J\u202e.jsonl", [start, machine, test, PLAIN[-1]])
    ran = okram("report", *form, path)
    assert ran.returncode == 2, "of the additional field"
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200f\u2028\u202e\u2066]", ran.stdout + ran.stderr
    )
    ran = okram("report", *form, "--compare", path, path)
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200f\u2028\u202e\u2066]", ran.stdout + ran.stderr
    )


@pytest.mark.parametrize("command", [["report"], ["badram"], ["guard", "status", "--efivars"]])
def test_names_in_messages(command):
    ran = okram(*command, "/nowhere\x1b[31m\u202e\nokram: all is well")
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1
    assert "\x1b" not in ran.stderr and "\u202e" not in ran.stderr


def test_arguments_in_messages():
    for arguments in (["badram", "--to", "\x1b[31m"], ["report", "--\x1b[31m"], ["\x1b[31m"]):
        ran = okram(*arguments, input="0x5000\n")
        assert ran.returncode == 2 and ran.stderr and "\x1b" not in ran.stderr


@pytest.mark.parametrize("form", [[], ["--html", "-"], ["--csv", "-"]])
def test_a_file_name_that_is_not_utf_8(tmp_path, form):
    path = os.fsencode(tmp_path) + b"/\xff\xfe.jsonl"
    Path(os.fsdecode(path)).write_text("".join(json.dumps(r) + "\n" for r in make_run(nodes=1)))
    for arguments in ([path], ["--compare", path, path]):
        ran = okram("report", *form, *arguments)
        assert ran.returncode == 0 and ran.stderr == ""
    out = os.fsencode(tmp_path) + b"/\xff.out"
    ran = okram("report", path, "--html", out)
    assert ran.returncode == 0 and ran.stdout.endswith("is written.\n") and os.path.exists(out)


@pytest.mark.parametrize("begin", [*"=+-@\t\r", "\uff1d"])
def test_no_cell_is_a_formula(tmp_path, begin):
    test = {**OF_TYPE["test"], "test": f"{begin}HYPERLINK(1)"}
    path = written(tmp_path / "run.jsonl", [*PLAIN[:-1], test, PLAIN[-1]])
    ran = okram("report", "--csv", "-", path)
    assert ran.returncode == 0 and (",'" in ran.stdout or begin in "\t\r")
    assert not re.search(f'[,\n]"?{re.escape(begin)}', ran.stdout)


@pytest.mark.parametrize("separator", [",", ";"])
def test_no_cell_of_a_spreadsheet_is_a_formula(separator):
    """Whatever is in it, also where the semicolon separates cells: quotes are then anywhere."""
    chance = random.Random(20)
    for _ in range(20_000):
        cells = ["".join(chance.choices('=+a;" \n', k=chance.randint(0, 7))) for _ in range(3)]
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerow(map(output.cell, cells))
        for row in csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=separator):
            assert not any(cell.lstrip().startswith(("=", "+")) for cell in row), (cells, row)


def test_numbers_stay_numbers():
    assert output.cell(-1.5) == -1.5 and output.cell("-1.500") == "-1.500"
    assert output.cell("+1") == "'+1"
    assert output.cell("a; =1;+2;b") == "a; '=1;'+2;b"
    assert (
        output.cell("-1+1") == "'-1+1"
        and output.cell("\t=1") == "'\ufffd=1"
        and "difference_percent" in csv_rows._COMPARED
    )


# --- costs ----------------------------------------------------------------------------------------


def nodes_beyond_all(tmp_path):
    many = [OF_TYPE["start"]]
    for node in range(2000):
        many.append({**OF_TYPE["bandwidth"], "cpu_node": node, "mem_node": node})
        many.append({**OF_TYPE["latency"], "cpu_node": node, "mem_node": node})
    return written(tmp_path / "nodes.jsonl", [*many, OF_TYPE["result"]])


@pytest.mark.parametrize("form", [[], ["--html", "-"]])
def test_two_thousand_nodes(tmp_path, form):
    """Took 120 s and 2.3 GiB: matrices are nodes by nodes."""
    ran = limited("report", *form, nodes_beyond_all(tmp_path), mib=300, seconds=20)
    assert ran.returncode == 0
    assert "64 records of type bandwidth are used; 1936 more" in ran.stderr


def test_faults_beyond_those_that_okram_writes(tmp_path):
    faults = [{**OF_TYPE["fault"], "addr": f"{i << 12:#x}"} for i in range(1, 5000)]
    read = reading.read(written(tmp_path / "run.jsonl", [*PLAIN[:-1], *faults, PLAIN[-1]]))
    assert [r["type"] for r in read.records].count("fault") == 1000
    assert read.records[-1] == PLAIN[-1] and read.problems == []
    assert "3999 more are beyond" in read.notes[0]


def test_what_the_last_one_counts_is_the_last_one(tmp_path, monkeypatch):
    monkeypatch.setattr("okramlib.kept._BYTES_MAX", 5000)
    records = [{**OF_TYPE["badram"], "bad_pages": i} for i in range(1, 100)]
    read = reading.read(written(tmp_path / "run.jsonl", [*PLAIN[:2], *records, PLAIN[-1]]))
    assert read.records[-1] == PLAIN[-1]
    assert [r for r in read.records if r["type"] == "badram"][-1]["bad_pages"] == 99


def test_a_line_with_a_million_violations(tmp_path):
    """A violation held a copy of what violates: 2 GiB, and two minutes."""
    bad = json.dumps({**OF_TYPE["badram"], "patterns": [1] * 200_000})
    path = tmp_path / "run.jsonl"
    path.write_text(f"{bad}\n{json.dumps(PLAIN[-1])}\n")
    ran = limited("report", path, mib=300, seconds=20)
    assert ran.returncode == 2 and "patterns[0] is 1: it is not of type" in ran.stderr


@pytest.mark.parametrize(
    "text, why",
    [
        ("0x0-0x400000000000", "0x3fffffffffff is above 4 TiB: say where RAM is"),
        ("0x3fffffff0000", "is above 4 TiB: say where RAM is"),
        ("0x0-0x40000000000", "more than 1 TiB is bad"),
        ("badram=0x1000,0x1000,0x30000000000,0xfffffffffff000", "more than 1 TiB is bad"),
    ],
)
def test_a_few_bytes_that_name_much_memory(text, why):
    """Took 2.1 GiB, a bit for each page, and minutes."""
    ran = limited("badram", input=f"{text}\n", mib=300)
    assert ran.returncode == 2 and why in ran.stderr


def test_more_places_than_any_list_has(monkeypatch):
    monkeypatch.setattr("okramlib.faulty._PLACES_MAX", 100)
    ran = guard_samples.in_process("badram", input="".join(f"{i << 12:#x}\n" for i in range(200)))
    assert ran.returncode == 2 and "more than 100 bad places" in ran.stderr


@pytest.mark.parametrize(
    "line, why",
    [
        ("badram=" + ",".join(f"{i << 12:#x},0xffffffffff000" for i in range(600)), "than 512"),
        ("9" * 5000, "is longer than any address"),
        ("0x" + "f" * 5000 + "-1", "is longer than any number"),
    ],
)
def test_lines_that_are_too_much(line, why):
    ran = okram("badram", input=f"{line}\n0x5000\n")
    assert ran.returncode == 5 and why in ran.stderr and "0x5000" in ran.stdout


def test_a_line_to_check_that_no_program_takes():
    ran = okram("badram", "--check", ",".join(["0,0"] * 30_000))
    assert ran.returncode == 2 and "cannot be started" in ran.stderr


def test_a_map_with_more_entries_than_any(tmp_path):
    """Its pieces took the square of them."""
    path = tmp_path / "iomem"
    rows = (f"{i * 0x2000:08x}-{i * 0x2000 + 0xFFF:08x} : System RAM\n" for i in range(20_000))
    path.write_text("".join(rows))
    ran = limited("badram", "--map", path, input="0x5000\n", mib=300, seconds=20)
    assert ran.returncode == 2 and "20000 entries, more than any machine's" in ran.stderr


# --- numbers that ended in an error of Python -----------------------------------------------------


def test_sizes_of_any_number():
    assert units.format_size(1 << 64) == "16 EiB"
    assert units.format_size(10**400) == "2^1328 B and more"


def test_any_numbers_in_a_report(tmp_path):
    run = make_run(nodes=2)
    for number in (2**64 - 1, 0, 3.0):
        changed = [
            {k: number if type(v) is int and k != "t" else v for k, v in record.items()}
            for record in run
        ]
        path = written(tmp_path / "run.jsonl", changed)
        for form in ([], ["--html", "-"], ["--csv", "-"], ["--compare", path]):
            ran = okram("report", *form, path)
            assert ran.returncode in (0, 2) and "internal error" not in ran.stderr
            assert "Traceback" not in ran.stderr


def test_status_of_a_run_of_2_to_the_40_pages(box):
    """Did not end: it went from page to page."""
    data = lists.from_runs([(0, 1 << 40)], box.here).data
    box.set(MASKED, data)
    box.set_status(masked=1 << 40)
    ran = box.run("status", "--json")
    found = json.loads(ran.stdout)
    assert ran.returncode == 1 and found["masked"] == 1 << 40
    assert found["not_looked_at"] == 0 and len(found["unknown"]) > 100_000


@pytest.mark.parametrize("made", [1 << 62, 1 << 40, (1 << 63) - 1])
def test_a_list_made_on_no_day(box, made):
    found = lists.read(box.list_of([0x5000000]))
    assert lists.GuardList(found.data, found.runs, 1, made, None).date is None
    assert "1 bad page" in str(lists.GuardList(found.data, found.runs, 1, made, None))


@pytest.mark.parametrize(
    "changes",
    [
        {"state": ["masked"]},
        {"state": {}},
        {"held": "1", "reserved": 0},
        {"held": 1, "reserved": [2]},
        {"patrol": {"bytes": 10**400, "faults": 0, "next": "0x0"}},
        {"patrol": [1]},
        {"pages": 1 << 64},
        {"masked": True},
        {"why": 5},
    ],
)
def test_a_status_with_other_kinds_of_values(box, changes):
    box.set_status(**changes)
    ran = box.run("status")
    assert ran.returncode == 2 and ran.stderr == f"okram: the variable {STATUS} is damaged.\n"


def test_a_status_that_commands_a_terminal(box):
    box.set_status(state="stopped", why="\x1b[2J\u202eall is well")
    ran = box.run("status")
    assert ran.returncode == 1 and "\x1b" not in ran.stdout and "\u202e" not in ran.stdout


def test_what_nobody_thought_of_is_a_sentence(monkeypatch):
    """Not a traceback, and not exit code 1, which means bad pages."""
    monkeypatch.setattr("okramlib.reading.read", lambda _: [][PAGE])
    ran = guard_samples.in_process("report", "x")
    assert ran.returncode == 2 and ran.stderr.startswith("okram: internal error: IndexError at ")
    assert len(ran.stderr.splitlines()) == 1
