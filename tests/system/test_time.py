# SPDX-License-Identifier: MIT
"""The time stamp counter's frequency by okram: on a loaded host, and by clocks that lie."""

import itertools
import json
import os

import pytest

from data import tables as t
from okramlib.run import run
from okramlib.units import MIB
from system import own_tables
from system.gdb import Gdb
from system.harness import TIMEOUT_S, attach, follow, named
from system.host_clock import HostTsc, busy, clock_warnings, told_hz
from system.placement import symbols
from system.stopped import stopping

SHORT = "tests=mats+ range=32M-33M bandwidth=off"
HPET, HPET_COUNTER = 0xFED00000, 0xFED000F0
NOWHERE = 0xFED10000  # no device: reads as 0
HPET_TIMER = 0xFED000FC  # 4 bytes before a timer's configuration: a period that is none
REGION = 8 * MIB  # kernel/core/march/sweep/hammer.h
NO_PORT = 0x5000  # likewise, all ones


def told(machine):
    """The frequency over the host's, and what is said of clocks."""
    host = HostTsc()
    machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S)
    assert not outcome.trouble and outcome.exit_code == 0
    return told_hz(outcome) / host.hz(), clock_warnings(outcome)


@pytest.mark.parametrize("cpus", [8, pytest.param(64, marks=pytest.mark.slow)])
def test_frequency_on_a_loaded_host(cpus):
    """By UEFI, whose other CPUs do not sleep, but keep the boot CPU from the host's."""
    with busy(os.cpu_count()):
        ratio, said = told(named("uefi-128M", cpus=cpus, cmdline=SHORT))
    assert ratio == pytest.approx(1, abs=0.01)
    assert said == []


QUICK_HOLD_UPS = {(90, "hpet=off"), (60, "hpet=off,acpi=off"), (90, "hpet=off,acpi=off")}
HOLD_UPS = [
    pytest.param(*case, marks=() if case in QUICK_HOLD_UPS else pytest.mark.slow)
    for case in itertools.product([30, 60, 90], ["pit=off", "hpet=off", "hpet=off,acpi=off"])
]


@pytest.mark.parametrize("away_ms, missing", HOLD_UPS)
def test_boot_cpu_that_is_held_up(away_ms, missing):
    """Half of the time for longer than the PIT takes to wrap, 55 ms, or a half of it."""
    held_up = attach("held-up-cpu", away_ms=away_ms)
    machine = named("small-1cpu", cmdline=SHORT)
    machine.extra = [*attach("board", properties=f"pc,{missing}"), *held_up]
    ratio, said = told(machine)
    assert ratio == pytest.approx(1, abs=0.01)
    assert said == []


def forged(directory, *tables, machine="", **fadt):
    args = own_tables.arguments(directory, tables, own_tables.fadt(**fadt))
    if machine:
        args += attach("board", properties=machine)
    return named("small-1cpu", cmdline=SHORT, extra=args)


def test_sound_clocks_are_believed(tmp_path):
    ratio, said = told(forged(tmp_path, t.hpet(HPET)))
    assert ratio == pytest.approx(1, abs=0.005) and said == []


@pytest.mark.parametrize(
    "tables, fadt, warning",
    [
        ([t.hpet(0x200000)], {}, "an HPET at 0x200000, where no registers can be"),
        ([t.hpet(0x608, 1)], {}, "HPET: registers at 0x608 of address space 1"),
        ([t.hpet(HPET_TIMER)], {}, "the HPET reports an impossible period of"),
        ([t.sealed(t.hpet(HPET)[:-1])], {}, "HPET: 55 bytes are too short"),
        ([], {"pm_timer": NO_PORT}, "the PM timer reported by firmware is stopped"),
        ([], {"pm_timer_at": 0x200000}, "a PM timer at 0x200000, where no registers can be"),
        ([], {"pm_timer_at": HPET_COUNTER}, "the PM timer reported by firmware is stopped"),
        ([], {"pm_timer": 0x40}, "the PM timer reported by firmware does not count steadily"),
    ],
)
def test_clock_that_is_none(tmp_path, tables, fadt, warning):
    ratio, said = told(forged(tmp_path, *tables, **fadt))
    (text,) = said
    assert warning in text and ("not used" in text or "ignored" in text)
    assert ratio == pytest.approx(1, abs=0.005)


@pytest.mark.parametrize(
    "missing, fact",
    [
        ("", "HPET hidden"),
        pytest.param("pit=off", "HPET hidden, PIT stopped", marks=pytest.mark.slow),
    ],
)
def test_hidden_hpet_is_a_note(tmp_path, missing, fact):
    """For the support record, not a warning: the table names it, and nothing is there."""
    machine = forged(tmp_path, t.hpet(NOWHERE), machine=missing)
    machine.cmdline += " support=on"
    outcome = follow(machine)
    assert not [text for text in outcome.last("machine")["warnings"] if "HPET" in text]
    facts = {told["name"]: told["value"] for told in outcome.last("support")["cpu"]}
    assert facts["clocks"] == fact


def test_clock_of_another_speed(tmp_path):
    """The HPET's counter, which okram has turned on, named as the PM timer: 28 times as fast."""
    ratio, said = told(forged(tmp_path, t.hpet(HPET), pm_timer_at=HPET_COUNTER))
    (text,) = said
    assert "GHz by the PM timer" in text and "GHz by the HPET, which is used" in text
    assert ratio == pytest.approx(1, abs=0.005)


def test_preferred_clock_where_two_disagree(tmp_path):
    """Without a PIT two are left: the one that comes first is used, and both are named."""
    machine = forged(tmp_path, t.hpet(HPET), machine="pit=off", pm_timer_at=HPET_COUNTER)
    ratio, said = told(machine)
    assert ratio == pytest.approx(1, abs=0.005)
    assert len(said) == 1 and "which is used" in said[0]


@pytest.mark.parametrize("missing", ["hpet=off", "pit=off", "hpet=off,pit=off"])
def test_some_clocks_are_enough(missing):
    machine = named("small", cmdline=SHORT, extra=attach("board", properties=missing))
    ratio, said = told(machine)
    assert ratio == pytest.approx(1, abs=0.005) and said == []


def test_without_a_clock_it_is_a_guess():
    machine = named("no-clocks", cmdline=SHORT)
    machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S)
    assert told_hz(outcome) == 1e9
    (said,) = [text for text in clock_warnings(outcome) if "no clock to measure" in text]
    assert "a guess, 1.000 GHz, is assumed" in said


def lying(machine, ticks):
    """What okram says when ticks(exchange) is added to the other CPUs' counters."""
    compared, over = symbols()["skew_narrow"], symbols()["machine_emit"]
    with stopping(machine) as stops:
        n = 0
        while stops.stop_at([compared, over]) == compared:
            stops.add_to(Gdb.RDX, ticks(n))
            n += 1
        assert n >= 2
        return stops.rest()


def test_counters_of_cpus_that_differ():
    machine = named("small", cmdline=SHORT)
    said = lying(machine, lambda n: -(10**12))
    assert "counters that differ from the boot CPU's: 1, the worst is cpu 1's, by -" in said
    assert "at another rate" not in said and '"status":"pass"' in said


def test_counter_of_a_cpu_that_is_faster():
    machine = named("small", cmdline=SHORT)
    said = lying(machine, lambda n: n * 10**10)
    assert "at another rate than the boot CPU's: 1, the worst is cpu 1's" in said
    assert '"status":"pass"' in said


def together_mb_s(lines):
    """What both CPUs read at once, MB/s."""
    records = [json.loads(line) for line in lines if '"type":"bandwidth"' in line]
    (found,) = (r for r in records if r["op"] == "read" and r["threads"] == 2)
    return found["mb_s"]["mean"]


@pytest.mark.slow
def test_measurements_count_with_what_counters_differ():
    """The counters are right, and okram gets wrong values: a run then seems to last 385 s, from the
    first CPU's begin to the last one's end. Where their speeds differ nothing is compared."""
    machine = named("small", cmdline="tests=mats+ bandwidth=quick")
    with stopping(machine) as stops:
        honest = together_mb_s(stops.rest().splitlines())
    wrong = together_mb_s(lying(machine, lambda n: 10**12).splitlines())
    faster = together_mb_s(lying(machine, lambda n: 10**12 + n * 10**10).splitlines())
    assert wrong < honest / 100
    assert honest / 5 < faster < honest * 5


@pytest.mark.slow
def test_rounds_of_row_hammer_last_as_long_where_counters_differ():
    """Each hammers one place for a second, by that CPU's own counter alone: of 8 MiB at most."""
    machine = named("small", cmdline="tests=row-hammer hammer=2 cpus=1 bandwidth=off")
    lines = lying(machine, lambda n: -(10**12)).splitlines()
    (test,) = (json.loads(line) for line in lines if '"type":"test"' in line)
    assert 0 < test["hammered_bytes"] <= 3 * REGION
