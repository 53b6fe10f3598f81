# SPDX-License-Identifier: MIT
"""exit=poweroff where ACPI does not turn the machine off."""

import pytest

from okramlib.machine import Machine
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system import own_tables
from system.harness import TIMEOUT_S

OPTIONS = "tests=mats+ bandwidth=off exit=poweroff"
NO_PORT = 0x5604  # where this machine has no device
WARNING = "cannot power off: the machine ignored ACPI's S5; switch it off by hand"


class QuitAtWarning(Watcher):
    """Nothing else ends the machine."""

    def __init__(self):
        self.seen = False

    def line(self, line):
        self.seen |= WARNING in line

    def tick(self, qemu):
        if self.seen:
            qemu.qmp.command("quit")


@pytest.mark.parametrize("form", ["jsonl", "text"])
def test_machine_that_stays_on(tmp_path, form):
    """Its FADT names PM1 control where there is none. The last JSON line is the result."""
    args = own_tables.arguments(tmp_path, [], own_tables.fadt(pm1a_control=NO_PORT))
    machine = Machine(memory=64 * MIB, cpus=1, cmdline=OPTIONS, extra=args)
    watcher = QuitAtWarning()
    if form == "text":
        machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S, watcher=watcher)
    if form == "text":
        assert watcher.seen
    else:
        assert outcome.qemu_exit is None and outcome.bad_lines == []
        assert outcome.records[-1]["type"] == "result" and outcome.records[-1]["status"] == "pass"


@pytest.mark.parametrize("cpu", ["max", pytest.param("qemu64", marks=pytest.mark.slow)])
def test_uefi_without_acpi(cpu):
    """ResetSystem is what is left. One CPU model has 1 GiB pages, the other has not."""
    machine = Machine(memory=128 * MIB, cpus=2, cpu=cpu, uefi=True, cmdline=OPTIONS)
    machine.extra = ["-machine", "acpi=off"]
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.qemu_exit == 0
