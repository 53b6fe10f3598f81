"""The screen shows something, with a serial port and without."""

import time

import pytest
from PIL import Image

from okramlib import Trouble
from okramlib.machine import Machine
from okramlib.qemu import Qemu
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, follow, vga_text

FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def check_picture(path):
    """A picture with text in it: several colours, and enough of what is not background."""
    with Image.open(path) as picture:
        colours = picture.convert("RGB").getcolors(1 << 20)
    colours.sort(reverse=True)
    pixels = sum(count for count, _ in colours)
    assert pixels >= 640 * 400
    assert len(colours) >= 3
    assert pixels - colours[0][0] >= pixels / 100


@FIRMWARE
def test_screenshot_of_the_end(uefi, tmp_path):
    machine = Machine(uefi=uefi, memory=128 * MIB, cmdline="tests=quick bandwidth=off")
    follow(machine, screenshot=tmp_path / "screen.png")
    check_picture(tmp_path / "screen.png")


class Onlooker(Watcher):
    """Takes pictures all the time; the last one stays."""

    def __init__(self, path):
        self._path = path
        self._next = path.with_suffix(".next")
        self._due = 0

    def tick(self, qemu):
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + 0.5
        try:
            qemu.screenshot(self._next)
        except Trouble:
            return  # QEMU has just ended: the picture before stays
        self._next.replace(self._path)


@FIRMWARE
def test_without_serial_port(uefi, tmp_path):
    machine = Machine(uefi=uefi, memory=128 * MIB, serial=False, cmdline="bandwidth=off")
    outcome = run(machine, Onlooker(tmp_path / "screen.png"), timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and not outcome.trouble
    check_picture(tmp_path / "screen.png")


def test_refusal_is_on_the_screen(tmp_path):
    """A CPU without long mode; nothing but the screen is there to say so."""
    said = ""
    deadline = time.monotonic() + 60
    with Qemu(Machine(memory=64 * MIB, cpus=1, cpu="qemu32", serial=False)) as qemu:
        while "Nothing was tested" not in said and time.monotonic() < deadline:
            time.sleep(0.2)
            said = "".join(vga_text(qemu, tmp_path / "vga"))
    assert "okram needs a 64-bit CPU" in said and "Nothing was tested" in said
