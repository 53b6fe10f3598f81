# SPDX-License-Identifier: MIT
"""QEMU's qtest protocol, as far as a device or firmware is to be played for a running guest."""

import socket
import time
from contextlib import closing

_CONNECT_S = 30
_MSI = 0xFEE00000  # Intel SDM vol. 3A, 11.11: the destination in bits 12-19
FIXED, NMI = 0, 4


class Qtest:
    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + _CONNECT_S
        while self._socket.connect_ex(str(path)):
            assert time.monotonic() < deadline, "QEMU does not listen"
            time.sleep(0.01)
        self._socket.settimeout(_CONNECT_S)
        self._in = self._socket.makefile("r")

    def out8(self, port, value):
        """Writes to an I/O port, as a CPU does."""
        self._ask(f"outb {port:#x} {value:#x}")

    def in8(self, port):
        return int(self._ask(f"inb {port:#x}"), 16)

    def out16(self, port, value):
        self._ask(f"outw {port:#x} {value:#x}")

    def in16(self, port):
        return int(self._ask(f"inw {port:#x}"), 16)

    def out32(self, port, value):
        self._ask(f"outl {port:#x} {value:#x}")

    def in32(self, port):
        return int(self._ask(f"inl {port:#x}"), 16)

    def write32(self, address, value):
        """Writes to memory or registers there, as a CPU does."""
        self._ask(f"writel {address:#x} {value:#x}")

    def interrupt(self, apic_id, vector, delivery=FIXED):
        """Sends a message-signalled interrupt, as a device does."""
        self._ask(f"writel {_MSI | apic_id << 12:#x} {delivery << 8 | vector:#x}")

    def close(self):
        self._in.close()
        self._socket.close()

    def _ask(self, text):
        self._socket.sendall(text.encode() + b"\n")
        answer = self._in.readline().split()
        assert answer and answer[0] == "OK", f"qtest: {text}: {answer}"
        return answer[-1]


def connected(path):
    """To be closed at the end of a with statement."""
    return closing(Qtest(path))
