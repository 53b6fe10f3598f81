# SPDX-License-Identifier: MIT
"""The memory that okram uses, found from outside: the machine is stopped at points of the run, and
the current page tables are walked; each page is listed by its purpose.

A machine does the same each time: the pages are those of every run on it in which okram meets no
faulty cell.
"""

import struct
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from okramlib import BUILD
from okramlib.units import MIB, PAGE
from system.page_tables import IMAGE_VIRT, own_pages
from system.stopped import stopping

PLACE_MAX = 9 * MIB  # what okram takes on a machine with little memory

STUB_PAGES = {1, 2, 3}  # of the image, which run before any is checked: boot/multiboot2/stub.asm

LOG_COPIES = ("first copy", "second copy", "third copy")

_START_CODE_BYTES = 32


@dataclass
class Placement:
    """places: of each place, addresses of pages by what they are for. holds: what okram has in a
    page of the first place (0), of the second (1). before: what pages of them held when the first
    instruction of okram was about to run, and no loader of okram can bear a change of: firmware's
    or GRUB's own, the stub's and okram.efi's. entry: where that instruction is."""

    places: list[dict[str, set[int]]]
    holds: list[dict[int, bytes]]
    before: dict[int, bytes]
    entry: int


@cache
def symbols():
    listing = subprocess.run(
        ["nm", BUILD / "okram.elf"], check=True, capture_output=True, text=True
    ).stdout
    return {name: int(addr, 16) for addr, _, name in map(str.split, listing.splitlines())}


@cache
def image():
    """As it is in memory, without bss."""
    return (BUILD / "okram.copy").read_bytes()


def _kind_in_image(virt):
    ends = symbols()
    if ends["boot_stack"] <= virt < ends["boot_stack.end"]:
        return "stacks"
    if virt < ends["image_text_end"]:
        return "text"
    if virt < ends["image_rodata_end"]:
        return "read-only data"
    return "data" if virt < ends["image_data_end"] else "bss"


def _allocations(pages):
    """Runs of adjoining addresses: an unmapped page is between two allocations."""
    runs = []
    for virt in sorted(virt for virt in pages if virt < IMAGE_VIRT):
        if not runs or runs[-1][-1] + PAGE != virt:
            runs.append([])
        runs[-1].append(virt)
    return runs


def log_copies(page):
    """Virtual addresses of the fault log's copies: the first fields of a run. page(virt): what
    is there."""
    fields = range(symbols()["the_run"], symbols()["the_run"] + 8 * len(LOG_COPIES), 8)
    return [struct.unpack_from("<Q", page(at // PAGE * PAGE), at % PAGE)[0] for at in fields]


def _kind_of_allocation(memory, pages, run):
    content = [memory.page(pages[virt]) for virt in run]
    copies = log_copies(lambda virt: memory.page(pages[virt]))
    if run[0] in copies:
        return f"log, {LOG_COPIES[copies.index(run[0])]}"
    if image()[:PAGE] in content:
        return "spare copy"
    if any(run[0] < top <= run[-1] + PAGE for top in memory.stack_pointers):
        return "stacks"
    return "per-CPU data" if run[0] in memory.gs_bases else "plans"


def _start_of_other_cpus(memory):
    """The page below 1 MiB where they start, which does not move."""
    code = image()[symbols()["trampoline_start"] - IMAGE_VIRT :][:_START_CODE_BYTES]
    return {at for at in memory.find(code) if at < MIB}


def place_in(memory):
    """Addresses of the pages that okram uses, by purpose."""
    place = defaultdict(set)
    place["page tables"], pages = own_pages(memory.page, memory.cr3)
    for virt, phys in pages.items():
        if virt >= IMAGE_VIRT:
            place[_kind_in_image(virt)].add(phys)
    for run in _allocations(pages):
        kind = _kind_of_allocation(memory, pages, run)
        place[kind] |= {pages[virt] for virt in run}
    return dict(place)


def _efi_code():
    """The page of okram.efi where it is entered (PE, 3.4), whose file is as it is in memory, and
    where in that page."""
    file = (BUILD / "okram.efi").read_bytes()
    (header,) = struct.unpack_from("<I", file, 0x3C)
    (entry,) = struct.unpack_from("<I", file, header + 0x28)
    return file[entry // PAGE * PAGE :][:PAGE], entry % PAGE


def _efi_entry(machine):
    """Where firmware enters okram.efi: it loads it to the same place each time."""
    code, offset = _efi_code()
    with stopping(machine) as stops:
        (page,) = stops.memory_at(symbols()["passes_run"]).find(code)
    return page + offset


def _content(memory, place):
    return {page: memory.page(page) for pages in place.values() for page in pages}


def _loaded_by_grub():
    """The pages of the image that are checked before they are used."""
    pages = set(range(len(image()) // PAGE)) - STUB_PAGES
    return {symbols()["image_phys"] + page * PAGE for page in pages}


def _used_before(memory, uefi):
    """Pages that had something in them when okram was about to run. By BIOS that may have been zero
    again: GRUB takes all memory up to the highest page it has below the image."""
    used = memory.used()
    if uefi:
        return used
    grubs_end = max(at for at in used if at < symbols()["image_phys"]) + PAGE
    return (used | set(range(0, grubs_end, PAGE))) - _loaded_by_grub()


def placement_of(machine):
    """The pages okram uses on a machine without faults: when its tests begin, and after a move."""
    entry = _efi_entry(machine) if machine.uefi else symbols()["multiboot2_entry_phys"]
    with stopping(machine) as stops:
        at_entry = stops.memory_at(entry)
        at_first = stops.memory_at(symbols()["passes_run"])
        at_second = stops.memory_at(symbols()["share_vacated"])
    first, second = place_in(at_first), place_in(at_second)
    first["start of other CPUs"] = _start_of_other_cpus(at_first)
    holds = [_content(at_first, first), _content(at_second, second)]
    before = {*holds[0], *holds[1]} & _used_before(at_entry, machine.uefi)
    return Placement([first, second], holds, {page: at_entry.page(page) for page in before}, entry)
