# SPDX-License-Identifier: MIT
"""32-bit UEFI on a 64-bit CPU, as in Bay Trail tablets and early Macs: okram-ia32.efi."""

import shutil

import pytest

import saved_samples as samples
from okramlib import spec
from okramlib.machine import OVMF32_VARS, Machine
from okramlib.run import Watcher, run
from okramlib.units import GIB, MIB, PAGE
from system.harness import TIMEOUT_S, check_found, follow
from system.test_last_report import NAME, files, on, stick, trio  # noqa: F401
from system.test_menu import Keys, words

QUICK = "tests=quick bandwidth=off"
FAULTS = ("stuck1@0x1800123.4", "rise@0x3000040.0", "invert@0x3400000.1>0x3400040.2")
MEMORY = 128 * MIB
LIMITS = "UEFI is 32-bit, and okram's kernel, which is 64-bit, cannot call it"


def machine32(cmdline=QUICK, **options):
    return Machine(
        **{"uefi": True, "uefi32": True, "memory": MEMORY, "cmdline": cmdline, **options}
    )


def check_start(outcome):
    assert outcome.last("start")["loader"] == "okram-ia32.efi (32-bit UEFI)"
    # What the firmware cannot do is said once, by the loader, and is no warning.
    assert " ".join(outcome.lines).count(LIMITS) == 1
    said = " ".join(outcome.last("machine")["warnings"]).lower()
    assert "uefi" not in said and "variable" not in said and "report" not in said


def test_boots_and_tests():
    outcome = follow(machine32("tests=address bandwidth=off range=1M-8M"))
    check_start(outcome)
    assert outcome.last("machine")["ram_bytes"] >= 100 * MIB


def faulty(**options):
    faults = [fault for text in FAULTS for fault in spec.parse(text)]
    machine = Machine(memory=MEMORY, cpus=2, cmdline=QUICK, faults=faults, **options)
    return machine, follow(machine)


@pytest.mark.slow
def test_same_line_by_every_firmware():
    lines = []
    for options in {}, {"uefi": True}, {"uefi": True, "uefi32": True}:
        machine, outcome = faulty(**options)
        check_found(outcome, machine, [0x1800000, 0x3000000, 0x3400000])
        lines.append(outcome.last("badram")["line"])
    check_start(outcome)
    assert lines[0].startswith("badram=0x") and lines == [lines[0]] * 3


@pytest.mark.slow
def test_memory_above_4_gib():
    ranges = f"{2 * GIB - 32 * MIB:#x}-{2 * GIB:#x},{4 * GIB:#x}-{4 * GIB + 32 * MIB:#x}"
    outcome = follow(machine32(f"{QUICK} range={ranges}", memory=5 * GIB))
    check_start(outcome)
    assert outcome.last("result")["tested_bytes"] >= 48 * MIB


@pytest.mark.slow
def test_every_second_page_is_bad():
    """Where okram is put nothing adjoins: firmware's map has its place elsewhere."""
    base, size = 0x3000000, 0x3000000
    fault = spec.parse(f"holes@{base + 8:#x}+{2 * PAGE:#x}*{size // PAGE // 2}.3")
    machine = machine32("tests=address bandwidth=off range=16M-20M", faults=fault)
    outcome = follow(machine, timeout=4 * TIMEOUT_S)
    check_start(outcome)
    assert outcome.last("badram")["bad_pages"] > 0


class UntilReturned(Watcher):
    """Ends the machine when firmware goes on after okram has returned to it."""

    refused = False

    def line(self, text):
        self.refused |= "okram needs a 64-bit CPU" in text
        self.returned = self.refused and "BdsDxe" in text.rpartition("okram needs")[2]

    def tick(self, qemu):
        if getattr(self, "returned", False):
            qemu.qmp.command("quit")


@pytest.mark.slow
def test_a_cpu_without_long_mode():
    watcher = UntilReturned()
    outcome = run(machine32(cpu="max,lm=off"), watcher, timeout=TIMEOUT_S)
    assert "okram needs a 64-bit CPU (x86-64 long mode); this one is not." in " ".join(
        outcome.lines
    )
    assert watcher.returned and outcome.records == []


@pytest.mark.slow
def test_quick_test_by_keys():
    keyboard = ["-machine", "i8042=off", "-device", "usb-kbd"]
    machine = machine32("bandwidth=off menu=40", usb=True, menu=True, extra=keyboard)
    outcome = follow(machine, watcher=Keys("down", "down", "ret"))
    assert words(outcome)[:3] == ["tests=quick", "bandwidth=quick", "passes=1"]


@pytest.mark.slow
def test_the_last_report_becomes_files(tmp_path, stick):  # noqa: F811
    """As a run by 64-bit firmware left it."""
    vars_file = tmp_path / "vars.fd"
    shutil.copyfile(OVMF32_VARS, vars_file)
    samples.store(vars_file, samples.finished())
    cmdline = "bandwidth=off tests=address range=1M-4M"
    follow(machine32(cmdline, vars=vars_file, **on(stick)))
    found = files(stick)
    assert set(found) == trio() and samples.stored(vars_file) == {}
    assert found[f"{NAME}.jsonl"] == samples.JSONL
