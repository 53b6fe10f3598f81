# SPDX-License-Identifier: MIT
"""The image that clang builds, by `make check-clang`, boots and finds faults as gcc's does."""

import pytest

from okramlib import BUILD, spec
from okramlib.machine import Machine
from okramlib.units import MIB
from system.harness import follow

IMAGE = BUILD / "clang" / "okram.iso"


@pytest.mark.slow
@pytest.mark.skipif(not IMAGE.exists(), reason="make check-clang builds it")
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_finds_a_faulty_cell(uefi):
    machine = Machine(
        image=IMAGE,
        uefi=uefi,
        memory=128 * MIB,
        cmdline="tests=quick,march-mss+ bandwidth=off",
        faults=spec.parse("stuck0@0x4801237.7"),
    )
    outcome = follow(machine)
    assert outcome.last("badram")["line"] == "badram=0x4801000,0xffffffffff000"
    assert [test["test"] for test in outcome.of_type("test")][-1] == "march-mss+"
