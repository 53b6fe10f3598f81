# SPDX-License-Identifier: MIT
"""A march in three legs, for which okram is in another place in each: testing/three_legs.h."""

import functools
import re
import time

import pytest

from okramlib import BUILD, spec
from okramlib.machine import Machine
from okramlib.run import Watcher
from okramlib.units import MIB, PAGE
from system.harness import check_found, follow
from system.test_cpus import check_lost, hung_cpu
from system.test_moving import check_all_tested
from system.watched_place import find_place

CMDLINE = "tests=march-mss+ bandwidth=off"
SWEEPS = 26
MEMORY = 128 * MIB
LOOK_EVERY_S = 0.15

TEXT = 16  # a page of the image that okram does not write to, and those after it
AGGRESSOR_BIT, VICTIM_BIT = 1, 2

FIRST, SECOND, THIRD = range(3)  # okram's places
PLACES = 4
BELOW, ABOVE = 0, 1  # of the line elsewhere


class Look(Watcher):
    """Finds all of okram's places while the tests run, and where it is at the end."""

    def __init__(self):
        self._runs = self._has_ended = False
        self._next = 0
        self.places = []

    def record(self, record):
        self._runs |= record["type"] == "machine"
        self._has_ended |= record["type"] == "result"

    def tick(self, qemu):
        if not self._has_ended and (not self._runs or time.monotonic() < self._next):
            return
        place = find_place(qemu)
        if not self.places or place.pages != self.places[-1].pages:
            self.places.append(place)
        self._next = time.monotonic() + LOOK_EVERY_S
        if self._has_ended:
            qemu.qmp.command("quit")


@functools.cache
def places():
    look = Look()
    machine = Machine(memory=MEMORY, cpus=2, cmdline=f"{CMDLINE} exit=wait")
    outcome = follow(machine, watcher=look)
    assert outcome.exit_code == 0 and "apart" not in outcome.last("result")
    assert len(look.places) == PLACES
    return look.places


def elsewhere(place, side, number):
    """A line of a page that okram is never in, at that side of a place's text."""
    used = set().union(*(p.pages for p in places()))
    text = places()[place].image[TEXT]
    pages = range(text - PAGE, MIB, -PAGE) if side == BELOW else range(MEMORY // 2, MEMORY, PAGE)
    return [page for page in pages if page not in used][number] + 0x140


def cell(place, number, held):
    """A byte of the text whose VICTIM_BIT okram holds so, wherever the text is."""
    page = TEXT + number
    content = (BUILD / "okram.copy").read_bytes()[page * PAGE : (page + 1) * PAGE]
    at = next(i for i in range(PAGE // 2, PAGE) if content[i] >> VICTIM_BIT & 1 == held)
    return places()[place].image[page] + at


def coupling(kind, aggressor, victim):
    """A rise of the aggressor is seen by set0 if the victim comes before it, by set1 if after."""
    return f"{kind}@{aggressor:#x}.{AGGRESSOR_BIT}>{victim:#x}.{VICTIM_BIT}", victim


def from_place(place, side, number):
    aggressor = places()[place].image[TEXT + number] + 0x280
    return coupling("set0", aggressor, elsewhere(place, side, number))


def to_place(kind, place, side, number):
    victim = cell(place, number, int(kind == "set1"))
    return coupling(kind, elsewhere(place, side, number), victim)


def check_couplings(couplings):
    faults = [fault for text, _ in couplings for fault in spec.parse(text)]
    machine = Machine(memory=MEMORY, cpus=2, cmdline=CMDLINE, faults=faults)
    outcome = follow(machine)
    check_found(outcome, machine, [victim for _, victim in couplings])
    result = outcome.last("result")
    assert result["complete"] and "apart" not in result


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
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_nothing_is_apart(uefi, cpus):
    machine = Machine(uefi=uefi, memory=128 * MIB, cpus=cpus, cmdline=f"{CMDLINE} passes=2")
    outcome = follow(machine)
    result = outcome.last("result")
    assert outcome.exit_code == 0 and "apart" not in result
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
    machine = Machine(memory=MEMORY, cpus=4, cmdline=CMDLINE, faults=faults)
    machine.extra = hung_cpu(2, 1000, when)
    outcome = follow(machine, watcher=HangIn(when, n_places))
    check_lost(outcome, 2, "no progress")
    check_found(outcome, machine, victims)
    assert when.exists() and "apart" not in outcome.last("result")
    (test,) = outcome.of_type("test")
    assert test["swept_bytes"] >= SWEEPS * outcome.last("result")["tested_bytes"]


@pytest.mark.slow
def test_too_little_memory_for_four_places():
    outcome = follow(Machine(memory=16 * MIB, cpus=1, cmdline=CMDLINE))
    result = outcome.last("result")
    assert outcome.exit_code == 0 and result["complete"] and result["apart"]
    check_all_tested(outcome)
