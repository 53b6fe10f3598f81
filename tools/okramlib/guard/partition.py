# SPDX-License-Identifier: MIT
"""Partitions in the tables of a disk: GPT (UEFI 2.10, 5.3) and MBR (5.2)."""

import os
import stat
import struct
import uuid
from dataclasses import dataclass

from .. import Trouble
from .load_option import GPT, MBR, Partition

EFI_SYSTEM = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
_MBR_EFI_SYSTEM = 0xEF

_GPT_SIGNATURE = b"EFI PART"
_GPT_ENTRIES = struct.Struct("<QII")  # block, number of entries, bytes of one
_GPT_ENTRIES_AT = 72
_GPT_HEADER_BYTES = _GPT_ENTRIES_AT + _GPT_ENTRIES.size  # as far as it is read
_GPT_ENTRY = struct.Struct("<16s16sQQ")  # type, GUID, first and last block
_GPT_ENTRIES_MAX = 1024
_MBR_SIGNATURE_AT, _MBR_ENTRIES_AT = 440, 446
_MBR_ENTRY = struct.Struct("<BBHBBHII")  # ..., type, ..., start, blocks
_BLOCK_SIZES = (512, 4096)
_OFFSET_MAX = (1 << 63) - 1  # of a file


@dataclass(frozen=True)
class Found:
    partition: Partition
    is_efi_system: bool


def read(disk, number):
    """The Found partition of that number, of a disk or an image of one. Trouble if there is none.

    A GPT is where the second block begins, whatever a block's size.
    """
    try:
        # Of a pipe or a terminal there would be no end to wait for.
        if not _holds_blocks(os.stat(disk).st_mode):
            raise Trouble(f"{disk} is neither a disk nor an image of one.")
        with open(disk, "rb") as file:
            for block in _BLOCK_SIZES:
                file.seek(block)
                header = file.read(_GPT_HEADER_BYTES)
                if header.startswith(_GPT_SIGNATURE) and len(header) == _GPT_HEADER_BYTES:
                    found = _read_gpt(file, block, header, number)
                    break
            else:
                found = _read_mbr(file, number)
    except OSError as error:
        raise Trouble(f"{disk} cannot be read: {error.strerror}.") from None
    if not found:
        raise Trouble(f"{disk} has no partition {number}.")
    return found


def _holds_blocks(mode):
    return stat.S_ISBLK(mode) or stat.S_ISREG(mode)


def _read_gpt(file, block, header, number):
    first, count, size = _GPT_ENTRIES.unpack_from(header, _GPT_ENTRIES_AT)
    if not 1 <= number <= min(count, _GPT_ENTRIES_MAX) or size < _GPT_ENTRY.size:
        return None
    at = first * block + (number - 1) * size
    if at > _OFFSET_MAX:
        return None
    file.seek(at)
    entry = file.read(_GPT_ENTRY.size)
    if len(entry) < _GPT_ENTRY.size:
        return None
    kind, signature, start, last = _GPT_ENTRY.unpack(entry)
    if not any(kind) or last < start:
        return None
    partition = Partition(number, start, last - start + 1, signature, GPT)
    return Found(partition, uuid.UUID(bytes_le=kind) == EFI_SYSTEM)


def _read_mbr(file, number):
    """Of the four primary partitions: firmware finds no other."""
    file.seek(0)
    record = file.read(512)
    if not 1 <= number <= 4 or len(record) < 512 or record[510:] != b"\x55\xaa":
        return None
    at = _MBR_ENTRIES_AT + (number - 1) * _MBR_ENTRY.size
    *_, kind, _, _, start, blocks = _MBR_ENTRY.unpack_from(record, at)
    if not kind or not blocks:
        return None
    signature = record[_MBR_SIGNATURE_AT : _MBR_SIGNATURE_AT + 4].ljust(16, b"\0")
    return Found(Partition(number, start, blocks, signature, MBR), kind == _MBR_EFI_SYSTEM)
