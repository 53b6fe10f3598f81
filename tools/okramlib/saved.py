# SPDX-License-Identifier: MIT
"""The report that okram keeps in UEFI variables; kernel/save/saved.h defines the format.

Anybody can write variables: nothing in them is believed before it is checked.
"""

import struct
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum

from .crc32c import crc32c

PREFIX = "Okram"
VENDOR = uuid.UUID("d8ab0d1c-6f2f-4f0c-9c5e-6f6b72616d31")
ATTRIBUTES = 7
STATE_NAME, PART_NAME = "OkramState", "OkramReport"
PARTS_MAX = 16
VARIABLE_MAX = 1024
STATE_MAGIC, PART_MAGIC = b"okramSAV", b"okramPRT"
VERSION = 1

STATE = struct.Struct("<8sHHIQqqBBHIIIIIIIQQQQQ24s64s24s")
PART = struct.Struct("<8sQHHIII")
_STATE_CRC_AT, _PART_CRC_AT = 12, 24
PART_BYTES_MAX = VARIABLE_MAX - PART.size


class Phase(IntEnum):
    STARTED = 1
    TESTING = 2
    FINISHED = 3


class Verdict(IntEnum):
    NONE = 0
    PASS = 1
    FAIL = 2
    STOPPED = 3
    ERROR = 4


class Invalid(Exception):
    """What a variable violates, as a sentence about "it"."""


@dataclass
class State:
    """struct saved_state, from its run_id on."""

    run_id: int = 0
    started: int = 0
    written: int = 0
    phase: int = Phase.STARTED
    verdict: int = Verdict.NONE
    n_parts: int = 0
    report_bytes: int = 0
    jsonl_bytes: int = 0
    report_crc: int = 0
    pass_: int = 1
    cpu: int = 0
    cpus: int = 1
    seconds: int = 0
    tested_bytes: int = 0
    swept_bytes: int = 0
    ram_bytes: int = 0
    faults: int = 0
    bad_pages: int = 0
    test: str = ""
    board: str = ""
    okram: str = ""


@dataclass
class Part:
    """struct saved_part and its bytes."""

    run_id: int
    index: int
    n: int
    data: bytes


@dataclass
class Saved:
    """What the variables hold."""

    state: State | None = None
    jsonl: str = ""  # of a whole report
    text: str = ""
    problems: list[str] = field(default_factory=list)  # of variables that are not believed


def decode(variables):
    """The Saved of varstore.Variables, of whatever vendor and name."""
    saved, parts = Saved(), {}
    for variable in variables:
        try:
            if variable.vendor != VENDOR:
                raise Invalid("it is of another vendor")
            if variable.name == STATE_NAME:
                saved.state = decode_state(variable)
            elif variable.name.startswith(PART_NAME):
                part = decode_part(variable)
                parts[part.index] = part
        except Invalid as why:
            saved.problems.append(f"the variable {_printable(variable.name)} is ignored: {why}")
    if saved.state and saved.state.phase == Phase.FINISHED:
        try:
            _join(saved, parts)
        except Invalid as why:
            saved.problems.append(str(why))
    return saved


def decode_state(variable):
    """The State. Invalid if it breaks a rule."""
    data = variable.data
    _check_size_and_attributes(variable)
    if data[: len(STATE_MAGIC)] != STATE_MAGIC or len(data) < _STATE_CRC_AT:
        raise Invalid(f'it does not begin with "{STATE_MAGIC.decode()}"')
    version, size = struct.unpack_from("<HH", data, len(STATE_MAGIC))
    if version != VERSION:
        raise Invalid(f"it is of version {version}; this tool reads version {VERSION}")
    if len(data) != STATE.size or size != STATE.size:
        raise Invalid(f"it holds {len(data)} bytes, not {STATE.size}")
    _, _, _, crc, *values = STATE.unpack(data)
    if crc != checksum(data, _STATE_CRC_AT):
        raise Invalid("its checksum is wrong")
    values = [_string(value) if isinstance(value, bytes) else value for value in values]
    state = State(*values)
    if not _is_sane(state):
        raise Invalid("a value in it is out of its range")
    return state


def decode_part(variable):
    """The Part. Invalid if it breaks a rule, whatever run it is of."""
    data = variable.data
    _check_size_and_attributes(variable)
    if len(data) < PART.size:
        raise Invalid("it is too short")
    magic, run_id, index, n, size, crc, reserved = PART.unpack_from(data)
    if magic != PART_MAGIC:
        raise Invalid(f'it does not begin with "{PART_MAGIC.decode()}"')
    if size != len(data) - PART.size:
        raise Invalid("its length is wrong")
    if crc != checksum(data, _PART_CRC_AT):
        raise Invalid("its checksum is wrong")
    if not index < n <= PARTS_MAX or variable.name != f"{PART_NAME}{index:X}" or reserved:
        raise Invalid("a value in it is out of its range")
    return Part(run_id, index, n, data[PART.size :])


def checksum(data, crc_at):
    """Of all bytes, those of the CRC itself taken as 0."""
    return crc32c(data[:crc_at] + bytes(4) + data[crc_at + 4 :])


def record(state):
    """What the state alone says of its run, as the loader writes it (docs/json.md: `saved`)."""
    return {
        "t": state.seconds,
        "type": "saved",
        "version": state.okram,
        "phase": Phase(state.phase).name.lower(),
        "status": Verdict(state.verdict).name.lower() if state.verdict else None,
        "started": _date(state.started),
        "written": _date(state.written),
        "board": state.board,
        "test": state.test,
        "pass": state.pass_,
        "cpu": state.cpu,
        "cpus": state.cpus,
        "tested_bytes": state.tested_bytes,
        "swept_bytes": state.swept_bytes,
        "ram_bytes": state.ram_bytes,
        "faults": state.faults,
        "bad_pages": state.bad_pages,
    }


def _date(seconds):
    """By the machine's clock, whose zone is not known; None without a clock."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}" if seconds > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def _check_size_and_attributes(variable):
    if len(variable.data) > VARIABLE_MAX:
        raise Invalid("it is too long")
    if variable.attributes != ATTRIBUTES:
        raise Invalid(f"its attributes are {variable.attributes:#x}, not {ATTRIBUTES:#x}")


def _string(padded):
    """Printable ASCII that ends with a NUL."""
    text, end, _ = padded.partition(b"\0")
    if not end or not all(0x20 <= byte < 0x7F for byte in text):
        raise Invalid("a text in it is damaged")
    return text.decode()


def _is_sane(state):
    is_finished = state.phase == Phase.FINISHED
    return (
        state.phase in list(Phase)
        and state.verdict in list(Verdict)
        and is_finished == (state.verdict != Verdict.NONE)
        and state.n_parts <= PARTS_MAX
        and state.jsonl_bytes <= state.report_bytes <= state.n_parts * PART_BYTES_MAX
    )


def _join(saved, parts):
    """The report of the state's own parts. Invalid if it is not whole."""
    state = saved.state
    report = b""
    for index in range(state.n_parts):
        part = parts.get(index)
        if part is None or part.run_id != state.run_id or part.n != state.n_parts:
            why = "missing or damaged" if part is None else "of another run"
            raise Invalid(f"part {index + 1} of {state.n_parts} of the report is {why}")
        report += part.data
    if not report:
        raise Invalid("the report itself was not kept")
    if len(report) != state.report_bytes or crc32c(report) != state.report_crc:
        raise Invalid("the parts do not add up to the report")
    saved.jsonl = report[: state.jsonl_bytes].decode(errors="replace")
    saved.text = report[state.jsonl_bytes :].decode(errors="replace")


def _printable(name):
    return "".join(c if " " <= c <= "~" else "?" for c in name)[:40]
