# SPDX-License-Identifier: MIT
"""Firmware that handles hardware errors first: a HEST with sources, and their memory, in a guest.

The memory of each source is a page of the data after own_tables' tables: a marker, the register
with the address of the status block, the acknowledge register, then the block. The guest's RAM is a
file, in which the test plays firmware.
"""

import mmap
import struct
import tempfile
from contextlib import contextmanager
from pathlib import Path

from data import tables as t
from okramlib.units import PAGE
from system import own_tables
from system.harness import attach

_MARK = b"okram's own source %d of errors.."
STATUS_AT, ACK_AT, BLOCK_AT = 64, 72, 128
BLOCK_BYTES = 2048
_GHES_STATUS, _GHES_ACK = 20 + 4, 64 + 4  # the addresses in their generic addresses
_QWORD = t.register(0, 0, 64, 4)


def page(number, block=b"", ack=0):
    mark = (_MARK % number).ljust(STATUS_AT, b".")
    return (mark + struct.pack("<QQ", 0, ack)).ljust(BLOCK_AT, b"\0") + block.ljust(
        PAGE - BLOCK_AT, b"\0"
    )


def hest(count, acknowledged=False, notify=0, checks=(), status=_QWORD):
    """A HEST with that many sources, each with a page of the data; status: how its address is."""
    ack = (_QWORD, 2**64 - 2, 1) if acknowledged else None
    sources = [t.hest_generic(n, status, BLOCK_BYTES, notify, ack=ack) for n in range(count)]
    table = t.hest(*checks, *sources)
    links, at = [], len(table) - sum(map(len, sources))
    for n, source in enumerate(sources):
        links.append((at + _GHES_STATUS, n * PAGE + STATUS_AT))
        if acknowledged:
            links.append((at + _GHES_ACK, n * PAGE + ACK_AT))
        at += len(source)
    return own_tables.Linked(table, links)


def arguments(directory, tables, pages):
    links = [(n * PAGE + STATUS_AT, n * PAGE + BLOCK_AT) for n in range(len(pages))]
    return own_tables.arguments(directory, tables, data=b"".join(pages), links=links)


@contextmanager
def ram(memory):
    """A file for the guest's RAM, and QEMU's arguments for it."""
    with tempfile.TemporaryDirectory(prefix="okram-ram-", dir="/dev/shm") as directory:
        path = Path(directory) / "ram"
        with path.open("w+b") as file:
            file.truncate(memory)
            with mmap.mmap(file.fileno(), memory) as ram:
                yield ram, attach("memory-file", path=path, size=memory)


class Source:
    """A source of a running guest, in its RAM."""

    def __init__(self, ram, number=0, at=None):
        """At an address, or the last that is found: firmware has other copies below."""
        self._ram = ram
        self._at = ram.rfind(_MARK % number) if at is None else at
        mark = _MARK % number
        assert self._at >= 0 and ram[self._at : self._at + len(mark)] == mark
        (self.block,) = struct.unpack_from("<Q", ram, self._at + STATUS_AT)
        assert self.block == self._at + BLOCK_AT

    @property
    def is_empty(self):
        return self._ram[self.block : self.block + 4] == bytes(4)

    @property
    def ack(self):
        return struct.unpack_from("<Q", self._ram, self._at + ACK_AT)[0]

    def set_ack(self, value):
        struct.pack_into("<Q", self._ram, self._at + ACK_AT, value)

    def report(self, block):
        """As firmware does: what makes it valid comes last."""
        self._ram[self.block + 4 : self.block + len(block)] = block[4:]
        self._ram[self.block : self.block + 4] = block[:4]
