# SPDX-License-Identifier: MIT
"""Faults for `--fault`.

    stuck0@ADDR.BIT  stuck1@ADDR.BIT    the cell is always 0 (1)
    rise@ADDR.BIT    fall@ADDR.BIT      storing 1 over 0 (0 over 1) fails
    invert@AGGR.BIT>VICT.BIT            any change of the aggressor inverts the victim
    set0@AGGR.BIT>VICT.BIT  set1@...    the aggressor going 0 to 1 makes the victim 0 (1)
    disturb@ADDR.BIT                    storing the value that it has inverts the cell
    deceive@ADDR.BIT                    a load brings the right value, but inverts the cell
    state@AGGR.BIT>VICT.BIT             while the aggressor is 1 the victim is 0
    invert-write@AGGR.BIT>VICT.BIT      storing the value that the aggressor has inverts the victim
    invert-read@AGGR.BIT>VICT.BIT       a load of the aggressor inverts the victim
    couple@AGGR.BIT>VICT.BIT:E/V[/C.BIT=V]  E, one or more of r (the aggressor goes 0 to 1), f (1 to
                                        0), w (the value that it has is stored) and l (it is
                                        loaded), makes the victim V, 0 or 1, or x: inverts it; with
                                        a third cell C only while that holds 0 or 1
    alias@PAGE>PAGE[*COUNT]             the first page has no cells: it reaches those of the second;
                                        the same of COUNT pages from each on
    fade@ADDR.BIT:SECONDS               a 1 not stored again for SECONDS becomes 0
    leak@ADDR.BIT:SECONDS/LVR           a V (0 or 1) not stored again for SECONDS becomes the
                                        opposite while the same bit of the word before it is an L
                                        and that of the word after it an R: 101, for example
    ecc@ADDR.BIT[:N]                    the cell is always 0, and ECC corrects it: 1 in N reads of
                                        a 1 there is a machine check without address
    lapse@ADDR.BIT:N[/M]                each Nth store stores the opposite; M were before the run
    chip@PAGE.LANE:N                    of N lines stored in the page one is garbled, as by a fault
                                        of the chip of byte LANE behind memory encryption
    chip-read@PAGE.LANE:N               the same, but the second read of such a line is right
    rare@PAGE+SIZE:N[/WHEN[/SEED]]      of the lines of 64 bytes that are stored there one in N, at
                                        random, has a wrong bit until it is stored again; WHEN:
                                        always; load: another CPU was there within 0.1 ms; step:
                                        none was; toggle: nearly all bits differ from word to word;
                                        pattern: 8 bits, drawn by SEED, have certain values; lanes:
                                        both; row: the bank had another row open; turn: after a
                                        load; cpu: by CPU 1
    lost-beat@PAGE.BEAT:N               of N lines of the page that a cache writes back one keeps
                                        what it had in a beat, 0-7
    shifted-beats@PAGE.BEAT:N           the same, but each beat from that on, 1-7, has the data of
                                        the one before it
    bridge@PAGE:LINE-LINE               two data lines, 0-63, are one: both are 0 if either is
    misread@ADDR.BIT:N                  one load in N, at random, brings the opposite
    one-cpu@ADDR.BIT:CPU                storing 1 fails if that CPU stores
    all-cpus@ADDR.BIT                   storing 1 fails while another CPU stores, wherever
    holes@BASE+STRIDE*COUNT.BIT         COUNT cells stuck at 1, STRIDE bytes apart
    cpu-load@CPU:N  cpu-store@CPU:N     memory is sound, but of a CPU's loads or stores one in N is
                                        wrong in one bit
    cpu-vector@CPU:N                    the same of vectors, always in the same bit
    cpu-cache@CPU:N                     of the lines that a CPU loads it keeps one in N, and loads
                                        it once more as it was
    dram-row@MAP/KEY=N,...              stuck cells by their place in DRAM: a row of a chip, a bit
    dram-column@MAP/KEY=N,...           line, a data pin of a rank, a chip of a rank. MAP, as it was
    dram-pin@MAP/KEY=N,...              published: sandy-bridge, skylake, coffee-lake, zen3, zen4,
    dram-chip@MAP/KEY=N,...             raptor-lake

ADDR, AGGR, VICT, BASE: the guest-physical address of a byte; PAGE: of a page's first byte.
BIT: 0-7, of that byte. Numbers: 0x…, or decimal, with K, M, G or T.
KEY: channel, subchannel, rank, group, bank, row (the first), column (its byte in the row), pin,
pins (8 of a chip or row), beat (of a line's burst), rows (1 of a row, 512 of a bit line, all of a
pin or chip), one (in how many cells, 1), value (0, 1, 2: mixed; 1); all others are 0.
"""

import re
from dataclasses import dataclass

from . import Trouble
from .units import PAGE, parse_size

CELL_KINDS = ("stuck0", "stuck1", "rise", "fall", "disturb", "deceive", "all-cpus")
COUPLING_KINDS = ("invert", "set0", "set1", "state", "invert-write", "invert-read")
CHIP_KINDS = ("chip", "chip-read")
BEAT_KINDS = ("lost-beat", "shifted-beats")
PAGE_KINDS = (*CHIP_KINDS, *BEAT_KINDS, "alias", "bridge")
CPU_KINDS = ("cpu-load", "cpu-store", "cpu-vector", "cpu-cache")
DRAM_KINDS = ("dram-row", "dram-column", "dram-pin", "dram-chip")
KINDS = (
    *CPU_KINDS,
    *DRAM_KINDS,
    *CELL_KINDS,
    *COUPLING_KINDS,
    *PAGE_KINDS,
    "couple",
    "fade",
    "leak",
    "ecc",
    "lapse",
    "rare",
    "misread",
    "one-cpu",
    "holes",
)

LINE, WORD = 64, 8  # bytes
HOLES_MAX = 1 << 20
ECC_ONE_IN_MAX = 1 << 20
LAPSE_MAX = (1 << 31) - 1
CHIP_ONE_IN_MAX = (1 << 32) - 1
CPU_ONE_IN_MAX = (1 << 48) - 1
ALIAS_PAGES_MAX = 1 << 16

# As tools/plugin/rare.c has them.
RARE_WHENS = ("always", "load", "step", "toggle", "pattern", "lanes", "row", "turn", "cpu")

# As tools/plugin/dram_maps.c has them, and bits of data of a channel.
DRAM_MAPS = {
    "sandy-bridge": 64,
    "skylake": 64,
    "coffee-lake": 64,
    "zen3": 64,
    "zen4": 32,
    "raptor-lake": 32,
}
_DRAM_FIELDS = ("channel", "dimm", "subchannel", "rank", "group", "bank")
_ALL_FIELDS, _OF_A_RANK = (1 << len(_DRAM_FIELDS)) - 1, 0b1111
_ALL = (1 << 32) - 1
_DRAM_KEYS = (*_DRAM_FIELDS, "row", "column", "pin", "pins", "beat", "rows", "one", "value")

# For `make run`: a few of each kind, within the first 128 MiB.
SAMPLE = (
    "stuck1@0x4a35128.3",
    "stuck0@0x5201f40.6",
    "rise@0x5a00088.0",
    "invert@0x6123000.2>0x6127a10.5",
    "holes@0x7000040+0x2000*6.1",
)


@dataclass(frozen=True)
class Cell:
    addr: int
    bit: int


@dataclass(frozen=True)
class Fault:
    """One fault of the plugin; an alias has whole pages, bit 0; a chip one, and its lane."""

    kind: str
    cell: Cell
    victim: Cell | None = None
    seconds: float | None = None
    one_in: int | None = None
    every: int | None = None
    stores: int = 0  # of a cell that lapses, before the run
    holds: str = ""  # of a cell that leaks: what its left neighbour, it and its right one hold
    third: Cell | None = None  # of a coupling, and in holds the value that it needs
    last: tuple = ()  # what comes after the cells in the plugin's configuration
    # Of kind "dram" and of CPUs: the words after it in the plugin's configuration.
    words: tuple = ()

    @property
    def cells(self):
        if self.cell is None:
            return ()
        return tuple(cell for cell in (self.cell, self.victim, self.third) if cell)


class _Malformed(ValueError):
    pass


def parse(text):
    """The faults of one spec. Trouble if it is malformed."""
    kind, at, rest = text.strip().partition("@")
    try:
        if not at or kind not in KINDS:
            raise _Malformed(f"it must start with one of {', '.join(KINDS)} and an '@'")
        return _parse_kind(kind, rest)
    except ValueError as error:
        raise Trouble(f"--fault {text}: {error}") from None


def _parse_kind(kind, rest):
    if kind in CPU_KINDS:
        match = re.fullmatch(r"([0-9]+):([1-9][0-9]*)", rest)
        if not match or int(match[2]) > CPU_ONE_IN_MAX:
            raise _Malformed(f"it must read {kind}@CPU:N, N from 1 to {CPU_ONE_IN_MAX}")
        return [Fault(kind, None, words=match.groups())]
    if kind in DRAM_KINDS:
        return [_dram(kind, rest)]
    if kind in CELL_KINDS:
        return [Fault(kind, _cell(rest))]
    if kind in COUPLING_KINDS:
        aggressor, victim = _pair(rest, "AGGR.BIT>VICT.BIT")
        if _cell(aggressor) == _cell(victim):
            raise _Malformed("a cell cannot be its own victim")
        return [Fault(kind, _cell(aggressor), _cell(victim))]
    if kind == "couple":
        return [_couple(rest)]
    if kind == "alias":
        return _aliases(rest)
    if kind == "bridge":
        match = re.fullmatch(r"(.*):([0-9]+)-([0-9]+)", rest)
        if not match or match[2] == match[3] or max(int(match[2]), int(match[3])) > 63:
            raise _Malformed("it must read bridge@PAGE:LINE-LINE, two of the lines 0-63")
        return [Fault(kind, Cell(_page(match[1]), int(match[2])), last=(match[3],))]
    if kind == "one-cpu":
        cell, colon, cpu = rest.rpartition(":")
        if not colon or not cpu.isdecimal():
            raise _Malformed("it must read one-cpu@ADDR.BIT:CPU")
        return [Fault(kind, _cell(cell), last=(cpu,))]
    if kind in (*CHIP_KINDS, *BEAT_KINDS, "misread"):
        cell, colon, one_in = rest.rpartition(":")
        if not colon or not one_in.isdecimal() or not 1 <= int(one_in) <= CHIP_ONE_IN_MAX:
            raise _Malformed(f"it must read {kind}@{_FORMS[kind]}:N, N from 1 to {CHIP_ONE_IN_MAX}")
        cell = _cell(cell)
        if kind != "misread":
            _first_byte(cell.addr)
        if kind == "shifted-beats" and cell.bit == 0:
            raise _Malformed("there is no beat before the first, 0")
        return [Fault(kind, cell, one_in=int(one_in))]
    if kind == "fade":
        cell, colon, seconds = rest.rpartition(":")
        if not colon or not re.fullmatch(r"[0-9]*\.?[0-9]+", seconds):
            raise _Malformed("it must read fade@ADDR.BIT:SECONDS")
        return [Fault(kind, _cell(cell), seconds=float(seconds))]
    if kind == "leak":
        return [_leak(rest)]
    if kind == "ecc":
        cell, colon, n = rest.partition(":")
        if colon and (not n.isdecimal() or not 1 <= int(n) <= ECC_ONE_IN_MAX):
            raise _Malformed(f"N must be 1-{ECC_ONE_IN_MAX}: ecc@ADDR.BIT:N")
        return [Fault(kind, _cell(cell), one_in=int(n or 1))]
    if kind == "lapse":
        match = re.fullmatch(r"(.*):([0-9]+)(?:/([0-9]+))?", rest)
        if not match or not 1 <= int(match[2]) <= LAPSE_MAX:
            raise _Malformed(f"it must read lapse@ADDR.BIT:N or :N/M, N being 1-{LAPSE_MAX}")
        every, stores = int(match[2]), int(match[3] or 0)
        if stores >= every:
            raise _Malformed("M must be less than N in lapse@ADDR.BIT:N/M")
        return [Fault(kind, _cell(match[1]), every=every, stores=stores)]
    return [_rare(rest)] if kind == "rare" else _holes(rest)


_FORMS = {
    **dict.fromkeys(CHIP_KINDS, "PAGE.LANE"),
    **dict.fromkeys(BEAT_KINDS, "PAGE.BEAT"),
    "misread": "ADDR.BIT",
}


def _couple(text):
    match = re.fullmatch(r"(.*)>(.*):([rfwl]+)/([01x])(?:/(.*)=([01]))?", text)
    if not match:
        raise _Malformed("it must read couple@AGGR.BIT>VICT.BIT:E/V or :E/V/C.BIT=V")
    aggressor, victim = _cell(match[1]), _cell(match[2])
    third = _cell(match[5]) if match[5] else None
    if victim in (aggressor, third):
        raise _Malformed("a cell cannot be its own victim")
    events = sum(1 << "rfwl".index(letter) for letter in set(match[3]))
    last = (str(events), str("01x".index(match[4])))
    return Fault("couple", aggressor, victim, third=third, last=last, holds=match[6] or "")


def _aliases(text):
    pages, star, count = text.partition("*")
    first, second = map(_page, _pair(pages, "PAGE>PAGE"))
    if star and (not count.isdecimal() or not 1 <= int(count) <= ALIAS_PAGES_MAX):
        raise _Malformed(f"COUNT must be 1-{ALIAS_PAGES_MAX}: alias@PAGE>PAGE*COUNT")
    size = int(count or 1) * PAGE
    if abs(first - second) < size:
        raise _Malformed("a page cannot be its own alias")
    return [
        Fault("alias", Cell(first + at, 0), Cell(second + at, 0)) for at in range(0, size, PAGE)
    ]


def _leak(text):
    match = re.fullmatch(r"(.*):([0-9]*\.?[0-9]+)/([01]{3})", text)
    if not match:
        raise _Malformed("it must read leak@ADDR.BIT:SECONDS/LVR; L, V and R are 0 or 1")
    cell = _cell(match[1])
    if cell.addr % LINE // WORD in (0, LINE // WORD - 1):
        raise _Malformed("the first and the last word of a line of 64 bytes have one neighbour")
    return Fault("leak", cell, seconds=float(match[2]), holds=match[3])


def _rare(text):
    match = re.fullmatch(r"([^+]+)\+([^:]+):([1-9][0-9]*)(?:/(\w+))?(?:/([0-9]+))?", text)
    when = match and (match[4] or "always")
    if when not in RARE_WHENS:
        raise _Malformed(f"it must read rare@PAGE+SIZE:N/WHEN, WHEN one of {', '.join(RARE_WHENS)}")
    first, size = Cell(_page(match[1]), 0), parse_size(match[2])
    if size % PAGE or not size:
        raise _Malformed(f"{size:#x} bytes are not whole pages of 4 KiB")
    return Fault("rare", first, words=(when, f"{size:#x}", match[3], match[5] or "1"))


def _dram(kind, text):
    name, slash, rest = text.partition("/")
    if name not in DRAM_MAPS:
        raise _Malformed(f"'{name}' is not one of the maps {', '.join(DRAM_MAPS)}")
    given = dict(_dram_value(word) for word in rest.split(",")) if slash else {}
    pins = given.get("pins", 8 if kind in ("dram-row", "dram-chip") else 1)
    if not 1 <= pins <= DRAM_MAPS[name] or given.get("pin", 0) + pins > DRAM_MAPS[name]:
        raise _Malformed(f"its pins must be some of 0-{DRAM_MAPS[name] - 1}")
    if not 0 <= given.get("value", 1) <= 2 or given.get("one", 1) < 1:
        raise _Malformed("value must be 0, 1 or 2, and one at least 1")
    row = given.get("row", 0)
    whole = kind in ("dram-pin", "dram-chip")
    rows = given.get("rows", _ALL if whole else 512 if kind == "dram-column" else 1)
    numbers = [
        _OF_A_RANK if whole else _ALL_FIELDS,
        *(given.get(field, 0) for field in _DRAM_FIELDS),
        *(row, rows, int(kind != "dram-column"), given.get("column", 0)),
        *(given.get("pin", 0), pins, given.get("beat", 0) if kind == "dram-column" else _ALL),
        *(given.get("one", 1), given.get("value", 1), row + 1),
    ]
    return Fault("dram", None, words=(name, *map(str, numbers)))


def _dram_value(word):
    key, equals, value = word.partition("=")
    if not equals or key not in _DRAM_KEYS:
        raise _Malformed(f"'{word}' is not KEY=N, KEY being one of {', '.join(_DRAM_KEYS)}")
    number = parse_size(value)
    if number > _ALL:
        raise _Malformed(f"{number} is too large")
    return key, number


def _pair(text, form):
    first, arrow, second = text.partition(">")
    if not arrow:
        raise _Malformed(f"it needs two places: {form}")
    return first, second


def _cell(text):
    addr, dot, bit = text.rpartition(".")
    if not dot:
        raise _Malformed(f"'{text}' is not an address and a bit, ADDR.BIT")
    if not bit.isdecimal() or int(bit) > 7:
        raise _Malformed(f"bit '{bit}' is not one of 0-7, the bits of the byte at ADDR")
    return Cell(parse_size(addr), int(bit))


def _page(text):
    return _first_byte(parse_size(text))


def _first_byte(addr):
    if addr % PAGE:
        raise _Malformed(f"{addr:#x} is not the first byte of a 4 KiB page")
    return addr


def _holes(text):
    match = re.fullmatch(r"([^+]+)\+([^*]+)\*([^.]+)(\..*)", text)
    if not match:
        raise _Malformed("it must read holes@BASE+STRIDE*COUNT.BIT")
    first = _cell(match[1] + match[4])
    stride, count = parse_size(match[2]), parse_size(match[3])
    if not 1 <= count <= HOLES_MAX:
        raise _Malformed(f"COUNT must be 1-{HOLES_MAX}")
    if stride == 0:
        raise _Malformed("STRIDE must not be 0")
    return [Fault("stuck1", Cell(first.addr + i * stride, first.bit)) for i in range(count)]


def check_apart(faults):
    """A page with a fault as a whole holds no other: what is stored where is not defined."""
    pages = {}
    for fault in faults:
        for cell in fault.cells:
            pages.setdefault(cell.addr // PAGE, []).append(fault)
    for page, there in pages.items():
        kinds = [fault.kind for fault in there if fault.kind in PAGE_KINDS]
        if len(there) > 1 and kinds:
            where = f"{kinds[0]} page {page * PAGE:#x}"
            raise Trouble(f"--fault: {where} is part of another fault, too.")
