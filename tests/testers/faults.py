# SPDX-License-Identifier: MIT
"""The faults that each tester is given, one a run: drawn over kinds and places from a fixed seed,
and of more kinds (released.py) from one that each release has for itself, so that nobody can tune
a tester to them.

Only the generator's random() is used: Python promises its sequence for a seed, not that of others.
"""

import random
from dataclasses import dataclass

from okramlib import spec
from okramlib.units import GIB, KIB, MIB, PAGE

SEED = 20261126

LOW_BYTES, HIGH_BYTES = 192 * MIB, 64 * MIB  # of RAM below and above 4 GiB
# A good cell, of which each store counts. okram's guard marks one word of each page, not this one.
WITNESS = 96 * MIB + 0x840

OWN = "the tester's own memory"
LOW = "below 1 MiB"
_SPANS = {
    "elsewhere": (16 * MIB, 180 * MIB),
    LOW: (64 * KIB, 384 * KIB),
    "above 4 GiB": (4 * GIB, 4 * GIB + HIGH_BYTES - MIB),
    "top": (4 * GIB + HIGH_BYTES - MIB, 4 * GIB + HIGH_BYTES),
}
TABLES, ACPI, ENDS = "page tables", "ACPI's tables", "the end of a node"
PLACES = (*_SPANS, OWN, TABLES, ACPI, ENDS)
_SHARES = {"elsewhere": 0.52, LOW: 0.1, "above 4 GiB": 0.14, "top": 0.1, OWN: 0.14}

# What the plugin calls each kind, and how many are drawn. Their sum is 230.
KINDS = {
    "stuck": (("stuck0", "stuck1"), 20),
    "transition": (("rise", "fall"), 20),
    "write disturb": (("disturb",), 15),
    "deceptive read": (("deceive",), 15),
    "coupling, inversion": (("invert",), 15),
    "coupling, idempotent": (("set0", "set1"), 20),
    "coupling, state": (("state",), 15),
    "coupling, by a write": (("invert-write",), 15),
    "coupling, by a read": (("invert-read",), 15),
    "address decoder": (("alias",), 15),
    "retention": (("fade",), 14),
    "retention by neighbours": (("leak",), 14),
    "intermittent, 1 in 100": (("lapse",), 15),
    "row": (("row",), 8),
    "column": (("column",), 7),
    "pin": (("pin",), 7),
}

_LAPSE = 100  # each such store of an intermittent fault; some of them were before the run
_NEAR = 8 * KIB  # the same cell of the next row, without interleaving
# Stuck cells: bytes from one to the next, and how many. A row has 8 KiB, a column the same cell of
# rows 256 KiB apart, a pin the same bit of words in other rows and columns.
_SPREAD = {"row": (64, 128), "column": (256 * KIB, 448), "pin": (0x121040, 90)}
_SPREAD_SPANS = {"row": _SPANS["elsewhere"], "column": (64 * MIB, 66 * MIB)}
_SPREAD_SPANS["pin"] = _SPREAD_SPANS["column"]


@dataclass(frozen=True)
class Drawn:
    """A fault whose place in the tester's own memory, if it is there, is not known yet."""

    number: int  # from 1 on
    kind: str
    word: str  # the plugin's
    place: str
    addr: int  # of the faulty cell; in the tester's own memory a part of 2^32 of it
    bit: int
    partner: tuple[str, int]  # of couplings and aliases: same page, near, or far, and a number
    partner_bit: int
    detail: str = ""  # what follows the cell in the fault's text
    second: tuple[str, int] = ("", 0)  # another partner
    second_bit: int = 0
    form: str = ""  # of the whole text, with names of cells; else word makes it
    is_alone: bool = False  # in the machine, always
    release: str | None = None  # whose name is the seed; None: the fixed one


@dataclass(frozen=True)
class Placed:
    text: str  # as for --fault
    pages: frozenset[int]  # those that are bad, by number
    others: frozenset[int] = frozenset()  # pages of good cells that make the fault
    nodes: int = 1  # of the machine

    def is_right(self, addr):
        return addr // PAGE in self.pages


def draw(seed=SEED):
    """All, in the order in which they are to be run: any part from the start on has its share of
    each kind."""
    chance = random.Random(seed)
    return numbered(
        ((i + 0.5) / count, _draw_one(kind, words[i % len(words)], chance))
        for kind, (words, count) in KINDS.items()
        for i in range(count)
    )


def numbered(drawn, first=1):
    """drawn: (order, fields of Drawn)."""
    ordered = sorted(drawn, key=lambda pair: pair[0])
    return [Drawn(i, **fields) for i, (_, fields) in enumerate(ordered, first)]


def _draw_one(kind, word, chance):
    if word in _SPREAD:
        addr = between(chance, *_SPREAD_SPANS[word])
        where = {"place": "elsewhere", "addr": addr, "bit": bit(chance), "partner": ("", 0)}
        return {"kind": kind, "word": word, "partner_bit": 0, **where}
    where = cell(chance)
    where |= {"partner": partner(chance), "bit": bit(chance), "partner_bit": bit(chance)}
    return {"kind": kind, "word": word, **where, "detail": _detail(word, where["addr"], chance)}


def cell(chance):
    place = _place(chance)
    return {"place": place, "addr": between(chance, *_SPANS.get(place, (0, 1 << 32)))}


def _place(chance):
    at = chance.random()
    for place, share in _SHARES.items():
        at -= share
        if at < 0:
            return place
    return "elsewhere"


def partner(chance):
    how = ("same page", "near", "far")[int(3 * chance.random())]
    far = between(chance, *_SPANS["elsewhere"])
    return how, far if how == "far" else between(chance, 0, PAGE)


def _detail(word, addr, chance):
    seconds = 0.1 * 10 ** (3 * chance.random())  # 0.1 to 100
    holds = ("101", "010")[int(2 * chance.random())]
    if word == "lapse":
        return f":{_LAPSE}/{addr % _LAPSE}"
    return {"fade": f":{seconds:.2f}", "leak": f":{seconds:.2f}/{holds}"}.get(word, "")


def between(chance, low, high):
    return low + int((high - low) * chance.random())


def bit(chance):
    return int(8 * chance.random())


def place(drawn, own):
    """The fault on the machine of a tester that is at `own`, (address, bytes)."""
    addr = drawn.addr
    if drawn.place in (OWN, TABLES):
        addr = own[0] + (own[1] * addr >> 32)
    if addr // PAGE == WITNESS // PAGE:
        addr += PAGE
    if drawn.form:
        return _formed(drawn, addr)
    if drawn.word in _SPREAD:
        return _spread(drawn, addr)
    if drawn.word == "alias":
        first, second = addr // PAGE, _partner_address(drawn.partner, addr) // PAGE
        second += first == second
        return Placed(f"alias@{first * PAGE:#x}>{second * PAGE:#x}", frozenset((first, second)))
    if drawn.word == "leak":  # the first and the last word of a line have one neighbour only
        addr += 8 if addr % 64 < 8 else -8 if addr % 64 >= 56 else 0
    text, others = f"{addr:#x}.{drawn.bit}", frozenset()
    if drawn.kind.startswith("coupling"):
        other = _partner_address(drawn.partner, addr)
        text, others = f"{other:#x}.{drawn.partner_bit}>{text}", frozenset((other // PAGE,))
    return Placed(f"{drawn.word}@{text}{drawn.detail}", frozenset((addr // PAGE,)), others)


def _formed(drawn, addr):
    """Several faults, each of which is in the form with the names of its cells."""
    first = _partner_address(drawn.partner, addr)
    second = _partner_address(drawn.second, addr)
    second += second == first
    cells = {
        "v": (addr, drawn.bit),
        "a": (first, drawn.partner_bit),
        "b": (second, drawn.second_bit),
        "n": (addr ^ 8, drawn.bit),  # in the same line
        "m": (addr, drawn.bit ^ 1),  # in the same byte
    }
    named = {name: f"{at:#x}.{bit}" for name, (at, bit) in cells.items()}
    text = drawn.form.format(page=f"{addr // PAGE * PAGE:#x}", **named)
    made = parse_all(text)
    pages = {cell.addr // PAGE for fault in made for cell in _bad_cells(fault)}
    touched = {cell.addr // PAGE for fault in made for cell in fault.cells}
    nodes = 2 if drawn.place == ENDS else 1
    return Placed(text, frozenset(pages), frozenset(touched - pages), nodes)


def parse_all(text):
    """The faults of a text: several, with blanks between."""
    return [fault for part in text.split() for fault in spec.parse(part)]


def _bad_cells(fault):
    return fault.cells if fault.kind == "alias" else [fault.victim or fault.cell]


def _partner_address(partner, addr):
    how, number = partner
    if how == "far":
        other = number
    elif how == "near":
        other = addr ^ _NEAR
    else:
        other = addr // PAGE * PAGE + number
    if other // PAGE == WITNESS // PAGE:
        other += PAGE
    return other + 1 - 2 * (other & 1) if other == addr else other


def _spread(drawn, addr):
    stride, count = _SPREAD[drawn.word]
    addr -= addr % _NEAR if drawn.word == "row" else 0
    addr += drawn.bit  # any of the eight bytes
    while WITNESS // PAGE in (pages := _pages(addr, stride, count)):
        addr += 2 * _NEAR
    return Placed(f"holes@{addr:#x}+{stride:#x}*{count}.{drawn.bit}", pages)


def _pages(addr, stride, count):
    return frozenset((addr + i * stride) // PAGE for i in range(count))


def groups(drawn, most, own, start=range(0)):
    """Lists of at most `most` faults that can be in one machine of a tester that is at `own`.

    No two have a page in common: the page that a tester names tells which fault it has found.
    Faults in its own memory, below 1 MiB, and where the tester writes as it starts (addresses) are
    with their like only, so that a tester that they end loses no others. What must be alone comes
    last.
    """
    made = []
    for one in filter(is_one_cell, drawn):
        placed = place(one, own)
        pages = placed.pages | placed.others
        is_in_start = any(page * PAGE in start for page in pages)
        like = one.place if one.place in (OWN, LOW) else "start" if is_in_start else ""
        like += " page" if "{page}" in one.form else ""
        for group, taken, of in made:
            if of == like and len(group) < most and not pages & taken:
                group.append(one)
                taken |= pages
                break
        else:
            made.append(([one], set(pages), like))
    return [group for group, _, _ in made] + [[one] for one in drawn if not is_one_cell(one)]


def is_one_cell(drawn):
    """Or of one page, on the usual machine: it may be there with others."""
    return drawn.word not in ("alias", *_SPREAD) and not drawn.is_alone
