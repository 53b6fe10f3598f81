# SPDX-License-Identifier: MIT
"""The memory that firmware and GRUB leave alone, found from outside, on a machine without faults.

Its memory is filled when it is switched on: what has changed when okram is about to run was used,
though it may be zero again.
"""

import tempfile
from functools import cache
from pathlib import Path

from okramlib.units import PAGE
from system.harness import attach, from_image
from system.page_tables import IMAGE_VIRT, own_pages
from system.placement import STUB_PAGES, symbols
from system.stopped import stopping

_FILL = b"\xa5" * PAGE


def _used(memory):
    return {at for at in range(0, len(memory.bytes), PAGE) if memory.page(at) != _FILL}


def _placed(memory):
    """Where the loader has put the image."""
    _, pages = own_pages(memory.page, memory.cr3)
    return {phys for virt, phys in pages.items() if virt >= IMAGE_VIRT}


def _image():
    """As GRUB has loaded it, but for the stub's pages: they are run before they are checked."""
    first, end = (symbols()[name] // PAGE for name in ("image_start", "image_end"))
    pages = set(range(end - first)) - STUB_PAGES
    return {symbols()["image_phys"] + page * PAGE for page in pages}


def _used_by_others(uefi, machine):
    """By firmware and GRUB, before okram's first instruction and while okram.efi runs."""
    if not uefi:
        with stopping(machine) as stops:
            return _used(stops.memory_at(symbols()["multiboot2_entry_phys"])) - _image()
    with stopping(machine) as stops:
        memory = stops.memory_at(symbols()["boot_entry"])
    return _used(memory) - _placed(memory)


@cache
def left_alone(uefi, memory, cpus):
    """Addresses of the pages, in order. Firmware keeps some for each CPU."""
    with tempfile.TemporaryDirectory(prefix="okram-ram-", dir="/dev/shm") as directory:
        path = Path(directory) / "ram"
        path.write_bytes(_FILL * (memory // PAGE))
        machine = from_image(
            "computed",
            uefi=uefi,
            memory=memory,
            cpus=cpus,
            extra=attach("memory-file", path=path, size=memory),
        )
        used = _used_by_others(uefi, machine)
    return sorted(set(range(0, memory, PAGE)) - used)
