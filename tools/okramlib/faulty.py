# SPDX-License-Identifier: MIT
"""Bad pages in the output of memory testers and in lists.

Read are: addresses (0x… or decimal) and ranges START-END (END exclusive), one a line; okram's JSON
lines and log; memtest86+ from version 4 on, as a serial console shows it, and its BadRAM patterns;
MemTest86's log; memtester run with -p; Linux's memtest=.
"""

import re

from . import records
from .units import PAGE

_HEX = r"(?:0x)?([0-9a-f]{6,16})"

# Each with what its groups are: an address, or a range by first and last byte or by its end.
_LOGS = [
    (re.compile(rf"\s*\d+\s+\d+\s+\d+\s+{_HEX}\s+\(.*", re.I), "address"),  # memtest86+ 6 and later
    (re.compile(rf"\s*\d+\s+\d+\s+{_HEX}\s+-\s+[\d.]+MB.*", re.I), "address"),  # memtest86+ 4, 5
    (re.compile(rf".*\[MEM ERROR.*\bAddress: {_HEX}\b.*", re.I), "address"),  # MemTest86
    (re.compile(rf".*FAILURE: .* at physical address {_HEX}\.?\s*", re.I), "address"),  # memtester
    (re.compile(r".*\bFAULT\s+0x([0-9a-f]+)\s.*"), "address"),  # okram
    (re.compile(rf".*\bbad mem addr {_HEX} - {_HEX} reserved.*", re.I), "range"),  # Linux
]
_PATTERNS = re.compile(r"\s*(?:GRUB_BADRAM=|badram[= ])\s*(.+)", re.I)
_COVERED = re.compile(r"\[ *\d+\.\d+\] badram +\d+ patterns? for (\d+) bad pages?,.*")  # okram
_OFFSET = re.compile(r".*FAILURE: .* at offset 0x", re.I)
_RANGE = re.compile(r"(0x[0-9a-f]+|\d+)-(0x[0-9a-f]+|\d+)", re.I)
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+", re.I)

# Other lines of these programs.
_OTHER_LINES = re.compile(
    r"\s*(#.*|\[ *\d+\.\d+\] .*|pCPU\s+Pass\s+Test.*|Tst\s+Pass\s+Failing.*|[-\s]+"
    r"|memtester version.*|Copyright.*|Licensed under.*|pagesize.*|want \d.*|got +\d.*"
    r"|Loop \d+.*|Done\."
    r"|  [A-Z][A-Za-z ]+: (ok|testing|setting).*)?",
    re.I,
)

_TOP = 1 << 46  # above all RAM

# Longer lines are from none of these programs, and take the expressions long.
_LOG_CHARS_MAX = 1000
_SHOWN_CHARS = 60


class Faulty:
    """What was read: bad ranges of bytes, patterns, and a report's RAM and firmware."""

    def __init__(self):
        self.ranges = []
        self.patterns = []
        self.ram = []
        self.boot = None  # "bios" or "uefi", by a report
        self._n_pages = 0  # bad by a report of okram, which may list fewer

    def read(self, lines, pages=False):
        """Takes lines. Yields (number, why) for each that is skipped."""
        for number, line in enumerate(lines, 1):
            try:
                self._take(line.rstrip("\r\n"), pages)
            except ValueError as error:
                yield number, str(error)

    def forms(self):
        """All bad ranges and patterns, in the syntax of tools/badram/input.h."""
        forms = [f"{base:#x}-{end:#x}" for base, end in self.ranges]
        # Patterns cover more than the bad pages: they count only where these are not all named.
        if not self.ranges or self._n_pages > len({base // PAGE for base, _ in self.ranges}):
            forms += [f"{addr:#x},{mask:#x}" for addr, mask in self.patterns]
        return forms

    def _take(self, line, pages):
        text = line.strip()
        if text.startswith("{"):
            self._take_record(records.parse(text))
        elif _NUMBER.fullmatch(text):
            number = parse_number(text)
            self._add(number * PAGE, number * PAGE + PAGE) if pages else self._add_address(number)
        elif match := _RANGE.fullmatch(text):
            scale = PAGE if pages else 1
            self._add(parse_number(match[1]) * scale, parse_number(match[2]) * scale)
        elif match := _COVERED.fullmatch(line):
            self._n_pages, self.patterns = int(match[1]), []
        elif match := _PATTERNS.fullmatch(line):
            self.patterns += _reachable(parse_patterns(match[1]))
        elif len(line) > _LOG_CHARS_MAX:
            raise ValueError(f"{text[:_SHOWN_CHARS]!r}... is too long for a line of any log")
        elif not self._take_log(line) and not _OTHER_LINES.fullmatch(line):
            if _OFFSET.match(line):
                raise ValueError("an offset is no address: run memtester with -p")
            raise ValueError(f"{text[:_SHOWN_CHARS]!r} names no bad page")

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
                self._add_address(int(record["addr"], 16))
            case "node":
                self.ram += [(int(base, 16), int(end, 16)) for base, end in record["spans"]]
            case "ecc_page" if record["page"]:
                self._add_address(int(record["page"], 16))
            case "badram":
                self._n_pages = record["bad_pages"]
                pairs = [(int(a, 16), int(m, 16)) for a, m in record["patterns"]]
                self.patterns = _reachable(pairs)

    def _add_address(self, address):
        self._add(address, address + 1)

    def _add(self, base, end):
        if base >= end:
            raise ValueError(f"{base:#x}-{end:#x} ends before it begins")
        if end > _TOP:
            raise ValueError(f"{end - 1:#x} is above 64 TiB")
        self.ranges.append((base, end))


def _reachable(patterns):
    for address, _ in patterns:
        if address >= _TOP:
            raise ValueError(f"{address:#x} is above 64 TiB")
    return patterns


def parse_number(text):
    return int(text, 16 if text[:2].lower() == "0x" else 10)


def parse_patterns(text):
    """(address, mask) pairs of a badram line. Numbers are hexadecimal, as GRUB reads them."""
    text = re.sub(r"^\s*(GRUB_BADRAM=|badram[= ])", "", text.strip(), flags=re.I)
    numbers = [
        number for number in re.split(r"[\s,]+", text.strip().strip("\"'").strip()) if number
    ]
    for number in numbers:
        if not re.fullmatch(r"(0x)?[0-9a-f]{1,16}", number, re.I):
            raise ValueError(f"{number[:_SHOWN_CHARS]!r} is no number of a badram line")
    if not numbers or len(numbers) % 2:
        raise ValueError("a badram line is pairs of address and mask")
    numbers = [int(number, 16) for number in numbers]
    return list(zip(numbers[::2], numbers[1::2]))
