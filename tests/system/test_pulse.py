# SPDX-License-Identifier: MIT
"""bus-pulse: all CPUs switch their traffic on and off together (sweep/pulse.h), and it ends."""

import pytest

from okramlib.units import MIB
from system.harness import check_found, follow, named
from system.test_cpus import Hang, check_all_tested, check_lost, hung_cpu
from system.watchers import Once, press_q

MEMORY = 64 * MIB
SWEEPS = 12
FAULTS = "stuck1@0x2801237.3", "stuck0@0x1a34570.1"
FAULTY = [0x2801237, 0x1A34570]
OF_A_GROUP = 16  # CPUs that do each other's steps: cpus/cpu_pool.h


def pulses(cpus, more="", **options):
    cmdline = f"tests=bus-pulse bandwidth=off {more}"
    return named("small", cpus=cpus, cmdline=cmdline, **options)


@pytest.mark.parametrize("cpus", [1, 2, OF_A_GROUP + 2])
def test_finds_faults_of_cells(cpus):
    machine = pulses(cpus, faults=FAULTS)
    outcome = follow(machine)
    (test,) = outcome.of_type("test")
    assert test["test"] == "bus-pulse" and test["swept_bytes"] >= (SWEEPS - 1) * MEMORY
    assert {fault["test"] for fault in outcome.of_type("fault")} == {"bus-pulse"}
    check_all_tested(outcome)
    check_found(outcome, machine, FAULTY)


def test_sound_memory_passes():
    outcome = follow(pulses(2))
    assert outcome.exit_code == 0 and "warnings" not in outcome.last("result")
    check_all_tested(outcome)


def test_time_ends_it():
    outcome = follow(pulses(2, "passes=0 time=5s"))
    assert outcome.exit_code in (0, 3) and outcome.last("result")["t"] >= 5


def test_q_ends_it():
    outcome = follow(pulses(2, "passes=0 time=100s"), watcher=Once("machine", press_q, after_s=2))
    assert outcome.exit_code in (0, 3) and outcome.last("result")["t"] < 100


@pytest.mark.slow
def test_others_do_the_share_of_a_cpu_that_hangs(tmp_path):
    when = tmp_path / "when"
    machine = pulses(4, faults=FAULTS[0])
    machine.extra = hung_cpu(1, 1000, when)
    outcome = follow(machine, watcher=Hang(when, begin="machine"))
    check_lost(outcome, 1, "no progress")
    check_all_tested(outcome)
    check_found(outcome, machine, FAULTY[:1])
