# SPDX-License-Identifier: MIT
"""okram's UEFI variables as saved/saved.h describes them, made from nothing, for tests."""

import hmac
import json

from crc32c import crc32c

GUID = "6f6b7261-6d52-4a4d-9e15-b5250297c0de"
ATTRIBUTES = 7
VARIABLE_MAX = 1024
PHASES = ("started", "running", "done")
PASS, FAIL, STOPPED, ERROR = "pass", "fail", "stopped", "error"

BOARD = "QEMU Standard PC (Q35 + ICH9, 2009)"
LINE = "badram=0x5000000,0xffffffffff000"

START = {
    "t": 0.1,
    "type": "start",
    "version": "1.0",
    "boot": "uefi",
    "loader": "okram.efi",
    "cmdline": "",
}
RECORDS = [
    START,
    {
        "t": 9,
        "type": "test",
        "pass": 1,
        "test": "march-c-",
        "seconds": 5.5,
        "swept_bytes": 4096,
        "faults": 2,
    },
    {
        "t": 9.1,
        "type": "badram",
        "bad_pages": 1,
        "patterns": [["0x5000000", "0xffffffffff000"]],
        "sacrificed_pages": 1,
        "ranges": 1,
        "line": LINE,
    },
]


def lines(records):
    """JSON lines."""
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records).encode()


def state(faults=0, bad_pages=0, started="2026-11-22T13:14:34", board=BOARD):
    """The first record."""
    return {
        "t": 90,
        "type": "state",
        "started": started,
        "written": "2026-11-22T13:16:04",
        "board": board,
        "test": "march-c-",
        "pass": 1,
        "cpu": 3,
        "cpus": 8,
        "tested_bytes": 3 << 29,
        "swept_bytes": 5 << 30,
        "ram_bytes": 4 << 30,
        "faults": faults,
        "bad_pages": bad_pages,
    }


def result(verdict):
    """The last record."""
    return {
        "t": 90,
        "type": "result",
        "status": verdict,
        "complete": True,
        "passes": 1,
        "tested_bytes": 3 << 29,
        "untested_bytes": 0,
        "untested": [],
        "bad_pages": int(verdict == FAIL),
        "seconds": 90.0,
    }


def variables(phase, jsonl, part_bytes=VARIABLE_MAX, key=None):
    """{name: data} of a report in this state, signed if there is a key."""
    head = {
        "type": "saved",
        "version": 1,
        "state": phase,
        "bytes": len(jsonl),
        "crc32c": f"{crc32c(jsonl):#010x}",
    }
    if key:  # kernel/core/formats/saved/saved_sign.h
        signed = b"okram report\0" + bytes([PHASES.index(phase)]) + jsonl
        head["hmac"] = hmac.digest(key, signed, "sha256").hex()
    whole = lines([head]) + jsonl
    pieces = [whole[i : i + part_bytes] for i in range(0, len(whole), part_bytes)]
    return {f"OkramReport{i:02X}": piece for i, piece in enumerate(pieces)}


def started(**options):
    """The variables of a run that did not finish."""
    return variables("running", lines([state(**options), START]))


def finished_jsonl(verdict=FAIL, records=RECORDS, **options):
    """The lines of a run that ended."""
    bad = verdict == FAIL
    first = state(faults=2 * bad, bad_pages=1 * bad, **options)
    return lines([first, *records, result(verdict)])


def finished(part_bytes=VARIABLE_MAX, key=None, **options):
    """The variables of a run that ended; options are finished_jsonl's."""
    return variables("done", finished_jsonl(**options), part_bytes, key)


JSONL = finished_jsonl()


def store(path, variables, vendor=GUID, attributes=ATTRIBUTES):
    """Makes path a store of OVMF's variables, or the one there is, with these added."""
    from virt.firmware.efi.efivar import EfiVar  # takes a while
    from virt.firmware.varstore.edk2 import Edk2VarStore

    from okramlib.machine import OVMF_VARS

    template = Edk2VarStore(path if path.exists() else OVMF_VARS)
    listed = template.get_varlist()
    for name, data in variables.items():
        listed[name] = EfiVar(name, guid=vendor, attr=attributes, data=data)
    template.write_varstore(path, listed)


def stored(path):
    """{name: data} of okram's variables in such a store."""
    from virt.firmware.varstore.edk2 import Edk2VarStore

    listed = Edk2VarStore(path).get_varlist()
    return {name: var.data for name, var in listed.items() if str(var.guid) == GUID}
