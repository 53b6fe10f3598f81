# SPDX-License-Identifier: MIT
"""The image that clang builds, by `make check-clang`, boots and finds faults as gcc's does."""

import pytest

from okramlib import BUILD
from system.harness import follow, from_image

IMAGE = BUILD / "clang" / "okram.iso"


@pytest.mark.slow
@pytest.mark.skipif(not IMAGE.exists(), reason="make check-clang builds it")
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_finds_a_faulty_cell(uefi):
    machine = from_image(
        "128M",
        image=IMAGE,
        uefi=uefi,
        cmdline="tests=quick,march-mss+ bandwidth=off",
        faults="stuck0@0x4801237.7",
    )
    outcome = follow(machine)
    assert outcome.last("badram")["line"] == "badram=0x4801000,0xffffffffff000"
    assert [test["test"] for test in outcome.of_type("test")][-1] == "march-mss+"
