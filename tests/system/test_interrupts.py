# SPDX-License-Identifier: MIT
"""Interrupts that okram has not asked for: none ends the run, and the report lists them."""

import json
import re
import tempfile
import time
from pathlib import Path

import pytest

from okramlib import BUILD
from okramlib.run import Watcher
from system import qtest
from system.harness import attach, follow, named
from system.placement import symbols
from system.stopped import stopping

SHORT = "tests=mats+ range=32M-33M bandwidth=off"
SPURIOUS_APIC, SPURIOUS_PIC = "spurious, of a local APIC", "spurious, of an 8259"

# 15: IRQ 7 of an 8259 that is as BIOS left it. 22: no exception. 39 and 47: IRQs 7 and 15.
RAISED = {15: "unknown", 22: "unknown", 39: SPURIOUS_PIC, 47: SPURIOUS_PIC}
RAISED |= {128: "unknown", 254: "unknown", 255: SPURIOUS_APIC}

NMIS, BURST, PAUSE_S = 400, 5, 0.01


def result_of(text):
    records = [json.loads(line) for line in text.splitlines() if line.startswith('{"t":')]
    assert records[-1]["type"] == "result", text[-2000:]
    return records[-1]


def interrupts_of(result):
    return {i["vector"]: (i["what"], i["count"]) for i in result.get("interrupts", [])}


def check_masked(stops):
    """Both 8259s and the local APIC's inputs."""
    pics = re.findall(r"pic\d: .*imr=(\w+) .*irq_base=(\w+)", stops.monitor("info pic"))
    assert sorted(pics) == [("ff", "20"), ("ff", "28")]
    lines = re.findall(r"^LVT(?:0|1)\s.*", stops.monitor("info lapic"), re.MULTILINE)
    assert len(lines) == 2 and all(" masked " in line for line in lines)


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_controllers_are_masked_and_every_vector_is_survived(uefi):
    """The PIT's interrupt pends when okram starts, and firmware unmasks it afterwards."""
    where = symbols()
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "qtest"
        given = named("128M-1cpu", uefi=uefi, cmdline=SHORT, extra=attach("qtest", path=path))
        with stopping(given) as stops, qtest.connected(path) as device:
            stops.run_until(where["kernel_main"])
            device.out8(0x20, 0x0A)
            pending = device.in8(0x20)
            stops.run_until(where["smp_start"])
            check_masked(stops)
            assert pending & 1 or uefi
            device.out8(0x21, 0xFE)
            stops.run_until(where["console_poll_key"])
            for vector in RAISED:
                stops.raise_vector(vector)
                stops.run_until(where["console_poll_key"])
            result = result_of(stops.rest())
    assert result["status"] == "pass" and "warnings" not in result
    assert interrupts_of(result) == {vector: (what, 1) for vector, what in RAISED.items()}


class Devices(Watcher):
    """Sends each interrupt to both CPUs after the first test, one at a tick, then a storm of NMIs,
    in bursts, as a CPU that the host keeps waiting takes all that have come as one; then presses
    q."""

    def __init__(self, path, vectors):
        self._path, self._vectors = path, list(vectors)
        self._ready = self._done = False
        self._device = None

    def record(self, record):
        self._ready |= record["type"] == "test"

    def tick(self, qemu):
        if not self._ready or self._done:
            return
        self._device = self._device or qtest.Qtest(self._path)
        if self._vectors:
            self._send(1, self._vectors.pop())
            return
        for _ in range(NMIS // BURST):
            self._send(BURST, 0, qtest.NMI)
            time.sleep(PAUSE_S)
        qemu.type("q")
        self._done = True
        self._device.close()

    def _send(self, times, *interrupt):
        for _ in range(times):
            for cpu in 0, 1:
                self._device.interrupt(cpu, *interrupt)


def test_interrupts_of_devices_are_acknowledged_and_nmis_counted():
    """A vector that is not acknowledged would not come again. CPUs may take several NMIs that come
    together as one."""
    with tempfile.TemporaryDirectory(prefix="okram-", dir=BUILD) as directory:
        path = Path(directory) / "qtest"
        given = named("small", cmdline="tests=quick bandwidth=off passes=0")
        given.extra = attach("qtest", path=path)
        outcome = follow(given, watcher=Devices(path, [0x27, 0x80] * 4))
    result = outcome.last("result")
    (warning,) = result["warnings"]
    assert (
        NMIS // 10
        <= int(re.fullmatch(r"(\d+) NMIs during the run: ignored", warning)[1])
        <= 2 * NMIS
    )
    found = interrupts_of(result)
    assert set(found) == {0x27, 0x80}
    for what, count in found.values():
        assert what == "unknown" and 3 <= count <= 8
