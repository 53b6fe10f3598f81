# SPDX-License-Identifier: MIT
"""What to do next, by what was found and by the modules that firmware lists."""

import json

import pytest

from data import tables as t
from okramlib.qemu import END, Qemu
from system.harness import TIMEOUT_S, follow, named
from system.own_tables import smbios
from system.test_screen import Reader

SHORT = "tests=mats+ range=32M-34M bandwidth=off"
CELL = "stuck1@0x2080000.3"
ROW_OF_CHIPS = 0x0B

ONE = [t.smbios_device(0x1100, 0x1000, 128)]
TWO = [
    t.smbios_device(0x1100, 0x1000, 64),
    t.smbios_device(0x1101, 0x1000, 64, b"DIMM_B1"),
]
SOLDERED = [t.smbios_device(0x1100, 0x1000, 128, form=ROW_OF_CHIPS)]

GUARD = 'choose "The guard" in okram\'s menu at the next start'
NEEDS = "suspend BitLocker first, and shut down with shutdown /s /f /t 0"
GRUB = 'put the text after badram= into GRUB_BADRAM="" in /etc/default/grub and run update-grub'


def machine(tmp_path, structures, faults=CELL, **options):
    extra = smbios(tmp_path, structures)
    return named("128M-1cpu", cmdline=SHORT, faults=faults or [], extra=extra, **options)


CASES = {
    "one module, BIOS": (ONE, False, "one-module", ["The module in DIMM_A1, the only one,", GRUB]),
    "two modules, BIOS": (
        TWO,
        False,
        "find-module",
        ["One of the 2 modules is most likely bad. To find it: Switch the machine off,", GRUB],
    ),
    "two modules, UEFI": (TWO, True, "find-module", ['"Find the bad module": it says', GUARD]),
    "two modules, UEFI, no list": (
        TWO,
        "save=off",
        "find-module",
        ["To find it: Switch the machine off,", GRUB, "the list that it needs is not kept"],
    ),
    "soldered, UEFI": (
        SOLDERED,
        True,
        "soldered",
        ["soldered to the board", GUARD, NEEDS, "once Secure Boot is on."],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_after_faults(case, tmp_path):
    structures, uefi, name, said = CASES[case]
    one = machine(tmp_path, structures, uefi=bool(uefi))
    one.cmdline += f" {uefi}" if isinstance(uefi, str) else ""
    outcome = follow(one)
    (advice,) = outcome.of_type("advice")
    assert advice["case"] == name
    assert all(words in advice["text"] for words in said), advice["text"]
    assert outcome.records[-2]["type"] == "advice", "the result is next"


def test_on_the_page_of_results(tmp_path):
    """All of it, and once, on 80x25."""
    one = machine(tmp_path, ONE)
    one.cmdline += " serial=jsonl exit=wait"
    with Qemu(one) as qemu:
        advice = next(r for r in records(qemu) if r["type"] == "advice")
        rows = Reader(qemu, tmp_path / "vga").until("What to do")
    said = " ".join(" ".join(rows).split())
    assert said.count(advice["text"]) == 1 and said.count("GRUB_BADRAM") == 1


def records(qemu):
    while (line := qemu.line(TIMEOUT_S)) not in (None, END):
        if line.startswith('{"t":'):
            yield json.loads(line)


def test_after_a_pass(tmp_path):
    whole = machine(tmp_path, ONE, faults="")
    whole.cmdline = whole.cmdline.replace("range=32M-34M ", "")
    (advice,) = follow(whole).of_type("advice")
    assert advice["case"] == "good"
