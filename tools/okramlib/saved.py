# SPDX-License-Identifier: MIT
"""The report that okram keeps in UEFI variables; kernel/save/saved.h defines the format.

Anybody can write variables: nothing in them is believed before it is checked.
"""

import re
import uuid
from dataclasses import dataclass, field

from . import records
from .crc32c import crc32c

NAME = "OkramReport"  # and two hexadecimal digits
VENDOR = uuid.UUID("6f6b7261-6d52-4a4d-9e15-b5250297c0de")
ATTRIBUTES = 7
VARIABLE_MAX = 1024
HEAD_BEGIN = '{"type":"saved",'
HEAD_MAX = 192
VERSION = 1

_NAMES = re.compile(NAME + "([0-9A-F]{2})")
_VERSION = re.compile(r'"version":(\d+)')


class Invalid(Exception):
    """What a variable violates, as a sentence about "it"."""


@dataclass
class Saved:
    """What the variables hold."""

    head: dict | None = None  # the record `saved`; None: there is no report
    state: dict | None = None  # the record `state`, of a damaged report if it can be read
    jsonl: str = ""  # of a whole report; `state` is its first line
    problems: list[str] = field(default_factory=list)  # what is not believed, in sentences


def decode(variables):
    """The Saved of varstore.Variables, of whatever vendor and name."""
    saved, parts = Saved(), {}
    for variable in variables:
        if not variable.name.startswith(NAME):
            continue
        try:
            parts[_index(variable)] = variable.data
        except Invalid as why:
            saved.problems.append(f"the variable {_printable(variable.name)} is ignored: {why}")
    if 0 not in parts:
        return saved
    joined, next_name = _join(parts)
    try:
        saved.head, rest = _split_head(joined)
    except Invalid as why:
        saved.problems.append(f"the variable {NAME}00 is ignored: {why}")
        return saved
    report = rest[: saved.head["bytes"]]
    saved.state = _first_state(report)
    if len(report) < saved.head["bytes"]:
        saved.problems.append(f"the report is not whole: {next_name} is missing or damaged")
    elif crc32c(report) != int(saved.head["crc32c"], 16):
        saved.problems.append("the report is damaged: its checksum is wrong")
    else:
        saved.jsonl = report.decode(errors="replace")
    return saved


def _index(variable):
    """Which part of a report the variable can be. Invalid if it can be none."""
    name, data = _NAMES.fullmatch(variable.name), variable.data
    if variable.vendor != VENDOR:
        raise Invalid("it is of another vendor")
    if not name:
        raise Invalid("its name does not end with two hexadecimal digits")
    if len(data) > VARIABLE_MAX:
        raise Invalid("it is too long")
    if variable.attributes != ATTRIBUTES:
        raise Invalid(f"its attributes are {variable.attributes:#x}, not {ATTRIBUTES:#x}")
    index = int(name[1], 16)
    if index == 0 and not data.startswith(HEAD_BEGIN.encode()):
        raise Invalid(f"it does not begin with {HEAD_BEGIN}")
    if not all(byte == 0x0A or 0x20 <= byte != 0x7F for byte in data):
        raise Invalid("it is not text")
    return index


def _join(parts):
    """The parts up to the first that is missing, and that one's name."""
    joined, index = b"", 0
    while index in parts:
        joined += parts[index]
        index += 1
    return joined, f"{NAME}{index:02X}"


def _split_head(joined):
    """The head, and what is behind it. Invalid if the head is damaged."""
    line, end, rest = joined.partition(b"\n")
    text = line.decode(errors="replace")
    version = _VERSION.search(text)
    if version and int(version[1]) != VERSION:
        raise Invalid(f"it is of version {version[1]}; this tool reads version {VERSION}")
    if not end or len(line) >= HEAD_MAX:
        raise Invalid("its head is damaged: it has no end")
    try:
        return records.parse(text), rest
    except records.BadLine as why:
        raise Invalid(f"its head is damaged: {why}") from None


def _first_state(report):
    """The record `state` that a report begins with, whole or damaged; None: it does not."""
    try:
        first = records.parse(report.partition(b"\n")[0].decode(errors="replace"))
    except records.BadLine:
        return None
    return first if first["type"] == "state" else None


def _printable(name):
    return "".join(c if " " <= c <= "~" else "?" for c in name)[:40]
