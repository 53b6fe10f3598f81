# SPDX-License-Identifier: MIT
"""The simulator gives the literature's table, and the C fault models agree with it."""

import random
import subprocess
from itertools import product

import pytest

from march_search import divided, march_of, search, sequences
from march_sim import (
    FLIP,
    Cells,
    Word,
    all_faults,
    found_by,
    linked_cells,
    linked_faults,
    parse_march,
    parse_primitive,
    static_faults,
)
from okramlib import BUILD

ONE_CELL, TWO_CELL = static_faults().values()
WITHIN = [f"<{a};{s}/{n}/->" for a in ("0", "1", "0w1", "1w0") for s, n in FLIP.items()] + [
    "<0w1;x/!x/->",
    "<1w0;x/!x/->",
]
LINKED = [(kind, pair) for kind, pairs in linked_faults().items() for pair in pairs]

# Faults of 12, 36, 450, 288 and 4: of one cell, of two, linked ones of one or two and of three, of
# decoders. The static ones are the literature's counts. All are found, of static ones, by March SS
# (Hamdioui, van de Goor and Rodgers, MTDT 2002) and March MSS (Harutunyan, Vardanian and Zorian,
# VTS 2005); of linked ones, too, by March SL (Hamdioui and others, TCAD 2004) and March MSL
# (Harutunyan, Vardanian and Zorian, "Minimal March Test Algorithm for Detection of Linked Static
# Faults in Random Access Memories", VTS 2006).
TABLE = {
    "mats+": ("any(w0);up(r0,w1);down(r1,w0)", 7, 2, 59, 0, 4),
    "march-y": ("any(w0);up(r0,w1,r1);down(r1,w0,r0);any(r0)", 10, 4, 152, 12, 4),
    "march-c-": (
        "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)",
        *(8, 24, 340, 192, 4),
    ),
    "pmovi": (
        "down(w0);up(r0,w1,r1);up(r1,w0,r0);down(r0,w1,r1);down(r1,w0,r0)",
        *(10, 25, 374, 214, 4),
    ),
    "march-mss": (
        "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)",
        *(12, 36, 446, 252, 4),
    ),
    "march-ss": (
        "any(w0);up(r0,r0,w0,r0,w1);up(r1,r1,w1,r1,w0);"
        "down(r0,r0,w0,r0,w1);down(r1,r1,w1,r1,w0);any(r0)",
        *(12, 36, 450, 252, 4),
    ),
    "march-raw": (
        "any(w0);up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);"
        "down(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);any(r0)",
        *(12, 36, 450, 264, 4),
    ),
    "march-lr": (
        "any(w0);down(r0,w1);up(r1,w0,r0,w1);up(r1,w0);up(r0,w1,r1,w0);up(r0)",
        *(8, 24, 340, 220, 4),
    ),
    "march-la": (
        "any(w0);up(r0,w1,w0,w1,r1);up(r1,w0,w1,w0,r0);"
        "down(r0,w1,w0,w1,r1);down(r1,w0,w1,w0,r0);down(r0)",
        *(10, 28, 400, 256, 4),
    ),
    "march-sl": (
        "any(w0);up(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);up(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0);"
        "down(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);down(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0)",
        *(12, 36, 450, 288, 4),
    ),
    "march-msl": (
        "any(w0);up(r0,w1,w1,r1,r1,w0);up(r0,w0);up(r0);up(r0,w1);"
        "up(r1,w0,w0,r0,r0,w1);up(r1,w1);up(r1);down(r1,w0)",
        *(12, 36, 450, 288, 4),
    ),
}


@pytest.fixture(scope="module")
def faults():
    return all_faults()


def counts(faults, notation):
    """By the columns of TABLE; retention and stuck-open cells are in none."""
    found = found_by(faults, parse_march(notation))
    near = [f"{kind} {a} {b}" for kind, (a, b) in LINKED if kind != "LF3"]
    far = [f"{kind} {a} {b}" for kind, (a, b) in LINKED if kind == "LF3"]
    columns = [ONE_CELL, TWO_CELL, near, far, [f"AF {kind}" for kind in "ABCD"]]
    return tuple(sum(found[name] for name in names) for names in columns)


def test_the_numbers_of_primitives():
    assert (len(set(ONE_CELL)), len(set(TWO_CELL)), len(set(WITHIN))) == (12, 36, 10)


@pytest.mark.parametrize("name", TABLE)
def test_table(faults, name):
    notation, *expected = TABLE[name]
    assert counts(faults, notation) == tuple(expected)


@pytest.mark.parametrize(
    "repeats, with_complement, two_cell",
    [(1, False, 2), (2, False, 2), (6, False, 2), (2, True, 24), (6, True, 24)],
)
def test_moving_inversions(faults, repeats, with_complement, two_cell):
    notation = "any(w0)" + ";up(r0,w1);down(r1,w0)" * repeats
    if with_complement:
        notation += ";any(w1)" + ";up(r1,w0);down(r0,w1)" * repeats
    assert counts(faults, notation)[1] == two_cell


def test_linked_faults_are_pairs_of_static_ones():
    assert len(LINKED) == len(set(LINKED)) == 18 + 288 + 72 + 72 + 288
    for kind, pair in LINKED:
        first, second = map(parse_primitive, pair)
        coupled = [primitive.aggressor is not None for primitive in (first, second)]
        assert coupled == [kind not in ("LF1", "LF2va"), kind not in ("LF1", "LF2av")]
        assert set(pair) <= {*ONE_CELL, *TWO_CELL}
        assert second.victim[0] == first.faulty != second.faulty


@pytest.mark.parametrize(
    "notation, lost",
    [
        ("any(w0);del(1);any(r0)", "0"),
        ("any(w1);del(1);any(r1)", "1"),
        ("any(w0);del(1);any(r0);any(w1);del(1);any(r1)", "01"),
        ("any(w0);any(r0);del(1);any(w1);any(r1)", ""),
    ],
)
def test_retention(faults, notation, lost):
    found = found_by(faults, parse_march(notation))
    assert [value for value in "01" if found[f"DRF {value}"]] == list(lost)


def trace(lines):
    answers = subprocess.run(
        [BUILD / "coverage" / "fault_trace"],
        input="\n".join(lines) + "\n",
        check=True,
        capture_output=True,
        text=True,
    )
    return answers.stdout.splitlines()


def simulate(cells, states, operations):
    """What fault_trace answers, by the simulator."""
    cells.state = list(states)
    cells.settle()
    names = "v" if cells.n_cells == 1 else "abv" if cells.n_cells == 3 else "av"
    read = ""
    for operation in operations:
        if operation == "r":
            read += "".join(cells.state)
        elif operation[0] == "w":
            cells.write_both(operation[1:])
        elif operation[2] == "w":
            cells.write(names.index(operation[0]), operation[3])
        else:
            read += cells.read(names.index(operation[0]))
    return f"{read}- {''.join(cells.state)}"


def check_models(cells, text, operations):
    chance = random.Random(text)
    cases = [
        (states, chance.choices(operations, k=length))
        for states in product("01", repeat=cells.n_cells)
        for length in [1, 2, 3] * 20 + [40] * 10
    ]
    lines = [f"{text} {''.join(states)} {' '.join(operations)}" for states, operations in cases]
    assert trace(lines) == [simulate(cells, *case) for case in cases]


def each_operation(cells):
    return [f"{cell}.{operation}" for cell in cells for operation in ("w0", "w1", "r")]


@pytest.mark.parametrize("text", ONE_CELL + TWO_CELL)
def test_the_models_agree(text):
    cells = Cells([parse_primitive(text)])
    check_models(cells, text, each_operation("v" if cells.n_cells == 1 else "av"))


@pytest.mark.parametrize("text", WITHIN)
def test_the_models_agree_within_a_word(text):
    check_models(Word([parse_primitive(text)]), text, ["w00", "w01", "w10", "w11", "r"])


@pytest.mark.parametrize("kind", linked_faults())
def test_the_models_agree_on_linked_faults(kind):
    """Every ninth of each kind."""
    for pair in linked_faults()[kind][::9]:
        cells = linked_cells(kind, pair)
        names = {1: "v", 2: "av", 3: "abv"}[cells.n_cells]
        check_models(cells, ("+" if kind == "LF3" else "=").join(pair), each_operation(names))


def test_a_fault_is_seen_by_its_sequence_only():
    """The comparison above compares faulty behaviour: a healthy cell answers differently."""
    for text in ONE_CELL:
        cells = Cells([parse_primitive(text)])
        differs = 0
        for state in "01":
            for operations in product(["w0", "w1", "r"], repeat=3):
                cells.state, healthy = [state], state
                cells.settle()
                for operation in operations:
                    if operation == "r":
                        differs += cells.read(0) != healthy
                    else:
                        healthy = operation[1]
                        cells.write(0, healthy)
        assert differs


@pytest.mark.parametrize(
    "leg, near, far",
    [
        ("r0,r0,w1,w1;r1,r1,w0,w0", 446, 252),  # as in march-mss+
        ("r0,w1,w1,r1;r1,w0,w0,r0", 450, 268),  # of 8 operations the most: docs/coverage.md
    ],
)
def test_three_equal_legs(faults, leg, near, far):
    elements = [operations.split(",") for operations in leg.split(";")]
    assert elements in divided([operation for element in elements for operation in element])
    assert sum(elements, []) in sequences(8)
    found = found_by(faults, march_of(elements))
    assert all(found[name] for name in ONE_CELL + TWO_CELL)
    assert sum(found[f"{kind} {a} {b}"] for kind, (a, b) in LINKED if kind != "LF3") == near
    assert sum(found[f"{kind} {a} {b}"] for kind, (a, b) in LINKED if kind == "LF3") == far


def test_no_short_leg_finds_all_static_faults():
    assert search(4) == search(5) == []
