# SPDX-License-Identifier: MIT
"""Machines with a memory-side cache: what is said, and that small parts are tested in memory."""

import pytest

from okramlib.run import run
from okramlib.units import MIB
from system.harness import check_found, follow, from_image
from system.test_findings import FIRMWARE, hmat_machine

LUNAR_LAKE = "max,vendor=GenuineIntel,family=6,model=189"
QUICK = "tests=quick bandwidth=off"


@FIRMWARE
def test_by_the_hmat(uefi):
    outcome = follow(hmat_machine(uefi=uefi, side_cache="16M", cmdline=QUICK))
    assert outcome.last("machine")["side_cache"] == {"bytes": 16 * MIB, "by": "hmat"}
    assert outcome.last("result")["status"] == "pass" and outcome.last("result")["complete"]


def test_by_the_model():
    """Other memory is read after elements over okram's place, and before each wait."""
    cmdline = "tests=quick,retention bandwidth=off serial=text"
    outcome = run(from_image("small-lunar-lake", cmdline=cmdline))
    assert outcome.exit_code == 0
    (told,) = [line for line in outcome.lines if "side cache" in line]
    assert "8 MiB in front of memory: row hammer may not get through it" in told


def fading(cpu):
    """A cell that holds for longer than an element over a page takes, and for less than one over
    all memory: the same as one behind a cache that holds the page until other memory is read."""
    return from_image("small", cpu=cpu, cmdline=QUICK, faults="fade@0x2801237.1:0.003")


@pytest.mark.parametrize("cpu, displaces", [(LUNAR_LAKE, True), ("max", False)])
def test_other_memory_is_read_before_a_bad_page_is_read_again(cpu, displaces):
    machine = fading(cpu)
    outcome = follow(machine)
    assert ("side_cache" in outcome.last("machine")) == displaces
    check_found(outcome, machine, [0x2801000])
    (again,) = outcome.of_type("retest")
    assert again["tries"] > 0 and (again["failed"] == again["tries"]) == displaces
