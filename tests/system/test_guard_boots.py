# SPDX-License-Identifier: MIT
"""The guard stops no boot: with any list Debian's kernel starts, by its EFI stub and by GRUB.

No page is in Linux' RAM that the guard says it has masked.
"""

import random
import re
from functools import partial

import pytest

from okramlib.units import GIB, PAGE
from system import guard_boot
from system.harness import from_image
from system.hostile_lists import MACHINE_BYTES, NAMED, SPLIT_BYTES, random_runs
from system.linux import guest
from system.loaders import disk

WAYS = ["stub", "grub-2.06", "grub-2.12"]
IN_CHECK = ["pages 16 to 159", "every 32nd MiB"]
DEADLINE_S = 600

_NOT_MASKED = re.compile(r"firmware holds (\d+)|(\d+) bad pages? left in use")
_MASKED = re.compile(r"okram-guard: (\d+)(?: of \d+)? bad pages? masked")
_OPTIONS = f"{guest.OPTIONS} sweep=off"
_HIGH_BYTES = MACHINE_BYTES - SPLIT_BYTES


def ram_pages(is_split):
    if not is_split:
        return range(MACHINE_BYTES // PAGE)
    high = range(4 * GIB // PAGE, (4 * GIB + _HIGH_BYTES) // PAGE)
    return [*range(SPLIT_BYTES // PAGE), *high]


def boot(directory, way, runs, is_split):
    """Linux' memory map, and the guard's line."""
    image = disk.make(directory / "disk.img", way, _OPTIONS)
    make = (
        partial(guest.split_machine, on="split-stick")
        if is_split
        else partial(from_image, "stick-480M")
    )
    machine = make(vars=directory / "vars.fd", image=image)
    hardware = guard_boot.Hardware(module_bytes=machine.memory, ram_bytes=machine.memory)
    disk.variables(machine.vars, way, _OPTIONS, guard_boot.make_list(runs, hardware))
    seen = guest.start(machine, DEADLINE_S)
    (said,) = [line for line in seen.said if _MASKED.search(line)]
    return seen, said


def check(directory, way, runs, is_split):
    seen, said = boot(directory, way, runs, is_split)
    listed = {page for first, n in runs for page in range(first, first + n)}
    listed &= {*ram_pages(is_split)}
    used = [page for page in listed if seen.has(page * PAGE)]
    masked = int(_MASKED.search(said)[1])
    assert masked + len(used) <= len(listed)
    if not masked and "more than half of the free memory is listed" not in said:
        assert sum(int(a or b) for a, b in _NOT_MASKED.findall(said)) >= len(listed)
    return said


@pytest.mark.parametrize("name", IN_CHECK)
def test_a_list_that_stopped_linux(name, tmp_path):
    runs, is_split = NAMED[name]
    assert "left in use: a system needs the memory to start" in check(
        tmp_path, "stub", runs, is_split
    )


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMED)
def test_hostile_lists(name, way, tmp_path):
    check(tmp_path, way, *NAMED[name])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_random_lists(seed, tmp_path):
    rng = random.Random(seed)
    is_split = rng.random() < 0.5
    way = ["stub", "grub-2.06"][seed % 2]
    check(tmp_path, way, random_runs(rng, ram_pages(is_split)), is_split)
