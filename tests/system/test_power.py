# SPDX-License-Identifier: MIT
"""exit=poweroff where ACPI does not turn the machine off."""

import pytest

from okramlib.machine import Machine
from okramlib.run import run
from okramlib.units import MIB
from system import own_tables
from system.harness import TIMEOUT_S

OPTIONS = "tests=mats+ bandwidth=off exit=poweroff"
NO_PORT = 0x5604  # where this machine has no device
WARNING = "cannot power off: the machine ignored ACPI's S5; switch it off by hand"


def test_machine_that_stays_on(tmp_path):
    """Its FADT names PM1 control where there is none."""
    args = own_tables.arguments(tmp_path, [], own_tables.fadt(pm1a_control=NO_PORT))
    outcome = run(Machine(memory=64 * MIB, cpus=1, cmdline=OPTIONS, extra=args), timeout=TIMEOUT_S)
    assert outcome.qemu_exit is None
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.records[-1]["type"] == "warning" and outcome.records[-1]["text"] == WARNING


@pytest.mark.parametrize("cpu", ["max", pytest.param("qemu64", marks=pytest.mark.slow)])
def test_uefi_without_acpi(cpu):
    """ResetSystem is what is left. One CPU model has 1 GiB pages, the other has not."""
    machine = Machine(memory=128 * MIB, cpus=2, cpu=cpu, uefi=True, cmdline=OPTIONS)
    machine.extra = ["-machine", "acpi=off"]
    outcome = run(machine, timeout=TIMEOUT_S)
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.qemu_exit == 0
