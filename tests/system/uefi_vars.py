# SPDX-License-Identifier: MIT
"""The report in UEFI variables, read from OVMF's store by virt-firmware and checked by hand."""

import struct
from dataclasses import dataclass

from virt.firmware.efi import efivar, guids, ucs16
from virt.firmware.varstore import edk2

from okramlib.crc32c import crc32c

SAVED = "d8ab0d1c-6f2f-4f0c-9c5e-6f6b72616d31"
PSTORE = "cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0"
GLOBAL = "8be4df61-93ca-11d2-aa0d-00e098032b8c"
STATE = struct.Struct("<8sHHIQqqBBHIIIIIIIQQQQQ24s64s24s")  # kernel/save/saved.h
PART = struct.Struct("<8sQHHIII")
STARTED, TESTING, FINISHED = 1, 2, 3
VERDICTS = ["", "pass", "fail", "stopped", "error"]
ATTRIBUTES = 7


@dataclass
class State:
    """A valid state."""

    run_id: int
    started: int
    written: int
    phase: int
    verdict: str
    n_parts: int
    report_bytes: int
    jsonl_bytes: int
    report_crc: int
    cpu: int
    cpus: int
    swept_bytes: int
    ram_bytes: int
    bad_pages: int
    test: str
    board: str


def variables(path):
    """Each variable by (vendor, name)."""
    listed = edk2.Edk2VarStore(str(path)).get_varlist()
    return {(str(v.guid), str(name)): v for name, v in listed.items()}


def make_store(template, path, extra):
    """A store with more variables of okram's vendor: their data by name."""
    store = edk2.Edk2VarStore(str(template))
    listed = store.get_varlist()
    for name, data in extra.items():
        listed[name] = efivar.EfiVar(
            ucs16.from_string(name), guid=guids.parse_str(SAVED), attr=ATTRIBUTES, data=data
        )
    store.write_varstore(str(path), listed)


def after_power_cut(path):
    """The same file as firmware sees it: a variable whose successor was not written whole is valid.

    In edk2's store the old one is marked (bit 0 clear) before the new one is written.
    """
    store = edk2.Edk2VarStore(str(path))
    data = bytearray(store.filedata)
    valid, marked, at = set(), {}, store.start
    while at < store.end and data[at : at + 2] == b"\xaa\x55":
        name_bytes, data_bytes = struct.unpack_from("<II", data, at + 36)
        key = bytes(data[at + 44 : at + 60 + name_bytes])
        if data[at + 2] == 0x3F:
            valid.add(key)
        elif data[at + 2] == 0x3E:
            marked[key] = at
        at = (at + 60 + name_bytes + data_bytes + 3) & ~3
    for key, at in marked.items():
        data[at + 2] = data[at + 2] if key in valid else 0x3F
    path.with_suffix(".seen").write_bytes(data)
    return path.with_suffix(".seen")


def own(path):
    """Okram's variables, by name."""
    return {name: v for (vendor, name), v in variables(path).items() if vendor == SAVED}


def read_state(data):
    """The state; an AssertionError when it is no valid one."""
    assert len(data) == STATE.size == 224
    fields = STATE.unpack(data)
    assert fields[0] == b"okramSAV" and fields[1:3] == (1, STATE.size)
    assert fields[3] == crc32c(data[:12] + bytes(4) + data[16:])
    texts = [text.split(b"\0")[0].decode() for text in fields[-3:]]
    return State(
        run_id=fields[4],
        started=fields[5],
        written=fields[6],
        phase=fields[7],
        verdict=VERDICTS[fields[8]],
        n_parts=fields[9],
        report_bytes=fields[10],
        jsonl_bytes=fields[11],
        report_crc=fields[12],
        cpu=fields[14],
        cpus=fields[15],
        swept_bytes=fields[18],
        ram_bytes=fields[19],
        bad_pages=fields[21],
        test=texts[0],
        board=texts[1],
    )


def read_part(data, state, index):
    fields = PART.unpack(data[: PART.size])
    body = data[PART.size :]
    assert fields[0] == b"okramPRT" and fields[1] == state.run_id
    assert fields[2:4] == (index, state.n_parts) and fields[4] == len(body) and fields[6] == 0
    assert fields[5] == crc32c(data[:24] + bytes(4) + data[28:])
    return body


def read_report(path):
    """The state, the JSON lines and the text of a store; all that is there must be valid."""
    found = own(path)
    assert all(v.attr == ATTRIBUTES and len(v.data) <= 1024 for v in found.values())
    state = read_state(bytes(found["OkramState"].data))
    if state.phase != FINISHED:
        assert state.n_parts == 0
        return state, "", ""
    report = b"".join(
        read_part(bytes(found[f"OkramReport{i:X}"].data), state, i) for i in range(state.n_parts)
    )
    assert len(report) == state.report_bytes and crc32c(report) == state.report_crc
    text = report.decode()
    return state, text[: state.jsonl_bytes], text[state.jsonl_bytes :]


def free_bytes(path):
    """Of the store, behind all variables, also those that are no longer valid."""
    store = edk2.Edk2VarStore(str(path))
    at = store.start
    while at < store.end and store.filedata[at : at + 2] == b"\xaa\x55":
        name_bytes, data_bytes = struct.unpack_from("<II", store.filedata, at + 36)
        at = (at + 60 + name_bytes + data_bytes + 3) & ~3
    return store.end - at
