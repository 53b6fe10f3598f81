# SPDX-License-Identifier: MIT
"""The QR code on a machine's screen: a key shows it, and zbarimg reads what the report says."""

import json
import time

import pytest

from okramlib.qemu import END, Qemu
from qr_reader import read_codes
from system.harness import TIMEOUT_S, named
from system.picture_text import read_text
from system.test_screen import Reader

FAULTS = ["stuck1@0x2801237.0", "stuck0@0x2a00100.3"]
CMDLINE = "serial=jsonl exit=wait bandwidth=off tests=mats+ range=32M-48M"


def end_of(qemu):
    """The last badram record and the result."""
    badram = None
    while (line := qemu.line(TIMEOUT_S)) not in (None, END):
        record = json.loads(line) if line.startswith('{"t":') else {"type": ""}
        if record["type"] == "badram":
            badram = record
        if record["type"] == "result":
            return badram, record
    raise AssertionError("the run has not ended")


def turn_until(qemu, key, picture, wanted):
    """Presses the key; the text of the code that then appears."""
    qemu.press(key)
    return await_code(qemu, picture, wanted)


def await_code(qemu, picture, wanted):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.3)
        qemu.screenshot(picture)
        codes = read_codes(picture)
        if codes and wanted(codes[0]):
            return codes[0]
    raise AssertionError(f"no such code on the screen: {codes}")


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_the_code_says_what_the_report_says(uefi, tmp_path):
    machine = named("small", uefi=uefi, cmdline=CMDLINE, faults=FAULTS)
    with Qemu(machine) as qemu:
        badram, result = end_of(qemu)
        assert result["bad_pages"] == len(FAULTS)
        shown = tmp_path / "screen.png"  # by UEFI the page of the result has the code, too
        text = turn_until(
            qemu,
            "c",
            shown,
            lambda _: not uefi or any("c  back" in row for row in read_text(shown)),
        )
        assert text.splitlines()[0] == badram["line"]


def test_from_a_terminal_while_it_runs(tmp_path):
    cmdline = "serial=ui passes=0 bandwidth=off tests=mats+ range=32M-33M"
    with Qemu(named("small", cmdline=cmdline)) as qemu:
        Reader(qemu, tmp_path / "vga").until("mats+")
        qemu.type("C")
        text = await_code(qemu, tmp_path / "screen.png", lambda text: True)
    assert text.startswith("status: running, mats+, pass ") and "bad pages: 0\n" in text


@pytest.mark.slow
def test_pages_turn_to_the_code_without_a_key(tmp_path):
    machine = named("small", cmdline=CMDLINE, faults=FAULTS)
    with Qemu(machine) as qemu:
        badram, _ = end_of(qemu)
        Reader(qemu, tmp_path / "vga").until("any key stops that", row=24)
        await_code(
            qemu, tmp_path / "screen.png", lambda text: text.splitlines()[0] == badram["line"]
        )
        Reader(qemu, tmp_path / "vga").until("What to do")  # and back
        qemu.press("l")
        Reader(qemu, tmp_path / "vga").until("Ended:   l lines", row=24)
