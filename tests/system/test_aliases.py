# SPDX-License-Identifier: MIT
"""Addresses that reach the same cells are reported as alias pairs, and given up so that the rest
works."""

import pytest

from okramlib.units import MIB, PAGE
from system.harness import check_found, follow, named, patterns

NODE = 32 * MIB

ADDRESS = "tests=address bandwidth=off"
STANDARD = "tests=standard bandwidth=off"
TWO_PASSES = "tests=quick passes=2 bandwidth=off"


def mirrored(*nodes, **options):
    """These nodes, from 3 on, are the memory of node 2 again; all others have their own.

    Firmware and okram live in the two lowest nodes and in the highest memory, which must be sound:
    under UEFI in more than a node's. (Of aliases of okram's own memory: test_own_aliases.py.)
    """
    n = len(nodes) + (6 if options.get("uefi") else 5)
    mirrors = dict.fromkeys(nodes, 2)
    return named("computed", **{"memory": n * NODE, "nodes": n, "mirrors": mirrors, **options})


def only_alias(outcome):
    """The one reported, in the first test: its first example is the only fault there may be."""
    (alias,) = outcome.of_type("alias")
    assert (alias["test"], alias["pass"]) == (outcome.of_type("test")[0]["test"], 1)
    assert int(alias["partner"], 16) < int(alias["addr"], 16)
    assert len(outcome.of_type("fault")) <= 1
    return alias


@pytest.mark.parametrize(
    "cmdline, cells_at",
    [
        (ADDRESS, "low"),
        (ADDRESS, "high"),
        pytest.param(STANDARD, "low", marks=pytest.mark.slow),
    ],
)
def test_one_page(cmdline, cells_at):
    """A decoder fault of one page: the other is not trusted either."""
    low, high = 0x2801000, 0x2A10000
    without, place = (high, low) if cells_at == "low" else (low, high)
    cmdline += " range=0x2000000-0x3000000"
    machine = named("small", faults=f"alias@{without:#x}>{place:#x}", cmdline=cmdline)
    outcome = follow(machine)
    check_found(outcome, machine, [low, high])
    alias = only_alias(outcome)
    assert (alias["diff"], alias["pages"]) == (hex(low ^ high), 1)
    assert int(alias["addr"], 16) - high == int(alias["partner"], 16) - low < PAGE


@pytest.mark.parametrize(
    "cmdline, cpus, uefi",
    [
        (ADDRESS, 1, False),
        (ADDRESS, 2, False),
        (ADDRESS, 5, False),
        (ADDRESS, 2, True),
        pytest.param(STANDARD, 2, False, marks=pytest.mark.slow),
        (TWO_PASSES, 3, False),
    ],
)
def test_a_whole_range(cmdline, cpus, uefi):
    """Node 3 is node 2 again: it is given up whole, in one pattern, and nothing else is."""
    machine = mirrored(3, cmdline=cmdline, cpus=cpus, uefi=uefi)
    outcome = follow(machine)
    check_found(outcome, machine, range(3 * NODE, 4 * NODE, PAGE))
    assert patterns(outcome) == [(3 * NODE, 0xFFFFFFFFFFFFF & -NODE)]
    assert outcome.last("badram")["ranges"] == 1
    alias = only_alias(outcome)
    assert (alias["diff"], alias["pages"]) == (hex(2 * NODE ^ 3 * NODE), NODE // PAGE)


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 3])
def test_a_range_three_times(cpus):
    """Of pages that share cells, one test sees only some of the pairs."""
    machine = mirrored(3, 4, cmdline=STANDARD, cpus=cpus)
    outcome = follow(machine)
    check_found(outcome, machine, range(3 * NODE, 5 * NODE, PAGE))
    aliases = outcome.of_type("alias")
    diffs = {hex(a * NODE ^ b * NODE) for a, b in [(2, 3), (2, 4), (3, 4)]}
    assert {alias["diff"] for alias in aliases} <= diffs
    assert len(outcome.of_type("fault")) <= len(diffs)
