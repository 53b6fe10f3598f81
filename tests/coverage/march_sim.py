# SPDX-License-Identifier: MIT
"""Simulates march tests on two cells: what the faults of tests/coverage are checked against.

Shares nothing with the C model but the notation: fault primitives <S/F/R> and <Sa;Sv/F/R> (van de
Goor and Al-Ars, "Functional Memory Faults: A Formal Notation and a Taxonomy", VTS 2000), march
tests as okram's march= takes them.
"""

import re
from dataclasses import dataclass
from itertools import product


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
    """A cell, or two; the last one is the victim of one fault primitive."""

    def __init__(self, primitive, states):
        self.primitive = primitive
        self.state = list(states)
        self.victim = len(self.state) - 1
        self.settle()

    def sensitized(self, cell, operation):
        """Whether the operation on the cell is the primitive's, and the other cell fits."""
        p = self.primitive
        others = self.state[0] if p.aggressor else None
        if cell == self.victim and operation == p.victim:
            return p.aggressor in (None, others)
        if cell != self.victim and operation == p.aggressor:
            return p.victim in ("x", self.state[self.victim])
        return False

    def corrupt(self):
        now = self.state[self.victim]
        inverted, faulty = "1" if now == "0" else "0", self.primitive.faulty
        self.state[self.victim] = inverted if faulty == "!x" else faulty

    def settle(self):
        """Faults that need no operation."""
        p = self.primitive
        needed = [p.victim] if p.aggressor is None else [p.aggressor, p.victim]
        if needed == self.state:
            self.corrupt()

    def write(self, cell, value):
        hit = self.sensitized(cell, f"{self.state[cell]}w{value}")
        self.state[cell] = value
        if hit:
            self.corrupt()
        self.settle()

    def read(self, cell):
        value = self.state[cell]
        if self.sensitized(cell, f"{value}r{value}"):
            if cell == self.victim:
                value = self.primitive.read
            self.corrupt()
        self.settle()
        return value


class Word(Cells):
    """Both cells are bits of one word: written and read together; the effect comes last."""

    def write_both(self, values):
        before, self.state = self.state, list(values)
        is_aggressor = self.primitive.aggressor == f"{before[0]}w{values[0]}"
        if is_aggressor and self.primitive.victim in ("x", self.state[1]):
            self.corrupt()
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
        return all(run(march, Cells(primitive, [s]), [0], any_is) for s in "01")
    return all(
        run(march, Cells(primitive, states), order, any_is)
        for states in product("01", repeat=2)
        for order in ([0, 1], [1, 0])
    )


def detects_decoder(march, variants, any_is="up"):
    return all(
        run(march, Decoder(*variant), order, any_is)
        for variant in variants
        for order in ([0, 1], [1, 0])
    )
