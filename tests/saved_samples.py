# SPDX-License-Identifier: MIT
"""okram's UEFI variables as kernel/save/saved.h describes them, made from nothing, for tests."""

import json
import struct

from okramlib.crc32c import crc32c

GUID = "d8ab0d1c-6f2f-4f0c-9c5e-6f6b72616d31"
ATTRIBUTES = 7
VARIABLE_MAX = 1024
PART_HEAD = 32
STARTED, TESTING, FINISHED = 1, 2, 3
PASS, FAIL, STOPPED, ERROR = 1, 2, 3, 4

BOARD = "QEMU Standard PC (Q35 + ICH9, 2009)"
DATE = 1795353274  # 2026-11-22 13:14:34
LINE = "badram=0x5000000,0xffffffffff000"
_STATE = "<8sHHIQqqBBHIIIIIIIQQQQQ24s64s24s"
_STATE_CRC_AT = 12
_PART_CRC_AT = 24


def _sealed(data, crc_at):
    return data[:crc_at] + struct.pack("<I", crc32c(data)) + data[crc_at + 4 :]


def state(phase, verdict=0, parts=(), report=b"", jsonl_bytes=0, started=DATE, board=BOARD):
    faults = verdict == FAIL
    data = struct.pack(
        _STATE,
        *(b"okramSAV", 1, struct.calcsize(_STATE), 0, 0x1234, started, started + 90),
        *(phase, verdict, len(parts), len(report), jsonl_bytes, crc32c(report)),
        *(1, 3, 8, 90, 3 << 29, 5 << 30, 4 << 30, 2 * faults, 1 * faults),
        *(b"march-c-", board.encode(), b"1.0"),
    )
    return _sealed(data, _STATE_CRC_AT)


def parts(report, part_bytes=VARIABLE_MAX - PART_HEAD):
    pieces = [report[i : i + part_bytes] for i in range(0, len(report), part_bytes)]
    return [
        _sealed(
            struct.pack("<8sQHHIII", b"okramPRT", 0x1234, i, len(pieces), len(piece), 0, 0) + piece,
            _PART_CRC_AT,
        )
        for i, piece in enumerate(pieces)
    ]


RECORDS = [
    {
        "t": 0.1,
        "type": "start",
        "version": "1.0",
        "boot": "uefi",
        "loader": "okram.efi",
        "cmdline": "",
    },
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
JSONL = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in RECORDS).encode()
TEXT = f"okram: FAIL <1 bad page> & its line\n{LINE}\n".encode()


def started():
    """The variables of a run that did not finish."""
    return {"OkramState": state(TESTING)}


def finished(verdict=FAIL, jsonl=JSONL, text=TEXT, **options):
    """Those of a run that ended, by name."""
    report = jsonl + text
    pieces = parts(report)
    names = [f"OkramReport{i:X}" for i in range(len(pieces))]
    last = state(FINISHED, verdict, pieces, report, len(jsonl), **options)
    return {**dict(zip(names, pieces)), "OkramState": last}


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
