# SPDX-License-Identifier: MIT
"""The badram line with GRUB and Linux of Debian 12, 13 and unstable: 2.06, 2.12 and 2.14; 6.1, 6.12
and 7.2, when docs/badram.md was written.
"""

import re

import pytest

from okramlib.units import GIB, MIB, PAGE
from system.linux.releases import OPTIONS, RELEASES, boot
from system.test_guard_ways import scattered
from system.test_linux import PAGES, badram_words, check_hidden, okram_says, scattered_faulty_cells

pytestmark = pytest.mark.slow

EXACT = 0xFFFFFFFFFF000
PAIRS_A_COMMAND = 50

# Where neither firmware nor GRUB nor Linux keeps anything of its own; on both sides of 4 GiB.
LOW, HIGH = 160 * MIB, 4 * GIB + 48 * MIB
RAM_END = 4 * GIB + 96 * MIB

# Where Linux's image and its initial file system are loaded.
LOADED = [mib * MIB for mib in range(16, 129, 4)]
RAM_DISK = re.compile(r"\[[ \d.]+\] RAMDISK: \[mem 0x([0-9a-f]+)-0x([0-9a-f]+)\]")

BIOS_ROOM = 158  # with the 10 entries of SeaBIOS
UEFI_ROOM = 74  # with the 19 of OVMF, by GRUB 2.06

NO_SWEEP = f"{OPTIONS} sweep=off"

EACH_GRUB = pytest.mark.parametrize("grub", RELEASES)
EACH_LINUX = pytest.mark.parametrize("linux", RELEASES)
EACH_RELEASE = pytest.mark.parametrize("release", RELEASES)
FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def commands(pages):
    """Pairs of single pages, as many commands as it takes."""
    pairs = [f"{page:#x},{EXACT:#x}" for page in pages]
    parts = [pairs[i : i + PAIRS_A_COMMAND] for i in range(0, len(pairs), PAIRS_A_COMMAND)]
    return [f"badram {','.join(part)}" for part in parts]


def check_nothing_else_is_lost(seen, pages):
    assert [page for page in pages if seen.has(page)] == []
    assert all(seen.has(page - PAGE) and seen.has(page + PAGE) for page in pages)
    assert seen.ram[-1].stop == RAM_END


@EACH_GRUB
@EACH_LINUX
def test_by_bios_a_page_takes_one_entry(grub, linux, tmp_path):
    """All 168 are used."""
    pages = scattered(BIOS_ROOM, LOW, HIGH)
    seen = boot(grub, linux, tmp_path, commands(pages), NO_SWEEP, uefi=False)
    check_nothing_else_is_lost(seen, pages)


@EACH_LINUX
def test_by_grub_2_06_on_uefi_a_page_takes_two(linux, tmp_path):
    pages = scattered(UEFI_ROOM, LOW, HIGH)
    seen = boot("bookworm", linux, tmp_path, commands(pages), NO_SWEEP, uefi=True)
    check_nothing_else_is_lost(seen, pages)
    assert [part.start for part in seen.unusable] == pages


@pytest.mark.parametrize("grub", ["trixie", "sid"])
@EACH_LINUX
def test_by_a_newer_grub_on_uefi_there_is_room_for_more(grub, linux, tmp_path):
    pages = scattered(300, LOW, HIGH)
    seen = boot(grub, linux, tmp_path, commands(pages), NO_SWEEP, uefi=True)
    check_nothing_else_is_lost(seen, pages)
    assert [part.start for part in seen.unusable] == pages


@pytest.mark.parametrize("uefi, count", [(False, BIOS_ROOM + 2), (True, UEFI_ROOM + 2)])
def test_beyond_it_the_end_of_ram_is_lost(uefi, count, tmp_path):
    """But no bad page is used."""
    pages = scattered(count, LOW, HIGH)
    seen = boot("bookworm", "bookworm", tmp_path, commands(pages), NO_SWEEP, uefi=uefi)
    assert [page for page in pages if seen.has(page)] == []
    assert seen.ram[-1].stop < RAM_END


@FIRMWARE
@EACH_RELEASE
def test_okrams_line_hides_the_faulty_cells(release, uefi, tmp_path):
    _, outcome = okram_says(uefi, scattered_faulty_cells())
    words = badram_words(outcome)
    seen = boot(
        release, release, tmp_path, [f"badram {words}"], uefi=uefi, faults=scattered_faulty_cells()
    )
    check_hidden(seen, {page // PAGE for page in PAGES})


@EACH_RELEASE
def test_the_longest_line(release, tmp_path):
    """255 pairs, in quotes."""
    pages = scattered(BIOS_ROOM, LOW, HIGH)
    words = ",".join(f"{page:#x},{EXACT:#x}" for page in pages)
    words += f",{LOW:#x},{EXACT:#x}" * (255 - len(pages))  # again, which changes nothing
    seen = boot(release, release, tmp_path, [f'badram "{words}"'], NO_SWEEP, uefi=False)
    check_nothing_else_is_lost(seen, pages)


@EACH_RELEASE
def test_grub_on_bios_loads_linux_over_covered_pages(release, tmp_path):
    """Linux moves itself away from them only with its address randomization (KASLR)."""
    seen = boot(release, release, tmp_path, commands(LOADED), NO_SWEEP, uefi=False)
    assert "nokaslr" in NO_SWEEP and any(seen.has(page) for page in LOADED)
    moving = NO_SWEEP.replace("nokaslr", "")
    seen = boot(release, release, tmp_path, commands(LOADED), moving, uefi=False)
    assert [page for page in LOADED if seen.has(page)] == []


@EACH_RELEASE
def test_grub_on_uefi_does_not(release, tmp_path):
    seen = boot(release, release, tmp_path, commands(LOADED), NO_SWEEP, uefi=True)
    assert [page for page in LOADED if seen.has(page)] == []


def ram_disk(seen):
    (found,) = filter(None, map(RAM_DISK.fullmatch, seen.said))
    return range(int(found[1], 16), int(found[2], 16) + 1)


@FIRMWARE
def test_the_initial_file_system_is_loaded_over_covered_pages(uefi, tmp_path):
    """By BIOS alone."""
    place = ram_disk(boot("sid", "sid", tmp_path, (), NO_SWEEP, uefi=uefi))
    page = (place.start + len(place) // 2) // PAGE * PAGE
    seen = boot("sid", "sid", tmp_path, commands([page]), NO_SWEEP, uefi=uefi)
    assert (page in ram_disk(seen)) == (not uefi)
    assert not seen.has(page)
