# SPDX-License-Identifier: MIT
"""What a bug report needs, on the screen and in the report: by support=on, and by the key s."""

import pytest

from data import tables as t
from okramlib.qemu import Qemu
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, attach, follow, named
from system.test_screen import Reader

CMDLINE = "tests=mats+ range=32M-33M bandwidth=off"
NAMES = attach("names")


def by_name(facts):
    return {fact["name"]: fact["value"] for fact in facts}


def check_map(record, uefi):
    """In firmware's order; all of it, RAM and the rest."""
    usable = [r for r in record["map"] if r["kind"] == "usable"]
    assert sum(r["bytes"] for r in usable) > 100 * MIB
    assert {r["type"] for r in usable} <= ({1, 2, 3, 4, 7} if uefi else {1})
    assert any(r["kind"] == "reserved" for r in record["map"])


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_record(uefi, tmp_path):
    (tmp_path / "spcr").write_bytes(t.spcr(t.register(0x2F8)))
    machine = named(
        "128M",
        uefi=uefi,
        cmdline=f"{CMDLINE} support=on isa=sse2",
        extra=[*NAMES, *attach("acpi-table", source=f"file={tmp_path / 'spcr'}")],
    )
    outcome = follow(machine)
    record = outcome.last("support")
    assert len(outcome.of_type("support")) == 1
    assert record["firmware"] == {"vendor": "Firm", "version": "1.2", "date": "03/04/2005"}
    assert record["system"] == {"maker": "Maker", "product": "PC", "version": "7"}
    assert record["board"] == {"maker": "Boards", "product": "X1", "version": "8"}
    assert "SECRET" not in str(record)
    check_map(record, uefi)
    tables = {table["signature"]: table for table in record["tables"]}
    assert {"FACP", "APIC", "HPET", "SPCR"} <= set(tables)
    assert tables["SPCR"]["bytes"] == 88 and tables["SPCR"]["oem_id"] == "OKRAM"
    assert int(tables["SPCR"]["addr"], 16) < 128 * MIB
    ports = by_name(record["ports"])
    assert ports["COM1"] == "serial, 0x3f8: used"
    assert ports["COM2"] == ports["SPCR"] == "serial, 0x2f8: no answer"
    assert by_name(record["cpu"])["line ops"] == "sse2, by isa="
    assert bool(record["framebuffer"]) == uefi
    seconds = [step["seconds"] for step in record["steps"]]
    assert len(seconds) >= 4 and seconds == sorted(seconds) and 0 < seconds[-1] < 60
    assert record["entry_seconds"] > 0


class Presses(Watcher):
    """The key s, twice."""

    def __init__(self):
        self.pressed = 0
        self._due = False

    def record(self, record):
        self._due |= record["type"] == "machine"

    def tick(self, qemu):
        if self._due and self.pressed < 2:
            self.pressed += 1
            qemu.type("s")


@pytest.mark.slow
def test_the_key_puts_it_into_the_report_once():
    machine = named("128M", cmdline="tests=address,march-c-,random bandwidth=off")
    watcher = Presses()
    outcome = follow(machine, watcher=watcher)
    assert watcher.pressed == 2
    assert len(outcome.of_type("support")) == 1
    without = follow(named("small", cmdline=CMDLINE))
    assert without.of_type("support") == []


@pytest.mark.slow
def test_text():
    machine = named("128M", cmdline=f"{CMDLINE} serial=text support=on", extra=NAMES)
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and outcome.trouble == ""
    for text in (
        "support    Firmware:",
        "Boards, X1, version 8",
        "COM1        serial, 0x3f8: used",
    ):
        assert any(text in line for line in outcome.lines), text


def test_pages_on_the_screen(tmp_path):
    """The key s, whatever is shown; and the second page."""
    machine = named("128M", cmdline="passes=0 bandwidth=off exit=wait usb=off", extra=NAMES)
    with Qemu(machine) as qemu:
        screen = Reader(qemu, tmp_path / "vga")
        screen.until("s  details", row=24)
        rows = screen.press("s", "page 1 of", row=0)
        assert "details" in rows[0] and "Memory modules" in rows[1]
        assert any("DIMM 0: " in row and "128 MiB" in row for row in rows)
        rows = screen.press("spc", "page 2 of", row=0)
        assert "Firmware" in rows[1]
        assert any("Boards, X1, version 8" in row for row in rows)
        assert "s  back" in rows[24] and "Memory test:" in rows[23]
        rows += screen.press("spc", "page 3 of", row=0)
        assert any("0x000000000000-" in row and "usable" in row for row in rows)
        screen.press("s", "memory test")


@pytest.mark.slow
def test_pages_turn_by_themselves(tmp_path):
    """No key can be pressed where the keyboard is what a report is about."""
    machine = named("128M", cmdline="passes=0 bandwidth=off exit=wait support=on", extra=NAMES)
    with Qemu(machine) as qemu:
        screen = Reader(qemu, tmp_path / "vga")
        for page in (1, 2):
            rows = screen.until(f"page {page} of", row=0)
            assert "Pages turn by themselves; any key stops that." in rows[24]
        screen.until("memory test")
