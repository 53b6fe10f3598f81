# SPDX-License-Identifier: MIT
"""What each level claims to find, it finds: every kind of fault, at random places and bits.

Of a run whose report says that some memory was tested separately from the rest, a coupling between
the two is not claimed.
"""

import random
import re
from dataclasses import dataclass

import pytest

from okramlib import spec
from okramlib.units import MIB, PAGE
from system.harness import check_found, follow, from_image


def seeds(*quick):
    """Those that are not quick are for check-long."""
    slow = pytest.mark.slow
    return [
        pytest.param(seed, marks=[] if seed in quick else [slow], id=f"seed {seed}")
        for seed in range(20)
    ]


# Away from where okram is loaded: faulty cells there would move it.
FIRST_PAGE, LAST_PAGE = 4 * MIB // PAGE, 60 * MIB // PAGE - 1


class Places:
    """Random addresses and bits, every page only once."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pages = set()

    def page(self):
        while True:
            page = self.random.randint(FIRST_PAGE, LAST_PAGE)
            if page not in self.pages:
                self.pages.add(page)
                return page * PAGE

    def addr(self):
        return self.page() + self.random.randrange(PAGE)

    def bit(self):
        return self.random.randrange(8)

    def cell(self, addr=None):
        return f"{self.addr() if addr is None else addr:#x}.{self.bit()}"


@dataclass
class Claim:
    fault: str
    bad: list  # addresses in the pages that are bad then

    def is_promised(self, apart):
        return True


@dataclass
class Coupling(Claim):
    aggressor: int
    victim: int

    def is_promised(self, apart):
        """Not if the report says that the two lines were tested separately."""
        return all((self.aggressor in span) == (self.victim in span) for span in apart)


def single(kind):
    def make(places):
        addr = places.addr()
        return Claim(f"{kind}@{places.cell(addr)}", [addr])

    return make


def between_lines(kind):
    def make(places):
        victim, aggressor = places.addr(), places.addr()
        text = f"{kind}@{places.cell(aggressor)}>{places.cell(victim)}"
        return Coupling(text, [victim], aggressor, victim)

    return make


def within_a_word(kind):
    """Two bits of one 64-bit word."""

    def make(places):
        word = places.addr() & ~7
        aggressor, victim = places.random.sample(range(64), 2)
        cells = [f"{word + bit // 8:#x}.{bit % 8}" for bit in (aggressor, victim)]
        return Claim(f"{kind}@{'>'.join(cells)}", [word])

    return make


def alias(places):
    one, other = places.page(), places.page()
    return Claim(f"alias@{one:#x}>{other:#x}", [one, other])


def fade(longest_s):
    def make(places):
        addr = places.addr()
        text = f"fade@{places.cell(addr)}:{places.random.uniform(0.05, longest_s):.2f}"
        return Claim(text, [addr])

    return make


QUICK = [single(kind) for kind in ("stuck0", "stuck1", "rise", "fall")]
QUICK += [between_lines(kind) for kind in ("invert", "set0", "set1")] + [alias]
STANDARD = [within_a_word(kind) for kind in ("invert", "set0", "set1")] + [fade(1.9)]

CLAIMS = {
    "quick": QUICK,
    "standard": QUICK + STANDARD,
    "thorough": QUICK + STANDARD + [fade(4.9)],
    "fade": [fade(4.9)],
}


def own_pages_that_changed(outcome):
    """They count as bad, without a fault of a test."""
    changed = re.compile(r"okram's own code or fixed data.* had changed in memory at (0x[0-9a-f]+)")
    warnings = outcome.last("result").get("warnings", [])
    return {int(match[1], 16) // PAGE for match in map(changed.search, warnings) if match}


def check_claims(level, seed, options=""):
    places = Places(seed)
    made = [claim(places) for claim in CLAIMS[level]]
    machine = from_image(
        "small",
        cmdline=f"tests={level} bandwidth=off {options}",
        faults=[fault for claim in made for fault in spec.parse(claim.fault)],
    )
    outcome = follow(machine, timeout=900)
    apart = [
        range(int(span["base"], 16), int(span["end"], 16))
        for span in outcome.last("result").get("unpaired", [])
    ]
    found = {int(fault["addr"], 16) // PAGE for fault in outcome.of_type("fault")}
    found |= own_pages_that_changed(outcome)
    expected = [
        addr
        for claim in made
        for addr in claim.bad
        if claim.is_promised(apart) or addr // PAGE in found
    ]
    check_found(outcome, machine, expected)


# Seed 18 has faults between lines that two CPUs test at about the same time.
@pytest.mark.parametrize("seed", seeds(0, 18))
def test_quick(seed):
    check_claims("quick", seed)


@pytest.mark.parametrize("seed", seeds(0))
def test_standard(seed):
    check_claims("standard", 100 + seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_thorough_alone(seed):
    """What the level claims beyond standard: cells that hold for some seconds."""
    check_claims("fade", 300 + seed, "fade=5")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_thorough(seed):
    check_claims("thorough", 200 + seed, "fade=5 hammer=5")
