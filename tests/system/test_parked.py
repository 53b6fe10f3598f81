# SPDX-License-Identifier: MIT
"""CPUs that are not used any more: they wait where they are in nobody's way."""

import re
import time
from contextlib import closing
from statistics import median

import pytest

from okramlib.run import Watcher, run
from okramlib.units import MIB
from system import uefi_vars
from system.gdb import Gdb
from system.harness import TIMEOUT_S, attach, follow, from_image
from system.runtime_service import SET_VARIABLE, deaf_to_nmis, stick
from system.test_mce import INTEL, OPTIONAL, mce
from system.watchers import Once, Said, press_q

ENDLESS = "tests=mats+ bandwidth=off passes=0"
UNMAPPED = 0x1000
PARKED_BELOW = MIB
PARKED = "kept for CPUs that fail"


def where_is(qemu, cpu):
    """CS's base plus the instruction pointer, CR4, and whether the CPU halts."""
    told = qemu.qmp.monitor("info registers -a").split("CPU#")[cpu + 1]
    base = re.search(r"CS =[0-9a-f]{4} ([0-9a-f]+)", told)
    pointer = re.search(r"[ER]IP=([0-9a-f]+)", told)
    cr4, halts = re.search(r"CR4=([0-9a-f]+)", told), re.search(r"HLT=(\d)", told)
    return int(base[1], 16) + int(pointer[1], 16), int(cr4[1], 16), halts[1] == "1"


class Broadcast(Watcher):
    """Has a CPU fail after the first test, waits, and then sends machine checks to all CPUs."""

    def __init__(self, fail, cpu, seconds, checks=2):
        self._fail, self._cpu, self._seconds, self._checks = fail, cpu, seconds, checks
        self._tests = 0
        self._failed_at = None
        self.said, self.at = [], None

    def record(self, record):
        self._tests += record["type"] == "test"

    def tick(self, qemu):
        if not self._tests:
            return
        if self._failed_at is None:
            self._fail()
            self._failed_at = time.monotonic()
        elif time.monotonic() >= self._failed_at + self._seconds:
            self._go_on(qemu)

    def _go_on(self, qemu):
        if self.at is None:
            self.at = where_is(qemu, self._cpu)
        if len(self.said) < self._checks:
            command = mce(0, OPTIONAL, addr=0x2801240 + 64 * len(self.said), broadcast=True)
            self.said.append(qemu.qmp.monitor(command))
            self._failed_at, self._seconds = time.monotonic(), 2
        else:
            qemu.type("q")


def check_parked(watcher, outcome, n_others):
    """The machine was not reset, and the others have told of all machine checks."""
    where, cr4, halts = watcher.at
    result = outcome.last("result")
    (page,) = (part for part in result["untested"] if part["why"] == PARKED)
    assert int(page["base"], 16) <= where < int(page["end"], 16) <= PARKED_BELOW
    assert cr4 & 0x40 and halts
    assert watcher.said == ["", ""]
    assert result["status"] == "fail" and result["bad_pages"] == 1
    assert {record["cpu"] for record in outcome.of_type("mce")} == set(range(n_others))


def test_broadcast_machine_check_after_an_exception(tmp_path):
    """Two: that the first has ended on the parked CPU, too, shows in the second."""
    path = tmp_path / "gdb"

    def fail():
        with closing(Gdb(path)) as gdb:
            gdb.send_astray(3, UNMAPPED)

    machine = from_image("small-4cpus", cpu=INTEL, cmdline=ENDLESS, extra=attach("gdb", path=path))
    watcher = Broadcast(fail, 3, 3)
    outcome = follow(machine, watcher=watcher)
    assert any("cpu 3 " in text for text in outcome.last("result")["warnings"])
    check_parked(watcher, outcome, 3)


@pytest.mark.slow
def test_broadcast_machine_check_and_a_late_cpu():
    """It starts 2 s after the others, at the earliest in the trampoline's first instructions."""
    machine = from_image(
        "small-3cpus", cpu=INTEL, cmdline=ENDLESS, extra=attach("late-cpu", cpu=2, seconds=2)
    )
    watcher = Broadcast(lambda: None, 2, 3)
    outcome = follow(machine, watcher=watcher)
    assert outcome.last("machine")["cpus"] == 2
    check_parked(watcher, outcome, 2)


@pytest.mark.slow
def test_broadcast_machine_check_and_a_hung_cpu_that_comes_back(tmp_path):
    """It has not taken the NMI in time, but takes INIT and STARTUP then."""
    when = tmp_path / "when"
    machine = from_image("small-3cpus", cpu=INTEL, cmdline=ENDLESS)
    machine.extra = attach("hung-cpu", cpu=2, seconds=16, when=when)
    watcher = Broadcast(when.touch, 2, 20)
    outcome = follow(machine, watcher=watcher)
    assert any("no progress" in text for text in outcome.last("result")["warnings"])
    check_parked(watcher, outcome, 2)


def astray(path, cpu):
    with closing(Gdb(path)) as gdb:
        gdb.send_astray(cpu, UNMAPPED)


def seconds_of_calls(lines):
    """Of all calls of SetVariable."""
    found = [re.search(r"SetVariable .*: returned 0x0, ([\d.]+) ms", line) for line in lines]
    return [float(match[1]) / 1000 for match in found if match]


@pytest.mark.slow
def test_setvariable_in_smm_after_a_cpu_has_failed(tmp_path):
    """OVMF with SMM: in each SMI it waits for all CPUs. QEMU's CPUs take one in INIT, too."""
    path = tmp_path / "gdb"
    machine = from_image("uefi-smm-128M-3cpus", vars=tmp_path / "vars.fd")
    machine.cmdline = "tests=mats+ bandwidth=off range=32M-48M passes=30 trace=firmware serial=text"
    machine.extra = attach("gdb", path=path)
    outcome = run(machine, Said("test  ", lambda _: astray(path, 1)), timeout=TIMEOUT_S)
    assert not outcome.trouble and outcome.exit_code == 0
    assert any("cpu 1 (APIC ID 1): exception 14" in line for line in outcome.lines)
    lost = next(i for i, line in enumerate(outcome.lines) if "disabled" in line)
    before = seconds_of_calls(outcome.lines[:lost])
    after = seconds_of_calls(outcome.lines[lost:])
    print("SetVariable, s:", before, after)
    assert before and len(after) > 4
    assert median(after) < 1  # OVMF waits 0.1 s, twice, and once in a while erases a block of flash
    assert uefi_vars.read_report(machine.vars)[0].verdict == "pass"


@pytest.mark.slow
def test_cpu_that_firmware_keeps_is_not_sent_an_init(tmp_path):
    """SetVariable hangs, and NMIs do not end it: the CPU stays there, and okram where it is."""
    machine = from_image("uefi-stick-64M", vars=tmp_path / "vars.fd")
    machine.cmdline = "tests=address bandwidth=off passes=0 trace=cpus"
    machine.image = stick(tmp_path, SET_VARIABLE, deaf_to_nmis())
    found = []

    def look(qemu):
        found.append(where_is(qemu, 1))
        press_q(qemu)

    lost = {"type": "trace", "state": "hung"}
    outcome = follow(machine, watcher=Once(lost, look, after_s=1))
    ((where, _, halts),) = found
    assert where >= MIB and not halts
    said = outcome.last("result")["warnings"]
    assert any("SetVariable did not return within 60 s" in text for text in said)
    assert any(re.search(r"cpu 1 .*no progress for 7\d s", text) for text in said)
    assert any("okram cannot move" in text for text in said)
    assert any(part["why"] == "okram itself" for part in outcome.last("result")["untested"])
