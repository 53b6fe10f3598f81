# SPDX-License-Identifier: MIT
"""The report that okram keeps in UEFI variables; saved/saved.h defines the format, and the
kernel's code reads it (guard/lists.py).

Anybody can write variables: nothing in them is believed before it is checked.
"""

import re
import struct
import uuid
from dataclasses import dataclass, field
from itertools import count, takewhile

from . import records
from .guard import lists

NAME = "OkramReport"  # and two hexadecimal digits
VENDOR = uuid.UUID("6f6b7261-6d52-4a4d-9e15-b5250297c0de")
ATTRIBUTES = 7
VARIABLE_MAX = 1024
HEAD_BEGIN = '{"type":"saved",'
VERSION = 1

PARTS_MAX = 16
_NAMES = re.compile(NAME + "([0-9A-F]{2})")
_PART = struct.Struct("<BII")  # number, attributes, bytes


@dataclass
class Saved:
    """What the variables hold."""

    head: dict | None = None  # a record `saved`, of what is in `jsonl`; None: there is no report
    jsonl: str = ""  # of a damaged report, its record `state`
    data: bytes = b""  # the head and the lines, as they are there; b"": the report is damaged
    problems: list[str] = field(default_factory=list)  # what is not believed, in sentences


def decode(variables):
    """The Saved of varstore.Variables, of whatever vendor and name."""
    saved, parts = Saved(), {}
    for variable in variables:
        if not variable.name.startswith(NAME):
            continue
        name = _NAMES.fullmatch(variable.name)
        if variable.vendor != VENDOR or not name or int(name[1], 16) >= PARTS_MAX:
            saved.problems.append(f"the variable {_printable(variable.name)} is not okram's")
            continue
        parts[int(name[1], 16)] = variable
    packed = (
        _PART.pack(number, part.attributes, len(part.data)) + part.data
        for number, part in parts.items()
    )
    found, jsonl = lists.read_with_text("saved", data=b"".join(packed))
    saved.problems += [
        f"the variable {NAME}{number:02X} is damaged or not okram's" for number in found["ignored"]
    ]
    if found["why"]:
        saved.problems.append(f"the report in the variables: {found['why'].rstrip('.')}")
    if found["kind"] not in ("nothing", "unreadable"):
        is_whole = found["kind"] != "incomplete"
        names = ["state", "bytes", "crc32c", *(["hmac"] if is_whole and "hmac" in found else [])]
        head = {name: found[name] for name in names}
        saved.head = {"type": "saved", "version": VERSION, **head}
        saved.jsonl = jsonl if is_whole else _state(jsonl)
        saved.data = _data(parts, found["bytes"]) if is_whole else b""
    return saved


def _data(parts, size):
    """Of a whole report: the parts in order, up to the end of its lines."""
    joined = b"".join(parts[number].data for number in takewhile(parts.__contains__, count()))
    return joined[: joined.index(b"\n") + 1 + size]


def _state(jsonl):
    """All of a damaged report that is used: the line of its record `state`, or ""."""
    line, end, _ = jsonl.partition("\n")
    try:
        return line + end if records.parse(line)["type"] == "state" else ""
    except records.BadLine:
        return ""


def _printable(name):
    return "".join(c if " " <= c <= "~" else "?" for c in name)[:40]
