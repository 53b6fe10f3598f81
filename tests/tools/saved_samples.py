# SPDX-License-Identifier: MIT
"""UEFI variables as okram's kernel writes them."""

import json
from dataclasses import astuple, replace

from okramlib import saved
from okramlib.crc32c import crc32c
from okramlib.varstore import Variable
from tools.samples import GOOD

RECORDS = [{"t": i, **record} for i, record in enumerate(GOOD)]
JSONL = "".join(json.dumps(record) + "\n" for record in RECORDS)
TEXT = "okram 0.1.0\nbadram=0x1000,0xffffffffff000\n" + 40 * "one line of the report\n"

RUNNING = saved.State(
    run_id=0x1234_5678_9ABC_DEF0,
    started=1_790_000_000,
    written=1_790_000_600,
    phase=saved.Phase.TESTING,
    pass_=2,
    cpu=3,
    cpus=8,
    seconds=600,
    tested_bytes=3 << 30,
    swept_bytes=90 << 30,
    ram_bytes=8 << 30,
    faults=7,
    bad_pages=2,
    test="march-c-",
    board="Example Board 9",
    okram="0.1.0",
)


def variable(name, data, vendor=saved.VENDOR, attributes=saved.ATTRIBUTES):
    return Variable(name, vendor, attributes, data)


def state_bytes(state, version=saved.VERSION):
    values = [v.encode() if isinstance(v, str) else v for v in astuple(state)]
    size = saved.STATE.size
    data = saved.STATE.pack(saved.STATE_MAGIC, version, size, 0, *values)
    return data[:12] + crc32c(data).to_bytes(4, "little") + data[16:]


def state_variable(state, **changes):
    return variable(saved.STATE_NAME, state_bytes(replace(state, **changes)))


def part_variable(run_id, index, n, data):
    head = (saved.PART_MAGIC, run_id, index, n, len(data))
    crc = crc32c(saved.PART.pack(*head, 0, 0) + data)
    return variable(f"{saved.PART_NAME}{index:X}", saved.PART.pack(*head, crc, 0) + data)


def whole_report(jsonl=JSONL, text=TEXT, **changes):
    """The state and the parts of a run that found bad pages."""
    report = (jsonl + text).encode()
    step = saved.PART_BYTES_MAX
    pieces = [report[at : at + step] for at in range(0, len(report), step)]
    state = replace(
        RUNNING,
        phase=saved.Phase.FINISHED,
        verdict=saved.Verdict.FAIL,
        n_parts=len(pieces),
        report_bytes=len(report),
        jsonl_bytes=len(jsonl.encode()),
        report_crc=crc32c(report),
    )
    parts = [part_variable(state.run_id, i, len(pieces), p) for i, p in enumerate(pieces)]
    return [state_variable(state, **changes), *parts]
