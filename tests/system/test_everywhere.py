# SPDX-License-Identifier: MIT
"""A faulty cell in every page that okram uses, one at a time: each run reports that page, and no
other.

The pages are those of a machine without faults: with a faulty cell there okram may use others,
which is what the test is to show. Each cell would change a bit that okram holds there. No page is
left out, but cells are: where firmware, GRUB, the stub or okram.efi itself used the page before,
which cannot have been checked, the cell is one that they survive: a cell stuck at 0, which was 0
when the machine was switched on and when they were done, and with which they reach okram's first
instruction; another cell is drawn until they do.
"""

import random
from functools import cache

import pytest

from okramlib.units import MIB, PAGE
from system.harness import check_found, follow, from_image
from system.placement import placement_of, symbols
from system.stopped import stopping

CPUS = (1, 2, 4)
FAULTY_CELLS = 45  # of each machine: more than it has kinds and places, MiB by MiB
SEED = 6
DRAWS = 8  # of a cell of which what comes before okram makes no use
COMES_IN_S = 60  # to okram's first instruction

FIRST, SECOND = 0, 1

by_firmware = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
by_cpus = pytest.mark.parametrize("cpus", CPUS)


def machine_of(uefi, cpus, faults=(), tests="quick"):
    return from_image(
        "small",
        uefi=uefi,
        cpus=cpus,
        cmdline=f"tests={tests} bandwidth=off lowmem=test",
        faults=faults,
    )


@cache
def living_on(uefi, cpus):
    return placement_of(machine_of(uefi, cpus))


def groups(where):
    """(place, kind, MiB) and the pages there, in a fixed order."""
    found = {}
    for number, place in enumerate(where.places):
        for kind, pages in place.items():
            for page in sorted(pages):
                found.setdefault((number, kind, page // MIB), []).append(page)
    return sorted(found.items())


def cells(content, bit):
    return {(byte, n) for byte in range(PAGE) for n in range(8) if content[byte] >> n & 1 == bit}


def faulty_cell_in(held, page, chance):
    """A fault that keeps okram from a bit that it holds in the page."""
    ones, zeros = sorted(cells(held, 1)), sorted(cells(held, 0))
    spoils_one = bool(ones) and (not zeros or chance.random() < 0.5)
    byte, bit = chance.choice(ones if spoils_one else zeros)
    kind = chance.choice(["stuck0", "rise"] if spoils_one else ["stuck1", "fall"])
    return f"{kind}@{page + byte:#x}.{bit}"


def faulty_cell_after_others(held, before, page, chance):
    """The same where others came before: a cell in which all memory begins with 0, and they ended
    with it. Best one where okram holds 1."""
    quiet = cells(before, 0)
    byte, bit = chance.choice(sorted(quiet & cells(held, 1) or quiet))
    return f"stuck0@{page + byte:#x}.{bit}"


def comes_to_okram(machine, entry):
    """Whether firmware and GRUB can do their part in spite of the faulty cell."""
    with stopping(machine) as stops:
        return stops.reaches(entry, COMES_IN_S)


def machine_with_faulty_cell(uefi, cpus, place, page, chance):
    where = living_on(uefi, cpus)
    held, before = where.holds[place][page], where.before.get(page)
    if not before:
        return machine_of(uefi, cpus, [faulty_cell_in(held, page, chance)])
    for _ in range(DRAWS if cells(before, 0) else 0):
        machine = machine_of(uefi, cpus, [faulty_cell_after_others(held, before, page, chance)])
        if comes_to_okram(machine, where.entry):
            return machine
    pytest.skip(f"what comes before okram cannot survive a faulty cell at {page:#x}")


def check_faulty_cell(uefi, cpus, place, page, chance):
    machine = machine_with_faulty_cell(uefi, cpus, place, page, chance)
    print(machine.faults)  # stacks and the like differ from time to time, and so does the cell
    check_found(follow(machine), machine, [page])


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "uefi,place,kind",
    [
        (False, FIRST, "page tables"),
        (False, SECOND, "stacks"),
        slow(False, FIRST, "log, second copy"),
        (False, SECOND, "log, first copy"),
        slow(True, SECOND, "page tables"),
        slow(True, FIRST, "stacks"),
        slow(True, FIRST, "log, first copy"),
        (True, FIRST, "text"),
    ],
)
def test_faulty_cell_in_each_kind_of_page(uefi, place, kind):
    """One of each kind."""
    chance = random.Random(f"{SEED} {kind}")
    page = chance.choice(sorted(living_on(uefi, 2).places[place][kind]))
    check_faulty_cell(uefi, 2, place, page, chance)


@pytest.mark.slow
@by_firmware
@by_cpus
@pytest.mark.parametrize("number", range(FAULTY_CELLS))
def test_faulty_cell_everywhere_okram_lives(uefi, cpus, number):
    """One after the other in every MiB of every kind of page."""
    chance = random.Random(f"{SEED} {uefi} {cpus} {number}")
    everywhere = groups(living_on(uefi, cpus))
    assert len(everywhere) <= FAULTY_CELLS, "not every place has had its turn"
    (place, _, _), pages = everywhere[number % len(everywhere)]
    check_faulty_cell(uefi, cpus, place, chance.choice(pages), chance)


FADES_IN_S = 1  # no loader waits so long, and retention waits longer


@pytest.mark.slow
@pytest.mark.parametrize(
    "place,kind",
    [
        (FIRST, "text"),
        (FIRST, "read-only data"),
        (SECOND, "text"),
        (SECOND, "read-only data"),
        (SECOND, "log, first copy"),
    ],
)
def test_faulty_cell_that_comes_late(place, kind):
    """A cell of what okram watches in itself loses its bit, before that can have been noticed.
    (Page tables, stacks, data and bss are not watched: there it may be the end of the run.) It is
    no letter of a text, which okram may print before it looks at itself."""
    chance = random.Random(f"{SEED} {place} {kind}")
    where = living_on(False, 2)
    ones = [
        (page, byte, bit)
        for page in sorted(where.places[place][kind] - where.before.keys())
        for byte, bit in sorted(cells(where.holds[place][page], 1))
        if kind == "text" or not chr(where.holds[place][page][byte]).isprintable()
    ]
    page, byte, bit = chance.choice(ones)
    fault = f"fade@{page + byte:#x}.{bit}:{FADES_IN_S}"
    machine = machine_of(False, 2, [fault], tests="address,retention")
    check_found(follow(machine), machine, [page])


@pytest.mark.parametrize("name", ["image_text_end", "image_rodata_end"])
def test_change_before_okram_watches_itself(name):
    """Of text and of read-only data, their last page: reported, and not executed."""
    addr = symbols()[name] - PAGE
    with stopping(machine_of(False, 1)) as stops:
        stops.flip_at(symbols()["self_check_begin"], addr, 1 << 5)
        said = stops.rest()
    assert f"code or fixed data at {addr:#x}" in said
    assert "has changed since it was loaded" in said and '"status":"error"' in said
    assert "badram=0x" in said


@pytest.mark.slow
@by_firmware
def test_okram_lives_in_the_same_place_each_time(uefi):
    once, again = living_on(uefi, 2), placement_of(machine_of(uefi, 2))
    assert once.places == again.places and once.before.keys() == again.before.keys()
