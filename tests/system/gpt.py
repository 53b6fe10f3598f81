# SPDX-License-Identifier: MIT
"""A disk with a GPT and one EFI system partition, as a computer has it; FAT, by mtools."""

import struct
import subprocess
import uuid
import zlib

from okramlib.units import MIB

_SECTOR = 512
_FIRST = 2048  # of the partition
_ENTRIES, _ENTRY_BYTES = 128, 128
_TABLE_SECTORS = _ENTRIES * _ENTRY_BYTES // _SECTOR
_ESP = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
PARTITION = uuid.UUID("0f0e0d0c-0b0a-4908-8706-050403020100")


def _header(at, other, entries_at, sectors, crc):
    def pack(own):
        return struct.pack(
            "<8sIIIIQQQQ16sQIII",
            b"EFI PART",
            0x10000,
            92,
            own,
            0,
            at,
            other,
            2 + _TABLE_SECTORS,
            sectors - 2 - _TABLE_SECTORS,
            uuid.UUID(int=1).bytes_le,
            entries_at,
            _ENTRIES,
            _ENTRY_BYTES,
            crc,
        )

    return pack(zlib.crc32(pack(0))).ljust(_SECTOR, b"\0")


def drive(path):
    """What mtools want after -i."""
    return f"{path}@@{_FIRST * _SECTOR}"


def make(path, files=(), folders=(), size=40 * MIB):
    """files: (from, name in it such as "::/EFI/x"); their folders are in `folders`."""
    sectors = size // _SECTOR
    last = sectors - 2 - _TABLE_SECTORS
    entry = _ESP.bytes_le + PARTITION.bytes_le + struct.pack("<QQQ", _FIRST, last, 0)
    table = entry.ljust(_ENTRIES * _ENTRY_BYTES, b"\0")
    crc = zlib.crc32(table)
    protective = struct.pack("<B3xB3xII", 0, 0xEE, 1, sectors - 1)
    with path.open("wb") as file:
        file.truncate(size)
        file.seek(446)
        file.write(protective)
        file.seek(510)
        file.write(b"\x55\xaa" + _header(1, sectors - 1, 2, sectors, crc) + table)
        file.seek((sectors - 1 - _TABLE_SECTORS) * _SECTOR)
        file.write(table + _header(sectors - 1, 1, sectors - 1 - _TABLE_SECTORS, sectors, crc))
    at = ["-i", drive(path)]
    blocks = str((last + 1 - _FIRST) & ~63)
    geometry = ["-T", blocks, "-h", "16", "-s", "63", "-H", "0"]
    commands = [["mformat", *at, "-v", "ESP", *geometry, "::"]]
    commands += [["mmd", *at, folder] for folder in folders]
    commands += [["mcopy", *at, source, name] for source, name in files]
    for command in commands:
        subprocess.run([str(word) for word in command], check=True)
    return path


def listing(path):
    """All files and folders on the partition, with their bytes."""
    at = ["-i", drive(path)]

    def output(*command, check=True):
        return subprocess.run(command, check=check, capture_output=True).stdout

    # For a volume without a file mdir exits with 1.
    names = output("mdir", "-/", "-a", "-b", *at, "::/", check=False).decode().split("\n")
    return {
        name: None if name.endswith("/") else output("mtype", *at, name)
        for name in filter(None, names)
    }
