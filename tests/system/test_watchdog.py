# SPDX-License-Identifier: MIT
"""Watchdogs that firmware has left running: stopped at the start, and named; and the run's own."""

import json
import re
import struct
import time
from pathlib import Path

import pytest

from data import tables as t
from system import qtest
from system.harness import attach, follow, named
from system.kcs import Kcs
from system.placement import symbols
from system.stopped import stopping

QUICK = "tests=mats+ bandwidth=off"

# QEMU's ICH9: TCO's registers where both firmwares put them. A count is 0.6 s.
TCO = 0x660
RELOAD, CONTROL, MESSAGE, TIMER = TCO, TCO + 8, TCO + 0xC, TCO + 0x12
HALT = 1 << 11
RESETS = attach("tco-resets")
GCS = 0xFED1F410  # where both firmwares put it; its bit NO_REBOOT is set after a reset

GET, SET, RESTART = 0x25, 0x24, 0x22  # of IPMI's watchdog, network function 6
RUNNING, OPERATING_SYSTEM, RESET = 0x40, 4, 1


def boot(tmp_path, begin, look, *, extra=(), uefi=False):
    """What is said of watchdogs, and the result. begin(device): before okram's first instruction;
    look(device): at the record of the machine."""
    path = tmp_path / "qtest"
    machine = named(
        "128M-1cpu", uefi=uefi, cmdline=QUICK, extra=[*attach("qtest", path=path), *extra]
    )
    with stopping(machine) as stops, qtest.connected(path) as device:
        stops.run_until(symbols()["kernel_main"])
        begin(device)
        lines = stops.rest(until='"type":"machine"').splitlines()
        look(device)
        lines += stops.more().splitlines()
    records = [json.loads(line) for line in lines if line.startswith("{")]
    (told,) = [record for record in records if record["type"] == "machine"]
    return [text for text in told["warnings"] if "atchdog" in text], records[-1]


def seconds(text, pattern):
    found = re.fullmatch(pattern, text)
    assert found, text
    return int(found[1])


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_tco(tmp_path, uefi):
    def begin(device):
        device.write32(GCS, 0)
        device.out16(TIMER, 100)
        device.out16(RELOAD, 1)
        assert not device.in16(CONTROL) & HALT and device.in16(RELOAD) > 90

    def look(device):
        assert device.in16(CONTROL) & HALT

    (text,), result = boot(tmp_path, begin, look, extra=RESETS, uefi=uefi)
    left = seconds(
        text,
        r"stopped the chipset's watchdog \(TCO\), which firmware had left running \(it was to "
        r"reset the machine in (\d+) s\)",
    )
    assert 60 < left <= 120
    assert result["status"] == "pass"


@pytest.mark.slow
def test_tco_that_cannot_reset(tmp_path):
    """NO_REBOOT is set, as after a reset: it is left as it is."""

    def begin(device):
        device.out16(TIMER, 1000)
        device.out16(RELOAD, 1)

    def look(device):
        assert not device.in16(CONTROL) & HALT and device.in16(RELOAD)

    warnings, _ = boot(tmp_path, begin, look, extra=RESETS)
    assert warnings == []


def wdat(tmp_path, table):
    path = tmp_path / "wdat"
    path.write_bytes(table)
    return attach("acpi-table", source=f"file={path}")


# Two bytes of the chipset that do nothing.
STATE, COUNT = t.register(MESSAGE), t.register(MESSAGE + 1)


def test_wdat(tmp_path):
    def begin(device):
        device.out8(MESSAGE, 0x83)
        device.out8(MESSAGE + 1, 77)

    def look(device):
        assert device.in8(MESSAGE) == 0x82

    (text,), result = boot(tmp_path, begin, look, extra=wdat(tmp_path, t.wdat_timer(STATE, COUNT)))
    assert text == (
        "stopped the watchdog of the ACPI table WDAT, which firmware had left running (it was to "
        "reset the machine in 77 s)"
    )
    assert result["status"] == "pass"


LIES = {
    "port": (t.wdat_timer(t.register(0x10000), COUNT), "a register at an impossible address"),
    "entries": (t.wdat(n=1000), "more instructions than it has room for"),
    "memory": (
        t.wdat_timer(t.register(0x200000, 0), COUNT),
        "registers where none can be; the watchdog that it describes is left as it is",
    ),
    "stays": (t.wdat_timer(t.register(TCO + 0x1F), COUNT, 0, 0), "and it cannot be stopped"),
}


@pytest.mark.parametrize(
    "lie", ["memory", *(pytest.param(x, marks=pytest.mark.slow) for x in LIES if x != "memory")]
)
def test_wdat_that_lies(tmp_path, lie):
    """It is named once, and the run goes on."""
    table, says = LIES[lie]
    (text,), result = boot(
        tmp_path, lambda device: None, lambda device: None, extra=wdat(tmp_path, table)
    )
    assert says in text
    assert result["status"] == "pass"


IPMI = attach("bmc-kcs")


def test_ipmi(tmp_path):
    """QEMU's controller says that its timer runs only where it was told to go on running."""
    timer = bytes([RUNNING | OPERATING_SYSTEM, RESET, 0, 0, 3000 & 0xFF, 3000 >> 8])

    def begin(device):
        Kcs(device).ask(6, SET, timer)
        Kcs(device).ask(6, RESTART)

    def look(device):
        now = Kcs(device).ask(6, GET)
        assert now[0] == OPERATING_SYSTEM and now[1] == 0 and now[6:] == bytes(2)

    (text,), result = boot(tmp_path, begin, look, extra=IPMI)
    left = seconds(
        text,
        r"stopped the management controller's watchdog \(IPMI\), which firmware had left running "
        r"\(it was to reset the machine in (\d+) s\)",
    )
    assert 200 < left <= 300
    assert result["status"] == "pass"


SEABIOS = Path("/usr/share/seabios/bios-256k.bin")
ALWAYS_ONE_MORE = 0x41  # as a status: a byte of the answer is there, and it is not the last


def test_a_controller_that_makes_no_sense(tmp_path):
    """Its registers are two bytes of a ROM: whatever is written, they stay as they are."""
    bios = bytearray(SEABIOS.read_bytes())
    at = (bios.index(bytes(64)) + 16) & ~1
    bios[at : at + 2] = bytes([ALWAYS_ONE_MORE] * 2)
    kcs = struct.pack("<BBBBQB", 1, 0x20, 0x20, 0xFF, 2**32 - len(bios) + at, 0)
    (tmp_path / "bios").write_bytes(bios)
    (tmp_path / "kcs").write_bytes(t.smbios_structure(38, 0x2600, kcs))
    machine = named("small-1cpu", cmdline=QUICK, firmware=tmp_path / "bios")
    machine.extra = attach("smbios", path=tmp_path / "kcs")
    outcome = follow(machine)
    assert outcome.last("result")["status"] == "pass"
    assert outcome.last("machine")["warnings"] == [
        "the management controller cannot be asked for its watchdog: its answer makes no "
        "sense, or its interface reports an error"
    ]


@pytest.mark.slow
def test_no_watchdog_runs(tmp_path):
    """Nothing is said where all is as QEMU begins."""
    warnings, _ = boot(tmp_path, lambda device: None, lambda device: None, extra=[*RESETS, *IPMI])
    assert warnings == []


OWN_S = 60
JUMPS_TO_ITSELF = b"\xeb\xfe"


@pytest.mark.slow
def test_a_run_that_hangs_is_ended():
    """By the timer: the boot CPU, which feeds it, goes nowhere."""
    machine = named("128M-1cpu", cmdline=f"{QUICK} passes=0 watchdog={OWN_S}", extra=RESETS)
    with stopping(machine) as stops:
        hangs_at = symbols()["self_check_poll"]
        stops.run_until(hangs_at)
        stops.write(hangs_at, JUMPS_TO_ITSELF)
        begin = time.monotonic()
        said = stops.rest()
    assert OWN_S * 0.8 < time.monotonic() - begin < OWN_S * 1.5
    assert '"type":"test"' not in said and '"type":"result"' not in said


@pytest.mark.slow
def test_a_run_that_feeds_it_goes_on():
    cmdline = f"{QUICK} passes=0 time={OWN_S * 3 // 2}s watchdog={OWN_S}"
    outcome = follow(named("128M-1cpu", cmdline=cmdline, extra=RESETS), timeout=4 * OWN_S)
    assert outcome.last("result")["status"] == "pass" and outcome.last("machine")["warnings"] == []


def test_a_chipset_without_one():
    """PIIX4."""
    outcome = follow(named("pc-48M", cmdline=f"{QUICK} watchdog={OWN_S}"))
    assert outcome.last("machine")["warnings"] == [
        "watchdog=: okram knows no watchdog of this chipset that can reset the machine: if the run "
        "hangs, somebody has to"
    ]
