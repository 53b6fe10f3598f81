# SPDX-License-Identifier: MIT
"""The lines in addition to badram=: in the report by lines=, and on the screen by a key."""

import time

import pytest

from okramlib import spec
from okramlib.run import Watcher, run
from system.harness import TIMEOUT_S, follow, from_image, vga_text

FAULTY_CELLS = spec.parse("stuck1@0x2801237.3") + spec.parse("stuck0@0x2900000.1")


def machine(options, **more):
    cmdline = f"tests=quick bandwidth=off {options}"
    return from_image("small", **{"cmdline": cmdline, "faults": FAULTY_CELLS, **more})


@pytest.mark.parametrize(
    "options, texts",
    [
        ("", {}),
        ("lines=memmap", {"memmap": "memmap=4K%0x2801000-1+5,4K%0x2900000-1+5"}),
        ("lines=grub", {}),
        ("lines=pages,xen", {"xen": "badpage=0x2801,0x2900", "pages": "0x2801000\n0x2900000"}),
    ],
)
def test_lines_of_the_report(options, texts):
    outcome = follow(machine(options))
    lines = outcome.of_type("line")
    assert {line["name"]: line["text"] for line in lines} == texts
    assert all("2 pages (8 KiB) given up, no good pages lost" in line["note"] for line in lines)


def test_without_faulty_cells_there_are_none():
    assert follow(machine("lines=all", faults=[])).of_type("line") == []


def test_they_come_before_the_badram_line():
    outcome = run(machine("serial=text lines=all"), timeout=TIMEOUT_S)
    said = outcome.lines
    assert outcome.exit_code == 1
    assert said.index('GRUB_BADRAM="0x2801000,0xffffffffff000,0x2900000,0xffffffffff000"') > 0
    assert "cutmem 0xa400K 0xa404K" in said and "badpage=0x2801,0x2900" in said
    assert said[-1] == "badram=0x2801000,0xffffffffff000,0x2900000,0xffffffffff000"


class Presser(Watcher):
    """Presses l until the screen shows a text, then q."""

    def __init__(self, text, path):
        self.shown = False
        self._text, self._path = text, path
        self._due, self._over = None, False

    def record(self, record):
        if record["type"] == "badram" and self._due is None:
            self._due = 0

    def tick(self, qemu):
        if self._due is None or self._over or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + 1
        self.shown = any(self._text in row for row in vga_text(qemu, self._path))
        self._over = self.shown
        if self.shown:
            qemu.press_twice("q")
        else:
            qemu.press("l")


def test_a_key_shows_them(tmp_path):
    presser = Presser("bcdedit /set {badmemory} badmemorylist 0x2801 0x2900", tmp_path / "vga")
    follow(machine("passes=0 time=60s"), watcher=presser)
    assert presser.shown
