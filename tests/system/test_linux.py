# SPDX-License-Identifier: MIT
"""The lines are proven: with them Linux has none of the bad pages, and misses no other.

okram finds the faults that the plugin makes; then a real Linux starts in the same faulty RAM, by
GRUB, with exactly the line that okram gave, and sweeps all the memory it can get.
"""

from functools import cache

import pytest

from okramlib import spec
from okramlib.units import GIB, KIB, MIB, PAGE
from system.harness import covered_pages, follow
from system.linux.guest import boot, split_machine

# Where neither firmware nor GRUB nor Linux keeps anything of its own; on both sides of 4 GiB.
LOW, HIGH = 160 * MIB, 4 * GIB + 48 * MIB
SPAN = 32 * MIB
RANGES = f"range={LOW:#x}-{LOW + SPAN:#x},{HIGH:#x}-{HIGH + SPAN:#x}"

PAGES = [LOW + at for at in (0, 0x235000, 0x236000, 0x7A1000)]
PAGES += [HIGH + at for at in (0, 0x116000, 0xC03000, 0xC04000)]

# Linux's own early allocations differ by some pages from boot to boot, and around a bad page it
# maps its memory by small pages: that takes a page table for 2 MiB.
ROUNDING_PAGES = 4
LARGE_PAGE = 2 * MIB

FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def scattered_faulty_cells():
    """One in each page, of both kinds, at another byte and bit each."""
    texts = [f"stuck{i % 2}@{page + i * 585:#x}.{i}" for i, page in enumerate(PAGES)]
    return [fault for text in texts for fault in spec.parse(text)]


def okram_says(uefi, faulty_cells, options=""):
    """A machine with these faulty cells, and what okram says of it."""
    cmdline = f"tests=quick bandwidth=off lines=memmap {RANGES} {options}"
    machine = split_machine(uefi=uefi, faults=faulty_cells, cmdline=cmdline)
    return machine, follow(machine)


def badram_words(outcome):
    """As GRUB_BADRAM in /etc/default/grub hands them to GRUB's command."""
    return outcome.last("badram")["line"].removeprefix("badram=")


@cache
def linux_without_line(directory, uefi):
    return boot(split_machine(uefi=uefi, faults=scattered_faulty_cells()), directory)


@pytest.fixture(scope="module")
def without_line(tmp_path_factory):
    """Once for each firmware: Linux with scattered_faulty_cells() and no line."""
    directory = tmp_path_factory.mktemp("without")
    return lambda uefi: linux_without_line(directory, uefi)


def check_proven(seen, without, gone):
    """gone: the numbers of the pages that the line promised to give up, and no other."""
    check_hidden(seen, gone)
    assert [page for page in gone if not without.has(page * PAGE)] == []
    lost = (without.total_bytes - seen.total_bytes) / PAGE
    tables = len({page * PAGE // LARGE_PAGE for page in gone})
    assert -ROUNDING_PAGES <= lost - len(gone) <= ROUNDING_PAGES + tables


def check_hidden(seen, gone):
    assert seen.bad == set()
    assert [page for page in gone if seen.has(page * PAGE)] == []
    assert seen.swept_bytes > 0.9 * seen.total_bytes


def check_finds_faulty_cells(without):
    """The sweep would have seen them."""
    assert without.bad == set(PAGES)
    assert without.swept_bytes > 0.9 * without.total_bytes


def test_line_hides_the_bad_pages(tmp_path):
    """What `make check` has of test_badram: not what Linux finds without the line."""
    machine, outcome = okram_says(False, scattered_faulty_cells())
    gone = covered_pages(outcome, machine)
    assert gone == {page // PAGE for page in PAGES}
    check_hidden(boot(machine, tmp_path, badram_words(outcome)), gone)


@pytest.mark.slow
@FIRMWARE
def test_badram(uefi, without_line, tmp_path):
    machine, outcome = okram_says(uefi, scattered_faulty_cells())
    gone = covered_pages(outcome, machine)
    assert gone == {page // PAGE for page in PAGES}
    check_finds_faulty_cells(without_line(uefi))
    check_proven(boot(machine, tmp_path, badram_words(outcome)), without_line(uefi), gone)


@pytest.mark.slow
@FIRMWARE
def test_memmap(uefi, without_line, tmp_path):
    machine, outcome = okram_says(uefi, scattered_faulty_cells())
    (line,) = outcome.of_type("line")
    seen = boot(machine, tmp_path, kernel_options=line["text"])
    check_finds_faulty_cells(without_line(uefi))
    check_proven(seen, without_line(uefi), {page // PAGE for page in PAGES})


@pytest.mark.slow
@FIRMWARE
def test_good_pages_given_up(uefi, without_line, tmp_path):
    """With fewer patterns than bad pages."""
    machine, outcome = okram_says(uefi, scattered_faulty_cells(), "patterns=4")
    gone = covered_pages(outcome, machine)
    badram = outcome.last("badram")
    assert len(badram["patterns"]) <= 4
    assert badram["sacrificed_pages"] == len(gone) > badram["bad_pages"] == len(PAGES)
    check_proven(boot(machine, tmp_path, badram_words(outcome)), without_line(uefi), gone)


@pytest.mark.slow
@FIRMWARE
def test_columns_between_each_other(uefi, without_line, tmp_path):
    """On BIOS their patterns cut each other, and 4 GiB cuts both."""
    columns = [base + 0x400000 + first for base in (LOW, HIGH) for first in (0x40, 0x3040)]
    faulty_cells = [f for first in columns for f in spec.parse(f"holes@{first:#x}+0x8000*8.3")]
    machine, outcome = okram_says(uefi, faulty_cells)
    gone = covered_pages(outcome, machine)
    assert outcome.last("badram")["sacrificed_pages"] == len(gone) == 4 * 8
    check_proven(boot(machine, tmp_path, badram_words(outcome)), without_line(uefi), gone)


@pytest.mark.slow
@FIRMWARE
def test_van_rein(uefi, without_line, tmp_path):
    """His 512 + 256 faulty cells. Two patterns take the bad pages alone, 3072 KiB, but those are
    768 ranges, more than a memory map can hold: what counts then is what okram said of its line."""
    first, second = LOW, HIGH
    faulty_cells = spec.parse(f"holes@{first + 8 * MIB + 0x40:#x}+0x4000*512.3")
    faulty_cells += spec.parse(f"holes@{second + 0x2080:#x}+0x8000*256.6")
    machine, outcome = okram_says(uefi, faulty_cells)
    badram, gone = outcome.last("badram"), covered_pages(outcome, machine)
    assert badram["bad_pages"] == 768 and badram["ranges"] <= (71 if uefi else 158)
    # Where a newer GRUB would need no joining.
    warnings = outcome.last("result").get("warnings", [])
    assert any("GRUB 2.12 takes more" in text for text in warnings) == uefi
    assert badram["sacrificed_pages"] == len(gone)
    check_proven(boot(machine, tmp_path, badram_words(outcome)), without_line(uefi), gone)


@pytest.mark.slow
@FIRMWARE
def test_van_rein_in_rows(uefi, without_line, tmp_path):
    """As many faulty cells in adjoining pages: two ranges, and exactly the bad pages' 3072 KiB
    go."""
    faulty_cells = spec.parse(f"holes@{LOW + 8 * MIB + 0x40:#x}+0x1000*512.3")
    faulty_cells += spec.parse(f"holes@{HIGH + 0x2080:#x}+0x1000*256.6")
    machine, outcome = okram_says(uefi, faulty_cells)
    badram, gone = outcome.last("badram"), covered_pages(outcome, machine)
    assert badram["bad_pages"] == badram["sacrificed_pages"] == len(gone) == 512 + 256
    assert badram["ranges"] == 2
    assert len(gone) * PAGE == 3072 * KIB
    check_proven(boot(machine, tmp_path, badram_words(outcome)), without_line(uefi), gone)
