# SPDX-License-Identifier: MIT
"""The i8042 and what is behind it, in a state in which firmware may leave them."""

import tempfile
from pathlib import Path

import pytest

from okramlib.machine import Machine
from okramlib.units import MIB
from system import qtest
from system.placement import symbols
from system.stopped import stopping

DATA, COMMAND = 0x60, 0x64
WRITE_BYTE, TO_MOUSE = 0x60, 0xD4
SEND, SEND_NOT, SET = 0xF4, 0xF5, 0xF0
NOTHING_TRANSLATED = 0x03


def spoil(device):
    """The mouse sends whenever it is moved; the keyboard sends nothing, in set 3, untranslated."""
    for port, byte in [
        (COMMAND, WRITE_BYTE),
        (DATA, NOTHING_TRANSLATED),
        (COMMAND, TO_MOUSE),
        (DATA, SEND),
        (DATA, SET),
        (DATA, 3),
        (DATA, SEND_NOT),
    ]:
        device.out8(port, byte)


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True])
def test_keys_are_read_beside_a_chatty_touchpad(uefi):
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "qtest"
        given = Machine(uefi=uefi, memory=128 * MIB, cmdline="tests=quick bandwidth=off passes=0")
        given.extra = qtest.arguments(path)
        with stopping(given) as stops, qtest.connected(path) as device:
            stops.run_until(symbols()["kernel_main"])
            spoil(device)
            text = stops.rest(until='"type":"test"')
            for _ in range(20):
                stops.monitor("mouse_move 1 1")
            stops.monitor("sendkey q")
            text += stops.more()
    assert '"type":"result"' in text and "exit=qemu" in text
