# SPDX-License-Identifier: MIT
"""Lists of bad pages with which no Linux would start if the guard masked all of them, and others.

Runs of pages: (first, number), ascending; they do not touch.
"""

from okramlib.units import GIB, MIB, PAGE
from system.guard_boot import runs_of

LOW = range(16, 160)  # the pages in which a CPU can start, but for what Linux leaves to firmware
MACHINE_BYTES = 480 * MIB
SPLIT_BYTES = 384 * MIB  # below 4 GiB, where RAM is on both sides


def _pages(base, size):
    return range(base // PAGE, (base + size) // PAGE)


def _every(stride, size, end):
    return [page for base in range(stride - size, end, stride) for page in _pages(base, size)]


#: name: (runs, whether RAM is on both sides of 4 GiB)
NAMED = {
    "pages 16 to 159": (runs_of(LOW), False),
    "every 32nd MiB": (runs_of(_every(32 * MIB, MIB, MACHINE_BYTES)), False),
    "a page every 2 MiB": (runs_of(_every(2 * MIB, PAGE, MACHINE_BYTES)), False),
    "all of low memory": ([(0, 256)], False),
    "every second low page": (runs_of(range(1, 256, 2)), False),
    "all below 4 GiB but 64 MiB": (
        [(0, 100 * MIB // PAGE), (164 * MIB // PAGE, (4 * GIB - 164 * MIB) // PAGE)],
        True,
    ),
    "nearly half below 4 GiB": (runs_of(_every(16 * MIB, 7 * MIB, SPLIT_BYTES)), True),
    "a page every MiB, and low memory": (
        runs_of([*LOW, *_every(MIB, PAGE, SPLIT_BYTES)]),
        True,
    ),
}


def _singles(rng, ram):
    return [rng.choice(ram) for _ in range(rng.randrange(1, 1 << rng.randrange(1, 12)))]


def _strided(rng, ram):
    stride = 1 << rng.randrange(2, 15)
    first = rng.randrange(stride)
    n = rng.randrange(1, stride // 2 + 1)
    return [page for page in ram if (page - first) % stride < n]


def _clusters(rng, ram):
    pages = []
    for _ in range(rng.randrange(1, 20)):
        at, size = rng.randrange(len(ram)), 1 << rng.randrange(1, 13)
        share = rng.random()
        pages += [page for page in ram[at : at + size] if rng.random() < share]
    return pages


def _blocks(rng, ram):
    pages = []
    for _ in range(rng.randrange(1, 16)):
        at = rng.randrange(len(ram))
        pages += ram[at : at + rng.randrange(1, 1 << rng.randrange(1, 14))]
    return pages


def _low(rng, ram):
    share = rng.random()
    return [page for page in range(256) if rng.random() < share]


def random_runs(rng, ram):
    """Of one to three of these kinds; ram: its pages, ascending."""
    kinds = rng.sample([_singles, _strided, _clusters, _blocks, _low], rng.randrange(1, 4))
    return runs_of(page for kind in kinds for page in kind(rng, ram))
