# SPDX-License-Identifier: MIT
"""The faults that testers are compared by (tests/testers/faults.py)."""

from collections import Counter

import pytest

from okramlib import Trouble, spec
from okramlib.units import GIB, MIB, PAGE
from testers import faults
from testers.machine import machine

OWN = (MIB, 300 * 1024)
ALL = faults.draw()


def test_they_are_the_same_each_time():
    assert faults.draw() == ALL
    assert faults.draw(1) != ALL


def test_how_many_of_each_kind_and_place():
    assert len(ALL) == sum(count for _, count in faults.KINDS.values()) >= 200
    assert Counter(drawn.kind for drawn in ALL) == {k: n for k, (_, n) in faults.KINDS.items()}
    places = Counter(drawn.place for drawn in ALL)
    assert places.keys() == set(faults.PLACES)
    assert min(places.values()) >= 10
    assert [drawn.number for drawn in ALL] == list(range(1, len(ALL) + 1))


@pytest.mark.parametrize("first", [40, 80])
def test_any_part_has_its_share_of_each_kind(first):
    seen = Counter(drawn.kind for drawn in ALL[:first])
    for kind, (_, count) in faults.KINDS.items():
        assert abs(seen[kind] - count * first / len(ALL)) <= 1, kind


@pytest.mark.parametrize("drawn", ALL, ids=lambda drawn: f"{drawn.number}-{drawn.kind}")
def test_each_is_a_fault_of_the_machine(drawn):
    placed = faults.place(drawn, OWN)
    try:
        made = spec.parse(placed.text)
    except Trouble:
        assert drawn.word == "leak" and drawn.word not in spec.KINDS
        return
    tested = machine(made)
    tested.check()
    victims = {(fault.victim or fault.cell).addr // PAGE for fault in made}
    assert victims <= placed.pages
    assert placed.is_right(min(placed.pages) * PAGE + 7)
    touched = {cell.addr // PAGE for fault in made for cell in fault.cells}
    assert faults.WITNESS // PAGE not in touched
    if drawn.place == faults.OWN:
        assert any(OWN[0] <= page * PAGE < sum(OWN) for page in placed.pages)


def test_places_are_where_they_are_said_to_be():
    limits = {
        "below 1 MiB": (0, MIB),
        "above 4 GiB": (4 * GIB, 4 * GIB + 63 * MIB),
        "top": (4 * GIB + 63 * MIB, 4 * GIB + 64 * MIB),
        "elsewhere": (16 * MIB, 192 * MIB),
    }
    for drawn in ALL:
        if drawn.place in limits and drawn.word != "alias":
            low, high = limits[drawn.place]
            for page in faults.place(drawn, OWN).pages:
                assert low <= page * PAGE < high, drawn


def test_no_memory_of_a_tester_is_taken_for_a_device():
    """memtest86+ has what is above 4 GiB at virtual addresses from 2 GiB on."""
    (low, size), _ = machine().layout.device_ranges
    assert low >= 2 * GIB + faults.HIGH_BYTES and low + size == 4 * GIB


def test_a_fault_is_moved_off_the_witness():
    at_witness = faults.Drawn(1, "stuck", "stuck1", "elsewhere", faults.WITNESS, 3, ("far", 0), 0)
    assert faults.place(at_witness, OWN).text == f"stuck1@{faults.WITNESS + PAGE:#x}.3"
    column = faults.Drawn(1, "column", "column", "elsewhere", 64 * MIB, 3, ("", 0), 0)
    assert faults.WITNESS // PAGE not in faults.place(column, OWN).pages


def test_groups_have_no_page_in_common():
    made = faults.groups(ALL, 16, OWN)
    assert max(map(len, made)) == 16
    assert sorted(d.number for group in made for d in group) == [d.number for d in ALL]
    for group in made:
        if not faults.is_one_cell(group[0]):
            assert len(group) == 1
            continue
        apart = {drawn.place for drawn in group} & {faults.OWN, faults.LOW}
        assert not apart or all(drawn.place in apart for drawn in group)
        placed = [faults.place(drawn, OWN) for drawn in group]
        pages = Counter(page for where in placed for page in where.pages | where.others)
        assert max(pages.values()) == 1
        machine([fault for where in placed for fault in spec.parse(where.text)]).check()


def test_groups_of_what_a_tester_writes_as_it_starts():
    start = range(0x1000000, 0x4378000)
    in_start = set()
    for group in faults.groups([one for one in ALL if faults.is_one_cell(one)], 16, OWN, start):
        placed = [faults.place(drawn, OWN) for drawn in group]
        are_in = {
            any(page * PAGE in start for page in where.pages | where.others) for where in placed
        }
        if group[0].place not in (faults.OWN, faults.LOW):
            assert len(are_in) == 1
            in_start |= are_in
    assert in_start == {True, False}


def test_what_is_not_in_a_group():
    alone = [drawn for drawn in ALL if not faults.is_one_cell(drawn)]
    assert {drawn.kind for drawn in alone} == {"address decoder", "row", "column", "pin"}
    assert faults.groups(alone, 16, OWN) == [[drawn] for drawn in alone]
