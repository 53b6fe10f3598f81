# SPDX-License-Identifier: MIT
"""Keys of USB keyboards on xHCI, while okram tests."""

import time

import pytest

from okramlib.machine import Machine
from okramlib.run import Watcher
from okramlib.units import MIB
from system.harness import follow

ENDLESS = "tests=mats+ passes=0 bandwidth=off"
WHY = "USB controllers write to it, for keyboards"
XHCI = ["-device", "qemu-xhci,id=x"]
KEYBOARD = ["-device", "usb-kbd,bus=x.0,id=k"]
NO_I8042 = ["-machine", "i8042=off"]


class Presser(Watcher):
    """Presses q again and again once a test has ended: QEMU loses keys that no driver asks for."""

    def __init__(self):
        self._due = None

    def record(self, record):
        if record["type"] == "test" and self._due is None:
            self._due = 0

    def tick(self, qemu):
        if self._due is not None and time.monotonic() > self._due:
            self._due = time.monotonic() + 1
            self.act(qemu)

    def act(self, qemu):
        qemu.press("q")


def machine(extra, uefi=False, cmdline=ENDLESS, **options):
    return Machine(
        uefi=uefi, memory=128 * MIB, cmdline=cmdline, extra=[*NO_I8042, *extra], **options
    )


def check_stopped(extra, watcher=None, **options):
    """Nothing but a key ends this run."""
    outcome = follow(machine(extra, **options), watcher=watcher or Presser())
    result = outcome.last("result")
    assert result["status"] in ("pass", "stopped") and result["bad_pages"] == 0
    assert any(part["why"] == WHY for part in result["untested"])
    return outcome


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_root_port(uefi):
    check_stopped([*XHCI, *KEYBOARD], uefi=uefi)
