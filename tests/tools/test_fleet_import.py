# SPDX-License-Identifier: MIT
"""`okram fleet import`: what becomes part of the data set, what is refused, and that neither is
lost or there twice."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet

import saved_samples
from fleet import reports
from okramlib import ROOT, Trouble
from okramlib.fleet import importing, journal, machine_name, pieces, report_command, schema
from okramlib.fleet import rejected as rejected_parts
from okramlib.fleet import rows as rows_of_report
from okramlib.fleet.batch import BETTER, KNOWN, NEW
from okramlib.fleet.found import SIGNED, UNSIGNED
from tools.sample_runs import make_run
from tools.samples import GOOD
from tools.saved_samples import part_line
from tools.test_hostile import limited, okram

LIMIT = 1 << 20
UUID = "4c4c4544-0042-3510-8052-b4c04f4e3132"
OF_TYPE = {record["type"]: {"t": 1, **record} for record in GOOD}
JSONL = saved_samples.lines(
    [saved_samples.state(2, 1), *saved_samples.RECORDS, saved_samples.result("fail")]
)


def kept(jsonl=JSONL, phase="done"):
    return b"".join(saved_samples.variables(phase, jsonl).values())


def imported(tmp_path, *, bytes_max=LIMIT, **contents):
    """The outcome of an import of files of these names; __ stands for a dot."""
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return importing.run(tmp_path / "data", [folder], bytes_max)


def rows(tmp_path, table):
    paths = sorted((tmp_path / "data" / table).glob("month=*/*.parquet"))
    return [
        row for path in paths for row in parquet.read_table(path, partitioning=None).to_pylist()
    ]


def rejected(tmp_path):
    return sorted(path.name for path in (tmp_path / "data" / "rejected").glob("*"))


def whys(tmp_path):
    return [path.read_text() for path in (tmp_path / "data" / "rejected").glob("*.why")]


# --- what a report becomes ------------------------------------------------------------------------


def test_a_real_run(tmp_path):
    """Of QEMU, with sample faults: JSON lines as they come from the serial port."""
    outcome = imported(tmp_path, run__jsonl=reports.RUN.read_bytes())
    assert outcome.counts[NEW] == 1 and not outcome.named
    (run,) = rows(tmp_path, "runs")
    assert (run["status"], run["bad_pages"], run["has_all_pages"]) == ("fail", 10, True)
    assert (run["cpu"], run["nodes"], run["okram"]) == ("QEMU TCG CPU version 2.5+", 2, "0.1.0")
    assert (run["machine_by"], run["date_by"]) == ("run", "file")
    (module,) = rows(tmp_path, "modules")
    assert (module["slot"], module["is_named"]) == ("DIMM 0", True)
    pages = rows(tmp_path, "pages")
    assert sum(row["end"] - row["base"] for row in pages) == 10 and pages[0]["base"] == 0x4A35
    assert {(row["cpu_node"], row["mem_node"]) for row in rows(tmp_path, "bandwidth")} == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    }
    (kind,) = rows(tmp_path, "kinds")
    assert (kind["kind"], kind["bit"], kind["bits"]) == ("cells", 0, 8)
    (line,) = rows(tmp_path, "lines")
    assert line["text"].startswith("badram=0x7000000,") and line["report"] == run["report"]


def test_every_table_has_a_file_before_it_has_rows(tmp_path):
    imported(tmp_path, run=kept())
    for table in schema.TABLES:
        path = tmp_path / "data" / table / "month=0000-00" / "00000000.parquet"
        found = parquet.read_table(path, partitioning=None)
        assert found.num_rows == 0 and found.schema == schema.arrow(table)


def test_a_kept_report(tmp_path):
    imported(tmp_path, report=kept())
    (run,) = rows(tmp_path, "runs")
    assert (run["status"], run["started"], run["date_by"]) == ("fail", "2026-11-22T13:14:34", "run")
    assert run["model"] == saved_samples.BOARD
    (folder,) = (tmp_path / "data" / "runs").glob("month=2*")
    assert folder.name == "month=2026-11"


def test_whether_it_is_signed(tmp_path):
    """As a file, in parts, in a console; the lines of a console are not."""
    made = [saved_samples.lines(make_run(nodes=1, seed=seed)) for seed in (1, 2, 3, 4)]
    made[1], unsigned = JSONL, made[1]
    signed = [saved_samples.variables("done", lines, key=b"k" * 32).values() for lines in made]
    parts = [part_line(UUID, number, data) for number, data in enumerate(signed[1])]
    imported(
        tmp_path,
        whole=b"".join(signed[0]),
        arrived__log="".join(parts).encode(),
        console__log=b"booting\r\n" + made[3] + b"".join(signed[2]),
        unsigned=kept(unsigned),
    )
    found = Counter((run["source"], run["signature"]) for run in rows(tmp_path, "runs"))
    assert found == {
        ("whole", SIGNED): 1,
        ("arrived.log", SIGNED): 1,
        ("console.log", SIGNED): 1,
        ("console.log", UNSIGNED): 1,
        ("unsigned", UNSIGNED): 1,
    }
    answers = {answer.name: answer for answer in report_command.ask(tmp_path / "data")}
    assert "3 runs signed, which only the machine itself can check; 2 unsigned." in (
        answers["runs"].table.notes
    )
    assert {row["signature"] for row in answers["bad_machines"].rows} == {SIGNED, UNSIGNED}


@pytest.mark.parametrize("rest", [b"\xff\xfe garbage\n", JSONL[len(JSONL) // 2 :]])
def test_what_is_left_behind_a_kept_report_does_not_count(tmp_path, rest):
    outcome = imported(tmp_path, report=kept() + rest)
    assert outcome.counts[NEW] == 1 and not outcome.named


FORGED = b'{"type":"saved","version":1,"state":"done","bytes":%d,"crc32c":"0x00000000"}\n'


@pytest.mark.parametrize("where", ["first", "last", "between"])
@pytest.mark.parametrize(
    "saved, n_new, n_refused",
    [
        (kept(), 1, 0),
        (kept()[:-30], 0, 1),
        (FORGED % (100 << 10), 0, 1),
        (FORGED % (1 << 40), 0, 1),
        (FORGED.replace(b"1", b"2") % 10, 0, 1),
    ],
    ids=["whole", "cut off", "too short", "endless", "another version"],
)
def test_a_kept_report_in_a_console_hides_no_run(tmp_path, where, saved, n_new, n_refused):
    runs = [saved_samples.lines(make_run(nodes=1, seed=seed)) for seed in (1, 2, 3)]
    texts = [b"booting\r\n" + run for run in runs]
    texts.insert({"first": 0, "last": 3, "between": 2}[where], saved + b"\r\n")
    outcome = imported(tmp_path, console__log=b"".join(texts))
    assert (outcome.counts[NEW], outcome.counts["refused"]) == (3 + n_new, n_refused)


def test_files_beside_the_reports(tmp_path):
    """Of a stick, and of a delivery that was killed."""
    beside = {"DIAGNOSIS__BIN": b"\1\2", "__x__jsonl__0123__new": JSONL[:100]}
    outcome = imported(tmp_path, run__jsonl=JSONL, **beside)
    assert (outcome.counts["files"], outcome.counts[NEW], outcome.named) == (1, 1, [])


def test_the_files_of_a_stick(tmp_path):
    """JSON lines, and the same for people; and the same report as it was sent."""
    stick = {f"2026-11-22-QEMU__{ending}": b"for people" for ending in ("html", "txt")}
    outcome = imported(tmp_path, **stick, **{"2026-11-22-QEMU__jsonl": JSONL})
    assert (outcome.counts["files"], outcome.counts[NEW], outcome.named) == (1, 1, [])
    assert imported(tmp_path, report=kept()).counts[KNOWN] == 1


def test_parts_in_a_log(tmp_path):
    """Of two machines, between each other, one of them sent for a second time."""
    parts = saved_samples.variables("done", JSONL, 300).values()
    other = saved_samples.variables("running", JSONL[: JSONL.index(b"\n") + 1], 300).values()
    log = [
        part_line(name, number, data)
        for name, sent in ((UUID, parts), ("no-uuid", other), (UUID, parts))
        for number, data in enumerate(sent)
    ]
    n = len(parts)
    mixed = [*log[:2], log[n], *log[2:n], *log[n + 1 :], "GET /okram.efi 200\n"]
    outcome = imported(tmp_path, arrived__log="".join(mixed).encode())
    assert (outcome.counts[NEW], outcome.counts[KNOWN]) == (2, 1) and not outcome.named
    names = {run["machine"]: run["status"] for run in rows(tmp_path, "runs")}
    assert names[UUID] == "fail" and sorted(names.values()) == ["fail", "unfinished"]


def test_parts_of_which_some_are_missing(tmp_path):
    parts = list(saved_samples.variables("done", JSONL, 300).values())
    lines = [part_line(UUID, number, data) for number, data in enumerate(parts)]
    outcome = imported(tmp_path, arrived__log="".join(lines[:1] + lines[2:]).encode())
    assert outcome.counts == {"files": 1, "refused": 1, "damaged": 0} | outcome.counts
    assert not outcome.counts[NEW] and f"the last report of {UUID} (2026-" in str(outcome.named)
    assert imported(tmp_path, arrived__log="".join(lines).encode()).counts[NEW] == 1


def test_a_console(tmp_path):
    """A session that was lost and resumed: noise, half a line, and lines for a second time."""
    run = [json.dumps(record) for record in make_run(nodes=2)]
    middle = len(run) // 2
    half = run[middle][:30]
    text = [
        "[SOL Session operational.  Use ~? for help]",
        *("\x1b[2J\x1b[H" + line for line in run[:3]),
        *run[3:middle],
        half,
        "[error received]: Unable to establish IPMI v2 / RMCP+ session",
        *run[middle - 5 :],
        "~.[terminated ipmitool]",
        "[SOL Session operational.  Use ~? for help]",
        *run[-4:],
    ]
    outcome = imported(tmp_path, console__log="\r\n".join(text).encode())
    assert (outcome.counts[NEW], outcome.counts["damaged"]) == (1, 1)
    (named,) = outcome.named
    assert named.endswith(f"/in/console.log: line {middle + 2} cannot be used: cut off")
    (found,) = rows(tmp_path, "runs")
    assert (found["lines"], found["lines_left_out"]) == (len(run), 1)
    assert len(rows(tmp_path, "bandwidth")) == sum(
        record["type"] == "bandwidth" and "order" not in record for record in make_run(nodes=2)
    )


def test_several_runs_in_a_file(tmp_path):
    """One that never ended, then one that did."""
    runs = [make_run(nodes=1, seed=seed) for seed in (1, 2)]
    lines = [json.dumps(record) for record in (*runs[0][:-2], *runs[1])]
    assert imported(tmp_path, console=("\n".join(lines) + "\n").encode()).counts[NEW] == 2
    assert sorted(run["status"] for run in rows(tmp_path, "runs")) == ["fail", "unfinished"]


@pytest.mark.parametrize(
    "said, status",
    [
        ({"status": "fail", "bad_pages": 2}, "fail"),
        ({"status": "pass", "complete": True}, "pass"),
        ({"status": "pass", "complete": False}, "incomplete"),
        ({"status": "pass"}, "incomplete"),
        ({}, "unfinished"),
    ],
)
def test_the_verdict_alone(tmp_path, said, status):
    """A report whose result was not written any more: the state has it."""
    jsonl = saved_samples.lines([saved_samples.state() | said, saved_samples.START])
    imported(tmp_path, report=kept(jsonl))
    (run,) = rows(tmp_path, "runs")
    assert run["status"] == status


def with_identity(records, **changes):
    others = [record for record in records if record["type"] != "identity"]
    return [*others[:2], OF_TYPE["identity"] | changes, *others[2:]]


def test_a_run_that_went_on_takes_the_place_of_its_beginning(tmp_path):
    """By its run's number: sent while it ran, on the console, and when it had ended."""
    run = with_identity(make_run(nodes=1))
    early = kept(saved_samples.lines(run[:20]), "running")
    assert imported(tmp_path, a=early).counts == {"files": 1, NEW: 1, "damaged": 0}
    outcome = imported(tmp_path, b=saved_samples.lines(run))
    assert outcome.counts[BETTER] == 1
    assert imported(tmp_path, c=kept(saved_samples.lines(run[:30]), "running")).counts[KNOWN] == 1
    found = report_command.ask(tmp_path / "data")
    assert found[0].rows == [{"status": "fail", "runs": 1, "machines": 1}]
    assert len(rows(tmp_path, "runs")) == 2 and len(rows(tmp_path, "replaced")) == 1


def test_reports_of_one_run_that_come_together(tmp_path):
    """All in one piece: the first of equal ones counts, then the one with more."""
    run = with_identity(make_run(nodes=1))
    early = kept(saved_samples.lines(run[:20]), "running")
    whole = saved_samples.lines(run)
    names = dict.fromkeys("abcd", early) | dict.fromkeys("efg", whole)
    outcome = imported(tmp_path, **names, other=saved_samples.lines(make_run(nodes=1, seed=2)))
    assert outcome.counts[NEW] + outcome.counts[BETTER] + outcome.counts[KNOWN] == 8
    assert outcome.counts[NEW] == 2 and outcome.counts[BETTER] <= 1
    assert report_command.ask(tmp_path / "data")[0].rows == [
        {"status": "fail", "runs": 2, "machines": 2}
    ]


def with_result(run, status, bad_pages):
    """That run with another result."""
    own = [record for record in run if record["type"] not in ("badram", "pages", "result")]
    result = next(record for record in run if record["type"] == "result")
    return [*own, {**result, "status": status, "bad_pages": bad_pages}]


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize("order", ["pass then fail", "fail then pass", "two lists", "equal"])
def test_reports_of_one_run_that_contradict_each_other(tmp_path, order, is_together):
    """A pass replaces no failure, in whatever order they come, and however long it is."""
    run = with_identity(make_run(nodes=1))
    failed, longer = with_result(run, "fail", 3), [*run[:9], *run[7:9], *run[9:]]
    passed = [r for r in with_result(longer, "pass", 0) if r["type"] not in ("fault", "state")]
    made = {
        "pass then fail": [passed, failed],
        "fail then pass": [failed, passed],
        "two lists": [failed, with_result(run, "fail", 4)],
        "equal": [failed, failed],
    }[order]
    texts = [saved_samples.lines(records) for records in made]
    if is_together:
        outcomes = [imported(tmp_path, a=texts[0], b=texts[1])]
    else:
        outcomes = [imported(tmp_path, a=texts[0]), imported(tmp_path, b=texts[1])]
    named = [text for outcome in outcomes for text in outcome.named]
    assert len(named) == outcomes[-1].counts["at odds"] == (order != "equal"), named
    assert all("another report of the same run says" in text for text in named)
    (answer,) = report_command.ask(tmp_path / "data")[0].rows
    assert (answer["status"], answer["runs"]) == ("fail", 1)


@pytest.mark.parametrize("status", ["pass", "incomplete", "stopped", "corrected"])
@pytest.mark.parametrize("bad_pages", [0, 4])
@pytest.mark.parametrize("is_unfinished_first", [True, False])
def test_bad_pages_of_an_unfinished_run(tmp_path, status, bad_pages, is_unfinished_first):
    """They do not go away: a result without any is of another run, or forged."""
    run = with_identity(make_run(nodes=1))
    early = [saved_samples.state(bad_pages=2), *with_result(run, "fail", 2)[:-1]]
    ended = [r for r in with_result(run, status, bad_pages) if r["type"] != "fault"]
    if status == "incomplete":
        ended[-1] |= {"status": "pass", "complete": False}
    contents = [kept(saved_samples.lines(early), "running"), saved_samples.lines(ended)]
    first, second = contents if is_unfinished_first else contents[::-1]
    imported(tmp_path, a=first)
    outcome = imported(tmp_path, b=second)
    assert outcome.counts["at odds"] == len(outcome.named) == (not bad_pages), outcome


@pytest.mark.parametrize("is_unfinished_first", [True, False])
def test_a_verdict_alone_counts_more_than_an_unfinished_run(tmp_path, is_unfinished_first):
    """Of the same second, as of a run whose power is cut when its result is known."""
    early = [saved_samples.state(), *with_identity(make_run(nodes=1))[:9]]
    ended = [early[0] | {"status": "pass", "complete": True}, *early[1:4]]
    contents = [
        kept(saved_samples.lines(early), "running"),
        kept(saved_samples.lines(ended)),
    ]
    for name, content in zip("ab", contents[:: 1 if is_unfinished_first else -1], strict=True):
        imported(tmp_path, **{name: content})
    (answer,) = report_command.ask(tmp_path / "data")[0].rows
    assert (answer["status"], answer["runs"]) == ("pass", 1)


def test_what_is_known_is_left_out_of_a_piece(tmp_path):
    made = dict(reports.fleet(3)[0])
    first = dict(list(made.items())[:4])
    imported(tmp_path, **first)
    outcome = imported(tmp_path, **{f"{name}-again": data for name, data in made.items()})
    assert (outcome.counts[NEW], outcome.counts[KNOWN]) == (2, 4)
    names = [run["report"] for run in rows(tmp_path, "runs")]
    assert len(names) == len(set(names)) == 6
    assert sorted(row["report"] for row in rows(tmp_path, "modules")) == sorted(names * 2)


@pytest.mark.parametrize(
    "changes, path, by",
    [
        ({"uuid": UUID}, "report", "uuid"),
        ({"uuid": None}, f"{UUID}.jsonl", "path"),
        ({"uuid": "03000200-0400-0500-0006-000700080009"}, "report", "modules"),
    ],
)
def test_which_machine_it_is(tmp_path, changes, path, by):
    run = with_identity(make_run(nodes=1), **changes)
    module = OF_TYPE["module"]
    imported(
        tmp_path, **{path.replace(".", "__"): saved_samples.lines([*run[:3], module, *run[3:]])}
    )
    (found,) = rows(tmp_path, "runs")
    assert found["machine_by"] == by
    assert found["machine"] == UUID or by == "modules"


def test_a_template_is_no_name():
    assert machine_name.usable("03000200-0400-0500-0006-000700080009") == ""
    assert machine_name.usable(None) == machine_name.usable("x" * 36) == ""
    assert machine_name.in_path(f"/srv/{UUID.upper()}/run.jsonl") == UUID


@pytest.mark.parametrize("started", ["1970-01-01T00:00:00", "2999-01-01T00:00:00", "now", None])
def test_a_clock_that_has_lost_the_time(tmp_path, started):
    jsonl = saved_samples.lines([saved_samples.state(started=started), saved_samples.START])
    imported(tmp_path, a=kept(jsonl))
    (run,) = rows(tmp_path, "runs")
    assert run["date_by"] == "file" and run["started"][:2] == "20" and run["started"] < "2900"


@pytest.mark.parametrize("seconds", [0, -(2**40), 2**33])
def test_a_file_with_an_impossible_time(tmp_path, seconds):
    """Who sends a file to nginx chooses its time."""
    (tmp_path / "report").write_bytes(saved_samples.lines(make_run(nodes=1)))
    os.utime(tmp_path / "report", (seconds, seconds))
    importing.run(tmp_path / "data", [tmp_path / "report"], LIMIT)
    (run,) = rows(tmp_path, "runs")
    assert run["date_by"] == "file" and "2020" < run["started"] < "2200"


def test_the_document_has_every_column():
    text = (ROOT / "docs" / "fleet.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*) \|$", text, re.MULTILINE))
    for table, columns in schema.TABLES.items():
        assert set(columns) <= set(re.findall(r"`(\w+)`", listed[table])), table
    assert set(listed) == set(schema.TABLES)


# --- what is refused ------------------------------------------------------------------------------


def damaged_byte():
    data = bytearray(kept())
    data[-20] ^= 4
    return bytes(data)


def other_version():
    return kept().replace(b'"version":1,', b'"version":2,', 1)


@pytest.mark.parametrize(
    "content, why",
    [
        (b"", "it is empty"),
        (damaged_byte(), "its CRC-32C is wrong"),
        (kept()[:-30], "it is cut off: "),
        (other_version(), "its format is version 2; this okram reads version 1"),
        (kept(b'{"t":1,"type":"odd\xff"}\n'), "it is not UTF-8"),
        (kept(b'{"t":1,"type":"unheard"}\n'), "none of its lines can be used: unknown type"),
        (kept(b"[" * 100_000 + b"\n"), "none of its lines can be used: no JSON: too deep"),
        (b'{"type":"saved",' + b"9" * 5000, "its first line is damaged"),
        (b'{"type":"saved","version":1,"bytes":-1}\n', "its first line is damaged"),
        (b"\x7fELF\x00\x00" * 99, "it has no line of okram"),
        (b'{"t":1,"type":"fault"}\n', "line 1 cannot be used: fault: "),
        (b'{"t":1,"type":"\xff"}\n', "line 1 is not UTF-8"),
        (b'{"t":' + b" " * (3 << 19) + b"\n", "line 1 is longer than any line of okram"),
        (json.dumps(OF_TYPE["test"]).encode(), "lines of a run whose beginning is missing"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_refused(tmp_path, content, why):
    outcome = imported(tmp_path, bytes_max=1 << 22, bad=content, good=reports.RUN.read_bytes())
    assert outcome.counts[NEW] == 1 and outcome.counts["refused"] == 1
    assert f"/in/bad: {why}" in outcome.named[0] and why in whys(tmp_path)[0]
    assert len(rejected(tmp_path)) == 2 and (tmp_path / "in" / "bad").read_bytes() == content
    again = importing.run(tmp_path / "data", [tmp_path / "in"], 1 << 22)
    assert again.counts == {"files": 2, "refused before": 1, "skipped": 1}


def test_what_is_refused_is_kept_once(tmp_path):
    imported(tmp_path, a=damaged_byte(), b=damaged_byte())
    (name, _), (b, __) = [rejected(tmp_path)[i : i + 2] for i in (0, 2)]
    assert (tmp_path / "data" / "rejected" / name).read_bytes() == damaged_byte()
    importing.run(tmp_path / "data", [tmp_path / "in" / "a"], LIMIT)
    assert len(rejected(tmp_path)) == 4


def test_a_file_of_many_bad_parts(tmp_path):
    """A hundred are kept one by one, then the file, once; what is good in it counts."""
    bad = [damaged_byte().replace(b"march-c-", b"march%03d" % number) for number in range(150)]
    content = b"".join(bad) + kept() + b'{"type":"saved",\n' * 50_000
    outcome = imported(tmp_path, many=content)
    assert outcome.counts[NEW] == 1 and outcome.counts["refused"] == 50_150
    assert len(outcome.named) == 20 and len(rejected(tmp_path)) == 2 * 101
    assert any("50050 parts more, and the last of them: its first" in why for why in whys(tmp_path))


def test_what_has_gone_before_it_is_copied(tmp_path):
    """Between the process that has read a file and the one that writes: the reason is kept."""
    gone = pieces.Rejected(str(tmp_path / "gone"), "it is empty", is_copied=True)
    rejected_parts.Folder(tmp_path).keep(gone)
    (path,) = (tmp_path / "rejected").iterdir()
    assert path.read_text() == f"{tmp_path}/gone: it is empty\n"


def test_names_that_are_not_utf_8_are_told_apart(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (0xFE, 0xFF):
        (folder / os.fsdecode(bytes([number]))).write_bytes(kept())
    assert importing.run(tmp_path / "data", [folder], LIMIT).counts["files"] == 2
    assert importing.run(tmp_path / "data", [folder], LIMIT).counts["skipped"] == 2


def test_lines_of_a_newer_okram(tmp_path):
    """Its records are used where they are known; the others are counted."""
    newer = b'{"t":2,"type":"weather","wind":3}\n'
    imported(tmp_path, a=kept(JSONL + newer))
    (run,) = rows(tmp_path, "runs")
    assert (run["status"], run["lines_left_out"]) == ("fail", 1)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "in" / "large"
    path.parent.mkdir()
    with path.open("wb") as file:
        file.write(b'{"t":')
        file.truncate(1 << 40)
    outcome = imported(tmp_path)
    assert "it has 1 TiB, more than 1 MiB (--max-size); it is left where it is" in outcome.named[0]
    assert [name.endswith("-large.why") for name in rejected(tmp_path)] == [True]


def test_rejected_does_not_grow_for_ever(tmp_path, monkeypatch):
    bad = {f"bad{n}": damaged_byte().replace(b"march-c-", b"march%03d" % n) for n in range(5)}
    monkeypatch.setattr(rejected_parts, "BYTES_MAX", 2 * len(bad["bad0"]) + 1)
    outcome = imported(tmp_path, **bad)
    assert outcome.counts["refused"] == 5 and len(rejected(tmp_path)) == 2 * 2
    assert "/rejected is full (" in outcome.named[-1] and "3 refused parts" in outcome.named[-1]
    more = damaged_byte().replace(b"march-c-", b"march-xx")
    assert imported(tmp_path, bad9=more).counts["refused"] == 1
    assert len(rejected(tmp_path)) == 2 * 2


def test_what_is_not_a_file(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/etc/passwd")
    outcome = imported(tmp_path)
    assert outcome.counts["refused"] == 2
    assert "link: it is a symbolic link" in "".join(outcome.named)
    assert "pipe: it is not a regular file" in "".join(outcome.named)


def test_the_data_set_is_not_a_source(tmp_path):
    data = tmp_path / "data"
    (tmp_path / "report").write_bytes(kept())
    assert importing.run(data, [tmp_path], LIMIT).counts["files"] == 1
    assert importing.run(data, [tmp_path], LIMIT).counts["files"] == 1


# --- content that was made to harm ----------------------------------------------------------------

EVIL = "=1+1<script>alert(1)</script>[red]/../../etc/passwd\x1b[31m\u202e"


def evil_run():
    run = with_identity(
        make_run(nodes=1), system=dict.fromkeys(("maker", "product", "version"), EVIL)
    )
    module = OF_TYPE["module"] | {"serial": EVIL, "part": EVIL, "slot": EVIL}
    pages = {"t": 1, "type": "pages", "pages": 10**9, "runs": [["0x0", "0xffffffffffffffff"]]}
    result = run[-1] | {"bad_pages": 2**63, "tested_bytes": 2**64 - 1, "passes": 2**63}
    return saved_samples.lines([*run[:3], module, pages, *run[3:-1], result])


def test_hostile_text_and_numbers(tmp_path, monkeypatch):
    imported(tmp_path, **{"<b>..evil": evil_run()})
    (run,) = rows(tmp_path, "runs")
    assert run["bad_pages"] == run["tested_bytes"] == 2**63 - 1
    assert rows(tmp_path, "pages")[0]["end"] == 2**52 and not run["has_all_pages"]
    answers = report_command.ask(tmp_path / "data")
    monkeypatch.setattr(report_command, "ask", lambda *_: answers)
    ran = okram("fleet", "report", tmp_path / "data")
    assert ran.returncode == 0 and "\x1b" not in ran.stdout and "\u202e" not in ran.stdout
    page, cells = tmp_path / "page.html", tmp_path / "csv"
    assert (
        okram("fleet", "report", tmp_path / "data", "--html", page, "--csv", cells).returncode == 0
    )
    assert "<script>alert" not in page.read_text() and "\\u003cscript>" in page.read_text()
    for path in cells.iterdir():
        assert not any(
            cell.startswith(("=", '"='))
            for line in path.read_text().splitlines()
            for cell in line.split(",")
        )


def test_long_texts_and_many_pages_are_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(rows_of_report, "_PAGE_ROWS_MAX", 3)
    run = make_run(nodes=1)
    pages = {
        "t": 1,
        "type": "pages",
        "pages": 4,
        "runs": [[f"{n << 13:#x}", f"{(n << 13) + 4096:#x}"] for n in range(4)],
    }
    module = OF_TYPE["module"] | {"serial": "x" * 2000}
    result = run[-1] | {"bad_pages": 4}
    imported(tmp_path, a=saved_samples.lines([*run[:3], module, pages, *run[3:-1], result]))
    assert [len(row["serial"]) for row in rows(tmp_path, "modules")] == [1000]
    assert [row["base"] for row in rows(tmp_path, "pages")] == [0, 2, 4]
    assert not rows(tmp_path, "runs")[0]["has_all_pages"]


def test_names_of_files_do_not_leave_the_folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / os.fsdecode(b"..\xff\x1b[31m$(reboot);.jsonl")).write_bytes(b"x")
    ran = okram("fleet", "import", tmp_path / "data", folder)
    assert ran.returncode == 2 and "\x1b" not in ran.stderr
    assert len(rejected(tmp_path)) == 2 and all("/" not in name for name in rejected(tmp_path))


# --- the journal ----------------------------------------------------------------------------------


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.txt").write_text("x")
    with pytest.raises(Trouble, match="has other files"):
        imported(tmp_path, a=kept())
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["thesis.txt"]


def test_one_import_at_a_time(tmp_path):
    with journal.Journal(tmp_path / "data"), pytest.raises(Trouble, match="another import"):
        importing.run(tmp_path / "data", [], LIMIT)


def test_a_data_set_of_another_format(tmp_path):
    imported(tmp_path, a=kept())
    with sqlite3.connect(tmp_path / "data" / journal.NAME) as database:
        database.execute("PRAGMA user_version = 9")
    for ask in (lambda: imported(tmp_path), lambda: report_command.ask(tmp_path / "data")):
        with pytest.raises(Trouble, match=f"of format 9; this okram has format {schema.FORMAT}"):
            ask()


class Killed(BaseException):
    pass


def kill(patch, where, name, nth, is_before=False):
    """Ends the import at the nth call, before or after it."""
    call, calls = getattr(where, name), []

    def wrapper(*arguments, **options):
        calls.append(name)
        if is_before and len(calls) == nth:
            raise Killed
        found = call(*arguments, **options)
        if len(calls) == nth:
            raise Killed
        return found

    patch.setattr(where, name, wrapper)


@pytest.mark.parametrize(
    "where, name, nth, is_before, is_committed",
    [
        (parquet, "write_table", 1, False, False),
        (parquet, "write_table", 5, False, False),
        (journal.Journal, "commit", 1, True, False),
        (journal.Journal, "_place", 2, True, True),
        (journal.os, "replace", 1, False, True),
        (journal.os, "replace", 5, False, True),
    ],
)
def test_it_may_end_anywhere(tmp_path, monkeypatch, where, name, nth, is_before, is_committed):
    """While the files of a batch are written, before and after the journal's transaction, and while
    they get their names: what was begun is ended or undone."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        lines = saved_samples.lines(make_run(nodes=1, seed=number))
        (folder / f"{number}").write_bytes(lines)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        kill(patch, where, name, nth, is_before)
        importing.run(tmp_path / "data", [folder], LIMIT)
    if is_committed:
        with pytest.raises(Trouble, match="an import was interrupted"):
            report_command.ask(tmp_path / "data")
        importing.run(tmp_path / "data", [], LIMIT)
        assert len(rows(tmp_path, "runs")) == 3
    importing.run(tmp_path / "data", [folder], LIMIT)
    assert len(rows(tmp_path, "runs")) == len({run["key"] for run in rows(tmp_path, "runs")}) == 3
    assert not list((tmp_path / "data").glob("*/month=*/*.new"))


def test_a_bar_on_a_terminal(tmp_path):
    (tmp_path / "report").write_bytes(kept())
    command = [sys.executable, ROOT / "tools" / "okram", "fleet", "import"]
    command = shlex.join(map(str, [*command, tmp_path / "data", tmp_path / "report"]))
    shown = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        capture_output=True,
        text=True,
        env={**os.environ, "TERM": "xterm"},
    )
    assert shown.returncode == 0 and "852/852 bytes" in shown.stdout and "1 run new" in shown.stdout


def numbers_of(value, path=()):
    """The places of all numbers in a record."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path
    elif isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from numbers_of(value[key], (*path, key))


def with_number(record, path, number):
    changed = json.loads(json.dumps(record))
    *folders, last = path
    inner = changed
    for key in folders:
        inner = inner[key]
    inner[last] = number
    return changed


def test_no_number_stops_an_import(tmp_path):
    """The largest that a report may have, whole, in each place; others are refused by line."""
    folder = tmp_path / "in"
    folder.mkdir()
    run = [{"t": 9, **record} for record in GOOD if record["type"] != "identity"]
    run = make_run(nodes=1) + run
    places = {(one["type"], path): i for i, one in enumerate(run) for path in numbers_of(one)}
    for n, ((_, path), i) in enumerate(places.items()):
        changed = [*run[:i], with_number(run[i], path, 2**64 - 1), *run[i + 1 :]]
        (folder / str(n)).write_bytes(saved_samples.lines(changed))
    assert importing.run(tmp_path / "data", [folder], LIMIT).counts[NEW] >= len(places) > 100
    assert report_command.ask(tmp_path / "data")


def test_an_import_that_ended_before_its_first_batch(tmp_path):
    with journal.Journal(tmp_path / "data"):
        pass
    with pytest.raises(Trouble, match="an import was interrupted"):
        report_command.ask(tmp_path / "data")


# --- several processes ----------------------------------------------------------------------------


SMALL_BATCHES = """
import sys
from okramlib import cli
from okramlib.fleet import batch, importing

batch._RUNS_MAX = 20
importing._FILES_MAX = 20
sys.exit(cli.main())
"""


def start(data, *sources, program=SMALL_BATCHES, environment=()):
    """The command as a program of its own, with batches of 20 runs."""
    return subprocess.Popen(
        [sys.executable, "-c", program, "fleet", "import", "--jobs", "2", data, *sources],
        cwd=ROOT / "tools",
        env={**os.environ, **dict(environment)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def make_files(folder, machines, seed=7):
    """Reports, some of them sent twice, and garbage between them."""
    chance = random.Random(seed)
    folder.mkdir()
    for name, report in reports.fleet(machines)[0]:
        (folder / name).write_bytes(report)
        if chance.random() < 0.1:
            (folder / f"{name}-again").write_bytes(report)
        if chance.random() < 0.05:
            (folder / f"{name}-bad").write_bytes(report[: chance.randrange(len(report))])


def all_files(folder):
    """{path: bytes} of a data set, but for its journal."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != journal.NAME
    }


def test_however_many_processes_read(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_FILES_MAX", 7)
    make_files(tmp_path / "in", 40)
    outcomes = [
        importing.run(tmp_path / f"data-{jobs}", [tmp_path / "in"], LIMIT, jobs)
        for jobs in (1, 2, 5)
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2] and outcomes[0].counts[NEW] == 80
    made = [all_files(tmp_path / f"data-{jobs}") for jobs in (1, 2, 5)]
    assert made[0] == made[1] == made[2] and len(made[0]) > 10


@pytest.mark.parametrize("jobs", ["0", "-1", "1000000"])
def test_how_many_processes_are_possible(tmp_path, jobs):
    ran = okram("fleet", "import", f"--jobs={jobs}", tmp_path / "data")
    assert ran.returncode == 2 and "1 to 256 are possible" in ran.stderr


def children(program):
    return Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_process_that_reads_is_killed(tmp_path):
    """It is said, nothing is lost, and the next import ends it."""
    make_files(tmp_path / "in", 200)
    with start(tmp_path / "data", tmp_path / "in") as program:
        wait_for(lambda: len(children(program)) == 2)
        os.kill(int(children(program)[0]), signal.SIGKILL)
        _, error = program.communicate()
    assert program.returncode == 2 and "a process that read files has ended" in error
    assert importing.run(tmp_path / "data", [tmp_path / "in"], LIMIT).counts["files"] > 400
    names = [run["key"] for run in rows(tmp_path, "runs")]
    assert len(names) == len(set(names)) == 400


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_is_left(tmp_path, how):
    make_files(tmp_path / "in", 200)
    with start(tmp_path / "data", tmp_path / "in") as program:
        wait_for(lambda: len(children(program)) == 2)
        readers = children(program)
        program.send_signal(how)
        program.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in readers))


# --- slow: killed at random, a full disk, a long line ---------------------------------------------


# Ends with how many lines of the modules that write it has executed, or is killed before one.
KILLED = """
import os
import signal

pid, n, last = os.getpid(), 0, int(os.environ["LAST"])


def count(frame, event, _):
    global n
    if os.path.basename(frame.f_code.co_filename) not in ("batch.py", "journal.py", "rejected.py"):
        return None
    if event == "line" and os.getpid() == pid:
        n += 1
        if n == last:
            os.kill(pid, signal.SIGKILL)
    return count


sys.settrace(count)
cli.main()
print(n, file=sys.stderr)
"""


def killed_before(line, data, folder):
    """How it ended, and how many lines there were."""
    program = SMALL_BATCHES.replace("sys.exit(cli.main())", KILLED)
    with start(data, folder, program=program, environment={"LAST": str(line)}) as ran:
        _, error = ran.communicate()
    return ran.returncode, error.split()[-1:]


@pytest.mark.slow
def test_killed_at_random_points(tmp_path):
    """Of an import of what a data set does not have yet, each time into a copy of that; reports
    sent twice and garbage among them. The next import makes the tables of one that ended."""
    chance = random.Random(7)
    folder, half = tmp_path / "in", tmp_path / "half"
    make_files(folder, 100)
    files = list(importing.files([folder], half))
    importing.run(half, files[: len(files) // 2], LIMIT)
    importing.run(tmp_path / "whole" / "data", [folder], LIMIT)
    whole = sorted_rows(tmp_path / "whole")
    shutil.copytree(half, tmp_path / "data")
    code, (n_lines,) = killed_before(0, tmp_path / "data", folder)
    assert code == 0 and sorted_rows(tmp_path) == whole and len(whole["runs"]) == 200
    n_there = set()
    for line in chance.sample(range(1, int(n_lines)), 50):
        shutil.rmtree(tmp_path / "data")
        shutil.copytree(half, tmp_path / "data")
        code, _ = killed_before(line, tmp_path / "data", folder)
        assert code == -signal.SIGKILL, line
        n_there.add(len(rows(tmp_path, "runs")))
        importing.run(tmp_path / "data", [folder], LIMIT)
        assert sorted_rows(tmp_path) == whole, line
        assert not list((tmp_path / "data").glob("*/month=*/*.new")), line
    assert len(n_there) > 3


def sorted_rows(folder):
    """{table: its rows}, in whatever batches they came."""
    return {table: sorted(map(repr, rows(folder, table))) for table in schema.TABLES}


@pytest.mark.slow
def test_a_full_disk(tmp_path):
    """Once there is room, all of it becomes part of the data set, once."""
    if os.geteuid() != 0:
        pytest.skip("a small file system is root's to mount")
    disk, folder = tmp_path / "disk", tmp_path / "in"
    disk.mkdir()
    folder.mkdir()
    made, _ = reports.fleet(300)
    for name, report in made:
        (folder / name).write_bytes(report)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], check=True)
    try:
        ran = okram("fleet", "import", disk / "data", folder)
        assert ran.returncode == 2 and ("No space left" in ran.stderr or "full" in ran.stderr)
        subprocess.run(["mount", "-o", "remount,size=64M", disk], check=True)
        assert okram("fleet", "import", disk / "data", folder).returncode == 0
        shutil.copytree(disk / "data", tmp_path / "data")
    finally:
        subprocess.run(["umount", disk], check=True)
    assert len(rows(tmp_path, "runs")) == 600


@pytest.mark.slow
def test_100_mb(tmp_path):
    """One line of 100 MB, and 100 MB of lines: little memory, and a reason."""
    folder = tmp_path / "in"
    folder.mkdir()
    with (folder / "line").open("wb") as file:
        file.write(b'{"t":1,"type":"start","version":"')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    fault = json.dumps(OF_TYPE["fault"]).encode() + b"\n"
    with (folder / "lines").open("wb") as file:
        file.write(json.dumps(OF_TYPE["start"]).encode() + b"\n")
        for number in range(100_000_000 // len(fault)):
            file.write(fault.replace(b'"t": 1', b'"t": %d' % number))
    ran = limited("fleet", "import", tmp_path / "data", folder, mib=1024, seconds=300)
    assert ran.returncode == 2 and "line: line 1 is longer than any line of okram" in ran.stderr
    assert "1 run new in 2 files" in ran.stdout
    (run,) = rows(tmp_path, "runs")
    assert run["lines_left_out"] > 100_000 and run["status"] == "unfinished"
