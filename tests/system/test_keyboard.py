# SPDX-License-Identifier: MIT
"""The i8042 and what is behind it, in a state in which firmware may leave them."""

import struct
import tempfile
import time
from pathlib import Path

import pytest

from okramlib.qemu import Qemu
from system import qtest
from system.harness import TIMEOUT_S, attach, named, vga_text
from system.placement import symbols
from system.stopped import Memory, stopping

DATA, COMMAND = 0x60, 0x64
WRITE_BYTE, TO_MOUSE = 0x60, 0xD4
SEND, SEND_NOT, SET = 0xF4, 0xF5, 0xF0
NOTHING_TRANSLATED = 0x03


def press_twice(stops, key):
    """As a key that ends something wants; each time it is held for 100 ms."""
    for _ in range(2):
        stops.monitor(f"sendkey {key}")
        time.sleep(1)


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
        given = named("128M", uefi=uefi, cmdline="tests=quick bandwidth=off passes=0")
        given.extra = attach("qtest", path=path)
        with stopping(given) as stops, qtest.connected(path) as device:
            stops.run_until(symbols()["kernel_main"])
            spoil(device)
            text = stops.rest(until='"type":"test"')
            for _ in range(20):
                stops.monitor("mouse_move 1 1")
            press_twice(stops, "q")
            text += stops.more()
    assert '"type":"result"' in text and "exit=qemu" in text


BOOT_FLAGS_AT, HAS_8042 = 109, 1 << 1  # IAPC_BOOT_ARCH (ACPI 6.5, table 5.9)
FADT_BYTES_MAX, SUM_AT = 300, 9


def deny(stops):
    """Clears the 8042's flag in the FADTs that the guest's firmware has made."""
    memory, denied = Memory(stops.qemu).bytes, 0
    at = memory.find(b"FACP")
    while at >= 0:
        (size,) = struct.unpack_from("<I", memory, at + 4)
        table = bytearray(memory[at : at + size])
        if BOOT_FLAGS_AT < size <= FADT_BYTES_MAX and sum(table) & 0xFF == 0:
            assert table[BOOT_FLAGS_AT] & HAS_8042
            table[BOOT_FLAGS_AT] &= ~HAS_8042
            table[SUM_AT] = (table[SUM_AT] + HAS_8042) & 0xFF
            stops.gdb.write_physical(at, table)
            denied += 1
        at = memory.find(b"FACP", at + 1)
    assert denied


@pytest.mark.parametrize(
    "uefi", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["bios", "uefi"]
)
def test_a_keyboard_that_the_fadt_denies(uefi):
    """As on a third of notebooks: nothing but a key of it ends this run."""
    given = named("128M", uefi=uefi, cmdline="tests=quick bandwidth=off passes=0")
    with stopping(given) as stops:
        stops.run_until(symbols()["kernel_main"])
        deny(stops)
        stops.rest(until='"type":"test"')
        press_twice(stops, "q")
        text = stops.more()
    assert '"status":"pass"' in text or '"status":"stopped"' in text


NO_KEYS = "No keyboard answers. Press the power button briefly to stop (serial port: q)."
NO_KEYS_AT_THE_END = "No keyboard answers: hold the power button to switch off."


def await_row(qemu, path, text):
    deadline = time.monotonic() + TIMEOUT_S
    while not any(text in row for row in vga_text(qemu, path)):
        assert time.monotonic() < deadline, vga_text(qemu, path)
        time.sleep(0.5)


def test_without_a_keyboard_the_power_button_is_offered(tmp_path):
    """A key on the serial port brings the keys back; then the button is pressed."""
    options = "tests=mats+ passes=0 bandwidth=off exit=wait"
    machine = named("128M-no-8042", cmdline=options)
    path = tmp_path / "vga"
    with Qemu(machine) as qemu:
        await_row(qemu, path, NO_KEYS)
        qemu.qmp.command("system_powerdown")
        await_row(qemu, path, NO_KEYS_AT_THE_END)
        qemu.type("l")
        await_row(qemu, path, "x restart")


@pytest.mark.slow
def test_a_usb_keyboard_that_comes_and_goes(tmp_path):
    options = "tests=mats+ passes=0 bandwidth=off exit=wait"
    machine = named("128M-no-8042", cmdline=options, extra=attach("xhci"))
    path = tmp_path / "vga"
    with Qemu(machine) as qemu:
        await_row(qemu, path, NO_KEYS)
        qemu.qmp.command("device_add", driver="usb-kbd", id="k", bus="x.0", port="1")
        await_row(qemu, path, "q  stop")
        qemu.qmp.command("device_del", id="k")
        await_row(qemu, path, NO_KEYS)
