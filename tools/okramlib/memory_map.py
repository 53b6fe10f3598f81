# SPDX-License-Identifier: MIT
"""A machine's memory map: /proc/iomem, or firmware's map in the log of Linux or Xen."""

import re

from . import Trouble

# Linux's names of RAM, and of the other entries of the firmware's map, by their first words.
_RAM = ("system ram", "usable", "acpi", "unusable", "soft reserved", "ram buffer")
_IN_USE = "system ram"
_OTHER = ("reserved", "device reserved", "persistent", "type ", "unknown e820", "ram buffer")

_HEX = "([0-9a-f]{1,16})"
# Each with the number to add to the end that it names.
_LOGS = [
    (re.compile(rf".*\bBIOS-e820: \[mem 0x{_HEX}-0x{_HEX}\] +(.+)"), 1),
    (re.compile(rf".*\bBIOS-e820: {_HEX} - {_HEX} \((.+)\)"), 0),  # before Linux 3.5
    (re.compile(rf".*\(XEN\)(?: \[[^]]*\])? +\[{_HEX}, {_HEX}\] \((.+)\)"), 1),  # Xen
    (re.compile(rf".*\(XEN\)(?: \[[^]]*\])? +{_HEX} - {_HEX} \((.+)\)"), 0),  # before Xen 4.14
]
_IOMEM = re.compile(f" *{_HEX}-{_HEX} : (.+)")
# Lines before a map in a log: the map after them is a new one.
_BEGIN = re.compile(r".*(\bLinux version \d|\bphysical RAM map:|\(XEN\).* RAM map:)")
_DOM0 = re.compile(r".*\bXen: \[mem 0x")
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
    if not ram and any(map(_DOM0.match, _lines(text))):
        raise Trouble(f"{name} has only what Xen leaves to Linux: take the output of xl dmesg.")
    if not ram:
        raise Trouble(
            f"{name} has no memory map: neither that of /proc/iomem nor e820 lines of dmesg."
        )
    return MemoryMap(ram, _pieces(entries), len(entries), max(base for base, _, _ in entries))


def ram_in_use(text, name):
    """[(base, end)] of the RAM that Linux uses, by the text of its /proc/iomem."""
    parse_map(text, name)
    return join(sorted((base, end) for base, end, kind in _entries(text) if kind == _IN_USE))


def _lines(text):
    return [line.rstrip() for line in text.splitlines() if len(line) <= _LINE_CHARS_MAX]


def _entries(text):
    """(base, end, kind in small letters) of each line of a map: of several in a log, the last."""
    lines = _lines(text)
    found = [match for line in lines if (match := _IOMEM.fullmatch(line))]
    return _last_map(lines) or [_entry(match, 1) for match in found]


def _entry(match, last_byte):
    return int(match[1], 16), int(match[2], 16) + last_byte, match[3].lower()


def _last_map(lines):
    """That of the last boot in a log. Where only the lines of maps are left of it, another begins
    where the first one did."""
    found, is_over = [], False
    for line in lines:
        for pattern, last_byte in _LOGS:
            if match := pattern.fullmatch(line):
                entry = _entry(match, last_byte)
                if is_over or (found and entry[0] == found[0][0]):
                    found = []
                found.append(entry)
                is_over = False
                break
        else:
            is_over = is_over or bool(_BEGIN.match(line))
    return found


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
