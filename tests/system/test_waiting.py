# SPDX-License-Identifier: MIT
"""The boot CPU waits on CPUs whose local APIC's timer stops when they halt."""

import time

import pytest

from system.gdb import Gdb
from system.harness import from_image
from system.placement import symbols
from system.stopped import stopping

NEVER = 0xFFFFFFFF.to_bytes(4, "little")  # ticks a millisecond: the timer comes after a minute
ANSWERS_S = 30


def give_options(stops, text):
    """As QEMU's fw_cfg would, which okram does not read where there is no hypervisor."""
    for _ in range(3):
        stops.run_until(symbols()["options_parse"])
    at = stops.register(Gdb.RSI)
    assert stops.read(at, 1) == b"\0"
    stops.write(at, text.encode() + b"\0")


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 2])
def test_keys_are_read_without_the_timer(cpus):
    given = from_image("small-no-arat", cpus=cpus, cmdline="seed=77")
    with stopping(given) as stops:
        give_options(stops, "serial=text bandwidth=off tests=mats+ range=32M-33M")
        stops.run_until(symbols()["smp_start"])
        stops.write(symbols()["timer_ticks_per_ms"], NEVER)
        text = stops.rest(until="no fault found in the memory tested")
        assert "options    serial=text bandwidth=off" in text
        begin = time.monotonic()
        stops.press("x")  # restarts the machine: QEMU ends
        stops.more()
        assert time.monotonic() - begin < ANSWERS_S
