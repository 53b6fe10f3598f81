# SPDX-License-Identifier: MIT
"""Devices that firmware has left on do not write to memory under test: their bus mastering, and the
IOMMU before them, are off before okram takes any memory. What is left on is named where faults look
like a device's."""

import json
import re

import pytest

from data import tables as t
from system import own_tables
from system.efi_stick import efi_stick
from system.harness import attach, follow, named
from system.placement import symbols
from system.stopped import stopping

MASTER = 4
ON = 7  # with I/O and memory

# By the device's number on bus 0, where the test puts it.
XHCI = 7
NETWORK_AND_USB = {
    4: "e1000e",
    5: "virtio-net-pci",
    6: "usb-ehci",
    XHCI: "qemu-xhci",
    8: "piix3-usb-uhci",
}
STOPPED = NETWORK_AND_USB | {
    9: "virtio-blk-pci,drive=other",
    10: "nvme,serial=1",
    11: "sdhci-pci",
}
SOUND = 12
GOES_ON = {SOUND: "intel-hda"}

VTD_STATUS, VTD_ON = 0xFED9001C, 1 << 31
AMD_CONTROL, AMD_ON = 0xFED80018, 1


def devices():
    places = STOPPED | GOES_ON
    found = attach("null-drive")
    for n, name in places.items():
        found += attach("pci", name=name, options=f"addr={n:#x}")
    return found


def _choose(stops, device):
    stops.monitor(f"o /w 0xcf8 {0x80000004 | device << 11:#x}")


def command_of(stops, device):
    _choose(stops, device)
    return int(stops.monitor("i /w 0xcfc").split("=")[1], 16) & 0xFFFF


def leave_on(stops, device):
    _choose(stops, device)
    stops.monitor(f"o /w 0xcfc {ON:#x}")
    assert command_of(stops, device) & ON == ON


def register(stops, address):
    return int(re.search(r": 0x([0-9a-f]+)", stops.monitor(f"xp /1wx {address:#x}"))[1], 16)


def test_bus_masters_by_bios():
    """A boot ROM or GRUB left all on."""
    where = symbols()
    with stopping(named("small-1cpu", extra=devices())) as stops:
        stops.run_until(where["kernel_main"])
        for device in STOPPED | GOES_ON:
            leave_on(stops, device)
        stops.run_until(where["machine_take_memory"])
        assert not [d for d in STOPPED if command_of(stops, d) & MASTER]
        assert all(command_of(stops, d) & ON == ON for d in GOES_ON)


# Three bytes of a word: no chip has three byte lanes.
WIDE = ["stuck1@0x2801230.0", "stuck1@0x2801232.0", "stuck1@0x2801234.0"]


@pytest.mark.parametrize(
    "faults, is_named", [(WIDE, True), pytest.param(WIDE[:2], False, marks=pytest.mark.slow)]
)
def test_what_may_have_written_is_named(faults, is_named):
    """Where faults look like a device's."""
    cmdline = "tests=mats+ range=40M-41M bandwidth=off"
    machine = named("small-1cpu", cmdline=cmdline, faults=faults, extra=devices())
    with stopping(machine) as stops:
        stops.run_until(symbols()["kernel_main"])
        leave_on(stops, SOUND)
        records = [json.loads(line) for line in stops.rest().splitlines() if line[0] == "{"]
    assert records[-1]["status"] == "fail"
    said = [
        text for text in records[-1].get("warnings", []) if "as if a device had written" in text
    ]
    assert ["00:0c.0 (multimedia, 8086:2668)" in text for text in said] == [True] * is_named


IOMMUS = {
    "intel": (attach("intel-iommu"), VTD_STATUS, VTD_ON),
    "amd": (attach("amd-iommu"), AMD_CONTROL, AMD_ON),
}


@pytest.mark.parametrize("maker", ["intel", pytest.param("amd", marks=pytest.mark.slow)])
def test_by_uefi(tmp_path, maker):
    """Bus masters are off when ExitBootServices is over, before the kernel's first instruction; but
    xHCI, which OVMF's driver halts then, and leaves as it found it. The IOMMU is left on."""
    device, address, on = IOMMUS[maker]
    machine = named("uefi-stick-128M-1cpu", extra=device + devices())
    machine.image = efi_stick(tmp_path / "stick.img", "left_on")
    with stopping(machine) as stops:
        stops.run_until(symbols()["boot_entry"])
        assert not [d for d in NETWORK_AND_USB if d != XHCI and command_of(stops, d) & MASTER]
        assert register(stops, address) & on
        stops.run_until(symbols()["machine_take_memory"])
        assert not [d for d in STOPPED if command_of(stops, d) & MASTER]
        assert not register(stops, address) & on


@pytest.mark.slow
@pytest.mark.parametrize("maker", IOMMUS)
def test_run_after_iommu(tmp_path, maker):
    """All of a run, which the watchdog of 10 s would end while the menu waits for 15."""
    machine = named("uefi-stick-menu-128M", extra=IOMMUS[maker][0])
    machine.image = efi_stick(tmp_path / "stick.img", "left_on")
    machine.cmdline = "menu=15 tests=quick bandwidth=off"
    outcome = follow(machine)
    assert outcome.last("result")["status"] == "pass"
    assert outcome.last("machine")["warnings"] == []


@pytest.mark.slow
@pytest.mark.parametrize("table", ["dmar", "ivrs"])
def test_lying_table(tmp_path, table):
    """Registers in RAM, and some where nothing answers."""
    unit = {"dmar": t.dmar_unit, "ivrs": t.ivrs_unit}[table]
    tables = [t.madt([0]), getattr(t, table)(unit(0x2000000), unit(0xE0000000))]
    machine = named("small-1cpu", cmdline="tests=quick bandwidth=off")
    machine.extra = own_tables.arguments(tmp_path, tables)
    outcome = follow(machine)
    assert outcome.last("result")["status"] == "pass"
    said = [text for text in outcome.last("machine")["warnings"] if "IOMMU" in text]
    assert said == ["ACPI: an IOMMU at 0x2000000, where no registers can be; not used"]
