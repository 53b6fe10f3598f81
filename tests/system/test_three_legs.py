# SPDX-License-Identifier: MIT
"""A march in three legs, for which okram is in another place in each: testing/three_legs.h."""

import re

import pytest

from okramlib import BUILD, spec
from okramlib.run import Watcher
from okramlib.units import MIB, PAGE
from system.couplings import CMDLINE, FIRST, LAST, PLACES, SECOND, THIRD, Draw, boot, places
from system.harness import check_found, follow, from_image
from system.test_cpus import check_lost, hung_cpu
from system.test_moving import check_all_tested

SWEEPS = 26
MEMORY = 128 * MIB

TEXT = 16  # a page of the image that okram does not write to, and those after it
AGGRESSOR_BIT, VICTIM_BIT = 1, 2

BELOW, ABOVE = 0, 1  # of the line elsewhere


def elsewhere(place, side, number):
    """A line of a page that okram is never in, at that side of a place's text."""
    used = set().union(*(p.pages for p in places(MEMORY)))
    text = places(MEMORY)[place].image[TEXT]
    pages = range(text - PAGE, MIB, -PAGE) if side == BELOW else range(MEMORY // 2, MEMORY, PAGE)
    return [page for page in pages if page not in used][number] + 0x140


def cell(place, number, held):
    """A byte of the text whose VICTIM_BIT okram holds so, wherever the text is."""
    page = TEXT + number
    content = (BUILD / "okram.copy").read_bytes()[page * PAGE : (page + 1) * PAGE]
    at = next(i for i in range(PAGE // 2, PAGE) if content[i] >> VICTIM_BIT & 1 == held)
    return places(MEMORY)[place].image[page] + at


def coupling(kind, aggressor, victim):
    """A rise of the aggressor is seen by set0 if the victim comes before it, by set1 if after."""
    return f"{kind}@{aggressor:#x}.{AGGRESSOR_BIT}>{victim:#x}.{VICTIM_BIT}", victim


def from_place(place, side, number):
    aggressor = places(MEMORY)[place].image[TEXT + number] + 0x280
    return coupling("set0", aggressor, elsewhere(place, side, number))


def to_place(kind, place, side, number):
    victim = cell(place, number, int(kind == "set1"))
    return coupling(kind, elsewhere(place, side, number), victim)


def check_couplings(couplings):
    machine = from_image("128M", cmdline=CMDLINE, faults=[text for text, _ in couplings])
    outcome = follow(machine)
    check_found(outcome, machine, [victim for _, victim in couplings])
    result = outcome.last("result")
    assert result["complete"] and "unpaired" not in result


@pytest.mark.slow
def test_a_place_disturbs_lines_elsewhere():
    cases = [(place, side) for place in (FIRST, SECOND, THIRD) for side in (BELOW, ABOVE)]
    check_couplings([from_place(*case, number) for number, case in enumerate(cases)])


@pytest.mark.slow
def test_the_first_place_is_disturbed():
    cases = [(kind, FIRST, side) for kind in ("set0", "set1") for side in (BELOW, ABOVE)]
    check_couplings([to_place(*case, number) for number, case in enumerate(cases)])


@pytest.mark.slow
@pytest.mark.parametrize("side", [BELOW, ABOVE], ids=["below", "above"])
@pytest.mark.parametrize("kind", ["set0", "set1"])
@pytest.mark.parametrize("place", [SECOND, THIRD], ids=["second", "third"])
def test_a_later_place_is_disturbed(place, kind, side):
    """The march is begun again, for okram does not move to a bad page."""
    check_couplings([to_place(kind, place, side, 0)])


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", [None, SECOND, THIRD, LAST], ids=["none", "2", "3", "4"])
def test_no_coupling_with_a_place_is_lost(spoiled):
    """The place in which okram would be next turns out bad in mid-march, or none does."""
    drawn = boot(Draw(seed=2, spoiled=spoiled))
    assert drawn.complete and not drawn.lost and not drawn.apart
    n_extra = 0 if spoiled is None else 1
    assert drawn.states.count("no place") >= 1 + n_extra  # the first is before the tests


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_nothing_is_apart(uefi, cpus):
    machine = from_image("128M", uefi=uefi, cpus=cpus, cmdline=f"{CMDLINE} passes=2")
    outcome = follow(machine)
    result = outcome.last("result")
    assert outcome.exit_code == 0 and "unpaired" not in result
    check_all_tested(outcome)
    for test in outcome.of_type("test"):
        assert SWEEPS <= test["swept_bytes"] / result["tested_bytes"] < 1.2 * SWEEPS


class HangIn(Watcher):
    """Lets the CPU hang when okram has been in that many places, by its page tables."""

    def __init__(self, when, n_places):
        self._when = when
        self._n_places = n_places
        self._runs = False
        self._tables = set()

    def record(self, record):
        self._runs |= record["type"] == "machine"

    def tick(self, qemu):
        if self._runs and not self._when.exists():
            told = qemu.qmp.monitor("info registers")
            self._tables.add(re.search(r"CR3=([0-9a-f]+)", told)[1])
            if len(self._tables) == self._n_places:
                self._when.touch()


@pytest.mark.slow
@pytest.mark.parametrize("n_places", range(1, PLACES + 1))
def test_a_cpu_is_lost_in_a_turn(tmp_path, n_places):
    """All of it is done again by the others, with okram wherever it is then."""
    when, victims = tmp_path / "when", [number * 16 * MIB + 0x237 for number in range(4, 8)]
    faults = spec.parse(f"holes@{victims[0]:#x}+16M*{len(victims)}.3")
    machine = from_image("128M-4cpus", cmdline=CMDLINE, faults=faults)
    machine.extra = hung_cpu(2, 1000, when)
    outcome = follow(machine, watcher=HangIn(when, n_places))
    check_lost(outcome, 2, "no progress")
    check_found(outcome, machine, victims)
    assert when.exists() and "unpaired" not in outcome.last("result")
    (test,) = outcome.of_type("test")
    assert test["swept_bytes"] >= SWEEPS * outcome.last("result")["tested_bytes"]


@pytest.mark.slow
def test_too_little_memory_for_four_places():
    outcome = follow(from_image("20M-1cpu", cmdline=CMDLINE))
    result = outcome.last("result")
    assert outcome.exit_code == 0 and result["complete"] and result["unpaired"]
    check_all_tested(outcome)
