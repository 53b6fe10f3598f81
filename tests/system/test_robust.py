# SPDX-License-Identifier: MIT
"""Machines that lack something, and a run that cannot go on."""

import re
from contextlib import closing

from okramlib import spec
from okramlib.run import run
from system.gdb import Gdb
from system.harness import TIMEOUT_S, attach, follow, named
from system.watchers import Once, Said

QUICK = "tests=quick bandwidth=off"


def test_cpu_that_never_comes_is_left_out():
    outcome = follow(
        named("small-4cpus", cmdline=QUICK, extra=attach("late-cpu", cpu=2, seconds=1000))
    )
    told = outcome.last("machine")
    assert told["cpus"] == 3
    assert any(re.search(r"cpu 2 .*did not start", text) for text in told["warnings"])
    assert outcome.last("node")["cpus"] == [0, 1, 3]


def test_cpu_that_comes_too_late_does_no_harm():
    machine = named("small-3cpus", extra=attach("late-cpu", cpu=1, seconds=2))
    machine.cmdline = "tests=quick bandwidth=off passes=0 time=5s"
    outcome = follow(machine)
    assert outcome.last("machine")["cpus"] == 2
    assert outcome.last("result")["seconds"] >= 4.5


def test_uefi_without_a_screen():
    machine = named("no-screen", cmdline=QUICK)
    assert follow(machine).exit_code == 0


def test_without_acpi_one_cpu_and_one_node():
    machine = named("pc-no-acpi", cmdline=QUICK)
    told = follow(machine).last("machine")
    assert (told["cpus"], told["nodes"]) == (1, 1)
    assert any("ACPI" in text for text in told["warnings"])


def test_cpu_without_clflushopt_and_avx2():
    """The cache is then flushed by CLFLUSH; lines are swept with SSE2 or scalar instructions."""
    faulty_cells = spec.parse("stuck1@0x2801237.3")
    machine = named("small-qemu64", cmdline=QUICK, faults=faulty_cells)
    assert follow(machine).exit_code == 1


def refusal(cpu):
    """What a CPU that cannot run okram says, on the serial port: nothing follows it."""
    machine = named("small-1cpu", cpu=cpu)
    outcome = run(machine, Said("Nothing was tested."), timeout=30)
    return " ".join(outcome.lines)


def test_cpu_without_long_mode():
    assert "64-bit" in refusal("qemu32")


def test_cpu_without_sse2():
    assert "SSE2" in refusal("qemu64,-sse2")


def astray(qemu, path):
    """The boot CPU jumps to an unmapped address."""
    with closing(Gdb(path)) as gdb:
        gdb.send_astray(0, 0x1000)


def test_panic_tells_why_and_what_was_found(tmp_path):
    faulty_cells = spec.parse("stuck1@0x2801237.3")
    cmdline = "bandwidth=off passes=0"
    machine = named("small-4cpus", cmdline=cmdline, faults=faulty_cells)
    machine.extra = attach("gdb", path=tmp_path / "gdb")
    watcher = Once("badram", lambda qemu: astray(qemu, tmp_path / "gdb"))
    outcome = run(machine, watcher, timeout=TIMEOUT_S)
    assert outcome.exit_code == 2 and outcome.qemu_exit == 5
    result = outcome.last("result")
    said = result["error"]
    assert result["status"] == "error" and result["bad_pages"] == 1
    assert re.search(r"exception 14 \(page fault\).*on cpu 0", said)
    assert "rip 0000000000001000" in said and "cr2" in said
    assert "okram's own code is intact" in said
    assert "badram=0x2801000,0xffffffffff000" in said
