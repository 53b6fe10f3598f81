# SPDX-License-Identifier: MIT
"""The report in UEFI variables, read from OVMF's store by virt-firmware and checked by hand."""

import hmac
import json
import re
import struct
from dataclasses import dataclass
from datetime import UTC, datetime

from virt.firmware.efi import efivar, guids, ucs16
from virt.firmware.varstore import edk2

from crc32c import crc32c

SAVED = "6f6b7261-6d52-4a4d-9e15-b5250297c0de"
PSTORE = "cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0"
GLOBAL = "8be4df61-93ca-11d2-aa0d-00e098032b8c"
HEAD = re.compile(  # kernel/core/formats/saved/saved.h
    rb'{"type":"saved","version":1,"state":"(started|running|done)",'
    rb'"bytes":(\d+),"crc32c":"0x([0-9a-f]+)"(?:,"hmac":"([0-9a-f]{64})")?}\n'
)
PHASES = STARTED, RUNNING, DONE = "started", "running", "done"
ATTRIBUTES = 7
KEY = "OkramKey"


@dataclass
class State:
    """Of a valid report: its head, its record `state`, and the result's status."""

    phase: str
    n_parts: int
    verdict: str  # "" without a result: the run did not end
    started: int  # seconds since 1970
    written: int
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


def _entries(store):
    """(position, bytes of the name, position after it) of each variable, valid or not.

    A power cut may leave a header half written. Where its state, attributes or a size are still
    all ones, edk2 takes both sizes as 0.
    """
    at = store.start
    while at < store.end and store.filedata[at : at + 2] == b"\xaa\x55":
        state, attributes = struct.unpack_from("<BxI", store.filedata, at + 2)
        sizes = struct.unpack_from("<II", store.filedata, at + 36)
        whole = state != 0xFF and 0xFFFFFFFF not in (attributes, *sizes)
        name_bytes, data_bytes = sizes if whole else (0, 0)
        end = (at + 60 + name_bytes + data_bytes + 3) & ~3
        yield at, name_bytes, end
        at = end


def after_power_cut(path):
    """A copy of the file as firmware sees it, which virt-firmware can read.

    In edk2's store the old variable is marked (bit 0 clear) before the new one is written: one
    whose successor was not written whole is valid. Headers without sizes have them.
    """
    store = edk2.Edk2VarStore(str(path))
    data = bytearray(store.filedata)
    valid, marked = set(), {}
    for at, name_bytes, end in _entries(store):
        key = bytes(data[at + 44 : at + 60 + name_bytes])
        if data[at + 2] == 0x3F:
            valid.add(key)
        elif data[at + 2] == 0x3E:
            marked[key] = at
        if end == at + 60:
            data[at + 36 : at + 44] = bytes(8)
    for key, at in marked.items():
        data[at + 2] = data[at + 2] if key in valid else 0x3F
    path.with_suffix(".seen").write_bytes(data)
    return path.with_suffix(".seen")


def own(path):
    """Okram's variables, by name, but the key, which the loader makes."""
    found = {name: v for (vendor, name), v in variables(path).items() if vendor == SAVED}
    return {name: v for name, v in found.items() if name != KEY}


def key(path):
    """With which okram signs; or None. The running system cannot read it."""
    found = variables(path).get((SAVED, KEY))
    assert found is None or (found.attr, len(found.data)) == (3, 32)
    return bytes(found.data) if found else None


def seconds_of(date):
    return int(datetime.strptime(date, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC).timestamp())


def join(found):
    """The data of all parts up to the first that is missing."""
    data = b""
    for index in range(256):
        if (part := found.get(f"OkramReport{index:02X}")) is None:
            break
        data += bytes(part.data)
    return data


def hmac_of(phase, report, made):
    """As kernel/core/formats/saved/saved_read.h has it."""
    signed = b"okram report\0" + bytes([PHASES.index(phase)]) + report
    return hmac.new(made, signed, "sha256").hexdigest()


def read_report(path):
    """The State and the JSON lines of a store; an AssertionError when they are not valid."""
    found = own(path)
    assert all(v.attr == ATTRIBUTES for v in found.values())
    parts = [v.data for name, v in found.items() if name.startswith("OkramReport")]
    assert all(len(data) <= 1024 for data in parts)
    data = join(found)
    head = HEAD.match(data)
    assert head, data[:200]
    phase, size, crc = head[1].decode(), int(head[2]), int(head[3], 16)
    report = data[head.end() : head.end() + size]
    assert len(report) == size and crc32c(report) == crc
    if made := key(path):
        assert head[4].decode() == hmac_of(phase, report, made)
    kept = [json.loads(line) for line in report.splitlines()]
    assert report.endswith(b"\n") and kept[0]["type"] == "state"
    assert all(record["type"] != "state" for record in kept[1:])
    results = [record["status"] for record in kept if record["type"] == "result"]
    n_parts = -(-(head.end() + size) // 1024)
    verdict = kept[0].get("status", "")
    if phase == DONE:
        assert verdict and results in ([verdict], [])
    else:
        assert n_parts == 1 and not results and not verdict
    return _state(phase, n_parts, verdict, kept[0]), report.decode()


def _state(phase, n_parts, verdict, record):
    dates = {name: seconds_of(record[name]) for name in ("started", "written")}
    names = ("cpu", "cpus", "swept_bytes", "ram_bytes", "bad_pages", "test", "board")
    return State(phase, n_parts, verdict, **dates, **{name: record[name] for name in names})


def free_bytes(path):
    """Of the store, after all variables, also those that are no longer valid."""
    store = edk2.Edk2VarStore(str(path))
    *_, (_, _, end) = [(0, 0, store.start), *_entries(store)]
    return store.end - end
