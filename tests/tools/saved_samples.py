# SPDX-License-Identifier: MIT
"""UEFI variables as okram's kernel writes them."""

import json

from crc32c import crc32c
from okramlib import saved
from okramlib.efivars import Variable
from tools.samples import GOOD

STATE = {
    "t": 600,
    "type": "state",
    "started": "2026-11-22T13:14:34",
    "written": "2026-11-22T13:24:34",
    "board": "Example Board 9",
    "test": "march-c-",
    "pass": 2,
    "cpu": 3,
    "cpus": 8,
    "tested_bytes": 3 << 30,
    "swept_bytes": 90 << 30,
    "ram_bytes": 8 << 30,
    "faults": 7,
    "bad_pages": 2,
}
RUN = [{"t": i, **record} for i, record in enumerate(GOOD) if record["type"] != "state"]


def lines_of(*records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


FAULTS = 6 * [record for record in RUN if record["type"] == "fault"]
JSONL = lines_of(STATE, *RUN[:-1], *FAULTS, RUN[-1])


def variable(name, data, vendor=saved.VENDOR, attributes=saved.ATTRIBUTES):
    return Variable(name, vendor, attributes, data)


def head(jsonl, **changes):
    content = {
        "type": "saved",
        "version": saved.VERSION,
        "state": "done",
        "bytes": len(jsonl),
        "crc32c": f"{crc32c(jsonl):#010x}",
    }
    return lines_of({**content, **changes}).encode()


def cut(content):
    """The variables of such bytes."""
    step = saved.VARIABLE_MAX
    pieces = [content[at : at + step] for at in range(0, len(content), step)]
    return [variable(f"OkramReport{i:02X}", piece) for i, piece in enumerate(pieces)]


def whole_report(jsonl=JSONL, behind=b"", **changes):
    """The parts of a run that found bad pages; changes: of the head."""
    jsonl = jsonl.encode()
    return cut(head(jsonl, **changes) + jsonl + behind)


def unfinished(**changes):
    """The variable of a run that did not finish; changes: of the state."""
    (found,) = whole_report(lines_of({**STATE, **changes}), state="running")
    return found


def part_line(machine, part, content, **changes):
    """Of nginx's log, as `okram fleet init` has it."""
    entry = {"okram": 1, "at": "2026-11-26T01:12:00+00:00", "from": "192.0.2.7"}
    entry |= {"machine": machine, "part": f"{part:02X}", "data": content.hex()} | changes
    return json.dumps(entry, separators=(",", ":")) + "\n"
