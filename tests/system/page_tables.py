# SPDX-License-Identifier: MIT
"""okram's own memory, by the page tables that are on (Intel SDM vol. 3A, 4.5)."""

import struct

ARENA_VIRT = 0xFFFFFF0000000000  # ARENA_BASE in arch/paging.h: from here on all is okram's
IMAGE_VIRT = 0xFFFFFFFF80000000  # BOOT_KERNEL_VIRT in boot/boot_info.h

_LEVELS, _ENTRIES = 4, 512
_PRESENT, _LARGE, _ADDRESS = 1, 1 << 7, 0x000FFFFFFFFFF000
_SIGN_BITS = 0xFFFF << 48


def own_pages(read_page, cr3):
    """The tables, and the physical page of each page at or above ARENA_VIRT.

    read_page: the content of a page, given its physical address.
    """
    tables, pages = set(), {}
    _walk(read_page, cr3 & _ADDRESS, 0, _LEVELS, tables, pages)
    return tables, pages


def _walk(read_page, table, virt, level, tables, pages):
    tables.add(table)
    for i, entry in enumerate(struct.unpack(f"<{_ENTRIES}Q", read_page(table))):
        at = virt + (i << 12 + 9 * (level - 1))
        if level == _LEVELS and i >= _ENTRIES // 2:
            at |= _SIGN_BITS
        if not entry & _PRESENT:
            continue
        if level > 1 and not entry & _LARGE:
            _walk(read_page, entry & _ADDRESS, at, level - 1, tables, pages)
        elif at >= ARENA_VIRT:
            assert level == 1, "okram's own memory is mapped page by page"
            pages[at] = entry & _ADDRESS
