# SPDX-License-Identifier: MIT
"""Bad pages in the output of memory testers, in lists, and in lines for bootloaders and systems.

Read are: addresses and ranges START-END (END exclusive), one a line; okram's JSON lines, its log,
and each line that it makes; memtest86+ from version 4 on, as a serial console shows it or as it
comes, its BadRAM patterns, its regions for Linux's memmap= and its bad pages (both since 7.20), and
its log for programs (9); MemTest86's log and report; memtester run with -p; Linux's memtest= and
memmap=, also within a command line, and errors that its log names; bcdedit /enum {badmemory}.

Numbers without 0x are hexadecimal if one of the list has a letter or a leading zero. Else they are
in the base that makes whole pages of all; if both do, or neither, none is used without --base.
"""

import re
from array import array

from . import Trouble, output, records, terminal
from .bare_numbers import TOP, BareNumbers
from .units import PAGE

_HEX = r"(?:0x)?([0-9a-f]{6,16})"  # in a column
_ANY_HEX = r"(?:0x)?([0-9a-f]{1,16})\b"  # after its name
_NOT_0 = r"(?!(?:0x)?0+\b)"

# Each with what its groups are: an address, a page's number, or a range by its end.
_LOGS = [
    (re.compile(rf"\s*\d+\s+\d+\s+\d+\s+{_HEX}\s+\(.*", re.I), "address"),  # memtest86+ 6 and later
    (re.compile(rf"\s*\d+\s+\d+\s+{_HEX}\s+-\s+[\d.]+MB.*", re.I), "address"),  # memtest86+ 4, 5
    # memtest86+ 9: the first error of each test
    (re.compile(r"MTLOG ts=[\d.]+ ev=error .*\baddr=0x([0-9a-f]{1,16})\b.*"), "address"),
    # MemTest86's log and report
    (
        re.compile(rf".*\[[\w -]{{0,40}}error[\w -]{{0,40}}\].*\baddress: {_ANY_HEX}.*", re.I),
        "address",
    ),
    (re.compile(rf"\s*(?:lowest|highest) error address:?\s+{_NOT_0}{_ANY_HEX}.*", re.I), "address"),
    (
        re.compile(rf".*FAILURE: .* at physical address {_ANY_HEX}\.?\s*", re.I),
        "address",
    ),  # memtester
    (re.compile(r".*\bFAULT\s+0x([0-9a-f]+)\s.*"), "address"),  # okram
    # Linux
    (re.compile(rf".*\bbad mem addr {_HEX} - {_HEX} reserved.*", re.I), "range"),
    (re.compile(rf".*\bEDAC MC\d+: .*\bpage:{_NOT_0}{_ANY_HEX}.*"), "page"),
    (re.compile(rf".*\bMemory failure: {_NOT_0}{_ANY_HEX}: .*"), "page"),
    (re.compile(rf".*\[Hardware Error\]: +physical_address: {_NOT_0}{_ANY_HEX}.*"), "address"),
]
_COVERED = re.compile(r"\[ *\d+\.\d+\] badram +\d+ patterns? for (\d+) bad pages?,.*")  # okram
_OFFSET = re.compile(r".*FAILURE: .* at offset 0x", re.I)

# Lines and commands for bootloaders and systems, each with what follows its name.
_PATTERNS = re.compile(r"\s*(?:GRUB_BADRAM=|badram[= ])\s*(?=[\"']?(?:0x)?[0-9a-f])(.+)", re.I)
_MEMMAP = re.compile(r"\bmemmap=([^\s\"']*)")
_LISTS = [
    (re.compile(r"\bbadmemorylist\s+(.+)", re.I), "pages"),  # Windows
    (re.compile(r"\bbadpage=([^\s\"']+)"), "pages"),  # Xen
    (re.compile(r"^\s*vm\.blacklist=[\"']?([^\"']+)"), "addresses"),  # FreeBSD
    (re.compile(r"^\s*badram_tag_list\s+(.+)"), "addresses"),  # RefindPlus
]
_SIZE = r"(0x[0-9a-f]+|\d+)([KMGT]?)"
_CUTMEM = re.compile(rf"\s*cutmem[\s,]+{_SIZE}[\s,]+{_SIZE}\s*", re.I)
_REGION = re.compile(rf"{_SIZE}(?:\\*\$|%){_SIZE}(?:-1\+[25])?", re.I)
_OTHER_REGION = re.compile(rf"exactmap|(?:{_SIZE}[@#!])?{_SIZE}", re.I)
_TITLE = re.compile(r"\s*Bad pages \(excludes .*")  # memtest86+, of its list of pages

# Items of a list: a number, START-END, or memtest86+'s and RefindPlus' FIRST..LAST and FIRST:LAST.
_ITEM = re.compile(r"(0x)?([0-9a-f]+)(?:(-|\.\.|:)(0x)?([0-9a-f]+))?", re.I)
_BETWEEN = re.compile(r"[\s,]+")

# Other lines of these programs.
_OTHER_LINES = re.compile(
    r"\s*(#.*|\[ *\d+\.\d+\] (?!.*(EDAC |Memory failure|Hardware Error)).*"
    r"|pCPU\s+Pass\s+Test.*|Tst\s+Pass\s+Failing.*|[-\s]+"
    r"|memtester version.*|Copyright.*|Licensed under.*|pagesize.*|want \d.*|got +\d.*"
    r"|Loop \d+.*|Done\.|MTLOG ts=.*|(BadRAM Patterns|Linux memmap)( \(excludes .*)?"
    r"|  [A-Z][A-Za-z ]+: (ok|testing|setting).*"
    # MemTest86
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d - (?!\[).*|Bits in Error.*|Max Contiguous Errors.*"
    r"|(lowest|highest) error address:?\s+(0x)?(0+|f+)\b.*"  # there is none yet
    # Windows, GRUB, RefindPlus
    r"|RAM Defects|.*\{badmemory\}|.*\bbadmemoryaccess \w+|bcdedit /set truncatememory 0x[0-9a-f]+"
    r"|GRUB_(?!BADRAM)\w+=.*|badram_tag_mode \d)?",
    re.I,
)
# Addresses on memtest86+'s screen that are being tested, not bad.
_TESTED_NOW = re.compile(r".*\b(Pattern|Testing): .*", re.I)
# Text that may be an address.
_MAY_BE = re.compile(
    r"(?<![\w.])(?:0x[0-9a-f]+|(?=[a-f]*[0-9])[0-9a-f]{5,16}h?)(?![\w.])|\s*[a-f]{4,16}\s*$", re.I
)

_WHOLE_PAGE = 1 << 63  # of an address below
_PLACES_MAX = 1 << 24  # more than any tester writes; a list of them takes 128 MiB
_PATTERNS_MAX = 512  # as of a line that okram makes
_SPANS_MAX = 1024  # as of tools/badram
_SKIPPED_MAX = 1000  # rows of a screen

# Longer lines are from none of these programs, and take the expressions long.
_LOG_CHARS_MAX = 1000
_NUMBER_CHARS_MAX = 40
_SHOWN_CHARS = 60


class _NoAddress(ValueError):
    """Why a line is skipped that has nothing that may be an address."""


class Faulty:
    """What was read: bad bytes, pages and ranges, patterns, and a report's RAM and firmware."""

    def __init__(self):
        # Eight bytes each: there may be millions.
        self._addresses = array("Q")  # of bytes, or of pages with _WHOLE_PAGE
        self._ranges = array("Q")  # base and end in turn
        self.patterns = []
        self.ram = []
        self.boot = None  # "bios" or "uefi", by a report
        self.inferred_base = None  # that numbers without 0x were taken to be in
        self.n_lost = 0  # lines that may name a bad page, and are not used
        self._covers = []  # patterns of a report of okram
        self._n_pages = 0  # bad by that report, which may list fewer
        self._is_cover = False  # the badram line that comes next is that report's
        self._going_on = None  # takes a line that goes on with a list; False: it does not

    def read(self, lines, pages=False, base=None):
        """Takes lines; numbers without 0x are in this base. Yields (number, why) for each that is
        skipped."""
        self._going_on = None
        bare = BareNumbers(PAGE if pages else 1, base)
        screen, skipped, number = None, {}, 0
        for number, line in enumerate(lines, 1):
            if not screen and terminal.is_drawn(line):
                screen = terminal.Terminal()
            if screen:
                self._take_rows(screen.feed(line), number, pages, skipped)
                continue
            try:
                self._take(terminal.plain(line.rstrip("\r\n")), number, pages, bare)
            except ValueError as error:
                self.n_lost += not isinstance(error, _NoAddress)
                yield number, str(error)
        if screen:
            self._take_rows(screen.finish(), number, pages, skipped)
        self.n_lost += len(skipped)
        yield from skipped.values()
        yield from self._take_bare(bare)

    def _take_rows(self, rows, number, pages, skipped):
        """Of a drawn screen, which has much besides addresses, and rows that are half written: they
        count as skipped until they are there with more."""
        for row in rows:
            try:
                self._take(row, number, pages, None)
            except _NoAddress:
                pass
            except ValueError as error:
                if len(skipped) < _SKIPPED_MAX and _MAY_BE.search(row):
                    skipped.setdefault(row, (number, str(error)))
            else:
                for part in [part for part in skipped if terminal.is_more(row, part)]:
                    del skipped[part]

    def __bool__(self):
        return bool(self._addresses or self._ranges or self.patterns or self._covers)

    def forms(self):
        """All bad ranges and patterns, each in the syntax of tools/badram/input.h."""
        for address in self._addresses:
            base = address & ~_WHOLE_PAGE
            yield f"{base:#x}-{base + (PAGE if address & _WHOLE_PAGE else 1):#x}"
        for i in range(0, len(self._ranges), 2):
            yield f"{self._ranges[i]:#x}-{self._ranges[i + 1]:#x}"
        for address, mask in self.patterns:
            yield f"{address:#x},{mask:#x}"
        if self._covers:
            yield f"={self._n_pages:#x}"
        for address, mask in self._covers:
            yield f"{address:#x},{mask:#x}"

    def _take(self, line, number, pages, bare):
        text = line.strip()
        if self._going_on and self._going_on(line):
            return
        if _TITLE.fullmatch(line):
            self._going_on = self._more_pages
            return
        self._going_on = None
        if text.startswith("{"):
            for record in records.separated(records.parse(text)):
                self._take_record(record)
        elif text.startswith("#") or self._take_items(text, number, pages, bare):
            pass
        elif match := _COVERED.fullmatch(line):
            self._begin_covers(parse_number(match[1]))
        elif match := _PATTERNS.fullmatch(line):
            self._take_pairs(match[1], bare)
        elif self._take_regions(line) | self._take_list(line):
            pass
        elif len(line) > _LOG_CHARS_MAX:
            raise ValueError(f"{_shown(text)}... is too long for a line of any log")
        elif not self._take_log(line) and not _OTHER_LINES.fullmatch(line):
            if _OFFSET.match(line):
                raise ValueError("an offset is not an address: run memtester with -p")
            is_address = _MAY_BE.search(line) and not _TESTED_NOW.fullmatch(line)
            raise (ValueError if is_address else _NoAddress)(f"{_shown(text)} names no bad page")

    def _more_pages(self, line):
        """memtest86+'s list of pages below its title, and what is between."""
        text = line.strip()
        if not text.strip("-"):
            return True
        return self._add_pages(_items(text))

    def _more_windows_pages(self, line):
        """bcdedit shows each page below the other."""
        return line[:1].isspace() and self._add_pages(_items(line.strip()))

    def _add_pages(self, items):
        return bool(items) and all(item[0] for item in items) and self._add_items(items, PAGE)

    def _take_pairs(self, text, bare):
        """memtest86+ goes on with a line in the next. Of a screen, a number may be half written."""
        numbers = [number for pair in parse_patterns(text) for number in pair]
        widths = {len(part) for part in _BETWEEN.split(text.strip(" ,\"'"))}
        if bare is None and len(widths) > 1:
            raise ValueError(f"{_shown(text)} is cut off")
        self._add_patterns(list(zip(numbers[::2], numbers[1::2])))
        if text.rstrip().endswith(","):
            self._going_on = lambda line: self._more_pairs(line, bare)

    def _more_pairs(self, line, bare):
        self._going_on = None
        if not (found := _items(line.strip())) or len(found) % 2:
            return False
        self._take_pairs(line, bare)
        return True

    def _take_items(self, text, number, pages, bare):
        """A line of nothing but numbers and ranges. Without bare, a row of a screen."""
        found = _items(text)
        if not found:
            return False
        if len(found) % 2 == 0 and all(_is_mask(item) for item in found[1::2]):
            self._take_pairs(text, bare)
            return True
        are_pages = pages or any(item[2] == ".." for item in found)
        if len(found) > 1 and not are_pages:
            raise ValueError(f"{_shown(text)} may be pages or addresses: --pages says pages")
        if bare is None and not any(item[2] == ".." for item in found):
            raise ValueError(f"{_shown(text)} may be a part of a number")
        numbers = [item[:2] for item in found] + [item[3:] for item in found if item[2]]
        has_base = [bool(prefix) or len(number) == 1 for prefix, number in numbers]
        if all(has_base):
            return self._add_items(found, PAGE if are_pages else 1)
        if any(has_base) or any(item[2] not in (None, "-") for item in found):
            raise ValueError(f"{_shown(text)} has numbers with 0x, and without")
        for _, first, _, _, last in found:
            bare.add(number, first, last)
        return True

    def _take_bare(self, bare):
        """Yields (number, why) for each that is not used."""
        if not bare:
            return
        is_same = bare.is_the_same()
        base = 10 if is_same else bare.inferred_base()
        if not base:
            for line, text in bare.texts():
                self.n_lost += 1
                yield line, f"{_shown(text)} may be decimal or hexadecimal: --base says which"
            return
        self.inferred_base = None if bare.base or is_same else base
        for line, first, end in bare.spans(base):
            try:
                self._add(first * bare.scale, bare.scale * (first + 1 if end is None else end))
            except ValueError as error:
                self.n_lost += 1
                yield line, str(error)

    def _add_items(self, items, scale):
        """With 0x, as _items() has them."""
        for _, first, dash, _, last in items:
            base = parse_hex(first)
            end = base + 1 if last is None else parse_hex(last) + (dash != "-")
            self._add(base * scale, end * scale)
        return True

    def _take_regions(self, line):
        """Linux's memmap=SIZE$ADDRESS,..., of which memtest86+ continues the line in the next."""
        values = _MEMMAP.findall(line)
        regions = [
            part for v in values or [line] for part in v.strip().removesuffix(",").split(",")
        ]
        found = [_REGION.fullmatch(part.strip()) for part in regions]
        if not any(found) and not values:
            return False
        for part, match in zip(regions, found):
            if match:
                base = parse_size(match[3], match[4])
                self._add(base, base + parse_size(match[1], match[2]))
            elif not _OTHER_REGION.fullmatch(part):
                raise ValueError(f"{_shown(part)} is no region of memmap=")
        return any(found)

    def _take_list(self, line):
        """Of another system's line or command."""
        if match := _CUTMEM.fullmatch(line):
            self._add(parse_size(match[1], match[2]), parse_size(match[3], match[4]))
            return True
        for pattern, what in _LISTS:
            if not (texts := pattern.findall(line)):
                continue
            found = [item for text in texts for item in _items(text.strip()) or [()]]
            if not all(item and item[0] for item in found):
                raise ValueError(f"{_shown(line.strip())} is not a list of numbers with 0x")
            # These lists name the last page of a range, not its end.
            found = [(*item[:2], item[2] and "..", *item[3:]) for item in found]
            self._add_items(found, PAGE if what == "pages" else 1)
            if what == "pages" and "bcdedit" not in line:
                self._going_on = self._more_windows_pages
            return True
        return False

    def _take_log(self, line):
        for pattern, what in _LOGS:
            if match := pattern.fullmatch(line):
                numbers = [int(group, 16) for group in match.groups()]
                if what == "page":
                    numbers = [numbers[0] * PAGE, (numbers[0] + 1) * PAGE]
                self._add_address(*numbers) if what == "address" else self._add(*numbers)
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
                self._begin_covers(int(record["bad_pages"]))
                self._add_patterns(pairs)

    def _add_address(self, address):
        self._add(address, address + 1)

    def _add(self, base, end):
        if base >= end:
            raise ValueError(f"{_hex(base)}-{_hex(end)} ends before it begins")
        if end > TOP:
            raise ValueError(f"{_hex(end - 1)} is above 64 TiB")
        if len(self._addresses) + len(self._ranges) // 2 >= _PLACES_MAX:
            raise Trouble(f"the input names more than {_PLACES_MAX} bad places.")
        if end - base == 1 or (end - base == PAGE and base % PAGE == 0):
            address = base | (_WHOLE_PAGE if end - base > 1 else 0)
            if not self._addresses or self._addresses[-1] != address:
                self._addresses.append(address)
        else:
            self._ranges.extend((base, end))

    def _begin_covers(self, n_pages):
        """Those of before are of fewer pages."""
        self._n_pages, self._covers, self._is_cover = min(n_pages, TOP), [], True

    def _add_patterns(self, patterns):
        known = self._covers if self._is_cover else self.patterns
        self._is_cover = False
        for address, _ in patterns:
            if address >= TOP:
                raise ValueError(f"{address:#x} is above 64 TiB")
        fresh = [pair for pair in dict.fromkeys(patterns) if pair not in known]
        if len(known) + len(fresh) > _PATTERNS_MAX:
            raise ValueError(f"there are more than {_PATTERNS_MAX} patterns")
        known += fresh

    def _add_ram(self, spans):
        ram = [(int(base, 16), int(end, 16)) for base, end in spans]
        if len(self.ram) + len(ram) > _SPANS_MAX:
            raise ValueError(f"there are more than {_SPANS_MAX} ranges of RAM")
        self.ram += ram


def _items(text):
    """The groups of each number or range of a list; none if one is something else."""
    found = [_ITEM.fullmatch(part) for part in _BETWEEN.split(text.rstrip(", ")) if part]
    if not found or not all(found):
        return []
    found = [match.groups() for match in found]
    # A word of letters is a word.
    is_word = any(not prefix and not re.search(r"\d", first) for prefix, first, *_ in found)
    return [] if is_word else found


def _is_mask(item):
    return item[2] is None and bool(item[0]) and len(item[1]) <= 16 and int(item[1], 16) >= TOP


def _hex(number):
    """For a sentence."""
    return f"{number:#x}" if number < 1 << 64 else "the number"


def _shown(text):
    return f"'{output.line(text[:_SHOWN_CHARS])}'"


def parse_number(text):
    if len(text) > _NUMBER_CHARS_MAX:
        raise ValueError(f"{_shown(text)}... is longer than any number of an address")
    return int(text, 16 if text[:2].lower() == "0x" else 10)


def parse_hex(text):
    if len(text) > _NUMBER_CHARS_MAX:
        raise ValueError(f"{_shown(text)}... is longer than any number of an address")
    return int(text, 16)


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
