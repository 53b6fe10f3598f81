# SPDX-License-Identifier: MIT
"""Simulates march tests on up to three cells: the faults of tests/coverage are checked against it,
and it counts the linked faults that a march finds.

Shares nothing with the C model but the notation: fault primitives <S/F/R> and <Sa;Sv/F/R> (van de
Goor and Al-Ars, "Functional Memory Faults: A Formal Notation and a Taxonomy", VTS 2000), march
tests as okram's march= takes them.
"""

import re
from dataclasses import dataclass
from itertools import permutations, product

DISTURBING = ["0r0", "1r1", "0w0", "0w1", "1w0", "1w1"]


@dataclass(frozen=True)
class Primitive:
    """Aggressor and victim are a state ("0") or an operation ("0w1", "0r0"); victim "x": any."""

    aggressor: str | None
    victim: str
    faulty: str  # the victim afterwards; "!x": inverted
    read: str  # what a read of the victim gives, "-": no read is meant


def parse_primitive(text):
    parts = re.fullmatch(r"<(?:([^;/]+);)?([^;/]+)/([^/]+)/([^/]+)>", text).groups()
    return Primitive(*parts)


def parse_march(text):
    """[(direction, [operation, ...]), ...]; a pause has no operations."""
    elements = []
    for direction, operations in re.findall(r"(any|up|down|del)\(([^)]*)\)", text):
        elements.append((direction, [] if direction == "del" else operations.split(",")))
    return elements


class Cells:
    """Cells, of which the last is the victim of all fault primitives; each of these that has an
    aggressor has one of its own, in their order."""

    def __init__(self, primitives, states):
        self.primitives = primitives
        self.state = list(states)
        self.victim = len(self.state) - 1
        self.settle()

    def sensitized(self, cell, operation):
        """The primitive of which the operation on the cell is, if its other cell fits."""
        for aggressor, p in enumerate(self.primitives):
            of_victim = cell == self.victim and operation == p.victim
            of_aggressor = cell == aggressor != self.victim and operation == p.aggressor
            if of_victim and p.aggressor in (None, self.state[aggressor]):
                return p
            if of_aggressor and p.victim in ("x", self.state[self.victim]):
                return p
        return None

    def corrupt(self, primitive):
        now = self.state[self.victim]
        inverted, faulty = "1" if now == "0" else "0", primitive.faulty
        self.state[self.victim] = inverted if faulty == "!x" else faulty

    def settle(self):
        """Faults that need no operation."""
        for aggressor, p in enumerate(self.primitives):
            holds = [self.state[self.victim]]
            needed = [p.victim]
            if p.aggressor is not None:
                holds.append(self.state[aggressor])
                needed.append(p.aggressor)
            if needed == holds:
                self.corrupt(p)

    def write(self, cell, value):
        hit = self.sensitized(cell, f"{self.state[cell]}w{value}")
        self.state[cell] = value
        if hit:
            self.corrupt(hit)
        self.settle()

    def read(self, cell):
        value = self.state[cell]
        hit = self.sensitized(cell, f"{value}r{value}")
        if hit:
            if cell == self.victim:
                value = hit.read
            self.corrupt(hit)
        self.settle()
        return value


class Word(Cells):
    """Both cells are bits of one word: written and read together; the effect comes last."""

    def write_both(self, values):
        (p,) = self.primitives
        before, self.state = self.state, list(values)
        is_aggressor = p.aggressor == f"{before[0]}w{values[0]}"
        if is_aggressor and p.victim in ("x", self.state[1]):
            self.corrupt(p)
        self.settle()


class Decoder:
    """Two addresses whose decoder is faulty: which cells each one reaches."""

    def __init__(self, reach, together, floating):
        self.reach, self.together, self.floating = reach, together, floating
        self.state = ["0", "0"]

    def write(self, address, value):
        for cell in self.reach[address]:
            self.state[cell] = value

    def read(self, address):
        values = [self.state[cell] for cell in self.reach[address]]
        return self.together(values) if values else self.floating


# van de Goor, "Testing Semiconductor Memories", 1991: faults A to D, in every way they may show.
# The faulty address is 0; several cells read at once give their AND or their OR.
DECODERS = {
    "A": [([[], [1]], min, floating) for floating in "01"],
    "B": [([[], [0, 1]], min, floating) for floating in "01"],
    "C": [([[1], [1]], min, "0")],
    "D": [([[0, 1], [1]], together, "0") for together in (min, max)],
}


def run(march, memory, addresses, any_is="up"):
    """Whether some read of the march gives what it does not expect."""
    for direction, operations in march:
        order = addresses
        if direction == "down" or (direction == "any" and any_is == "down"):
            order = addresses[::-1]
        for address, operation in product(order, operations):
            kind, value = operation
            if kind == "w":
                memory.write(address, value)
            elif memory.read(address) != value:
                return True
    return False


def detects(march, primitive, any_is="up"):
    """The fault is found whichever of the cells comes first, and whatever they held before."""
    if primitive.aggressor is None:
        return all(run(march, Cells([primitive], [s]), [0], any_is) for s in "01")
    return all(
        run(march, Cells([primitive], states), order, any_is)
        for states in product("01", repeat=2)
        for order in ([0, 1], [1, 0])
    )


def linked_faults():
    """Pairs of primitives with one victim and an aggressor each. The first flips the victim and no
    read shows that at once; the second begins where the first has left it, and flips it back (S.
    Hamdioui, Z. Al-Ars, A. van de Goor, M. Rodgers, "Linked Faults in Random Access Memories", IEEE
    TCAD 2004: LF3)."""
    flips = {}
    for s, n in ("01", "10"):
        disturbing = [f"<{operation};{s}/{n}/->" for operation in DISTURBING]
        quiet = [f"{s}w{s}/{n}/-", f"{s}r{s}/{n}/{s}"]
        quiet = [f"<{a};{text}>" for a in "01" for text in quiet]
        transition = [f"<{a};{n}w{s}/{n}/->" for a in "01"]
        shown = [f"<{a};{s}r{s}/{n}/{n}>" for a in "01"]
        flips[n] = (
            [*disturbing, *quiet, *transition],  # that a read may miss
            [*disturbing, *quiet, *shown],  # from s to n
        )
    return [
        (parse_primitive(first), parse_primitive(second))
        for value, other in ("01", "10")
        for first in flips[value][0]
        for second in flips[other][1]
    ]


def detects_linked(march, pair):
    """In whichever order the three cells are, whatever they held before."""
    return all(
        run(march, Cells(pair, states), order)
        for order in permutations(range(3))
        for states in product("01", repeat=3)
    )


def detects_decoder(march, variants, any_is="up"):
    return all(
        run(march, Decoder(*variant), order, any_is)
        for variant in variants
        for order in ([0, 1], [1, 0])
    )
