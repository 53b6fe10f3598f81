# SPDX-License-Identifier: MIT
"""exit=poweroff on a machine that does not turn off: a person has to know."""

import pytest

from okramlib.machine import Machine
from okramlib.run import run
from okramlib.units import MIB
from system import own_tables
from system.harness import TIMEOUT_S

OPTIONS = "tests=mats+ bandwidth=off exit=poweroff"
NO_PORT = 0x5604  # where this machine has no device


@pytest.fixture
def stays_on(tmp_path):
    """A machine whose FADT names PM1 control where there is none."""

    def boot(options=""):
        args = own_tables.arguments(tmp_path, [], own_tables.fadt(pm1a_control=NO_PORT))
        machine = Machine(memory=64 * MIB, cpus=1, cmdline=f"{OPTIONS} {options}", extra=args)
        outcome = run(machine, timeout=TIMEOUT_S)
        assert outcome.qemu_exit is None
        return outcome

    return boot


WARNING = "cannot power off: the machine ignored ACPI's S5; switch it off by hand"


def test_machine_that_stays_on(stays_on):
    outcome = stays_on()
    assert outcome.last("result")["status"] == "pass" and outcome.bad_lines == []
    assert outcome.records[-1]["type"] == "warning" and outcome.records[-1]["text"] == WARNING
