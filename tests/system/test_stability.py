# SPDX-License-Identifier: MIT
"""tests=stability: until stopped, and how many errors there are for what was moved."""

import pytest

from okramlib import measured, spec
from okramlib import outcome as report
from okramlib.corrected import BANK, STATUS
from okramlib.units import MIB
from system.harness import follow, named
from system.watchers import Once

BASE, MEMORY = 16 * MIB, 4 * MIB
RANGE = "range=16M-20M"
SWEEPS, STORES = 81, 30  # sweeps of a pass, and those that write, without block-move
CELLS, EVERY = 60, 25  # stores
FAULTS = [f"lapse@{BASE + 0x10 + 0x10840 * n:#x}.3:{EVERY}/{n % EVERY}" for n in range(CELLS)]


def stability(more, watcher=None, **options):
    machine = named("small", cmdline=f"tests=stability bandwidth=off {RANGE} {more}", **options)
    return follow(machine, watcher=watcher)


def test_rare_errors_are_counted():
    outcome = stability("passes=1", faults=FAULTS)
    result = outcome.last("result")
    rate = result["stability"]
    # A wrong store is read once, or several times in other sweeps.
    assert STORES * CELLS / EVERY <= rate["errors"] <= SWEEPS * CELLS / EVERY
    assert result["bad_pages"] <= CELLS
    assert (
        result["bad_pages"] <= rate["errors"] <= sum(t["faults"] for t in outcome.of_type("test"))
    )
    assert (SWEEPS - 1) * MEMORY < rate["moved_bytes"] < (SWEEPS + 1) * MEMORY
    per_tb = rate["errors"] / rate["moved_bytes"] * 1e12
    assert abs(rate["per_tb"] / per_tb - 1) < 1e-6
    assert 0 < rate["low"] < rate["per_tb"] < rate["high"]
    assert 0 < rate["first_s"] < result["seconds"]


def said(outcome):
    return report.stability(measured.by_type(outcome.records))


def test_of_several_starts_the_errors_of_all_count():
    first = stability("passes=1 cycles=2", faults=FAULTS)
    before = first.last("result")["stability"]
    outcome = stability(f"passes=1 cycles={first.last('cycles')['word']}")
    rate = outcome.last("result")["stability"]
    assert rate["errors"] == before["errors"] == outcome.last("cycles")["errors"] > 0
    assert 1.95 < rate["moved_bytes"] / before["moved_bytes"] < 2.05
    assert rate["first_s"] is None and sum(t["faults"] for t in outcome.of_type("test")) == 0
    assert f"{rate['errors']} errors in " in said(outcome)


@pytest.mark.parametrize("end", ["passes=1", "time=2s"])
def test_a_cell_that_is_always_bad_has_no_rate(end):
    outcome = stability(end, faults=[f"stuck1@{BASE + 0x1010:#x}.3"])
    (again,) = outcome.of_type("retest")
    assert again["failed"] == again["tries"] >= 4
    assert "but no rate: a page was bad each time" in said(outcome)


def test_errors_at_random_times_have_their_rate():
    """Of the lines moved 40 to 50 % are stored and compared (make bench-stability)."""
    one_in = 12500
    faults = spec.parse(f"rare@{BASE:#x}+{MEMORY:#x}:{one_in}")
    outcome = stability("passes=1", faults=faults)
    rate = outcome.last("result")["stability"]
    stored = 1e12 / 64 / one_in
    assert rate["low"] < 0.5 * stored and rate["high"] > 0.4 * stored
    assert rate["errors"] > 100


def test_an_error_that_ecc_corrects_counts():
    watcher = Once("test", lambda qemu: qemu.qmp.monitor(f"mce 1 {BANK} {STATUS:#x} 0 0 0"))
    result = stability("time=3s", watcher=watcher).last("result")
    assert (result["status"], result["ecc"]["corrected"]) == ("corrected", 1)
    assert result["stability"]["errors"] == 1


def test_runs_until_stopped_and_says_what_no_error_means():
    outcome = stability("time=3s")
    result = outcome.last("result")
    rate = result["stability"]
    assert result["seconds"] >= 3 and result["passes"] >= 1
    assert (rate["errors"], rate["per_tb"], rate["low"], rate["first_s"]) == (0, 0, 0, None)
    assert abs(rate["high"] / (2.995732 / rate["moved_bytes"] * 1e12) - 1) < 1e-6
