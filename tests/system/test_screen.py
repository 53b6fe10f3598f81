"""The screen shows something, with a serial port and without."""

import time

import pytest
from PIL import Image

from okramlib.machine import Machine
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, follow

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
    """Takes a picture some time after power-on, then stops the run by the keyboard."""

    def __init__(self, path, wait_s):
        self._path = path
        self._due = time.monotonic() + wait_s

    def tick(self, qemu):
        if time.monotonic() >= self._due:
            qemu.screenshot(self._path)
            qemu.press("q")
            self._due += 5


@FIRMWARE
def test_without_serial_port(uefi, tmp_path):
    machine = Machine(
        uefi=uefi, memory=128 * MIB, serial=False, cmdline="tests=quick bandwidth=off passes=0"
    )
    watcher = Onlooker(tmp_path / "screen.png", wait_s=10)
    outcome = run(machine, watcher, timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and not outcome.trouble
    check_picture(tmp_path / "screen.png")
