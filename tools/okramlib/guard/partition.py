# SPDX-License-Identifier: MIT
"""Partitions: in the tables of a disk, GPT (UEFI 2.10, 5.3) and MBR (5.2), and as Driver#### and
Boot#### variables name them (3.1.3, 10.3)."""

import os
import stat
import struct
import uuid
from dataclasses import dataclass

from .. import Trouble

GPT, MBR = 2, 1
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

_ACTIVE = 1
_OPTION = struct.Struct("<IH")  # attributes, bytes of the device paths
_NODE = struct.Struct("<BBH")  # type, subtype, bytes with this head
_MEDIA, _HARD_DRIVE, _FILE_PATH = 4, 1, 4
_END = bytes([0x7F, 0xFF, 4, 0])
_DRIVE = struct.Struct("<IQQ16sBB")  # partition, start, blocks, signature, format, kind of it


@dataclass(frozen=True)
class Partition:
    """As a device path names it."""

    number: int
    start: int  # in blocks of the disk
    blocks: int
    signature: bytes  # 16: the partition's GUID, or the disk's four bytes and zeros
    table: int  # GPT or MBR

    def node(self):
        # The format of the table and the kind of signature are numbered alike.
        body = _DRIVE.pack(
            self.number, self.start, self.blocks, self.signature, self.table, self.table
        )
        return _node(_HARD_DRIVE, body)

    @property
    def uuid(self):
        """As Linux's PARTUUID has it."""
        if self.table == MBR:
            return f"{self.signature[:4][::-1].hex()}-{self.number:02x}"
        return str(uuid.UUID(bytes_le=self.signature))

    def __str__(self):
        table = "MBR" if self.table == MBR else "GPT"
        signature = "0x" + self.uuid.partition("-")[0] if self.table == MBR else self.uuid
        return f"HD({self.number},{table},{signature},{self.start:#x},{self.blocks:#x})"


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


def load_option(description, partition, path, options):
    """The data of a variable #### that starts this file, with these options."""
    paths = partition.node() + _node(_FILE_PATH, _text(path)) + _END
    head = _OPTION.pack(_ACTIVE, len(paths)) + _text(description)
    return head + paths + (_text(options) if options else b"")


@dataclass(frozen=True)
class LoadOption:
    """What is used of a variable ####."""

    description: str
    drive: bytes  # the node of its partition; b"": there is none
    file: str  # "" likewise
    options: str


def read_option(data):
    """The LoadOption in such data; what is not there, or malformed, is empty."""
    for at in range(_OPTION.size, len(data) - 1, 2):
        if data[at : at + 2] == b"\0\0":
            end = at + 2 + _OPTION.unpack_from(data)[1]
            drive, file = _read_paths(data[at + 2 : end])
            return LoadOption(_of_text(data[_OPTION.size : at]), drive, file, _of_text(data[end:]))
    return LoadOption("", b"", "", "")


def _read_paths(data):
    """The node of the partition, and the name of the file in it."""
    drive, names, at = b"", [], 0
    while at + _NODE.size <= len(data):
        kind, subtype, size = _NODE.unpack_from(data, at)
        if size < _NODE.size or data[at : at + 2] == _END[:2]:
            break
        if (kind, subtype) == (_MEDIA, _HARD_DRIVE):
            drive = data[at : at + size]
        elif (kind, subtype) == (_MEDIA, _FILE_PATH):
            names.append(_of_text(data[at + _NODE.size : at + size]).strip("\\"))
        at += size
    return drive, "".join(f"\\{name}" for name in names)


def _node(subtype, body):
    return _NODE.pack(_MEDIA, subtype, _NODE.size + len(body)) + body


def _text(text):
    return (text + "\0").encode("utf-16-le")


def _of_text(data):
    return data.decode("utf-16-le", "replace").rstrip("\0")
