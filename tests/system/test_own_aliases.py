# SPDX-License-Identifier: MIT
"""Pages that share cells with okram's own memory are given up before they are tested, or taken."""

import pytest

from okramlib import spec
from okramlib.units import GIB, MIB, PAGE
from system.gdb import Gdb
from system.harness import check_found, follow, from_image, is_covered, patterns
from system.placement import symbols
from system.stopped import stopping
from system.watched_place import first_place, second_place
from system.watchers import Once, press_q
from testers import machine as testers_machine

FREE = 0x2A10000  # not used before in a run at the first place
LINE = 64
LOW = 0x20000  # below where okram moves to: a test that goes up writes to it first
ADDRESS = "tests=address bandwidth=off lowmem=test"
RANDOM = "tests=random passes=2 bandwidth=off lowmem=test"
FADE = RANDOM.replace("random", "fade fade=1")


def aliased(page, partner, cmdline, **options):
    faults = spec.parse(f"alias@{page:#x}>{partner:#x}")
    return from_image("small", **{"faults": faults, "cmdline": cmdline, **options})


def check_unharmed(outcome):
    harm = [text for text in outcome.last("result").get("warnings", []) if "okram's" in text]
    assert harm == []


def check_given_up(page, partner, cmdline, **options):
    """Both pages are bad and no other is; okram itself found them, and came to no harm."""
    machine = aliased(page, partner, cmdline, **options)
    outcome = follow(machine)
    check_found(outcome, machine, [page, partner])
    (alias,) = outcome.of_type("alias")
    assert alias["test"] == "own memory" and alias["pages"] == 1
    pair = sorted([page, partner])
    assert [int(alias[side], 16) // PAGE * PAGE for side in ("partner", "addr")] == pair
    check_unharmed(outcome)
    return alias


def text(place):
    return place.image[20]


def bss(place):
    return place.image[-1]


def root_table(place):
    return place.tables[0]


def lowest_data(place):
    """The stacks, and what else was allocated first."""
    return place.data[0]


def log_copy(place):
    """The second copies of the log and of the code are highest."""
    return max(place.data)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "page_of, cpus",
    [
        (text, 2),
        (root_table, 1),
        pytest.param(bss, 1, marks=SLOW),
        pytest.param(lowest_data, 2, marks=SLOW),
        pytest.param(log_copy, 1, marks=SLOW),
    ],
)
def test_where_it_lives_first(page_of, cpus):
    alias = check_given_up(page_of(first_place()), FREE, ADDRESS, cpus=cpus)
    assert alias["pass"] == 1


def test_a_page_below_1_mib():
    """Such pages are tested first, unless lowmem=test; the search comes before that, too."""
    pair = (0x60000, text(first_place()))  # LOW is looked at when instructions are chosen
    outcome = follow(aliased(*pair, "tests=address bandwidth=off"))
    check_unharmed(outcome)
    alias = outcome.of_type("alias")[0]
    assert sorted(int(alias[side], 16) // PAGE * PAGE for side in ("partner", "addr")) == [*pair]
    assert is_covered(outcome, pair[1])
    assert outcome.last("result")["bad_pages"] <= 2


def spare_table(place):
    return place.tables[-1]


# Bits that page tables change by themselves: the search leaves them out when it looks for 0.
LEFT_OUT = (0x60).to_bytes(LINE, "little")


def test_a_page_that_is_nearly_zero():
    """Where the search looks, whichever line that is, it has its own word again afterwards."""
    page = spare_table(first_place())
    with stopping(aliased(FREE, page, ADDRESS, cpus=1)) as stops:
        stops.run_until(symbols()["list_page"])
        for line in range(page, page + PAGE, LINE):
            stops.gdb.write_physical(line, LEFT_OUT)
        after = stops.memory_at(symbols()["own_aliases_all_known"]).page(page)
        assert '"test":"own memory"' in stops.rest()
    assert after == LEFT_OUT * (PAGE // LINE)


@pytest.mark.parametrize(
    "without_cells, page_of, cpus",
    [
        (lowest_data, text, 2),
        pytest.param(text, lowest_data, 1, marks=SLOW),
        pytest.param(text, log_copy, 2, marks=SLOW),
        pytest.param(log_copy, bss, 2, marks=SLOW),
        pytest.param(spare_table, text, 1, marks=SLOW),
        pytest.param(lowest_data, log_copy, 2, marks=SLOW),
        pytest.param(log_copy, spare_table, 1, marks=SLOW),
    ],
)
def test_not_taken(without_cells, page_of, cpus):
    """Of two pages that okram would take, or one of its image, it takes but one."""
    place = first_place()
    alias = check_given_up(without_cells(place), page_of(place), RANDOM, cpus=cpus)
    assert alias["pass"] == 1


def pages_looked_at(cpus):
    """Where the word is that marks a page, and the unused pages that are first looked at."""
    with stopping(from_image("small", cpus=cpus, cmdline=ADDRESS)) as stops:
        stops.run_until(symbols()["candidate_pages_check"])
        chunks, n = stops.register(Gdb.RDI), stops.register(Gdb.RSI)
        at = range(chunks, chunks + 16 * n, 16)
        spans = [(stops.number(span), stops.number(span + 8)) for span in at]
        stops.run_until(symbols()["probe_march"])
        offset = stops.number(symbols()["page_words"])
    return offset, {page for base, size in spans for page in range(base, base + size, PAGE)}


@pytest.mark.parametrize("bit", [0, 1])
def test_faulty_cell_in_a_mark(bit):
    """A page number is in its mark: with a bit of it stuck, it names another page, a good one."""
    offset, pages = pages_looked_at(cpus=2)
    pairs = {page: page & ~(PAGE << bit) for page in pages if page & PAGE << bit}
    page = max(page for page, other in pairs.items() if other in pages)
    fault = f"stuck0@{page + offset:#x}.{1 + bit}"
    machine = from_image("small", cmdline=ADDRESS, faults=fault)
    outcome = follow(machine)
    check_found(outcome, machine, [page])
    assert not outcome.of_type("alias")


# On a machine of 512 GiB okram takes them at once, with 3,000 pages between them.
FIRST_TAKEN, LAST_TAKEN = 0x200000, 0x1400000


@pytest.mark.slow
@pytest.mark.parametrize("pair", [(FIRST_TAKEN, LAST_TAKEN), (LAST_TAKEN, FIRST_TAKEN)])
def test_not_taken_at_once(pair):
    """Two pages of a fault log, which takes more pages than are compared with okram's at once."""
    machine = aliased(*pair, ADDRESS, on="sparse-large")
    outcome = follow(machine, watcher=Once("machine", press_q))
    assert outcome.last("result")["bad_pages"] == 2
    assert all(is_covered(outcome, page) for page in pair)
    check_unharmed(outcome)


HAMMER_FIRST = "tests=row-hammer,mats+ hammer=2 bandwidth=off"
QUICK_FIRST = "tests=mats+ bandwidth=quick bandwidth.runs=1"
FULL_FIRST = "tests=mats+ bandwidth=full bandwidth.runs=1"
LAST_MIB = 0x27F0000  # where nothing but tests and measurements writes
FIRST_TESTED = 0x20000  # where line operations are tried


@pytest.mark.parametrize(
    "first_writer, page_of, free, in_pass, cpus, uefi",
    [
        ("tests=mats+ bandwidth=off cpus=1", text, LAST_MIB, 1, 2, False),
        pytest.param(QUICK_FIRST, text, LAST_MIB, 0, 2, False, marks=SLOW),
        pytest.param(
            "tests=block-move bandwidth=off", root_table, LAST_MIB, 1, 4, False, marks=SLOW
        ),
        pytest.param("tests=mats+ bandwidth=off", text, FIRST_TESTED, 0, 2, False, marks=SLOW),
        pytest.param("tests=mats+ bandwidth=off", lowest_data, LAST_MIB, 1, 4, False, marks=SLOW),
        pytest.param("tests=pmovi bandwidth=off", bss, LAST_MIB, 1, 4, False, marks=SLOW),
        pytest.param("tests=block-move bandwidth=off", text, LAST_MIB, 1, 1, False, marks=SLOW),
        pytest.param(HAMMER_FIRST, text, LAST_MIB, 1, 1, False, marks=SLOW),
        pytest.param("tests=mats+ bandwidth=off", text, LAST_MIB, 1, 1, True, marks=SLOW),
        pytest.param("tests=mats+ bandwidth=off", lowest_data, LAST_MIB, 1, 4, True, marks=SLOW),
        pytest.param("tests=block-move bandwidth=off", text, LAST_MIB, 1, 2, True, marks=SLOW),
        pytest.param(FULL_FIRST, text, LAST_MIB, 0, 2, True, marks=SLOW),
    ],
)
def test_whatever_writes_first(first_writer, page_of, free, in_pass, cpus, uefi):
    page = page_of(first_place(uefi))
    options = {"cpus": cpus, "uefi": uefi}
    assert check_given_up(page, free, first_writer, **options)["pass"] == in_pass


@pytest.mark.parametrize(
    "page_of",
    [
        text,
        pytest.param(root_table, marks=SLOW),
        pytest.param(bss, marks=SLOW),
        pytest.param(lowest_data, marks=SLOW),
    ],
)
def test_where_it_moves_to(page_of):
    """A test that reads after all writes sees the page that it wrote first, not the other one."""
    page = page_of(second_place())
    assert MIB <= page < 20 * MIB
    alias = check_given_up(page, LOW, FADE)
    assert alias["pass"] == 1


def test_where_it_moves_to_after_an_address_test():
    """That one has found all aliases, and okram looks for none when it moves."""
    page = text(second_place())
    machine = aliased(page, LOW, RANDOM.replace("tests=random", "tests=address,random"))
    outcome = follow(machine)
    check_found(outcome, machine, [page, LOW])
    assert {alias["test"] for alias in outcome.of_type("alias")} == {"address"}
    check_unharmed(outcome)


HALF_BYTES = 4 * MIB
BLOCK_BYTES = 64 * MIB


def halves():
    """4 MiB around okram's highest page, by BIOS, but not what firmware has at the end, and as much
    that is free: okram is in the upper one."""
    end = max(first_place(False).data) + PAGE
    return end - HALF_BYTES, end - HALF_BYTES - 4 * HALF_BYTES


HOLE = 0x123000  # offset of a page that is no alias


def upper_is_lower(cmdline):
    """Also a fault in the lower half, and the pages that are bad."""
    upper, lower = halves()
    after = HOLE + PAGE
    texts = (
        f"alias@{upper:#x}>{lower:#x}*{HOLE // PAGE}",
        f"alias@{upper + after:#x}>{lower + after:#x}*{(HALF_BYTES - after) // PAGE}",
        f"stuck0@{lower + HOLE + 0x458:#x}.3",
    )
    faults = [fault for text in texts for fault in spec.parse(text)]
    bad = {*range(upper, upper + HALF_BYTES, PAGE), lower + HOLE} - {upper + HOLE}
    return from_image("small", faults=faults, cmdline=cmdline), bad


@pytest.mark.parametrize(
    "cmdline",
    [
        ADDRESS,
        pytest.param("tests=standard bandwidth=off lowmem=test", marks=SLOW),
        pytest.param("tests=row-hammer,address hammer=2 bandwidth=off", marks=SLOW),
        pytest.param("tests=block-move,address bandwidth=off", marks=SLOW),
        pytest.param("tests=address range=16M-64M bandwidth=off", marks=SLOW),
    ],
)
def test_in_the_upper_side(cmdline):
    """okram moves away, so that the lower side is tested, and the upper side alone is given up: a
    fault in the lower one is found as elsewhere."""
    machine, bad = upper_is_lower(cmdline)
    outcome = follow(machine)
    check_found(outcome, machine, bad)
    check_unharmed(outcome)


@pytest.mark.slow
def test_in_the_upper_side_outside_of_a_range():
    """Of the upper side, which is not tested, okram's own pages are known."""
    _, lower = halves()
    where = f"range={lower:#x}-{lower + HALF_BYTES:#x} "
    machine, bad = upper_is_lower(where + ADDRESS)
    outcome = follow(machine)
    assert outcome.exit_code == 1
    assert outcome.last("result")["bad_pages"] > 64
    assert is_covered(outcome, lower + HOLE)
    assert {base for base, _ in patterns(outcome)} <= bad
    check_unharmed(outcome)


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True])
def test_64_mib(uefi):
    """The 64 MiB below okram's are those above 4 GiB again, where okram has copies of its data."""
    faults = spec.parse(f"alias@0x8000000>0x100000000*{BLOCK_BYTES // PAGE}")
    cmdline = f"serial=jsonl exit=qemu save=off {ADDRESS}"
    machine = testers_machine.machine(faults, cmdline=cmdline, uefi=uefi)
    outcome = follow(machine)
    assert min(base for base, _ in patterns(outcome)) >= 4 * GIB
    assert outcome.last("badram")["sacrificed_pages"] <= BLOCK_BYTES // PAGE
    assert outcome.last("result")["bad_pages"] >= (BLOCK_BYTES - 8 * MIB) // PAGE
    check_unharmed(outcome)
