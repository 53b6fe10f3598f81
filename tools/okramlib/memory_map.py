# SPDX-License-Identifier: MIT
"""A machine's memory map, from /proc/iomem or the e820 lines of Linux's log."""

import re

from . import Trouble

# Linux's names of RAM, and of the other entries of the firmware's map, by their first words.
_RAM = ("system ram", "usable", "acpi", "unusable", "soft reserved", "ram buffer")
_IN_USE = "system ram"
_OTHER = ("reserved", "persistent", "type ", "unknown e820", "ram buffer")

_HEX = "([0-9a-f]{1,16})"
_IOMEM = re.compile(f" *{_HEX}-{_HEX} : (.+)")
_E820 = [
    re.compile(rf".*\bBIOS-e820: \[mem 0x{_HEX}-0x{_HEX}\] (.+)"),
    re.compile(rf".*\bBIOS-e820: {_HEX} - {_HEX} \((.+)\)"),  # before Linux 3.5
]
_LINE_CHARS_MAX = 1000

BYTES_MAX = 16 << 20  # of a file with a map, such as a whole log
_ENTRIES_MAX = 1024  # as of tools/badram


class MemoryMap:
    def __init__(self, ram, pieces, entries, top):
        self.ram = ram  # (base, end), joined where they touch
        self.pieces = pieces  # (base, end) of all entries, joined where of one kind; disjoint
        self.entries = entries  # how many entries it has
        self.top = top  # where the last one begins


def parse_map(text, name):
    """Trouble if there is no map in it."""
    entries = [entry for entry in _entries(text) if entry[2].startswith(_RAM + _OTHER)]
    if entries and all(end <= 1 for _, end, _ in entries):
        raise Trouble(f"{name}: all addresses are 0: only root can read them.")
    entries = [(base, end, kind) for base, end, kind in entries if base < end]
    if len(entries) > _ENTRIES_MAX:
        raise Trouble(
            f"{name}: its memory map has {len(entries)} entries, more than any machine's."
        )
    ram = join(sorted((base, end) for base, end, kind in entries if kind.startswith(_RAM)))
    if not ram:
        raise Trouble(
            f"{name} has no memory map: neither that of /proc/iomem nor e820 lines of dmesg."
        )
    return MemoryMap(ram, _pieces(entries), len(entries), max(base for base, _, _ in entries))


def ram_in_use(text, name):
    """[(base, end)] of the RAM that Linux uses, by the text of its /proc/iomem."""
    parse_map(text, name)
    return join(sorted((base, end) for base, end, kind in _entries(text) if kind == _IN_USE))


def _entries(text):
    """(base, end, kind in small letters) of each line of a map."""
    lines = [line for line in text.splitlines() if len(line) <= _LINE_CHARS_MAX]
    for pattern, last_byte in ((_E820[0], 1), (_E820[1], 0), (_IOMEM, 1)):
        if found := [match for line in lines if (match := pattern.fullmatch(line))]:
            return [(int(m[1], 16), int(m[2], 16) + last_byte, m[3].lower()) for m in found]
    return []


def _pieces(entries):
    """GRUB's map on BIOS. Where entries overlap the later, inner one counts."""
    bounds = sorted({bound for base, end, _ in entries for bound in (base, end)})
    pieces = []
    for base, end in zip(bounds, bounds[1:]):
        kinds = [kind for first, last, kind in entries if first <= base and end <= last]
        if not kinds:
            continue
        if pieces and pieces[-1][1:] == (base, kinds[-1]):
            base = pieces.pop()[0]
        pieces.append((base, end, kinds[-1]))
    return [(base, end) for base, end, _ in pieces]


def join(spans):
    """Of (base, end) in ascending order, those that touch or overlap as one."""
    joined = []
    for base, end in spans:
        if joined and base <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((base, end))
    return joined
