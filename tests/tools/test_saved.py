# SPDX-License-Identifier: MIT
"""The report in UEFI variables: whole ones are read, all others are named and not believed."""

import json
import random
import re
import uuid
from dataclasses import replace

import pytest

from okramlib import ROOT, outcome, records, saved
from okramlib.crc32c import crc32c
from tools.saved_samples import (
    JSONL,
    RUNNING,
    TEXT,
    part_variable,
    state_bytes,
    state_variable,
    variable,
    whole_report,
)


def test_crc():
    """RFC 3720, B.4, and the check value of the CRC catalogues."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"") == 0


def test_the_format_is_that_of_the_kernel():
    header = (ROOT / "kernel" / "save" / "saved.h").read_text()
    for name in ("ATTRIBUTES", "PARTS_MAX", "VARIABLE_MAX", "VERSION"):
        (value,) = re.findall(rf"#define SAVED_{name} +(\d+)", header)
        assert getattr(saved, name) == int(value)
    for name in ("STATE_NAME", "PART_NAME", "STATE_MAGIC", "PART_MAGIC"):
        (value,) = re.findall(rf'#define SAVED_{name} +"(\w+)"', header)
        assert getattr(saved, name) in (value, value.encode())
    guid = [int(n, 16) for n in re.findall(r"0x([0-9a-f]+)[,\s]", header)[:11]]
    assert guid == [*saved.VENDOR.fields[:3], *saved.VENDOR.bytes[8:]]
    for kind, enum in (("phase", saved.Phase), ("verdict", saved.Verdict)):
        body = re.search(rf"enum saved_{kind} {{(.*?)}};", header, re.DOTALL)[1]
        values = {name: int(value) for name, value in re.findall(r"SAVED_(\w+) = (\d+)", body)}
        assert values == {member.name: member.value for member in enum if member.value}


def test_nothing():
    assert saved.decode([]) == saved.Saved()


def test_a_whole_report():
    found = saved.decode(whole_report())
    assert found.problems == [] and (found.jsonl, found.text) == (JSONL, TEXT)
    assert found.state.okram == "0.1.0" and found.state.bad_pages == 2


def test_as_many_parts_as_there_may_be():
    text = "x" * (saved.PARTS_MAX * saved.PART_BYTES_MAX - len(JSONL.encode()))
    found = saved.decode(reversed(whole_report(text=text)))
    assert found.state.n_parts == saved.PARTS_MAX and found.text == text


def test_a_run_that_did_not_finish():
    """Parts of an earlier run are no report of this one."""
    found = saved.decode([state_variable(RUNNING), *whole_report()[1:]])
    assert found.problems == [] and found.jsonl == found.text == ""
    record = saved.record(found.state)
    assert records.parse(json.dumps(record)) == record
    assert record["started"] == "2026-09-21T14:13:20" and record["written"] == "2026-09-21T14:23:20"
    assert (record["phase"], record["status"]) == ("testing", None)
    assert outcome.saved({"saved": [record]}) == (
        "okram 0.1.0 started on 2026-09-21 14:13:20 and did not finish: test march-c-, pass 2,"
        " 3 GiB tested, CPU 3, 2 bad pages."
    )


@pytest.mark.parametrize("seconds", [0, -1, -(1 << 63), (1 << 63) - 1])
def test_no_clock(seconds):
    record = saved.record(saved.decode([state_variable(RUNNING, started=seconds)]).state)
    assert record["started"] is None and records.parse(json.dumps(record)) == record


@pytest.mark.parametrize(
    "broken, why",
    [
        (variable("OkramState", state_bytes(RUNNING), vendor=uuid.UUID(int=1)), "another vendor"),
        (variable("OkramState", state_bytes(RUNNING), attributes=3), "attributes are 0x3, not 0x7"),
        (variable("OkramState", b""), "does not begin with"),
        (variable("OkramState", b"okramSAV"), "does not begin with"),
        (variable("OkramState", b"okramSAW" + state_bytes(RUNNING)[8:]), "does not begin with"),
        (variable("OkramState", state_bytes(RUNNING, version=2)), "is of version 2"),
        (variable("OkramState", state_bytes(RUNNING)[:-1]), "holds 223 bytes, not 224"),
        (variable("OkramState", state_bytes(RUNNING) + b"\0"), "holds 225 bytes, not 224"),
        (variable("OkramState", bytes(1025)), "it is too long"),
        (state_variable(RUNNING, phase=0), "out of its range"),
        (state_variable(RUNNING, phase=4), "out of its range"),
        (state_variable(RUNNING, phase=saved.Phase.FINISHED), "out of its range"),
        (state_variable(RUNNING, verdict=saved.Verdict.PASS), "out of its range"),
        (whole_report(verdict=5)[0], "out of its range"),
        (whole_report(n_parts=17)[0], "out of its range"),
        (whole_report(report_bytes=1 << 20)[0], "out of its range"),
        (whole_report(jsonl_bytes=1 << 13)[0], "out of its range"),
        (state_variable(RUNNING, test="x" * 24), "a text in it is damaged"),
        (state_variable(RUNNING, board="\x1b[2J"), "a text in it is damaged"),
    ],
)
def test_a_state_that_is_not_believed(broken, why):
    found = saved.decode([broken, *whole_report()[1:]])
    assert found.state is None and found.jsonl == found.text == ""
    (problem,) = found.problems
    assert problem.startswith("the variable OkramState is ignored: ")
    assert why in problem


def rebuilt(part, **changes):
    """The part with another head, and a checksum that is right."""
    _, run_id, index, n, _, _, _ = saved.PART.unpack_from(part.data)
    values = {"run_id": run_id, "index": index, "n": n, "data": part.data[saved.PART.size :]}
    return part_variable(**{**values, **changes})


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda part: None, "part 2 of 4 of the report is missing"),
        (lambda part: replace(part, data=part.data[:-1]), "its length is wrong"),
        (lambda part: replace(part, data=part.data[:31]), "it is too short"),
        (lambda part: replace(part, data=part.data + b"\0"), "it is too long"),
        (lambda part: replace(part, data=b"x" + part.data[1:]), 'begin with "okramPRT"'),
        (lambda part: replace(part, data=part.data[:-1] + b"\1"), "its checksum is wrong"),
        (lambda part: replace(part, attributes=6), "attributes are 0x6"),
        (lambda part: replace(part, vendor=uuid.UUID(int=1)), "another vendor"),
        (lambda part: replace(part, name="OkramReport3"), "out of its range"),
        (lambda part: rebuilt(part, run_id=1), "part 2 of 4 of the report is of another run"),
        (lambda part: rebuilt(part, n=5), "part 2 of 4 of the report is of another run"),
        (lambda part: rebuilt(part, n=1), "out of its range"),
        (lambda part: rebuilt(part, n=17), "out of its range"),
        (lambda part: rebuilt(part, data=b"short"), "parts do not add up to the report"),
    ],
)
def test_a_part_that_is_not_believed(change, why):
    variables = whole_report()
    assert len(variables) == 1 + 4
    changed = change(variables[2])
    variables[2:3] = [changed] if changed else []
    found = saved.decode(variables)
    assert found.state.verdict == saved.Verdict.FAIL
    assert found.jsonl == found.text == "" and why in " ".join(found.problems)
    record = saved.record(found.state)
    assert (record["phase"], record["status"]) == ("finished", "fail")
    assert records.parse(json.dumps(record)) == record


def test_a_report_that_was_not_kept():
    found = saved.decode(whole_report(n_parts=0, report_bytes=0, jsonl_bytes=0)[:1])
    assert found.state and found.problems == ["the report itself was not kept"]


def test_variables_of_others_beside_a_whole_report():
    others = [
        variable("OkramReport1", b"mine", vendor=uuid.UUID(int=7)),
        variable("OkramReportG", b"?"),
        variable("OkramReport\x1b[2J", b"?"),
        variable("OkramGuard", b"of another format"),
    ]
    found = saved.decode([*others, *whole_report(), others[0]])
    assert (found.jsonl, found.text) == (JSONL, TEXT)
    named = [problem.split(" is ignored")[0] for problem in found.problems]
    names = ["OkramReport1", "OkramReportG", "OkramReport?[2J", "OkramReport1"]
    assert named == [f"the variable {name}" for name in names]


def test_damage_is_never_believed():
    """Cut off, with a byte changed, or exchanged: the whole report, or none of it."""
    chance = random.Random(20)
    for _ in range(200):
        variables = whole_report()
        at = chance.randrange(len(variables))
        data = bytearray(variables[at].data)
        match chance.randrange(3):
            case 0:
                del data[chance.randrange(len(data)) :]
            case 1:
                data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
            case 2:
                data = variables[at - 1].data
        variables[at] = replace(variables[at], data=bytes(data))
        found = saved.decode(variables)
        assert found.problems and found.jsonl == found.text == ""
        assert (found.state is None) == (at == 0)
