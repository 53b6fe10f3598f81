# SPDX-License-Identifier: MIT
"""Memory that firmware may still use: page 0, the rest below 1 MiB, ACPI tables."""

import pytest

from okramlib.machine import Machine
from okramlib.units import KIB, MIB, PAGE
from system.harness import follow

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


def test_page_0_is_left_alone():
    """What is behind it is tested, and complete: firmware keeps the rest below 1 MiB."""
    outcome = follow(Machine(memory=64 * MIB, cmdline=f"{QUICK} range=0-1M"))
    assert untested(outcome, end=MIB) == [(0, PAGE, PAGE_0)]
    assert outcome.last("result")["complete"]
    assert outcome.last("result")["tested_bytes"] > 500 * KIB


@pytest.mark.slow
@pytest.mark.parametrize(
    "options, whys",
    [("lowmem=skip", {PAGE_0, LOWMEM, ACPI}), ("lowmem=test acpimem=test", {PAGE_0})],
)
def test_by_uefi(options, whys):
    outcome = follow(Machine(uefi=True, memory=128 * MIB, cmdline=f"{QUICK} {options}"))
    assert {why for _, _, why in untested(outcome)} & {PAGE_0, LOWMEM, ACPI} == whys
    assert outcome.last("result")["complete"]
