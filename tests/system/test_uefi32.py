# SPDX-License-Identifier: MIT
"""32-bit UEFI on a 64-bit CPU, as in Bay Trail tablets and early Macs: okram-ia32.efi."""

import pytest

from okramlib import spec
from okramlib.run import Watcher, run
from okramlib.units import GIB, MIB
from system.harness import TIMEOUT_S, check_found, follow, from_image
from system.test_menu import Keys, words

QUICK = "tests=quick bandwidth=off"
SLOW_S = 8 * TIMEOUT_S  # with faults, or with variables in flash, on a busy host
FAULTS = ("stuck1@0x1800123.4", "rise@0x3000040.0", "invert@0x3400000.1>0x3400040.2")
LIMITS = "UEFI is 32-bit, and okram's kernel, which is 64-bit, cannot call it"


def machine32(cmdline=QUICK, **options):
    return from_image("uefi32-128M", **{"cmdline": cmdline, **options})


def check_start(outcome):
    assert outcome.last("start")["loader"] == "okram-ia32.efi (32-bit UEFI)"
    # What the firmware cannot do is said once, by the loader, and is not a warning.
    assert " ".join(outcome.lines).count(LIMITS) == 1
    said = " ".join(outcome.last("machine")["warnings"]).lower()
    assert "uefi" not in said and "variable" not in said and "report" not in said


def test_boots_and_tests():
    outcome = follow(machine32("tests=address bandwidth=off range=1M-8M"))
    check_start(outcome)
    assert outcome.last("machine")["ram_bytes"] >= 100 * MIB


def faulty(**options):
    cmdline = f"{QUICK} range=24M-56M"
    machine = from_image("128M", cmdline=cmdline, faults=FAULTS, **options)
    return machine, follow(machine, timeout=SLOW_S)


@pytest.mark.slow
def test_same_faults_by_every_firmware():
    """The pairs of the line; by BIOS they may be in another order."""
    found = []
    for options in {}, {"uefi": True}, {"uefi": True, "uefi32": True}:
        machine, outcome = faulty(**options)
        check_found(outcome, machine, [0x1800000, 0x3000000, 0x3400000])
        found.append(sorted(outcome.last("badram")["patterns"]))
    check_start(outcome)
    assert len(found[0]) == 2 and found == [found[0]] * 3


@pytest.mark.slow
def test_memory_above_4_gib():
    """Which 32-bit firmware never reaches itself."""
    faults = spec.parse("stuck1@0x140801238.4")
    machine = machine32(f"{QUICK} range=5G-5136M", on="uefi32-6G", faults=faults)
    outcome = follow(machine, timeout=SLOW_S)
    check_start(outcome)
    check_found(outcome, machine, [0x140801000])
    assert outcome.last("machine")["ram_bytes"] >= 5.9 * GIB


@pytest.mark.slow
def test_the_menu():
    machine = machine32("menu=40", on="uefi32-menu")
    outcome = follow(machine, watcher=Keys("down", "down", "ret"), timeout=SLOW_S)
    assert words(outcome)[:3] == ["tests=quick", "bandwidth=quick", "passes=1"]


class UntilReturned(Watcher):
    """Ends the machine when firmware goes on after okram has returned to it."""

    refused = returned = False

    def line(self, text):
        self.refused |= "okram needs a 64-bit CPU" in text
        self.returned |= self.refused and "BdsDxe" in text.rpartition("okram needs")[2]

    def tick(self, qemu):
        if self.returned:
            qemu.qmp.command("quit")


@pytest.mark.slow
def test_a_cpu_without_long_mode():
    watcher = UntilReturned()
    outcome = run(machine32(on="uefi32-no-long-mode"), watcher, timeout=SLOW_S)
    assert "okram needs a 64-bit CPU (x86-64 long mode); this one is not." in " ".join(
        outcome.lines
    )
    assert watcher.returned and outcome.records == []
