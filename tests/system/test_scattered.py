# SPDX-License-Identifier: MIT
"""Bad pages everywhere: no piece of memory as large as okram is free of them, and it lives in the
good pages between.

Bad are pages of memory that firmware and GRUB leave alone: who runs before okram cannot know of
them. In all bad pages of a run the cell is in the same line: the plugin passes others by.
"""

import random
from itertools import islice

import pytest

from okramlib.run import run
from okramlib.spec import Cell, Fault
from okramlib.units import KIB, MIB, PAGE
from system.harness import TIMEOUT_S, follow, from_image
from system.left_alone import left_alone
from system.placement import symbols
from system.watchers import Said

MEMORY = 128 * MIB  # the least that does for UEFI
BLOCK = 64 * KIB
LINE = 64
WORK_REACH = 32 * MIB  # boot/multiboot2/stub.asm
SEEDS = 20
SEEDS_OF_OTHERS = 4

by_firmware = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def one_in_each_block(pages, chance):
    blocks = {}
    for page in pages:
        blocks.setdefault(page // BLOCK, []).append(page)
    return [chance.choice(block) for _, block in sorted(blocks.items())]


def eight_in_hundred(pages, chance):
    return chance.sample(pages, len(pages) * 8 // 100)


def a_column(pages, chance):
    """A column of every row of 8 KiB: every other page."""
    odd = chance.randrange(2)
    return [page for page in pages if page // PAGE % 2 == odd]


def half_in_runs(pages, chance):
    """Half of all, in runs of pages of any length."""
    bad, run_is_bad, rest = [], chance.random() < 0.5, iter(pages)
    while run := list(islice(rest, int(2 ** chance.uniform(0, 11)))):
        bad += run if run_is_bad else []
        run_is_bad = not run_is_bad
    return bad


def faults_in(pages, chance):
    line = chance.randrange(PAGE // LINE) * LINE
    return [
        Fault(
            chance.choice(["stuck0", "stuck1", "rise", "fall"]),
            Cell(page + line + chance.randrange(LINE), chance.randrange(8)),
        )
        for page in pages
    ]


def is_tested(outcome, page):
    """What firmware calls reserved counts neither as RAM nor as untested."""
    ram = [span for node in outcome.of_type("node") for span in node["spans"]]
    untested = [(u["base"], u["end"]) for u in outcome.last("result")["untested"]]
    return is_in(ram, page) and not is_in(untested, page)


def is_in(spans, page):
    return any(int(base, 16) <= page < int(end, 16) for base, end in spans)


def check(uefi, choose, seed, cpus=2):
    """choose: which pages are bad, of those that others leave alone."""
    chance = random.Random(f"{choose.__name__} {seed}")
    bad = choose(left_alone(uefi, MEMORY, cpus), chance)
    machine = from_image(
        "128M",
        uefi=uefi,
        cpus=cpus,
        cmdline="tests=quick bandwidth=off lowmem=test",
        faults=faults_in(bad, chance),
    )
    outcome = follow(machine)
    tested = [page for page in bad if is_tested(outcome, page)]
    assert outcome.last("badram")["bad_pages"] == len(tested)
    assert not any(part["why"] == "okram itself" for part in outcome.last("result")["untested"])
    assert len(tested) > 0.9 * len(bad)
    return outcome


def loaded_at(name):
    """Where GRUB puts a symbol of the image."""
    return symbols()["image_phys"] + symbols()[name] - symbols()["image_start"]


def test_no_good_page_to_work_in():
    """Nor anybody to tell that QEMU is to be left."""
    first = loaded_at("image_data_end")
    faults = faults_in(range(first, first + 2 * WORK_REACH, PAGE), random.Random("work"))
    outcome = run(from_image("128M", faults=faults), Said("Nothing was tested."), timeout=TIMEOUT_S)
    assert "No fault-free page for a stack" in " ".join(outcome.lines)


def test_good_pages_behind_the_image_only():
    """The stub has its stack there, too, and has marked what it was looking for in vain."""
    pages = range(loaded_at("image_data_end"), loaded_at("image_end") + WORK_REACH // 2, PAGE)
    faults = faults_in(pages, random.Random("behind"))
    outcome = follow(
        from_image("128M", faults=faults, cmdline="tests=quick bandwidth=off"),
    )
    assert outcome.last("badram")["bad_pages"] == len(pages)


@pytest.mark.parametrize(
    "uefi", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["bios", "uefi"]
)
def test_bad_page_in_every_64_kib(uefi):
    check(uefi, one_in_each_block, "quick")


@pytest.mark.slow
@by_firmware
@pytest.mark.parametrize("seed", range(SEEDS))
def test_bad_pages_in_every_64_kib(uefi, seed):
    check(uefi, one_in_each_block, seed, cpus=1 + seed % 4)


@pytest.mark.slow
@by_firmware
@pytest.mark.parametrize("seed", range(SEEDS_OF_OTHERS))
@pytest.mark.parametrize("choose", [eight_in_hundred, a_column, half_in_runs])
def test_bad_pages_of_other_kinds(uefi, choose, seed):
    check(uefi, choose, seed)
