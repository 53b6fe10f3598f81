# SPDX-License-Identifier: MIT
"""okram moves, so that the memory it uses is tested, too, by the same tests."""

import itertools
import random
import struct
from contextlib import closing

import pytest

from okramlib import BUILD, spec
from okramlib.units import MIB, PAGE
from system.gdb import Gdb
from system.harness import attach, check_found, follow, from_image
from system.page_tables import IMAGE_VIRT
from system.placement import PLACE_MAX, symbols
from system.watched_place import FindPlace, first_place, go_on, second_place
from system.watchers import Once, end, press_q

QUICK = "tests=quick bandwidth=off"
SWEEPS = {"address-up": 2, "march-c-": 10}  # of a quick pass

FIRMWARES_OWN = {
    "UEFI's runtime services write there for okram",
    "kept for CPUs that fail",
    "ACPI NVS",
    "ACPI tables",
    "UEFI runtime services",
    "reported faulty by firmware",
    "page 0: interrupt vectors and firmware's data",
}
SCRAPS = "less than a line of 64 bytes"

# What the loader's march sees of a word, and what only more backgrounds do.
LOADERS_FACTOR = 0x9E3779B97F4A7C15  # boot/load/page_march.c
LINE = 64
AGGRESSOR, VICTIM = 0, 2  # both alike in solid data and in 0101…


def behind_grub():
    """By BIOS GRUB and its modules are below: no place for just any faulty cell."""
    return first_place().image[-1]


def spans_of(pages):
    """[base, end) of each run of adjoining pages."""
    spans = []
    for page in sorted(pages):
        if spans and spans[-1][1] == page:
            spans[-1][1] = page + PAGE
        else:
            spans.append([page, page + PAGE])
    return spans


def untested_bytes_of(result, reasons):
    parts = [u for u in result["untested"] if u["why"] in reasons]
    return sum(int(u["end"], 16) - int(u["base"], 16) for u in parts)


def check_all_tested(outcome):
    """Nothing but firmware's own is untested, and each test has gone over all of it, once.

    What one pass has tested separately from the rest, the next goes over twice.
    """
    told, result = outcome.last("machine"), outcome.last("result")
    assert {u["why"] for u in result["untested"]} <= FIRMWARES_OWN | {SCRAPS}
    usable = told["ram_bytes"] - untested_bytes_of(result, FIRMWARES_OWN)
    assert result["tested_bytes"] >= 0.999 * usable
    assert result["tested_bytes"] == told["testable_bytes"]
    for test in outcome.of_type("test"):
        if test["test"] in SWEEPS:
            once = SWEEPS[test["test"]] * result["tested_bytes"]
            more = 0 if test["pass"] == 1 else 0.3 * once
            assert once <= test["swept_bytes"] <= once + more


QUICK_MACHINES = {(False, 2, 1), (False, 4, 2), (True, 1, 1), (True, 4, 2)}
MACHINES = [
    pytest.param(
        *machine,
        marks=[] if machine in QUICK_MACHINES else pytest.mark.slow,
        id=f"{'uefi' if machine[0] else 'bios'} {machine[1]} cpus {machine[2]} nodes",
    )
    for machine in itertools.product([False, True], [1, 2, 4], [1, 2])
]


@pytest.mark.parametrize("uefi, cpus, nodes", MACHINES)
def test_all_but_firmwares_own_is_tested(uefi, cpus, nodes):
    memory = 512 * MIB if (cpus, nodes) == (2, 1) else 128 * MIB
    outcome = follow(
        from_image("computed", uefi=uefi, memory=memory, cpus=cpus, nodes=nodes, cmdline=QUICK)
    )
    assert outcome.exit_code == 0 and outcome.last("result")["complete"]
    check_all_tested(outcome)


def test_pass_after_pass():
    outcome = follow(from_image("small-4cpus", cmdline=f"{QUICK} passes=5"))
    assert len(outcome.of_type("test")) == 10
    check_all_tested(outcome)


WAIT_S = 2
ONE_WAIT = f"any(w0);del({WAIT_S * 1000});any(r0)"  # once in the rest, once in what okram has left


def waits_between(test, outcome, number):
    """How often ONE_WAIT waited after this test had ended, in a pass."""
    ended = {r["test"]: r["t"] for r in outcome.of_type("test") if r["pass"] == number}
    return (ended["march"] - ended[test]) // WAIT_S


def test_short_tests_share_a_move():
    """All go over the rest first, then over what okram has left: they take less than the five
    seconds before a first move, and less than a hundred times as long as it took."""
    machine = from_image("32M-1cpu")
    machine.cmdline = f"tests=address,random march={ONE_WAIT} bandwidth=off passes=2"
    outcome = follow(machine)
    order = [r["test"] for r in outcome.of_type("test")]
    assert order == ["address", "random", "march"] * 2
    assert [waits_between("address", outcome, number) for number in (1, 2)] == [1, 1]
    check_all_tested(outcome)
    whole = outcome.last("result")["tested_bytes"]
    sweeps = {"address": 4, "random": 4, "march": 2}
    assert all(r["swept_bytes"] == sweeps[r["test"]] * whole for r in outcome.of_type("test"))


def test_stopped_before_the_shared_move():
    """A test that has not gone over what okram would leave has not ended."""
    march = "any(w0);del(60000);any(r0)"
    machine = from_image("32M-1cpu")
    machine.cmdline = f"tests=row-hammer,address hammer=1 march={march} bandwidth=off time=5s"
    outcome = follow(machine)
    assert [r["test"] for r in outcome.of_type("test")] == ["row-hammer", "address", "march"]
    result = outcome.last("result")
    assert result["status"] == "stopped" and result["tests"] == ["row-hammer"]


@pytest.mark.slow
def test_long_test_has_its_own_move():
    machine = from_image("320M-1cpu")
    machine.cmdline = f"tests=moving-inversions march={ONE_WAIT} bandwidth=off passes=2"
    outcome = follow(machine, timeout=600)
    assert waits_between("moving-inversions", outcome, 2) == 2
    check_all_tested(outcome)


def test_little_memory():
    outcome = follow(from_image("32M-4cpus", cmdline=f"{QUICK} passes=2"))
    check_all_tested(outcome)


def test_large_pages_and_small_ones_only():
    """Without 1 GiB pages the direct map has more tables; above 4 GiB nothing is different."""
    for cpu in ("qemu64", "max"):
        machine = from_image("5G", cpu=cpu, cmdline=f"{QUICK} range=0-64M,4G-0x104000000")
        result = follow(machine).last("result")
        assert not any(u["why"].startswith("okram") for u in result["untested"])


@pytest.mark.parametrize("number", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_stopped_in_the_middle(number):
    machine = from_image("256M", cmdline=f"{QUICK} passes=0")
    outcome = follow(machine, watcher=Once("test", press_q, n=number))
    result = outcome.last("result")
    assert result["status"] == ("pass" if result["passes"] else "stopped") and result["complete"]
    assert outcome.last("result")["tested_bytes"] == outcome.last("machine")["testable_bytes"]


def test_stopped_before_it_has_moved():
    """The first test is stopped while it is on its way: no memory counts as tested."""
    machine = from_image("512M", cmdline="tests=fade bandwidth=off time=3s")
    outcome = follow(machine)
    result = outcome.last("result")
    assert result["tested_bytes"] == 0 and not result["complete"]
    assert outcome.exit_code == 3 and result["status"] == "stopped"


def stop_at(name, path):
    """Presses q when a CPU comes to a function, once the tests are about to begin."""

    def act(qemu):
        with closing(Gdb(path)) as gdb:
            gdb.run_until(symbols()[name])
            gdb.detach()
        press_q(qemu)

    return Once("machine", act)


def test_stopped_when_it_has_moved(tmp_path):
    """All is done but the last wait, of the two places that okram has left: it says so."""
    path = tmp_path / "gdb"
    march = "any(w0);del(1);any(r0);any(w1);del(6000);any(r1)"
    machine = from_image("small", extra=attach("gdb", path=path))
    machine.cmdline = f"tests=row-hammer hammer=1 march={march} bandwidth=off"
    result = follow(machine, watcher=stop_at("tested_all_except", path)).last("result")
    assert result["status"] == "stopped"
    assert {u["why"] for u in result["untested"]} - FIRMWARES_OWN == {"okram itself"}
    assert 5 * MIB < result["untested_bytes"] < 2 * PLACE_MAX
    assert result["tested_bytes"] > 64 * MIB - 2 * PLACE_MAX


def test_no_place_to_go():
    """okram fills most of so little memory: it stays and says so."""
    outcome = follow(from_image("10M-1cpu", cmdline=QUICK))
    result = outcome.last("result")
    assert {u["why"] for u in result["untested"]} - FIRMWARES_OWN == {"okram itself"}
    assert MIB < result["untested_bytes"] < PLACE_MAX and not result["complete"]
    assert any("no fault-free block" in text for text in result["warnings"])


def test_no_need_to_go():
    """The memory that okram uses is not to be tested."""
    outcome = follow(from_image("small", cmdline=f"{QUICK} range=16M-17M"))
    result = outcome.last("result")
    assert {u["why"] for u in result["untested"]} == {"outside range="}
    assert result["tested_bytes"] == MIB


FADES_IN_S = 0.5
HOLD_MS = 700
ROOM_FOR_TWO = MIB + 2 * PLACE_MAX
HOLDS_ONE_FIRST = f"any(w1);del({HOLD_MS});any(r1);any(w0);del({HOLD_MS});any(r0)"
HOLDS_ONE_LAST = f"any(w0);del({HOLD_MS});any(r0);any(w1);del({HOLD_MS});any(r1)"


def zeros_of_text(image):
    """Cells in which okram holds 0, all the time: there it does without a bit that fades."""
    content = (BUILD / "okram.copy").read_bytes()
    for page, at in enumerate(image[16:64], 16):
        byte = next(i for i in range(PAGE) if not content[page * PAGE + i] & 4)
        yield at + byte


@pytest.mark.parametrize(
    "march, place, memory",
    [
        (HOLDS_ONE_LAST, second_place, 64 * MIB),
        pytest.param(HOLDS_ONE_FIRST, first_place, 64 * MIB, marks=pytest.mark.slow),
        pytest.param(HOLDS_ONE_LAST, second_place, ROOM_FOR_TWO, marks=pytest.mark.slow),
        pytest.param(HOLDS_ONE_FIRST, first_place, ROOM_FOR_TWO, marks=pytest.mark.slow),
    ],
    ids=["second place", "first place", "second of two", "first of two"],
)
def test_okrams_places_hold_both_polarities(march, place, memory):
    """okram is there while all other memory holds ones: the place does so afterwards."""
    cells = list(zeros_of_text(place(memory=memory).image))[::12]
    machine = faulty(
        *(f"fade@{cell:#x}.2:{FADES_IN_S}" for cell in cells),
        cmdline=f"tests=row-hammer hammer=1 march={march} bandwidth=off",
        memory=memory,
    )
    outcome = follow(machine)
    check_found(outcome, machine, cells)
    assert outcome.last("result")["complete"]
    check_all_tested(outcome)


def faulty(*specs, **options):
    return from_image("small", **{"cmdline": QUICK, **options}, faults=specs)


def is_quiet(word_at, held):
    """Whether a word of the image can be put there, and VICTIM is not disturbed by AGGRESSOR.

    The loader's march sees nothing: it has both bits alike in each of its backgrounds. The last of
    them is what the image is then written over.
    """
    background = (word_at // LINE * LINE * LOADERS_FACTOR) % (1 << 64)
    aggressor, victim = background >> AGGRESSOR & 1, background >> VICTIM & 1
    rises = not aggressor and held >> AGGRESSOR & 1
    return aggressor == victim and (not rises or held >> VICTIM & 1)


def quiet_words(image):
    """Of the text, which is not written to where it is."""
    content = (BUILD / "okram.copy").read_bytes()
    for page, at in enumerate(image[16:64], 16):
        words = struct.unpack_from("<512Q", content, page * PAGE)
        yield next(at + 8 * i for i, held in enumerate(words) if i and is_quiet(at + 8 * i, held))


def test_faults_in_the_image():
    """okram runs where bits disturb each other when it is written to: found when it has moved."""
    words = list(quiet_words(first_place().image))[::12]
    faults = [f"set1@{word:#x}.{AGGRESSOR}>{word:#x}.{VICTIM}" for word in words]
    machine = faulty(*faults, cmdline="tests=march-c- bandwidth=off")
    finder = FindPlace("machine")
    check_found(follow(machine, watcher=finder), machine, words)
    assert {word // PAGE * PAGE for word in words} <= set(finder.place.image)


def test_cell_in_the_image_that_changes_when_it_is_read():
    """No copy of okram is like it. The test of addresses, which reads once, does not find it."""
    offset = symbols()["cover_work"] - IMAGE_VIRT + PAGE
    at = first_place().image[offset // PAGE] + 0x123
    machine = faulty(f"deceive@{at:#x}.3", cmdline="tests=address bandwidth=off trace=moves")
    outcome = follow(machine)
    check_found(outcome, machine, [at])
    states = [record["state"] for record in outcome.of_type("trace")]
    assert states == ["no place", "copy differs", "copy differs", "moved"]


def test_cell_that_changes_when_it_is_read_where_okram_would_move_to():
    at = second_place().data[5] + 0x123
    cmdline = "tests=address bandwidth=off exit=wait"
    check_avoided(False, (at, f"deceive@{at:#x}.3"), "result", cmdline)


def test_faults_all_around_the_first_place():
    """Before and after each run of its pages, but not at the end of RAM: GRUB itself is there."""
    pages, spans = first_place().pages, spans_of(first_place().pages)
    around = {page for base, end in spans for page in (base - PAGE, end)} - pages
    end = spans[-1][1]
    around |= set(range(end, end + MIB // 2, 0x10000))
    bad = [0x80000, *(at for at in around if behind_grub() < at < 62 * MIB)]
    assert len(bad) > 4
    cells = (f"stuck1@{page + 0x123:#x}.3" for page in {*bad})
    machine = faulty(*cells, cmdline=f"{QUICK} lowmem=test")
    check_found(follow(machine), machine, bad)


@pytest.mark.parametrize("cpus", [pytest.param(1, marks=pytest.mark.slow), 4])
def test_life_between_faulty_cells(cpus):
    """No good run is longer than 60 KiB: okram uses many. (GRUB's own memory is left alone.)"""
    pages = [base + i * 0x10000 for base in (40 * MIB, 64 * MIB) for i in range(128)]
    machine = faulty(
        *(f"holes@{base + 0x40:#x}+0x10000*128.3" for base in (40 * MIB, 64 * MIB)),
        cpus=cpus,
        on="96M",
        cmdline=f"{QUICK} passes=2 ranges=1000 range=1M-3M,40M-48M,64M-72M",
    )
    outcome = follow(machine)
    check_found(outcome, machine, pages)
    result = outcome.last("result")
    assert result["tested_bytes"] == outcome.last("machine")["testable_bytes"] == 18 * MIB
    assert {u["why"] for u in result["untested"]} == {"outside range="}


def one_faulty_cell(pages, seed):
    """Somewhere in these pages."""
    chance = random.Random(seed)
    at = chance.choice(sorted(pages)) + chance.randrange(PAGE)
    return at, f"{chance.choice(['stuck0', 'stuck1'])}@{at:#x}.{chance.randrange(8)}"


def check_avoided(uefi, faulty_cell, when, cmdline):
    """It is found, and okram is not there when this record comes."""
    at, fault = faulty_cell
    machine = faulty(fault, uefi=uefi, cmdline=cmdline)
    finder = FindPlace(when, then=end if when == "result" else go_on)
    check_found(follow(machine, watcher=finder), machine, [at])
    assert at // PAGE * PAGE not in finder.place.pages


@pytest.mark.parametrize(
    "uefi, kind",
    [
        (False, "data"),
        pytest.param(True, "data", marks=pytest.mark.slow),
        pytest.param(True, "tables", marks=pytest.mark.slow),
    ],
)
def test_faulty_cell_where_okram_would_live_first(uefi, kind):
    """The image has its own tests: test_loading.py."""
    pages = {page for page in getattr(first_place(uefi), kind) if uefi or page > behind_grub()}
    check_avoided(uefi, one_faulty_cell(pages, kind), "machine", QUICK)


@pytest.mark.parametrize("kind", ["image", "data", "tables"])
def test_faulty_cell_where_okram_would_move_to(kind):
    pages = getattr(second_place(), kind)
    cmdline = "tests=address bandwidth=off exit=wait"
    check_avoided(False, one_faulty_cell(pages, kind), "result", cmdline)


def test_bad_pages_everywhere_that_the_test_has_missed():
    """Of cells that cannot fall the address test finds a part, with this seed: the search ends."""
    faults = [
        fault
        for page in range(16 * MIB, 248 * MIB, 4 * PAGE)
        for fault in spec.parse(f"fall@{page + 3 * PAGE:#x}.1")
    ]
    cmdline = "tests=address bandwidth=off seed=1"
    outcome = follow(from_image("256M-1cpu", faults=faults, cmdline=cmdline))
    result = outcome.last("result")
    assert 0 < result["bad_pages"] < len(faults) and result["complete"]
    assert not [text for text in result.get("warnings", []) if "to move to" in text]


@pytest.mark.slow
def test_thorough_list():
    """Every test of the longest list moves okram, but row hammer, which is made for a time."""
    machine = from_image("32M", cmdline="tests=thorough fade=1s hammer=2s bandwidth=off")
    outcome = follow(machine, timeout=1200)
    assert len(outcome.of_type("test")) == 9
    check_all_tested(outcome)
