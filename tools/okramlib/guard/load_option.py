# SPDX-License-Identifier: MIT
"""Driver#### and Boot#### variables (UEFI 2.10, 3.1.3) and the device paths in them (10.3)."""

import struct
import uuid
from dataclasses import dataclass

ACTIVE = 1
_HEAD = struct.Struct("<IH")  # attributes, bytes of the device paths
_NODE = struct.Struct("<BBH")  # type, subtype, bytes with this head
_MEDIA, _HARD_DRIVE, _FILE_PATH = 4, 1, 4
_END = bytes([0x7F, 0xFF, 4, 0])
_DRIVE = struct.Struct("<IQQ16sBB")  # partition, start, blocks, signature, format, kind of it
GPT, MBR = 2, 1


class Invalid(ValueError):
    """The bytes are not a load option."""


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
class LoadOption:
    description: str
    partition: Partition | None
    path: str  # with backslashes, from the root; "": it names no file
    options: bytes = b""
    attributes: int = ACTIVE

    def encode(self):
        paths = self.partition.node() + _node(_FILE_PATH, _text(self.path)) + _END
        head = _HEAD.pack(self.attributes, len(paths))
        return head + _text(self.description) + paths + self.options

    def options_text(self):
        return self.options.decode("utf-16-le", "replace").rstrip("\0")


def options_bytes(text):
    """Load options as the guard reads them."""
    return _text(text) if text else b""


def decode(data):
    """The LoadOption of a variable's data. Invalid if it is none."""
    if len(data) < _HEAD.size:
        raise Invalid("it is too short")
    attributes, paths_bytes = _HEAD.unpack_from(data)
    description, at = _take_text(data, _HEAD.size)
    end = at + paths_bytes
    if end > len(data):
        raise Invalid("its device path does not end")
    partition, path = _read_nodes(data[at:end])
    return LoadOption(description, partition, path, data[end:], attributes)


def _read_nodes(data):
    """Of the first device path."""
    partition, path, at = None, "", 0
    while at + _NODE.size <= len(data):
        kind, subtype, size = _NODE.unpack_from(data, at)
        if size < _NODE.size or at + size > len(data):
            raise Invalid("its device path is damaged")
        body = data[at + _NODE.size : at + size]
        if data[at : at + 4] == _END:
            return partition, path
        if (kind, subtype) == (_MEDIA, _HARD_DRIVE) and len(body) == _DRIVE.size:
            partition = Partition(*_DRIVE.unpack(body)[:5])
        elif (kind, subtype) == (_MEDIA, _FILE_PATH):
            path = _join(path, body.decode("utf-16-le", "replace").rstrip("\0"))
        at += size
    raise Invalid("its device path does not end")


def _join(path, more):
    return path.rstrip("\\") + "\\" + more.lstrip("\\") if path else more


def _node(subtype, body):
    return _NODE.pack(_MEDIA, subtype, _NODE.size + len(body)) + body


def _text(text):
    return (text + "\0").encode("utf-16-le")


def _take_text(data, at):
    end = at
    while data[end : end + 2] != b"\0\0":
        if end + 2 > len(data):
            raise Invalid("its description does not end")
        end += 2
    return data[at:end].decode("utf-16-le", "replace"), end + 2
