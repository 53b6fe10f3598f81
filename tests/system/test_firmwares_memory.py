# SPDX-License-Identifier: MIT
"""Memory that firmware may still use: page 0, the rest below 1 MiB, ACPI tables."""

import pytest

from data import tables
from okramlib.units import GIB, KIB, MIB, PAGE
from system import own_tables
from system.harness import NO_CXL, NO_MEMORY, attach, check_found, follow, named

QUICK = "tests=mats+ bandwidth=off"
PAGE_0 = "page 0: interrupt vectors and firmware's data"
LOWMEM = "below 1 MiB, with lowmem=skip"
ACPI = "ACPI tables"


def untested(outcome, base=0, end=1 << 52):
    """(base, end, why) of what is not tested of a range."""
    parts = [
        (int(part["base"], 16), int(part["end"], 16), part["why"])
        for part in outcome.last("result")["untested"]
    ]
    return [part for part in parts if part[0] < end and part[1] > base]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options, whys",
    [("lowmem=skip", {PAGE_0, LOWMEM, ACPI}), ("lowmem=test acpimem=test", {PAGE_0})],
)
def test_by_uefi(options, whys):
    outcome = follow(named("uefi-128M", cmdline=f"{QUICK} {options}"))
    assert {why for _, _, why in untested(outcome)} & {PAGE_0, LOWMEM, ACPI} == whys
    assert outcome.last("result")["complete"]


LOW = "tests=mats+ bandwidth=off range=0-1M"
CELL = "stuck1@0x30123.4"


def test_a_faulty_cell_below_1_mib():
    """It fails each time that it is tested again. Page 0 is left alone."""
    machine = named("small", cmdline=LOW, faults=CELL)
    outcome = follow(machine)
    check_found(outcome, machine, [0x30000])
    assert not outcome.of_type("external")
    zero, parked = untested(outcome, end=MIB)
    assert zero == (0, PAGE, PAGE_0)
    assert parked[1] - parked[0] == PAGE and parked[2] == "kept for CPUs that fail"
    assert outcome.last("result")["complete"]
    assert outcome.last("result")["tested_bytes"] > 500 * KIB


def test_below_1_mib_is_tested_before_the_first_sweep():
    """By more than the address test, whose reads do not find such a fault."""
    options, cell = LOW.replace("mats+", "address"), "deceive@0x30123.4"
    outcome = follow(named("small", cmdline=options, faults=cell))
    assert outcome.of_type("fault")[0]["addr"] == "0x30120"
    swept = follow(named("small", cmdline=f"{options} lowmem=test", faults=cell))
    assert swept.last("result")["status"] == "pass"


# How many stores firmware and the loader make before the test's 35 differs from machine to machine:
# of words that go wrong once each, at store 10, 20, 30 and so on of 9000, the test meets some.
ONCE = tuple(f"lapse@{0x30103 + 8 * n:#x}.4:9000/{8990 - 10 * n}" for n in range(20))
# Once in any 35, and so not in each of the tries that follow, of 20 stores.
RARE = "lapse@0x30123.4:35"
STORES = LOW.replace("mats+", "march-c-")


def test_what_changes_once_below_1_mib():
    """It is reported separately: firmware may have written there."""
    machine = named("small", cmdline=STORES, faults=ONCE)
    outcome = follow(machine)
    assert outcome.last("result")["status"] == "pass"
    (change,) = outcome.of_type("external")
    assert change["addr"] in {f"{0x30100 + 8 * n:#x}" for n in range(len(ONCE))}
    assert "lowmem=test" in " ".join(outcome.last("result")["warnings"])


def test_a_rare_fault_below_1_mib():
    machine = named("small", cmdline=STORES, faults=RARE)
    outcome = follow(machine)
    check_found(outcome, machine, [0x30000])
    assert not outcome.of_type("external")


def test_a_cell_that_one_above_1_mib_changes():
    """In each round: no test of memory below 1 MiB alone shows it."""
    options = "tests=march-c- bandwidth=off"
    machine = named("128M", cmdline=options, faults="set1@0x5a991f8.1>0x5d81c.3")
    outcome = follow(machine)
    check_found(outcome, machine, [0x5D000])
    assert len(outcome.of_type("external")) == 3


@pytest.mark.slow
def test_what_changes_once_counts_with_lowmem_test():
    machine = named("small", cmdline=f"{STORES} lowmem=test", faults=ONCE)
    outcome = follow(machine)
    check_found(outcome, machine, [0x30000])
    assert not outcome.of_type("external")


@pytest.mark.slow
def test_a_range_for_hot_plug(tmp_path):
    """The SRAT has two ranges, and the second is empty: it is listed, and does not count."""
    ranges = tables.srat_memory(0, GIB - 1, 0), tables.srat_memory(4 * GIB, 8 * GIB - 1, 0, flags=3)
    args = own_tables.arguments(tmp_path, [tables.srat(tables.srat_cpu(0, 0), *ranges)])
    outcome = follow(named("small-1cpu", cmdline=LOW, extra=args))
    assert (4 * GIB, 8 * GIB, NO_MEMORY) in untested(outcome)
    assert outcome.last("result")["complete"]


CXL = attach("cxl-window")


@pytest.mark.slow
def test_a_window_for_cxl_memory():
    """No memory is set up there."""
    outcome = follow(named("small", cmdline=LOW, extra=CXL))
    (window,) = [part for part in untested(outcome) if part[2] == NO_CXL]
    assert window[1] - window[0] == 4 * GIB
    assert outcome.last("result")["complete"]
