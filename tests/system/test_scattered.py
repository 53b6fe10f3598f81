"""Bad pages everywhere: no piece of memory as large as okram is free of them, and it lives in the
good pages between.

Bad are pages of memory that firmware and GRUB leave alone: who runs before okram cannot know of
them. In all bad pages of a run the cell is in the same line: the plugin passes others by.
"""

import random
from functools import cache

import pytest

from okramlib.machine import Machine
from okramlib.spec import Cell, Fault
from okramlib.units import KIB, MIB, PAGE
from system.harness import follow
from system.left_alone import left_alone

MEMORY = 256 * MIB
BLOCK = 64 * KIB
LINE = 64
SEEDS = 20

by_firmware = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def one_in_each_block(uefi, chance):
    blocks = {}
    for page in left_alone(uefi, MEMORY):
        blocks.setdefault(page // BLOCK, []).append(page)
    return [chance.choice(pages) for _, pages in sorted(blocks.items())]


def some_in_hundred(uefi, chance, share):
    pages = left_alone(uefi, MEMORY)
    return chance.sample(pages, len(pages) * share // 100)


def a_column(uefi, chance):
    """A column of every row of 8 KiB: every other page."""
    odd = chance.randrange(2)
    return [page for page in left_alone(uefi, MEMORY) if page // PAGE % 2 == odd]


def half_in_runs(uefi, chance):
    """Half of all, in runs of pages of any length."""
    bad, runs = [], chance.random() < 0.5
    pages = iter(left_alone(uefi, MEMORY))
    while run := [page for page, _ in zip(pages, range(int(2 ** chance.uniform(0, 11))))]:
        bad += run if runs else []
        runs = not runs
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


def check(uefi, cpus, bad, chance):
    machine = Machine(
        uefi=uefi,
        memory=MEMORY,
        cpus=cpus,
        cmdline="tests=address bandwidth=off",
        faults=faults_in(bad, chance),
    )
    outcome = follow(machine)
    tested = [page for page in bad if is_tested(outcome, page)]
    assert outcome.last("badram")["bad_pages"] == len(tested)
    assert not any(part["why"] == "okram itself" for part in outcome.last("result")["untested"])
    assert len(tested) > 0.9 * len(bad)
    return outcome


@by_firmware
def test_bad_page_in_every_64_kib(uefi):
    chance = random.Random("64 KiB")
    check(uefi, 2, one_in_each_block(uefi, chance), chance)


@pytest.mark.slow
@by_firmware
@pytest.mark.parametrize("seed", range(SEEDS))
def test_bad_pages_in_every_64_kib(uefi, seed):
    chance = random.Random(f"64 KiB {uefi} {seed}")
    check(uefi, 1 + seed % 4, one_in_each_block(uefi, chance), chance)


@pytest.mark.slow
@by_firmware
def test_bad_pages_at_random(uefi):
    chance = random.Random("8 %")
    check(uefi, 2, some_in_hundred(uefi, chance, 8), chance)


@pytest.mark.slow
@by_firmware
def test_column_that_hits_every_row(uefi):
    chance = random.Random("column")
    check(uefi, 2, a_column(uefi, chance), chance)


@pytest.mark.slow
@by_firmware
@pytest.mark.parametrize("seed", range(4))
def test_half_of_memory(uefi, seed):
    chance = random.Random(f"half {seed}")
    check(uefi, 2, half_in_runs(uefi, chance), chance)
