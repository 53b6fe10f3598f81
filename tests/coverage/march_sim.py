# SPDX-License-Identifier: MIT
"""Simulates march tests on up to three cells: the oracle for the bench in C.

Shares nothing with it but the notation: fault primitives <S/F/R> and <Sa;Sv/F/R> (van de
Goor and Al-Ars, "Functional Memory Faults: A Formal Notation and a Taxonomy", VTS 2000), march
tests as okram's march= takes them.
"""

import re
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

FLIP = {"0": "1", "1": "0"}
DISTURBING = ["0r0", "1r1", "0w0", "0w1", "1w0", "1w1"]
OPERATIONS = ["w0", "w1", "r0", "r1", "del"]


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
    """[(direction, [operation, ...]), ...]"""
    elements = []
    for direction, operations in re.findall(r"(any|up|down|del)\(([^)]*)\)", text):
        elements.append((direction, ["del"] if direction == "del" else operations.split(",")))
    return elements


class Cells:
    """Cells, of which the last is the victim of all primitives. aggressors: the cell of each."""

    def __init__(self, primitives, aggressors=None):
        self.primitives = primitives
        self.aggressors = aggressors or [0]
        couples = any(p.aggressor is not None for p in primitives)
        self.n_cells = 1 + (max(self.aggressors) + 1 if couples else 0)
        self.n_bits, self.victim = self.n_cells, self.n_cells - 1

    def sensitized(self, cell, operation):
        """The primitive of which the operation on the cell is, if its other cell fits."""
        for p, aggressor in zip(self.primitives, self.aggressors):
            of_victim = cell == self.victim and operation == p.victim
            of_aggressor = cell == aggressor != self.victim and operation == p.aggressor
            if of_victim and p.aggressor in (None, self.state[aggressor]):
                return p
            if of_aggressor and p.victim in ("x", self.state[self.victim]):
                return p
        return None

    def corrupt(self, primitive):
        inverted, faulty = FLIP[self.state[self.victim]], primitive.faulty
        self.state[self.victim] = inverted if faulty == "!x" else faulty

    def settle(self):
        """Faults that need no operation."""
        for p, aggressor in zip(self.primitives, self.aggressors):
            if p.victim == self.state[self.victim] and p.aggressor in (None, self.state[aggressor]):
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

    def pause(self):
        pass


class Word(Cells):
    """Both cells are bits of one word: written and read together; the effect comes last."""

    def write_both(self, values):
        (p,) = self.primitives
        before, self.state = self.state, list(values)
        is_aggressor = p.aggressor == f"{before[0]}w{values[0]}"
        if is_aggressor and p.victim in ("x", self.state[1]):
            self.corrupt(p)
        self.settle()


class Fading(Cells):
    """A cell that loses one value in a pause."""

    def __init__(self, loses):
        super().__init__([])
        self.loses = loses

    def pause(self):
        if self.state == [self.loses]:
            self.state = [FLIP[self.loses]]


class StuckOpen:
    """Address 0 has no cell: a read gives what the sense amplifier has from the read before. The
    state is the cell of address 1, and the sense amplifier."""

    n_cells = n_bits = 2

    def settle(self):
        pass

    pause = settle

    def write(self, address, value):
        if address == 1:
            self.state[0] = value

    def read(self, address):
        if address == 1:
            self.state[1] = self.state[0]
        return self.state[1]


class Decoder(StuckOpen):
    """Two addresses whose decoder is faulty: which cells each one reaches."""

    def __init__(self, reach, together, floating):
        self.reach, self.together, self.floating = reach, together, floating

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


class Faults:
    """Faulty memories with the same number of cells and bits of state. A set of states is a number
    with a bit for each: what each operation makes of every set is looked up."""

    def __init__(self, memories):
        self.n_cells, n_bits = memories[0].n_cells, memories[0].n_bits
        states = [list(bits) for bits in product("01", repeat=n_bits)]
        self.rows = np.arange(len(memories))
        self.image = {}
        for cell, operation in product(range(self.n_cells), OPERATIONS):
            one = [[self._after(m, s, cell, operation) for s in states] for m in memories]
            self.image[cell, operation] = self._of_sets(np.array(one, np.uint8))
        settled = self._of_sets(np.array([[self._after(m, s) for s in states] for m in memories]))
        self.first = settled[:, -1].astype(np.uint8)

    @staticmethod
    def _after(memory, state, cell=None, operation=None):
        """The set of the one state that follows; empty if the operation shows the fault."""
        memory.state = list(state)
        if operation is None:
            memory.settle()
        elif operation == "del":
            memory.pause()
        elif operation[0] == "w":
            memory.write(cell, operation[1])
        elif memory.read(cell) != operation[1]:
            return 0
        return 1 << int("".join(memory.state), 2)

    @staticmethod
    def _of_sets(one):
        sets = np.zeros((len(one), 1 << one.shape[1]), np.uint8)
        for states in range(1, sets.shape[1]):
            lowest = states & -states
            sets[:, states] = sets[:, states ^ lowest] | one[:, lowest.bit_length() - 1]
        return sets

    def go(self, alive, elements, order, data, any_is="up"):
        """The sets of states in which no read has shown the fault. data: whether w0 writes 1."""
        for direction, operations in elements:
            down = direction == "down" or (direction == "any" and any_is == "down")
            for cell in order[::-1] if down else order:
                for operation in operations:
                    if operation != "del" and data[cell]:
                        operation = operation[0] + FLIP[operation[1]]
                    alive = self.image[cell, operation][self.rows, alive]
        return alive

    def found(self, march, any_is="up", all_data=False):
        """Which are found in every order of the cells, whatever they held before. all_data: and
        whatever the data are, which each cell has of its own."""
        cells = range(self.n_cells)
        found = np.ones(len(self.rows), bool)
        for order in permutations(cells):
            for data in product([0, 1], repeat=self.n_cells) if all_data else [[0] * self.n_cells]:
                found &= self.go(self.first, march, order, data, any_is) == 0
        return found


def static_faults():
    """{number of cells: primitives}: all of one cell, and all between two (S. Hamdioui, A. van de
    Goor, M. Rodgers, "March SS: A Test for All Static Simple RAM Faults", MTDT 2002)."""
    one = []
    for s, n in FLIP.items():
        one += [f"{s}/{n}/-", f"{s}w{n}/{s}/-", f"{s}w{s}/{n}/-"]
        one += [f"{s}r{s}/{n}/{n}", f"{s}r{s}/{n}/{s}", f"{s}r{s}/{s}/{n}"]
    two = [f"{aggressor};{text}" for aggressor in "01" for text in one]
    two += [f"{operation};{s}/{n}/-" for operation in DISTURBING for s, n in FLIP.items()]
    return {1: [f"<{text}>" for text in one], 2: [f"<{text}>" for text in two]}


def linked_faults():
    """{kind: [(first, second), ...]}: pairs of primitives with one victim. The first leaves it with
    the wrong value, and no read shows that at once; the second begins there, and flips it. Each has
    an aggressor or not: none (LF1), the same one (LF2aa), only the first (LF2av), only the second
    (LF2va), one of its own (LF3); S. Hamdioui, Z. Al-Ars, A. van de Goor, M. Rodgers, "Linked
    Faults in Random Access Memories", IEEE TCAD 2004."""
    kinds = {"LF1": [], "LF2aa": [], "LF2av": [], "LF2va": [], "LF3": []}
    for s, n in FLIP.items():
        hidden = [f"{s}w{s}/{n}/-", f"{s}r{s}/{n}/{s}", f"{n}w{s}/{n}/-"]
        back = [f"{n}w{n}/{s}/-", f"{n}r{n}/{s}/{n}", f"{n}r{n}/{s}/{s}"]
        ones = [[f"<{text}>" for text in texts] for texts in (hidden, back)]
        twos = [
            [f"<{o};{a}/{b}/->" for o in DISTURBING] + [f"<{o};{t}>" for o in "01" for t in texts]
            for a, b, texts in ((s, n, hidden), (n, s, back))
        ]
        kinds["LF1"] += product(*ones)
        kinds["LF2aa"] += product(*twos)
        kinds["LF2av"] += product(twos[0], ones[1])
        kinds["LF2va"] += product(ones[0], twos[1])
        kinds["LF3"] += product(*twos)
    return kinds


def linked_cells(kind, pair):
    return Cells([parse_primitive(text) for text in pair], [0, 1] if kind == "LF3" else [0, 0])


def all_faults():
    """{name, as the bench lists it: faults of that name}"""
    one, two = static_faults().values()
    faults = {
        "one": ({text: Cells([parse_primitive(text)]) for text in one}),
        "two": ({text: Cells([parse_primitive(text)]) for text in two}),
        "DRF": ({f"DRF {value}": Fading(value) for value in "01"}),
        "SOF": ({"SOF": StuckOpen()}),
    }
    for kind, pairs in linked_faults().items():
        faults[kind] = {f"{kind} {a} {b}": linked_cells(kind, (a, b)) for a, b in pairs}
    for name, variants in DECODERS.items():
        faults[f"AF {name}"] = {(f"AF {name}", i): Decoder(*v) for i, v in enumerate(variants)}
    return {kind: (list(of), Faults(list(of.values()))) for kind, of in faults.items()}


def found_by(faults, march, **options):
    """Of all_faults: {name: whether the march finds it, in each way that it shows}"""
    found = {}
    for names, of_kind in faults.values():
        for name, is_found in zip(names, of_kind.found(march, **options)):
            name = name[0] if isinstance(name, tuple) else name
            found[name] = found.get(name, True) and bool(is_found)
    return found
