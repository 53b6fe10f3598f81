# SPDX-License-Identifier: MIT
"""The faults that testers are compared by (tests/testers/faults.py)."""

from collections import Counter
from dataclasses import replace

import pytest

from okramlib import version
from okramlib.units import GIB, MIB, PAGE
from testers import faults, released, run
from testers.machine import machine

OWN = (MIB, 300 * 1024)
FIXED = faults.draw()
ALL = released.every()
RELEASED = ALL[len(FIXED) :]


def test_they_are_the_same_each_time():
    assert released.every() == ALL
    assert faults.draw(1) != FIXED
    assert released.draw(1, "0.1.0") != released.draw(1, "0.2.0")
    assert {drawn.release for drawn in RELEASED} == {version()}


def test_those_of_the_fixed_seed_are_those_of_older_results():
    """Each where it was when the first testers got it."""
    results = (row for row in run.read_results(run.RESULTS).values() if row["fault"])
    texts = {(row["fault"], row["kind"], row["place"]): row["spec"] for row in results}
    for drawn in FIXED:
        of = drawn.number, drawn.kind, drawn.place
        assert of in texts
        if drawn.place != faults.OWN:
            assert texts[of] == faults.place(drawn, OWN).text


def test_how_many_of_each_kind_and_place():
    counts = {kind: n for kind, (_, n) in faults.KINDS.items()}
    counts |= {kind: len(forms) for kind, forms in released.FORMS.items()}
    assert Counter(drawn.kind for drawn in ALL) == counts
    assert (len(FIXED), len(RELEASED)) == (230, 120)
    places = Counter(drawn.place for drawn in ALL)
    assert places.keys() == set(faults.PLACES)
    assert min(places.values()) >= 3
    assert [drawn.number for drawn in ALL] == list(range(1, len(ALL) + 1))


@pytest.mark.parametrize("first", [40, 80])
def test_any_part_has_its_share_of_each_kind(first):
    for drawn in (FIXED, RELEASED):
        seen, whole = (Counter(one.kind for one in part) for part in (drawn[:first], drawn))
        for kind, count in whole.items():
            assert abs(seen[kind] - count * first / len(drawn)) <= 1, kind


@pytest.mark.parametrize("drawn", ALL, ids=lambda drawn: f"{drawn.number}-{drawn.kind}")
def test_each_is_a_fault_of_the_machine(drawn):
    placed = faults.place(drawn, OWN)
    made = faults.parse_all(placed.text)
    replace(machine(made), nodes=placed.nodes).check()
    victims = {(fault.victim or fault.cell).addr // PAGE for fault in made}
    assert victims <= placed.pages
    assert placed.is_right(min(placed.pages) * PAGE + 7)
    touched = {cell.addr // PAGE for fault in made for cell in fault.cells}
    assert faults.WITNESS // PAGE not in touched
    if drawn.place in (faults.OWN, faults.TABLES):
        assert any(OWN[0] <= page * PAGE < sum(OWN) for page in placed.pages)


def test_places_are_where_they_are_said_to_be():
    limits = {
        "below 1 MiB": (0, MIB),
        "above 4 GiB": (4 * GIB, 4 * GIB + 63 * MIB),
        "top": (4 * GIB + 63 * MIB, 4 * GIB + 64 * MIB),
        "elsewhere": (16 * MIB, 192 * MIB),
    }
    for drawn in ALL:
        if drawn.place in limits and drawn.word != "alias" and not drawn.is_alone:
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
        machine([fault for where in placed for fault in faults.parse_all(where.text)]).check()


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
    kinds = {"address decoder", "row", "column", "pin", "neighbouring rows", "alias of 4 MiB"}
    kinds |= {"alias of 64 MiB", faults.TABLES, faults.ACPI, faults.ENDS}
    assert {drawn.kind for drawn in alone} == kinds
    assert faults.groups(alone, 16, OWN) == [[drawn] for drawn in alone]
