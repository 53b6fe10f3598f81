# SPDX-License-Identifier: MIT
"""The host of a virtual machine gives memory when it is first touched: okram touches none before it
tests it, none that it does not test, and keys count while memory is touched for the first time."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from okramlib.run import Watcher, run
from okramlib.units import GIB, MIB
from system.harness import TIMEOUT_S, attach, named
from system.placement import symbols
from system.stopped import stopping
from system.watchers import Once

QEMUS_OWN = 192 * MIB  # itself, firmware, the loader and okram: a third of it in practice
SHARED_MEMORY = Path("/dev/shm")
BEFORE_TESTS = 64 * MIB  # what firmware (UEFI: 45 MiB), the loader and okram use until then
STOPS_WITHIN_S = 2.5  # by okram's clock: it is to be 1, but the host may be busy


def held(when, cmdline, **options):
    """How much of the host's memory the machine holds when a record of this type has come."""
    found = []
    watcher = Once(when, lambda qemu: found.append(qemu.resident_bytes()))
    machine = named("512M", cmdline=f"bandwidth=off {cmdline}", **options)
    outcome = run(machine, watcher, timeout=TIMEOUT_S)
    assert not outcome.trouble and not outcome.bad_lines
    return found[0]


@pytest.mark.parametrize(
    "on, in_range",
    [("2G", ""), pytest.param("4G", "range=1G-2G", marks=pytest.mark.slow)],
)
def test_nothing_before_the_first_sweep(on, in_range):
    """That has begun meanwhile: it is unknown how far it has come."""
    at_machine = held("machine", f"tests=mats+ time=2 {in_range}", on=on)
    assert at_machine < GIB // 2 + QEMUS_OWN


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_nothing_outside_of_range(uefi):
    at_end = held("result", "tests=quick range=1G-1088M", on="4G", uefi=uefi)
    assert at_end < 64 * MIB + QEMUS_OWN


def test_nothing_but_where_it_hammers():
    rounds = 3  # of a second or more, of 8 MiB each
    at_end = held("test", f"tests=row-hammer hammer={rounds - 1}", on="2G")
    assert at_end < rounds * 8 * MIB + QEMUS_OWN


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="there is no /dev/shm")
@pytest.mark.parametrize("options", [{}, {"uefi": True}, {"cpus": 64}], ids=["bios", "uefi", "64"])
def test_what_is_touched_when_the_first_element_begins(options):
    memory = 4 * GIB
    with tempfile.NamedTemporaryFile(prefix="okram-ram-", dir=SHARED_MEMORY) as file:
        machine = named("4G", **options, extra=attach("memory-file", path=file.name, size=memory))
        machine.cmdline = "bandwidth=off tests=mats+ time=60"
        with stopping(machine) as stops:
            stops.run_until(symbols()["element_run"])
            touched = os.stat(file.name).st_blocks * 512
    assert MIB < touched < BEFORE_TESTS


class Quitter(Watcher):
    """Presses q when the first sweep is going on, or some time after the start."""

    def __init__(self, after_s):
        self._after_s = after_s
        self._end = None
        self._t = 0.0
        self.pressed_at = None

    def record(self, record):
        self._t = record["t"]
        if record["type"] == "start":
            self._end = time.monotonic() + self._after_s
        elif record["type"] == "progress" and record["pass_done_bytes"]:
            self._end = time.monotonic()

    def tick(self, qemu):
        if self._end and self.pressed_at is None and time.monotonic() >= self._end:
            self.pressed_at = self._t
            qemu.type("q")


@pytest.mark.parametrize("cpus", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("tests", ["mats+", pytest.param("block-move", marks=pytest.mark.slow)])
def test_q_in_the_first_sweep(cpus, tests):
    quitter = Quitter(after_s=1)
    machine = named("4G", cpus=cpus, cmdline=f"bandwidth=off tests={tests}")
    outcome = run(machine, quitter, timeout=TIMEOUT_S)
    result = outcome.last("result")
    assert not outcome.trouble and not outcome.bad_lines
    assert result["status"] == "stopped" and result["tested_bytes"] == 0
    assert result["seconds"] - quitter.pressed_at < STOPS_WITHIN_S
