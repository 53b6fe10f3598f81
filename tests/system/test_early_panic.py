# SPDX-License-Identifier: MIT
"""A panic before okram is ready for one is shown all the same."""

import pytest

from okramlib.machine import Machine
from okramlib.units import MIB
from system.placement import IMAGE_VIRT, image, symbols
from system.stopped import stopping

TEXT = "stopped before a test had gone over all memory"  # any of the image's that ends there


@pytest.mark.parametrize("place", ["percpu_load", "log_counts_init"])
def test_panic_is_shown(place):
    """Before the boot CPU has its per-CPU data; while the fault log is being made."""
    text = IMAGE_VIRT + image().index(TEXT.encode() + b"\0")
    with stopping(Machine(memory=64 * MIB, cpus=1, cmdline="bandwidth=off")) as stops:
        stops.call_at(symbols()[place], symbols()["panic"], text)
        said = stops.rest(until=TEXT)
    assert TEXT in said and "badram=" not in said
