# SPDX-License-Identifier: MIT
"""The simulator gives the literature's table, and the C fault models agree with it."""

import random
import subprocess
from itertools import product

import pytest

from march_sim import (
    DECODERS,
    DISTURBING,
    Cells,
    Word,
    detects,
    detects_decoder,
    detects_linked,
    linked_faults,
    parse_march,
    parse_primitive,
)
from okramlib import BUILD

FLIP = {"0": "1", "1": "0"}
ONE_CELL = [
    text
    for s, n in FLIP.items()
    for text in (
        f"<{s}/{n}/->",
        f"<{s}w{n}/{s}/->",
        f"<{s}w{s}/{n}/->",
        f"<{s}r{s}/{n}/{n}>",
        f"<{s}r{s}/{n}/{s}>",
        f"<{s}r{s}/{s}/{n}>",
    )
]
TWO_CELL = [f"<{a};{text[1:]}" for a in "01" for text in ONE_CELL] + [
    f"<{operation};{s}/{n}/->" for operation in DISTURBING for s, n in FLIP.items()
]
WITHIN = [f"<{a};{s}/{n}/->" for a in ("0", "1", "0w1", "1w0") for s, n in FLIP.items()] + [
    "<0w1;x/!x/->",
    "<1w0;x/!x/->",
]

# The literature's counts, as in docs/coverage.md.
TABLE = {
    "mats+": ("any(w0);up(r0,w1);down(r1,w0)", 7, 2, 4),
    "march-y": ("any(w0);up(r0,w1,r1);down(r1,w0,r0);any(r0)", 10, 4, 4),
    "march-c-": ("any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)", 8, 24, 4),
    "pmovi": (
        "down(w0);up(r0,w1,r1);up(r1,w0,r0);down(r0,w1,r1);down(r1,w0,r0)",
        10,
        25,
        4,
    ),
    "march-mss": (
        "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)",
        12,
        36,
        4,
    ),
    "march-ss": (
        "any(w0);up(r0,r0,w0,r0,w1);up(r1,r1,w1,r1,w0);"
        "down(r0,r0,w0,r0,w1);down(r1,r1,w1,r1,w0);any(r0)",
        12,
        36,
        4,
    ),
    "march-raw": (
        "any(w0);up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);"
        "down(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);any(r0)",
        12,
        36,
        4,
    ),
}


def counts(march):
    return (
        sum(detects(march, parse_primitive(text)) for text in ONE_CELL),
        sum(detects(march, parse_primitive(text)) for text in TWO_CELL),
        sum(detects_decoder(march, variants) for variants in DECODERS.values()),
    )


def test_the_numbers_of_primitives():
    assert (len(set(ONE_CELL)), len(set(TWO_CELL)), len(set(WITHIN))) == (12, 36, 10)


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    notation, *expected = TABLE[name]
    assert counts(parse_march(notation)) == tuple(expected)


@pytest.mark.parametrize(
    "repeats, with_complement, two_cell",
    [(1, False, 2), (2, False, 2), (6, False, 2), (2, True, 24), (6, True, 24)],
)
def test_moving_inversions(repeats, with_complement, two_cell):
    notation = "any(w0)" + ";up(r0,w1);down(r1,w0)" * repeats
    if with_complement:
        notation += ";any(w1)" + ";up(r1,w0);down(r0,w1)" * repeats
    assert counts(parse_march(notation))[1] == two_cell


# Linked faults of two aggressors. March SL finds all (Hamdioui et al., TCAD 2004).
LINKED = {
    "march-c-": (TABLE["march-c-"][0], 192),
    "march-mss": (TABLE["march-mss"][0], 252),
    "march-raw": (TABLE["march-raw"][0], 264),
    "march-sl": (
        "any(w0);up(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);up(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0);"
        "down(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);down(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0)",
        288,
    ),
}


def test_linked_faults_are_pairs_of_the_two_cell_ones():
    pairs = linked_faults()
    known = {parse_primitive(text) for text in TWO_CELL}
    assert len(pairs) == len(set(pairs)) == 288
    for first, second in pairs:
        assert {first, second} <= known
        assert second.victim[0] == first.faulty != second.faulty


@pytest.mark.parametrize("name", LINKED)
def test_linked_faults(name):
    notation, expected = LINKED[name]
    march = parse_march(notation)
    assert sum(detects_linked(march, pair) for pair in linked_faults()) == expected


def trace(lines):
    answers = subprocess.run(
        [BUILD / "coverage" / "fault_trace"],
        input="\n".join(lines) + "\n",
        check=True,
        capture_output=True,
        text=True,
    )
    return answers.stdout.splitlines()


def simulate(primitive, states, operations):
    """What fault_trace answers, by the simulator."""
    cells = Word([primitive], states)
    read = ""
    for operation in operations:
        cell = 0 if operation[0] == "a" else cells.victim
        if operation == "r":
            read += "".join(cells.state)
        elif operation[0] == "w":
            cells.write_both(operation[1:])
        elif operation[2] == "w":
            cells.write(cell, operation[3])
        else:
            read += cells.read(cell)
    return f"{read}- {''.join(cells.state)}"


def operations_for(primitive, within):
    if within:
        return ["w00", "w01", "w10", "w11", "r"]
    cells = "v" if primitive.aggressor is None else "av"
    return [f"{cell}.{what}" for cell in cells for what in ("w0", "w1", "r")]


@pytest.mark.parametrize(
    "text, within",
    [(text, False) for text in ONE_CELL + TWO_CELL] + [(text, True) for text in WITHIN],
)
def test_the_models_agree(text, within):
    primitive = parse_primitive(text)
    chance = random.Random(text)
    n_cells = 1 if primitive.aggressor is None else 2
    cases = [
        (states, chance.choices(operations_for(primitive, within), k=length))
        for states in product("01", repeat=n_cells)
        for length in [1, 2, 3] * 20 + [40] * 10
    ]
    lines = [f"{text} {''.join(states)} {' '.join(operations)}" for states, operations in cases]
    assert trace(lines) == [simulate(primitive, *case) for case in cases]


def test_a_fault_is_seen_by_its_sequence_only():
    """The comparison above compares faulty behaviour: a healthy cell answers differently."""
    for text in ONE_CELL:
        primitive = parse_primitive(text)
        differs = 0
        for state in "01":
            for operations in product(["w0", "w1", "r"], repeat=3):
                cells, healthy = Cells([primitive], [state]), state
                for operation in operations:
                    if operation == "r":
                        differs += cells.read(0) != healthy
                    else:
                        healthy = operation[1]
                        cells.write(0, healthy)
        assert differs
