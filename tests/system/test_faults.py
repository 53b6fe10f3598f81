# SPDX-License-Identifier: MIT
"""Every kind of fault is found, and its pages alone."""

import pytest

from okramlib.units import GIB, MIB, PAGE
from system.harness import check_found, follow, named

STANDARD = "tests=standard bandwidth=off"
SHORT = "tests=mats+ bandwidth=off"
RANGE = "range=32M-48M"  # where the cells of all kinds are; less of it is quicker

KINDS = {
    "stuck0": ("stuck0@0x2801237.7", [0x2801000]),
    "stuck1": ("stuck1@0x2801237.0", [0x2801000]),
    "rise": ("rise@0x2801237.3", [0x2801000]),
    "fall": ("fall@0x2801237.4", [0x2801000]),
    "invert": ("invert@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "invert, victim first": ("invert@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "invert, one page": ("invert@0x2801237.1>0x2801f00.6", [0x2801000]),
    "set0": ("set0@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "set0, victim first": ("set0@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "set1": ("set1@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "set1, victim first": ("set1@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "disturb": ("disturb@0x2801237.3", [0x2801000]),
    "deceive": ("deceive@0x2801237.3", [0x2801000]),
    "state": ("state@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "state, victim first": ("state@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "by a write": ("invert-write@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "by a write, victim first": ("invert-write@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "by a read": ("invert-read@0x2801237.1>0x2a10f00.6", [0x2A10000]),
    "by a read, victim first": ("invert-read@0x2a10f00.6>0x2801237.1", [0x2801000]),
    "alias": ("alias@0x2801000>0x2a10000", [0x2801000, 0x2A10000]),
    "holes": ("holes@0x2800ff8+0x10000*20.2", [0x2800000 + i * 0x10000 for i in range(20)]),
}


TOGETHER = {
    "stuck0@0x2001237.7": [0x2001000],
    "stuck1@0x2091237.0": [0x2091000],
    "rise@0x2121237.3": [0x2121000],
    "fall@0x21b1237.4": [0x21B1000],
    "invert@0x2241237.1>0x22d0f00.6": [0x22D0000],
    "invert@0x2360f00.6>0x23f1237.1": [0x23F1000],  # victim first
    "invert@0x2401237.1>0x2401f00.6": [0x2401000],  # in one page
    "set0@0x2491237.1>0x2520f00.6": [0x2520000],
    "set0@0x25b0f00.6>0x2641237.1": [0x2641000],
    "set1@0x26d1237.1>0x2760f00.6": [0x2760000],
    "set1@0x27f0f00.6>0x2881237.1": [0x2881000],
    "alias@0x2911000>0x29a0000": [0x2911000, 0x29A0000],
    "holes@0x2a10ff8+0x10000*8.2": [0x2A10000 + i * 0x10000 for i in range(8)],
    "disturb@0x2d01237.3": [0x2D01000],
    "deceive@0x2d11237.3": [0x2D11000],
    "state@0x2d21237.1>0x2d30f00.6": [0x2D30000],
    "invert-write@0x2d41237.1>0x2d50f00.6": [0x2D50000],
    "invert-read@0x2d61237.1>0x2d70f00.6": [0x2D70000],
    "fade@0x2b01237.1:0.02": [0x2B01000],  # for less than a sweep
    "stuck1@0x2c00000.0": [0x2C00000],  # the first cell of a page
    "stuck0@0x2cfffff.7": [0x2CFF000],  # and the last
    # Of kinds that no test was made for; but all-cpus: on a busy host QEMU's CPUs take turns.
    "couple@0x2e01237.1>0x2e10f00.6:f/1": [0x2E10000],
    "couple@0x2e21237.1>0x2e30f00.6:rf/x/0x2e40008.0=1": [0x2E30000],
    "bridge@0x2e51000:3-40": [0x2E51000],
    "lost-beat@0x2e61000.5:2": [0x2E61000],
    "shifted-beats@0x2e71000.3:1": [0x2E71000],
    "misread@0x2e81237.2:3": [0x2E81000],
    "one-cpu@0x2e91237.2:0": [0x2E91000],
    "one-cpu@0x2ea1237.2:1": [0x2EA1000],
    "alias@0x2f10000>0x2fa0000*2": [0x2F10000, 0x2F11000, 0x2FA0000, 0x2FA1000],
}


def faulty(*specs, **options):
    return named("small", **{"cmdline": STANDARD, **options}, faults=specs)


def test_every_kind_in_one_boot():
    machine = faulty(*TOGETHER, cmdline=f"{STANDARD} {RANGE}")
    check_found(follow(machine), machine, [page for pages in TOGETHER.values() for page in pages])


def check_records(outcome, address, bit, value):
    """All of the stuck cell's say that it held this value where the other was expected."""
    told = [fault for fault in outcome.of_type("fault") if fault["addr"] == hex(address)]
    assert told
    for fault in told:
        assert int(fault["expected"], 16) ^ int(fault["found"], 16) == 1 << bit
        assert int(fault["found"], 16) >> bit & 1 == value


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind):
    text, pages = KINDS[kind]
    machine = faulty(text, cmdline=f"{STANDARD} {RANGE}")
    check_found(follow(machine), machine, pages)


def test_edges_of_a_page():
    machine = faulty("stuck1@0x2a00000.0", "stuck0@0x2bfffff.7", cmdline=f"{STANDARD} {RANGE}")
    check_found(follow(machine), machine, [0x2A00000, 0x2BFF000])


def test_retention():
    """A cell that holds for less than a sweep."""
    machine = faulty("fade@0x2801237.1:0.02", cmdline=f"{STANDARD} {RANGE}")
    check_found(follow(machine), machine, [0x2801000])


# Of cells that lose their data by what their neighbours hold, those that solid data cannot find.
LEAKS = {
    0x2800000 + i * 0x11000: f"leak@{0x2800000 + i * 0x11000 + 0x68 + i % 4:#x}.{i % 8}:0.5/{holds}"
    for i, holds in enumerate(("001", "010", "011", "100", "101", "110") * 8)
}


def test_retention_that_depends_on_neighbours():
    """A march over solid data finds none, random data more in each pass."""
    march = "march={any(w0);del(1000);any(r0);any(w1);del(1000);any(r1)}"
    cmdline = f"tests=march,retention {march} passes=3 seed=1 bandwidth=off {RANGE}"
    machine = faulty(*LEAKS.values(), cmdline=cmdline)
    outcome = follow(machine)
    faults = outcome.of_type("fault")
    assert {fault["test"] for fault in faults} == {"retention"}
    found = [{page_of(f) for f in faults if f["pass"] <= n} for n in (1, 2, 3)]
    assert found[0] < found[1] < found[2] < LEAKS.keys()
    check_found(outcome, machine, sorted(found[2]))
    again = outcome.of_type("retest")  # with the data in which they were found
    assert {int(record["page"], 16) for record in again} == found[2]
    assert {(record["tries"], record["failed"]) for record in again} == {(9, 1)}


def page_of(fault):
    return int(fault["addr"], 16) & -PAGE


def test_bad_pages_are_tested_again():
    """One cell is always stuck, one fails now and then, one only if another page is written."""
    faults = ("stuck0@0x2801237.7", "lapse@0x2901237.3:29", "invert@0x2a01237.1>0x2b00f00.6")
    machine = faulty(*faults, cmdline=f"tests=quick bandwidth=off passes=8 {RANGE}")
    outcome = follow(machine)
    check_found(outcome, machine, [0x2801000, 0x2901000, 0x2B00000])
    check_records(outcome, 0x2801230, bit=7 * 8 + 7, value=0)
    again = {record["page"]: record for record in outcome.of_type("retest")}
    assert all(record["tries"] == 8 for record in again.values())
    failed = {page: record["failed"] for page, record in again.items()}
    assert failed.keys() == {"0x2801000", "0x2901000", "0x2b00000"}
    assert (failed["0x2801000"], failed["0x2b00000"]) == (8, 0)
    assert 0 < failed["0x2901000"] < 8


def test_a_page_that_loses_data_is_held_again():
    """A cell that holds for 0.5 s: a wait of 2 s finds it, and finds it again."""
    machine = faulty("fade@0x2801237.1:0.5", cmdline=f"tests=retention bandwidth=off {RANGE}")
    outcome = follow(machine)
    check_found(outcome, machine, [0x2801000])
    (again,) = outcome.of_type("retest")
    assert (again["page"], again["tries"], again["failed"]) == ("0x2801000", 9, 1)


def test_no_page_is_tested_again_after_a_stop():
    cmdline = f"tests=quick bandwidth=off passes=0 time=4s {RANGE}"
    machine = faulty("stuck0@0x2801237.7", cmdline=cmdline)
    outcome = follow(machine)
    assert outcome.of_type("fault") and not outcome.of_type("retest")


def test_retention_longer_than_the_run():
    machine = faulty("fade@0x2801237.1:1000", cmdline="tests=quick bandwidth=off")
    assert follow(machine).exit_code == 0


def test_uefi():
    cells = "stuck0@0x4801237.7", "stuck1@0x4a10f00.0"
    machine = faulty(*cells, on="uefi-128M", cmdline=SHORT)
    check_found(follow(machine), machine, [0x4801000, 0x4A10000])


@pytest.mark.slow
def test_each_node():
    """The record of a fault names the node of its memory."""
    machine = faulty("stuck1@0x2801237.1", "stuck0@0x6801237.1", on="128M-2nodes")
    outcome = follow(machine)
    check_found(outcome, machine, [0x2801000, 0x6801000])
    for fault in outcome.of_type("fault"):
        assert fault["node"] == int(fault["addr"], 16) // (64 * MIB)


def test_both_sides_of_4_gib():
    """A pattern matches its page alone, not the same one of another 4 GiB."""
    pages = [0x1234000, 0x7FF00000, 4 * GIB, 4 * GIB + 0x1235000]
    machine = faulty(
        f"stuck1@{pages[0] + 5:#x}.1",
        f"stuck0@{pages[1]:#x}.1",
        f"stuck1@{pages[2]:#x}.1",
        f"stuck0@{pages[3] + 0xFFF:#x}.1",
        on="5G",
        cmdline=f"{SHORT} range=0x1000000-0x1400000,0x7fe00000-2G,4G-0x101400000",
    )
    check_found(follow(machine), machine, pages)


def test_records_of_a_stuck_cell():
    outcome = follow(faulty("stuck1@0x2801237.3", cmdline=f"{STANDARD} {RANGE}"))
    check_records(outcome, 0x2801230, bit=7 * 8 + 3, value=1)
    told = sum(test["faults"] for test in outcome.of_type("test"))
    assert told == len(outcome.of_type("fault"))


@pytest.mark.slow
def test_van_rein():
    """His modules of 32 MiB: 512 faulty cells in 8-16 MiB of one, 256 in 0-8 MiB of the other."""
    first, second = 32 * MIB, 64 * MIB
    machine = faulty(
        f"holes@{first + 8 * MIB + 0x40:#x}+0x4000*512.3",
        f"holes@{second + 0x2080:#x}+0x8000*256.6",
        on="96M",
        cmdline=f"{STANDARD} patterns=2 ranges=1000",
    )
    pages = [first + 8 * MIB + i * 0x4000 for i in range(512)]
    pages += [second + 0x2000 + i * 0x8000 for i in range(256)]
    outcome = follow(machine)
    check_found(outcome, machine, pages)
    badram = outcome.last("badram")
    assert (badram["bad_pages"], badram["sacrificed_pages"]) == (768, 768)
    assert len(badram["patterns"]) <= 2 and badram["ranges"] == 768


def test_patterns_are_limited():
    """Scattered faulty cells and few patterns: all bad pages are covered, good ones are given
    up."""
    pages = [0x2003000, 0x2145000, 0x2276000, 0x2389000, 0x2517000, 0x2A31000]
    machine = faulty(*(f"stuck1@{p + 8:#x}.1" for p in pages), cmdline=f"{SHORT} patterns=3")
    badram = follow(machine).last("badram")
    assert badram["bad_pages"] == len(pages) and len(badram["patterns"]) <= 3
    assert badram["sacrificed_pages"] > len(pages)
