# SPDX-License-Identifier: MIT
"""The report in UEFI variables: whole ones are read, all others are named and not believed."""

import json
import random
import re
import uuid
from dataclasses import replace

import pytest

from crc32c import crc32c
from okramlib import ROOT, outcome, saved
from tools.samples import GOOD
from tools.saved_samples import (
    JSONL,
    STATE,
    cut,
    head,
    lines_of,
    unfinished,
    variable,
    whole_report,
)

OTHER_VENDOR = uuid.UUID(int=1)
BYTES = JSONL.encode()


def test_crc():
    """RFC 3720, B.4, and the check value of the CRC catalogues."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"") == 0


def test_the_format_is_that_of_the_kernel():
    header = (ROOT / "kernel/core/formats/saved/saved.h").read_text()
    for name in ("ATTRIBUTES", "VARIABLE_MAX", "VERSION"):
        (value,) = re.findall(rf"#define SAVED_{name} +(\d+)", header)
        assert getattr(saved, name) == int(value)
    for name, text in (("PART_NAME", saved.NAME), ("HEAD_BEGIN", saved.HEAD_BEGIN)):
        (value,) = re.findall(rf"#define SAVED_{name} +(\".*\")(?: /\*.*)?$", header, re.MULTILINE)
        assert json.loads(value) == text
    guid = [int(n, 16) for n in re.findall(r"0x([0-9a-f]+)[,\s]", header)[:11]]
    assert guid == [*saved.VENDOR.fields[:3], *saved.VENDOR.bytes[8:]]


def test_nothing():
    assert saved.decode([]) == saved.Saved()


def test_a_whole_report():
    found = saved.decode(whole_report())
    assert found.problems == [] and found.jsonl == JSONL
    assert found.head == json.loads(head(BYTES))


def test_byte_for_byte():
    """The form as the documents have it, written here by hand."""
    jsonl = lines_of(STATE).encode()
    text = (
        f'{{"type":"saved","version":1,"state":"started","bytes":{len(jsonl)},'
        f'"crc32c":"0x{crc32c(jsonl):08x}"}}\n'
    )
    found = saved.decode([variable("OkramReport00", text.encode() + jsonl)])
    assert found.problems == [] and found.jsonl.encode() == jsonl
    assert found.head["state"] == "started"


def test_a_signature():
    """It is handed on, of a whole report only: nothing else is signed."""
    signed = whole_report(hmac="5a" * 32)
    assert saved.decode(signed).head == json.loads(head(BYTES, hmac="5a" * 32))
    assert "hmac" not in saved.decode(signed[:1]).head
    assert "hmac" not in saved.decode(whole_report(hmac="odd")).head


def test_as_many_parts_as_there_may_be():
    room = 16 * saved.VARIABLE_MAX - len(head(BYTES, bytes=10**4))
    jsonl = lines_of(STATE, GOOD[-1]).ljust(room - 1) + "\n"
    variables = whole_report(jsonl)
    assert variables[-1].name == "OkramReport0F"
    found = saved.decode(reversed(variables))
    assert found.jsonl == jsonl and found.problems == []


def test_parts_of_any_length():
    """Joined in order: no part has to be full, and a character may be in two."""
    jsonl = lines_of(STATE, GOOD[-1], {"board": "\N{GREEK SMALL LETTER MU}"}).replace(
        "\\u03bc", "μ"
    )
    content = head(jsonl.encode()) + jsonl.encode()
    at = content.index("μ".encode()) + 1
    pieces = [content[:200], content[200:at], content[at:]]
    found = saved.decode([variable(f"OkramReport{i:02X}", p) for i, p in enumerate(pieces)])
    assert found.jsonl == jsonl and found.problems == []


def test_a_report_without_a_state():
    jsonl = JSONL.partition("\n")[2]
    found = saved.decode(whole_report(jsonl))
    assert found.jsonl == jsonl and found.problems == []


def test_a_run_that_did_not_finish():
    """What follows its bytes, of an earlier run, is not a report of this one."""
    found = saved.decode([unfinished(), *whole_report()[1:]])
    assert found.problems == [] and found.jsonl == lines_of(STATE)
    assert found.head["state"] == "running"
    assert outcome.unfinished({"saved": [found.head], "state": [STATE]}) == (
        "okram started on 2026-11-22 13:14:34 and did not finish: test march-c-, pass 2,"
        " 3 GiB tested, CPU 3, 2 bad pages."
    )


def test_what_is_behind_does_not_count():
    found = saved.decode(whole_report(behind=b"left over " * 300))
    assert found.jsonl == JSONL and found.problems == []


def first(content, **changes):
    return replace(variable("OkramReport00", content), **changes)


WHOLE = whole_report()[0].data


NO_HEAD = "it does not begin with okram's head"
ODD = "a value in its head is missing or invalid"


@pytest.mark.parametrize(
    "broken, why",
    [
        (first(WHOLE, vendor=OTHER_VENDOR), "the variable OkramReport00 is not okram's"),
        (first(WHOLE, attributes=3), "its attributes are not those of okram's"),
        (first(WHOLE.ljust(1025)), "it is too long"),
        (first(b""), NO_HEAD),
        (first(b"somebody else's"), NO_HEAD),
        (first(WHOLE[1:]), NO_HEAD),
        (first(head(BYTES, version=2) + BYTES[:500]), "it is of a version"),
        (first(head(BYTES).replace(b":1,", b":" + b"1" * 90 + b",")), "it "),
        (first(head(BYTES, state="testing")), ODD),
        (first(head(BYTES, bytes=-1)), ODD),
        (first(head(BYTES, bytes=0)), ODD),
        (first(head(BYTES, crc32c="12345678")), ODD),
        (first(head(BYTES, crc32c=None)), ODD),
        (first(head(BYTES).replace(b"}", b" ")), NO_HEAD),
        (first(head(BYTES).replace(b"\n", b" ")), NO_HEAD),
        (first(head(BYTES).replace(b"}", b" " * 128 + b"}")), NO_HEAD),
    ],
)
def test_a_head_that_is_not_believed(broken, why):
    found = saved.decode([broken, *whole_report()[1:]])
    assert found.head is None and found.jsonl == ""
    assert found.problems and why in " ".join(found.problems)


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda part: None, "OkramReport02 is missing"),
        (lambda part: replace(part, data=part.data + b"x"), "OkramReport02 is damaged"),
        (lambda part: replace(part, data=part.data[:-1] + b"\1"), "checksum is wrong"),
        (lambda part: replace(part, attributes=6), "OkramReport02 is damaged or not okram's"),
        (lambda part: replace(part, vendor=OTHER_VENDOR), "OkramReport02 is missing"),
        (lambda part: replace(part, name="OkramReport2"), "OkramReport2 is not okram's"),
        (lambda part: replace(part, name="OkramReport0a"), "OkramReport0a is not okram's"),
        (lambda part: replace(part, data=part.data[:-2] + b"??"), "checksum is wrong"),
        (lambda part: replace(part, data=b""), "OkramReport06 is missing"),
    ],
)
def test_a_part_that_is_not_believed(change, why):
    """The state is in another part, and is what is left."""
    variables = whole_report()
    assert len(variables) == 6
    changed = change(variables[2])
    variables[2:3] = [changed] if changed else []
    found = saved.decode(variables)
    assert found.head["state"] == "done" and why in " ".join(found.problems)
    assert found.jsonl == lines_of(STATE)
    assert "but its result is lost; march-c- ran last, pass 2" in outcome.unfinished(
        {"saved": [found.head], "state": [STATE]}
    )


def test_a_state_alone():
    """There was room for one variable."""
    state = {**STATE, "status": "fail"}
    found = saved.decode(whole_report(lines_of(state)))
    assert found.jsonl == lines_of(state) and not found.problems
    assert "ended with the status fail; march-c- ran last, pass 2" in outcome.unfinished(
        {"saved": [found.head], "state": [state]}
    )


def test_parts_without_the_first():
    """The loader deletes the first at first."""
    assert saved.decode(whole_report()[1:]) == saved.Saved()


def test_variables_of_others_beside_a_whole_report():
    others = [
        variable("OkramReport01", b"mine", vendor=uuid.UUID(int=7)),
        variable("OkramReport1", b"?"),
        variable("OkramReport\x1b[2J", b"?"),
        variable("OkramReport10", b"a seventeenth"),
        variable("OkramReport0F", b"\xff\0", attributes=3),
        variable("OkramGuard", b"of another format"),
    ]
    found = saved.decode([*others, *whole_report()])
    assert found.jsonl == JSONL
    assert found.problems == [
        *(f"the variable OkramReport{name} is not okram's" for name in ("01", "1", "?[2J", "10")),
        "the variable OkramReport0F is damaged or not okram's",
    ]


def test_a_state_that_cannot_be_read():
    """Nothing but what the head has is left."""
    found = saved.decode(cut(head(BYTES) + BYTES.replace(b'"state"', b'"stale"')))
    assert found.jsonl == ""
    assert found.problems == ["the report in the variables: The report's checksum is wrong"]
    said = outcome.unfinished({"saved": [found.head]})
    assert said == "okram started and ended, but its result is lost."


def test_damage_is_never_believed():
    """Cut off, with a byte changed, or exchanged: the whole report, or none of it."""
    chance = random.Random(20)
    for _ in range(100):
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
        assert found.problems and found.jsonl.count("\n") <= 1
