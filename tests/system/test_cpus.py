# SPDX-License-Identifier: MIT
"""CPUs that never start, hang, come back or fail: the others test all memory, and it is
reported."""

import re
import time
from contextlib import closing

import pytest

from okramlib import spec
from okramlib import stick as mtools
from okramlib.run import Watcher, run
from okramlib.units import MIB, PAGE
from system.gdb import Gdb
from system.harness import TIMEOUT_S, attach, check_found, follow, named
from system.placement import symbols
from system.sticks import on
from system.watchers import Once, Together, press_q

QUICK = "tests=quick bandwidth=off"
FAULTY_CELL = 0x2801237

UNMAPPED, NOT_CANONICAL = 0x1000, 1 << 63


def hung_cpu(cpu, seconds, when):
    return attach("hung-cpu", cpu=cpu, seconds=seconds, when=when)


class Hang(Watcher):
    """Lets the CPU hang after the first test, or record of another type; then maybe presses q."""

    def __init__(self, when, begin="test", quit_after_s=None):
        self._when = when
        self._begin = begin
        self._quit_after_s = quit_after_s
        self._end = None

    def record(self, record):
        if record["type"] == self._begin and not self._when.exists():
            self._when.touch()
            if self._quit_after_s:
                self._end = time.monotonic() + self._quit_after_s

    def tick(self, qemu):
        if self._end and time.monotonic() >= self._end:
            self._end = None
            qemu.type("q")


def check_lost(outcome, cpu, why):
    (warning,) = outcome.last("result")["warnings"]
    assert re.search(rf"cpu {cpu} .*{why}", warning)


def check_all_tested(outcome):
    result = outcome.last("result")
    assert result["tested_bytes"] == outcome.last("machine")["testable_bytes"]
    assert outcome.of_type("test")


def test_one_cpu_never_starts_and_one_hangs(tmp_path):
    """In the only test, before it has done its share: the faults in it are found all the same."""
    when = tmp_path / "when"
    faulty_cells = [mib * MIB + 0x237 for mib in range(8, 64, 8)]
    stuck = f"holes@{faulty_cells[0]:#x}+8M*{len(faulty_cells)}.3"
    machine = named(
        "small-4cpus",
        cmdline="tests=address bandwidth=off trace=cpus",
        faults=stuck,
        extra=attach("late-cpu", cpu=1, seconds=1000) + hung_cpu(2, 1000, when),
    )
    outcome = follow(machine, watcher=Hang(when, begin="machine"))
    said = outcome.last("machine")["warnings"]
    assert any(re.search(r"cpu 1 .*did not start", text) for text in said)
    check_lost(outcome, 2, "no progress")
    started = [(cpu, "absent" if cpu == 1 else "started") for cpu in range(4)]
    traced = [(r["cpu"], r["state"]) for r in outcome.of_type("trace")]
    assert traced == [*started, (2, "hung")]
    check_all_tested(outcome)
    check_found(outcome, machine, faulty_cells)


@pytest.mark.slow
@pytest.mark.parametrize("cpus, cpu", [(2, 1), (4, 2)])
def test_hung_cpu_that_comes_back_does_no_harm(tmp_path, cpus, cpu):
    when = tmp_path / "when"
    machine = named("small", cpus=cpus, cmdline=QUICK + " passes=0 time=200s")
    machine.extra = hung_cpu(cpu, 16, when)
    outcome = follow(machine, watcher=Hang(when, quit_after_s=25))
    check_lost(outcome, cpu, "no progress")
    check_all_tested(outcome)
    assert outcome.exit_code == 0


def test_short_stall_is_forgiven(tmp_path):
    when = tmp_path / "when"
    machine = named("small", cmdline=QUICK + " passes=0 time=200s", extra=hung_cpu(1, 3, when))
    outcome = follow(machine, watcher=Hang(when, quit_after_s=8))
    assert outcome.exit_code == 0 and "warnings" not in outcome.last("result")


def hang_under_load(when, path):
    """When CPUs have begun to make a load for the measurement of one, and all are at work."""
    with closing(Gdb(path)) as gdb:
        gdb.run_until(symbols()["load_run"])
        when.touch()
        time.sleep(0.1)  # until the plugin has seen it
        gdb.detach()


def check_measuring_ended(outcome, machine, cpu):
    """The CPU alone is lost, nothing more is measured, and the tests run on the others."""
    said = outcome.last("result")["warnings"]
    (lost,) = (text for text in said if "no progress" in text)
    assert re.search(rf"cpu {cpu} ", lost)
    assert any("not measured further" in text for text in said)
    check_all_tested(outcome)
    check_found(outcome, machine, [FAULTY_CELL])


@pytest.mark.slow
@pytest.mark.parametrize("cpus, cpu, begin", [(2, 1, "cache"), (4, 2, "bandwidth")])
def test_hung_cpu_ends_the_measurements(tmp_path, cpus, cpu, begin):
    when = tmp_path / "when"
    machine = named("small", cpus=cpus, cmdline="tests=quick bandwidth=quick")
    machine.faults = spec.parse(f"stuck1@{FAULTY_CELL:#x}.3")
    machine.extra = hung_cpu(cpu, 1000, when)
    outcome = follow(machine, watcher=Hang(when, begin=begin))
    check_measuring_ended(outcome, machine, cpu)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", [1, 3], ids=["measured", "load"])
def test_hung_cpu_ends_the_measurement_under_load(tmp_path, cpu):
    """While others make a load for it, or wait for its load: they do not hang."""
    when, path = tmp_path / "when", tmp_path / "gdb"
    machine = named("small-4cpus", cmdline="tests=quick bandwidth=full bandwidth.runs=1")
    machine.faults = spec.parse(f"stuck1@{FAULTY_CELL:#x}.3")
    machine.extra = hung_cpu(cpu, 1000, when)
    machine.extra += attach("gdb", path=path)
    outcome = follow(machine, watcher=Once("machine", lambda _: hang_under_load(when, path)))
    check_measuring_ended(outcome, machine, cpu)


@pytest.mark.slow
def test_hung_cpu_in_a_test_without_steps(tmp_path):
    """Block move: no barrier in it."""
    when = tmp_path / "when"
    machine = named("small-4cpus")
    machine.cmdline = "tests=address,block-move bandwidth=off passes=0 time=200s"
    machine.extra = hung_cpu(1, 1000, when)
    outcome = follow(machine, watcher=Hang(when, quit_after_s=20))
    check_lost(outcome, 1, "no progress")
    check_all_tested(outcome)


def astray(path, *where, first=None, **registers):
    """Sends a CPU there; maybe first lets CPUs come to a function."""

    def act(qemu):
        with closing(Gdb(path)) as gdb:
            if first:
                gdb.run_until(symbols()[first])
            gdb.send_astray(*where, **registers)

    return act


@pytest.mark.parametrize(
    "cpus, cpu, rip, exception",
    [
        (2, 1, UNMAPPED, 14),
        pytest.param(4, 3, UNMAPPED, 14, marks=pytest.mark.slow),
        pytest.param(2, 1, NOT_CANONICAL, 13, marks=pytest.mark.slow),
        (4, 3, NOT_CANONICAL, 13),
    ],
)
def test_exception_costs_that_cpu(tmp_path, cpus, cpu, rip, exception):
    path = tmp_path / "gdb"
    machine = named("small", cpus=cpus, cmdline=QUICK + " passes=0 time=100s")
    machine.faults = spec.parse(f"stuck1@{FAULTY_CELL:#x}.3")
    machine.extra = attach("gdb", path=path)
    watcher = Together(Once("test", astray(path, cpu, rip)), Once("test", press_q, n=7))
    outcome = follow(machine, watcher=watcher)
    check_lost(outcome, cpu, f"exception {exception} .*rip {rip:#x}")
    check_all_tested(outcome)
    check_found(outcome, machine, [FAULTY_CELL])


def run_into_okrams_code(tmp_path, cpus, faults=()):
    """Has CPUs read where there is nothing in okram's own code, each after a test."""
    path = tmp_path / "gdb"
    machine = named("small-4cpus", cmdline=QUICK + " passes=0 time=100s", faults=list(faults))
    machine.extra = attach("gdb", path=path)
    strlen = symbols()["strlen"]
    watchers = [
        Once("test", astray(path, cpu, strlen, rdi=UNMAPPED), n=n) for n, cpu in enumerate(cpus, 1)
    ]
    watchers.append(Once("test", press_q, n=len(cpus) + 2))
    return run(machine, watcher=Together(*watchers), timeout=TIMEOUT_S)


def test_exception_in_okrams_code_is_an_internal_error(tmp_path):
    """The others go on; but without bad pages the run is not a pass."""
    outcome = run_into_okrams_code(tmp_path, [2])
    check_lost(outcome, 2, "exception 14 .*code is intact: an internal error")
    check_all_tested(outcome)
    assert outcome.last("result")["status"] == "error" and outcome.exit_code == 2
    assert outcome.last("result")["reason"] == "internal-error"
    assert outcome.last("result")["passes"] == 0  # of several that came to their end


@pytest.mark.slow
def test_bad_pages_are_said_after_an_internal_error(tmp_path):
    outcome = run_into_okrams_code(tmp_path, [2], spec.parse(f"stuck1@{FAULTY_CELL:#x}.3"))
    check_lost(outcome, 2, "exception 14 .*code is intact: an internal error")
    assert outcome.last("result")["status"] == "fail" and outcome.exit_code == 1
    assert outcome.last("result")["passes"] == 0


def run_into_a_wrong_bit(tmp_path, cpu, **settings):
    """Has a CPU read where okram's code would be, but for bit 40."""
    path, strlen = tmp_path / "gdb", symbols()["strlen"]
    machine = named(
        "128M-4cpus",
        cmdline=QUICK + " range=64M-80M passes=0 time=100s",
        extra=attach("gdb", path=path),
        **settings,
    )
    watcher = Together(
        Once("test", astray(path, cpu, strlen, rdi=strlen ^ 1 << 40)), Once("test", press_q, n=4)
    )
    outcome = run(machine, watcher=watcher, timeout=TIMEOUT_S)
    kind = outcome.last("kind")
    assert (kind["cause"], kind["cause_cpu"]) == ("cpu", cpu)
    assert kind["cause_evidence"].startswith("it raised an exception in okram's intact code")
    assert outcome.last("result")["status"] == "error" and outcome.exit_code == 2
    assert outcome.last("result")["reason"] == "cpu"
    assert outcome.last("advice")["case"] == "cpu"
    return outcome


def test_a_boot_cpu_that_fails_is_judged_by_another(tmp_path, stick):
    """Which shows the panic, and writes it to the stick."""
    error = run_into_a_wrong_bit(tmp_path, 0, **on(stick)).last("result")["error"]
    assert re.search("exception 14 .*on cpu 0\n", error)
    assert re.search("\ncpu [123] goes on with this report\n", error)
    assert "\npoints to CPU 0 (core 0), 9" in error and "test with cpus=1-3;" in error
    page = mtools.content(stick, "::/okram/run-1.html")
    assert b'"reason":"cpu"' in page and b"points to CPU 0 (core 0), 9" in page


@pytest.mark.slow
def test_a_cpu_that_fails_by_a_wrong_bit_is_named(tmp_path):
    check_lost(run_into_a_wrong_bit(tmp_path, 2), 2, "code is intact, by one wrong bit")


def test_same_exception_on_two_cpus_ends_the_run(tmp_path):
    outcome = run_into_okrams_code(tmp_path, [1, 3], spec.parse(f"stuck1@{FAULTY_CELL:#x}.3"))
    said = outcome.last("result")
    assert said["status"] == "error" and outcome.exit_code == 2
    assert said["reason"] == "internal-error"
    assert "the same exception on cpu 1 and cpu 3: 14" in said["error"]
    assert f"badram={FAULTY_CELL // PAGE * PAGE:#x}," in said["error"]


@pytest.mark.parametrize("cpus", [pytest.param(2, marks=pytest.mark.slow), 4])
def test_okram_moves_without_a_cpu_that_fails_just_then(tmp_path, cpus):
    path = tmp_path / "gdb"
    machine = named("small", cpus=cpus, cmdline="tests=address bandwidth=off")
    machine.extra = attach("gdb", path=path)
    act = astray(path, 1, UNMAPPED, first="move_away")
    outcome = follow(machine, watcher=Once("machine", act))
    check_lost(outcome, 1, "exception 14")
    check_all_tested(outcome)
    assert outcome.exit_code == 0
