# SPDX-License-Identifier: MIT
"""exit=poweroff where ACPI does not turn the machine off, exit=reboot, and the power button."""

import time

import pytest

from data import tables as t
from okramlib.run import run
from system import own_tables
from system.harness import TIMEOUT_S, attach, follow, named
from system.watchers import Once, Said, end

OPTIONS = "tests=mats+ bandwidth=off exit=poweroff"
NO_PORT = 0x5604  # where this machine has no device
S5_OF_QEMU = b"\x08\\_S5_\x12\x06\x04\x00\x00\x00\x00"
WARNING = "cannot power off: the machine ignored ACPI's S5; switch it off by hand"


@pytest.mark.parametrize("form", ["jsonl", "text"])
def test_machine_that_stays_on(tmp_path, form):
    """Its FADT names PM1 control where there is none. The last JSON line is the result."""
    args = own_tables.arguments(tmp_path, [], own_tables.fadt(pm1a_control=NO_PORT))
    machine = named("small-1cpu", cmdline=OPTIONS, extra=args)
    if form == "text":
        machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S, watcher=Said(WARNING))
    if form == "text":
        assert any(WARNING in line for line in outcome.lines)
    else:
        assert outcome.qemu_exit is None and outcome.bad_lines == []
        assert outcome.records[-1]["type"] == "result" and outcome.records[-1]["status"] == "pass"


def test_sleep_type_in_an_ssdt(tmp_path):
    """The DSDT has none. QEMU ends: it is switched off."""
    ssdts = [t.table(b"SSDT", 1, aml) for aml in (b"\x08_S4_\x00", S5_OF_QEMU)]
    machine = named("small-1cpu", cmdline=OPTIONS)
    machine.extra = own_tables.arguments(tmp_path, ssdts, aml=b"\x08_S4_\x00")
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.qemu_exit == 0


@pytest.mark.parametrize("cpu", ["max", pytest.param("qemu64", marks=pytest.mark.slow)])
def test_uefi_without_acpi(cpu):
    """ResetSystem is what is left. One CPU model has 1 GiB pages, the other has not."""
    machine = named("uefi-128M-no-acpi", cpu=cpu, cmdline=OPTIONS)
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.qemu_exit == 0


class Restarts(Said):
    """Presses x at the USB keyboard, again and again, once okram has said that it stays on."""

    presses = 0

    def tick(self, qemu):
        if self.came and self.presses < 20:
            self.presses += 1
            qemu.press_twice("x")
            time.sleep(1)
        elif self.came:
            end(qemu)


def test_usb_keys_after_a_failed_power_off(tmp_path):
    """A person can still restart the machine."""
    args = own_tables.arguments(tmp_path, [], own_tables.fadt(pm1a_control=NO_PORT))
    args += [*NO_I8042, *attach("xhci"), *attach("usb", name="usb-kbd,bus=x.0")]
    machine = named("small-1cpu", cmdline=f"{OPTIONS} serial=text", extra=args)
    watcher = Restarts(WARNING)
    outcome = run(machine, timeout=TIMEOUT_S, watcher=watcher)
    assert watcher.came and "the machine was reset" in outcome.trouble and watcher.presses < 20


PM1_CONTROL, SCI_ENABLE = 0x604, 1


def acpi_mode(qemu):
    told = qemu.qmp.monitor(f"i /w {PM1_CONTROL:#x}")
    return int(told.split("=")[1], 16) & SCI_ENABLE


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_power_button_ends_the_run(uefi):
    """As the key q does: nothing else ends this one. BIOS has left ACPI mode off."""
    machine = named("128M", uefi=uefi, cmdline="tests=mats+ passes=0 bandwidth=off")
    modes = []

    def press(qemu):
        modes.append(acpi_mode(qemu))
        qemu.qmp.command("system_powerdown")

    outcome = follow(machine, watcher=Once("test", press))
    assert modes == [SCI_ENABLE]
    assert outcome.last("result")["status"] in ("pass", "stopped")


NO_I8042 = attach("no-8042")
QEMUS_EXIT, VALUE = 0xF4, 42  # QEMU ends with 2 * VALUE + 1


def test_restart_by_acpis_register(tmp_path):
    """What is written there shows that it was this register. There is no keyboard controller."""
    fadt = own_tables.fadt(reset=(t.register(QEMUS_EXIT), VALUE))
    args = own_tables.arguments(tmp_path, [], fadt)
    machine = named("small-1cpu", extra=[*args, *NO_I8042])
    machine.cmdline = "tests=mats+ bandwidth=off exit=reboot"
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.last("result")["status"] == "pass"
    assert outcome.qemu_exit == 2 * VALUE + 1


@pytest.mark.parametrize("firmware", ["uefi", pytest.param("bios", marks=pytest.mark.slow)])
def test_restart_without_acpi(firmware):
    """By ResetSystem, where there is UEFI; by BIOS the chipset's port is left."""
    machine = named("128M-1cpu", uefi=firmware == "uefi", extra=[*attach("no-acpi"), *NO_I8042])
    machine.cmdline = f"{OPTIONS.replace('poweroff', 'reboot')} serial=text trace=firmware"
    outcome = run(machine, timeout=TIMEOUT_S)
    assert "the machine was reset" in outcome.trouble
    assert any("ResetSystem" in line for line in outcome.lines) == machine.uefi
