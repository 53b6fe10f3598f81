# SPDX-License-Identifier: MIT
"""A QEMU guest with ACPI tables of our own in place of QEMU's.

With acpi=off QEMU hands no tables to the firmware, so that the three files it would hand over by
fw_cfg can be given: the tables, the RSDP, and the table-loader's commands, by which the firmware
allocates, links and sums them (QEMU, hw/acpi/bios-linker-loader.c). Checksums are ours, but for
those of RSDP, RSDT, FADT and tables with links: these hold addresses, which the firmware knows.
"""

import struct
from dataclasses import dataclass

from data import tables as t
from system.harness import attach

_TABLES, _RSDP = b"etc/acpi/tables", b"etc/acpi/rsdp"
_HIGH, _FSEG = 1, 2
_RSDP_SUM_AT, _RSDP_RSDT_AT, _RSDP_V1_BYTES = 8, 16, 20
_DSDT_IN_FADT = 40
_RESET_SUPPORTED = 1 << 10
_ALIGN = 16

_PAGE = 4096


@dataclass
class Linked:
    """A table with addresses of data after the tables: (where in the table, which of the data)."""

    table: bytes
    links: list


S5 = b"\x08_S5_\x12\x06\x04\x0a\x05\x0a\x05\x00\x00"


def _command(number, body):
    return (struct.pack("<I", number) + body).ljust(128, b"\0")


def _allocate(file, align, zone):
    return _command(1, struct.pack("<56sIB", file, align, zone))


def _add_pointer(file, at, size):
    return _command(2, struct.pack("<56s56sIB", file, _TABLES, at, size))


def _add_checksum(file, at, start, size):
    return _command(3, struct.pack("<56sIII", file, at, start, size))


def fadt(pm_timer=0x608, pm_timer_at=0, pm1a_control=0x604, reset=None):
    """ICH9's power management, where SeaBIOS puts it; pm_timer_at: instead, in memory; reset: a
    register, and what is written there. The DSDT's address is not in it yet."""
    body = bytearray((244 if pm_timer_at or reset else 116) - t.HEADER_BYTES)
    struct.pack_into("<I", body, 64 - t.HEADER_BYTES, pm1a_control)
    struct.pack_into("<I", body, 76 - t.HEADER_BYTES, pm_timer)
    struct.pack_into("<I", body, 112 - t.HEADER_BYTES, 0)
    if reset:
        struct.pack_into("<I", body, 112 - t.HEADER_BYTES, _RESET_SUPPORTED)
        body[116 - t.HEADER_BYTES : 129 - t.HEADER_BYTES] = reset[0] + bytes(reset[1:])
    if pm_timer_at:
        struct.pack_into("<BBBBQ", body, 208 - t.HEADER_BYTES, 0, 32, 0, 3, pm_timer_at)
    return t.table(b"FACP", 3 if pm_timer_at or reset else 1, bytes(body))


def arguments(directory, tables, fadt=fadt(), data=b"", links=(), aml=S5):  # noqa: B008
    """QEMU's arguments for a machine with these tables, bytes or Linked each, and this FADT.

    aml: of the DSDT. data: in whole pages that the firmware keeps for the tables; links: its
    addresses of itself.
    """
    blob, script, at = bytearray(), _allocate(_TABLES, 64, _HIGH) + _allocate(_RSDP, 16, _FSEG), []
    dsdt = len(blob)
    blob += t.table(b"DSDT", 1, aml)
    for table in [fadt, *tables]:
        blob += bytes(-len(blob) % _ALIGN)
        at.append(len(blob))
        blob += table.table if isinstance(table, Linked) else table

    # Where a pointer belongs stands an offset; the firmware adds the file's address.
    struct.pack_into("<I", blob, at[0] + _DSDT_IN_FADT, dsdt)
    script += _add_pointer(_TABLES, at[0] + _DSDT_IN_FADT, 4)
    script += _summed(blob, at[0], len(fadt))
    blob += bytes(-len(blob) % _ALIGN)
    rsdt = len(blob)
    blob += t.table(b"RSDT", 1, b"".join(struct.pack("<I", offset) for offset in at))
    for i in range(len(at)):
        script += _add_pointer(_TABLES, rsdt + t.HEADER_BYTES + 4 * i, 4)
    script += _summed(blob, rsdt, t.HEADER_BYTES + 4 * len(at))

    if data:
        blob += bytes(-len(blob) % _PAGE)
        first = len(blob)
        blob += data + bytes(-len(data) % _PAGE)
        script = script.replace(_allocate(_TABLES, 64, _HIGH), _allocate(_TABLES, _PAGE, _HIGH))
        script += _linked(blob, first, links, first)
        for table, start in zip(tables, at[1:], strict=True):
            if isinstance(table, Linked):
                script += _linked(blob, start, table.links, first)
                script += _summed(blob, start, len(table.table))

    rsdp = b"RSD PTR \0OKRAM \0" + struct.pack("<I", rsdt)
    script += _add_pointer(_RSDP, _RSDP_RSDT_AT, 4)
    script += _add_checksum(_RSDP, _RSDP_SUM_AT, 0, _RSDP_V1_BYTES)
    return [
        *attach("no-acpi"),
        *_given(directory, "etc/acpi/tables", bytes(blob)),
        *_given(directory, "etc/acpi/rsdp", rsdp),
        *_given(directory, "etc/table-loader", script),
    ]


def _linked(blob, start, links, first):
    """8 bytes at each place become the address of what is that far after the first of the data."""
    script = b""
    for where, which in links:
        struct.pack_into("<Q", blob, start + where, first + which)
        script += _add_pointer(_TABLES, start + where, 8)
    return script


def _summed(blob, at, size):
    blob[at + t.SUM_AT] = 0
    return _add_checksum(_TABLES, at + t.SUM_AT, at, size)


def smbios(directory, structures):
    """QEMU's arguments for these instead of its own structures of the same type."""
    arguments = []
    for i, structure in enumerate(structures):
        path = directory / f"smbios{i}"
        path.write_bytes(structure)
        arguments += attach("smbios", path=path)
    return arguments


def _given(directory, name, data):
    path = directory / name.replace("/", "-")
    path.write_bytes(data)
    return attach("fw_cfg-file", name=name, path=path)
