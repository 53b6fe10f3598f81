# SPDX-License-Identifier: MIT
"""Bad pages in the output of memory testers and in lists.

Read are: addresses (0x… or decimal) and ranges START-END (END exclusive), one a line; okram's JSON
lines and log; memtest86+ from version 4 on, as a serial console shows it, its BadRAM patterns, its
regions for Linux's memmap= and its bad pages (both since 7.20), and its log for programs (9);
MemTest86's log; memtester run with -p; Linux's memtest= and memmap=.
"""

import re
from array import array

from . import Trouble, output, records
from .units import PAGE

_HEX = r"(?:0x)?([0-9a-f]{6,16})"

# Each with what its groups are: an address, or a range by first and last byte or by its end.
_LOGS = [
    (re.compile(rf"\s*\d+\s+\d+\s+\d+\s+{_HEX}\s+\(.*", re.I), "address"),  # memtest86+ 6 and later
    (re.compile(rf"\s*\d+\s+\d+\s+{_HEX}\s+-\s+[\d.]+MB.*", re.I), "address"),  # memtest86+ 4, 5
    # memtest86+ 9: the first error of each test
    (re.compile(r"MTLOG ts=[\d.]+ ev=error .*\baddr=0x([0-9a-f]{1,16})\b.*"), "address"),
    (re.compile(rf".*\[MEM ERROR.*\bAddress: {_HEX}\b.*", re.I), "address"),  # MemTest86
    (re.compile(rf".*FAILURE: .* at physical address {_HEX}\.?\s*", re.I), "address"),  # memtester
    (re.compile(r".*\bFAULT\s+0x([0-9a-f]+)\s.*"), "address"),  # okram
    (re.compile(rf".*\bbad mem addr {_HEX} - {_HEX} reserved.*", re.I), "range"),  # Linux
]
_PATTERNS = re.compile(r"\s*(?:GRUB_BADRAM=|badram[= ])\s*(.+)", re.I)
_COVERED = re.compile(r"\[ *\d+\.\d+\] badram +\d+ patterns? for (\d+) bad pages?,.*")  # okram
_SIZE = r"(0x[0-9a-f]+|\d+)([KMGT]?)"
_REGION = re.compile(rf"{_SIZE}(?:\\*\$|%){_SIZE}(-1\+5)?", re.I)
_PAGES = re.compile(r"0x([0-9a-f]{1,13})(?:\.\.0x([0-9a-f]{1,13}))?", re.I)
_PAGES_TITLE = re.compile(r"\s*Bad pages \(excludes .*")  # memtest86+, of the list of page numbers
_OFFSET = re.compile(r".*FAILURE: .* at offset 0x", re.I)
_RANGE = re.compile(r"(0x[0-9a-f]+|\d+)-(0x[0-9a-f]+|\d+)", re.I)
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+", re.I)

# Other lines of these programs.
_OTHER_LINES = re.compile(
    r"\s*(#.*|\[ *\d+\.\d+\] .*|pCPU\s+Pass\s+Test.*|Tst\s+Pass\s+Failing.*|[-\s]+"
    r"|memtester version.*|Copyright.*|Licensed under.*|pagesize.*|want \d.*|got +\d.*"
    r"|Loop \d+.*|Done\.|MTLOG ts=.*|(BadRAM Patterns|Linux memmap) \(excludes .*"
    r"|  [A-Z][A-Za-z ]+: (ok|testing|setting).*)?",
    re.I,
)

_TOP = 1 << 46  # above all RAM
_WHOLE_PAGE = 1 << 63  # of an address below
_PLACES_MAX = 1 << 24  # more than any tester writes; a list of them takes 128 MiB
_PATTERNS_MAX = 512  # as of a line that okram makes
_SPANS_MAX = 1024  # as of tools/badram

# Longer lines are from none of these programs, and take the expressions long.
_LOG_CHARS_MAX = 1000
_NUMBER_CHARS_MAX = 40
_SHOWN_CHARS = 60


class Faulty:
    """What was read: bad bytes, pages and ranges, patterns, and a report's RAM and firmware."""

    def __init__(self):
        # Eight bytes each: there may be millions.
        self._addresses = array("Q")  # of bytes, or of pages with _WHOLE_PAGE
        self._ranges = array("Q")  # base and end in turn
        self.patterns = []
        self.ram = []
        self.boot = None  # "bios" or "uefi", by a report
        self._n_pages = 0  # bad by a report of okram, which may list fewer
        self._lists_pages = False  # after memtest86+'s title of such a list

    def read(self, lines, pages=False):
        """Takes lines. Yields (number, why) for each that is skipped."""
        for number, line in enumerate(lines, 1):
            try:
                self._take(line.rstrip("\r\n"), pages)
            except ValueError as error:
                yield number, str(error)

    def __bool__(self):
        return bool(self._addresses or self._ranges or self.patterns)

    def forms(self):
        """All bad ranges and patterns, each in the syntax of tools/badram/input.h."""
        for address in self._addresses:
            base = address & ~_WHOLE_PAGE
            yield f"{base:#x}-{base + (PAGE if address & _WHOLE_PAGE else 1):#x}"
        for i in range(0, len(self._ranges), 2):
            yield f"{self._ranges[i]:#x}-{self._ranges[i + 1]:#x}"
        if self.patterns and (self._addresses or self._ranges):
            yield f"={self._n_pages:#x}"
        for address, mask in self.patterns:
            yield f"{address:#x},{mask:#x}"

    def _take(self, line, pages):
        text = line.strip()
        if self._lists_pages and self._take_pages(text, True):
            return
        is_title = bool(_PAGES_TITLE.fullmatch(line))
        self._lists_pages = is_title or (self._lists_pages and not text.strip("-"))
        if is_title:
            pass
        elif text.startswith("{"):
            for record in records.separated(records.parse(text)):
                self._take_record(record)
        elif _NUMBER.fullmatch(text):
            number = parse_number(text)
            self._add(number * PAGE, number * PAGE + PAGE) if pages else self._add_address(number)
        elif match := _RANGE.fullmatch(text):
            scale = PAGE if pages else 1
            self._add(parse_number(match[1]) * scale, parse_number(match[2]) * scale)
        elif match := _COVERED.fullmatch(line):
            self._n_pages, self.patterns = min(parse_number(match[1]), _TOP), []
        elif match := _PATTERNS.fullmatch(line):
            self._add_patterns(parse_patterns(match[1]))
        elif self._take_regions(text) or self._take_pages(text, pages):
            pass
        elif len(line) > _LOG_CHARS_MAX:
            raise ValueError(f"{_shown(text)}... is too long for a line of any log")
        elif not self._take_log(line) and not _OTHER_LINES.fullmatch(line):
            if _OFFSET.match(line):
                raise ValueError("an offset is not an address: run memtester with -p")
            raise ValueError(f"{_shown(text)} names no bad page")

    def _take_regions(self, text):
        """Linux's memmap=SIZE$ADDRESS,..., of which memtest86+ continues the line in the next."""
        regions = _items(text.removeprefix("memmap="), _REGION)
        for size, size_unit, base, base_unit, _ in regions:
            base = parse_size(base, base_unit)
            self._add(base, base + parse_size(size, size_unit))
        return bool(regions)

    def _take_pages(self, text, are_pages):
        """memtest86+'s list: 0x20,0x22..0x2a. A number alone may be an address."""
        runs = _items(text, _PAGES)
        are_pages = are_pages or any(last for _, last in runs)
        if not runs or (len(runs) == 1 and not are_pages):
            return False
        if not are_pages:
            raise ValueError(f"{_shown(text)} may be pages or addresses: --pages says pages")
        for first, last in runs:
            self._add(int(first, 16) * PAGE, (int(last or first, 16) + 1) * PAGE)
        return True

    def _take_log(self, line):
        for pattern, what in _LOGS:
            if match := pattern.fullmatch(line):
                numbers = [int(group, 16) for group in match.groups()]
                self._add(*numbers) if what == "range" else self._add_address(*numbers)
                return True
        return False

    def _take_record(self, record):
        match record["type"]:
            case "start":
                self.boot = record["boot"]
            case "fault":
                self._add_address(int(record["addr"], 16))
            case "mce" | "cper" if "page" in record:
                self._add_address(int(record["addr"] or record["page"], 16))
            case "node":
                self._add_ram(record["spans"])
            case "ecc_page" if record["page"]:
                self._add_address(int(record["page"], 16))
            case "pages":
                for base, end in record["runs"]:
                    self._add(int(base, 16), int(end, 16))
            case "badram":
                pairs = [(int(a, 16), int(m, 16)) for a, m in record["patterns"]]
                self._n_pages, self.patterns = min(int(record["bad_pages"]), _TOP), []
                self._add_patterns(pairs)

    def _add_address(self, address):
        self._add(address, address + 1)

    def _add(self, base, end):
        if base >= end:
            raise ValueError(f"{_hex(base)}-{_hex(end)} ends before it begins")
        if end > _TOP:
            raise ValueError(f"{_hex(end - 1)} is above 64 TiB")
        if len(self._addresses) + len(self._ranges) // 2 >= _PLACES_MAX:
            raise Trouble(f"the input names more than {_PLACES_MAX} bad places.")
        if end - base == 1 or (end - base == PAGE and base % PAGE == 0):
            address = base | (_WHOLE_PAGE if end - base > 1 else 0)
            if not self._addresses or self._addresses[-1] != address:
                self._addresses.append(address)
        else:
            self._ranges.extend((base, end))

    def _add_patterns(self, patterns):
        for address, _ in patterns:
            if address >= _TOP:
                raise ValueError(f"{address:#x} is above 64 TiB")
        fresh = [pair for pair in dict.fromkeys(patterns) if pair not in self.patterns]
        if len(self.patterns) + len(fresh) > _PATTERNS_MAX:
            raise ValueError(f"there are more than {_PATTERNS_MAX} patterns")
        self.patterns += fresh

    def _add_ram(self, spans):
        ram = [(int(base, 16), int(end, 16)) for base, end in spans]
        if len(self.ram) + len(ram) > _SPANS_MAX:
            raise ValueError(f"there are more than {_SPANS_MAX} ranges of RAM")
        self.ram += ram


def _items(text, pattern):
    """The groups of each of the parts between commas; none if one is something else."""
    if len(text) > _LOG_CHARS_MAX:
        return []
    found = [pattern.fullmatch(part.strip()) for part in text.removesuffix(",").split(",")]
    return [match.groups() for match in found] if all(found) else []


def _hex(number):
    """For a sentence."""
    return f"{number:#x}" if number < 1 << 64 else "the number"


def _shown(text):
    return f"'{output.line(text[:_SHOWN_CHARS])}'"


def parse_number(text):
    if len(text) > _NUMBER_CHARS_MAX:
        raise ValueError(f"{_shown(text)}... is longer than any number of an address")
    return int(text, 16 if text[:2].lower() == "0x" else 10)


def parse_size(text, unit):
    """As Linux's memparse."""
    return parse_number(text) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[unit.upper()]


def parse_patterns(text):
    """(address, mask) pairs of a badram line. Numbers are hexadecimal, as GRUB reads them."""
    text = re.sub(r"^\s*(GRUB_BADRAM=|badram[= ])", "", text.strip(), flags=re.I)
    numbers = [
        number for number in re.split(r"[\s,]+", text.strip().strip("\"'").strip()) if number
    ]
    for number in numbers:
        if not re.fullmatch(r"(0x)?[0-9a-f]{1,16}", number, re.I):
            raise ValueError(f"{_shown(number)} is not a number of a badram line")
    if not numbers or len(numbers) % 2:
        raise ValueError("a badram line is pairs of address and mask")
    numbers = [int(number, 16) for number in numbers]
    return list(zip(numbers[::2], numbers[1::2]))
