# SPDX-License-Identifier: MIT
"""Couplings between okram's places in a march in three legs and lines elsewhere, at random."""

import functools
import random
import time
from dataclasses import dataclass

from okramlib.run import Watcher
from okramlib.spec import Cell, Fault
from okramlib.units import MIB, PAGE
from system.harness import follow, named
from system.watched_place import find_place

CMDLINE = "tests=march-mss+ bandwidth=off"
FIRST, SECOND, THIRD, LAST = range(4)  # okram's places: one in each leg, and one after them
PLACES = 4
KINDS = ("set0", "set1", "invert")
TOP = MIB // 2  # firmware's own
LOOK_EVERY_S = 0.05
TIMEOUT_S = 1200


class Look(Watcher):
    """Finds all of okram's places while the tests run, and where it is at the end."""

    def __init__(self):
        self._runs = self._has_ended = False
        self._next = 0
        self.places = []

    def record(self, record):
        self._runs |= record["type"] == "machine"
        self._has_ended |= record["type"] == "result"

    def tick(self, qemu):
        if not self._has_ended and (not self._runs or time.monotonic() < self._next):
            return
        place = find_place(qemu)
        if not self.places or place.pages != self.places[-1].pages:
            self.places.append(place)
        self._next = time.monotonic() + LOOK_EVERY_S
        if self._has_ended:
            qemu.qmp.command("quit")


@functools.cache
def places(memory, cpus=2):
    """Where okram is, one place after the other, in memory without faults."""
    look = Look()
    machine = named("computed", memory=memory, cpus=cpus, cmdline=f"{CMDLINE} exit=wait")
    outcome = follow(machine, watcher=look)
    assert outcome.exit_code == 0 and "unpaired" not in outcome.last("result")
    assert len(look.places) == PLACES
    return look.places


@dataclass
class Draw:
    """Couplings, their aggressors in okram's first three places, their victims in none of the four.

    spoiled: a place with a victim, too, which is found bad when okram is about to move there.
    """

    seed: int
    memory: int = 64 * MIB
    cpus: int = 2
    count: int = 300
    spoiled: int | None = None

    def couplings(self):
        chance = random.Random(self.seed)
        pages = [sorted(place.pages) for place in places(self.memory, self.cpus)]
        used = set().union(*pages)
        elsewhere = [at for at in range(MIB, self.memory - TOP, PAGE) if at not in used]
        aggressors = [
            at for at in sorted({*pages[FIRST], *pages[SECOND], *pages[THIRD]}) if at >= MIB
        ]
        victims = chance.sample(elsewhere, self.count)
        drawn = [
            Fault(
                chance.choice(KINDS), _cell(chance, chance.choice(aggressors)), _cell(chance, page)
            )
            for page in victims
        ]
        if self.spoiled is not None:
            aggressor = chance.choice(sorted({*elsewhere} - {*victims}))
            victim = chance.choice(pages[self.spoiled])
            drawn.append(Fault("invert", _cell(chance, aggressor), _cell(chance, victim)))
        return drawn


def _cell(chance, page):
    return Cell(page + chance.randrange(PAGE), chance.randrange(8))


@dataclass
class Drawn:
    """The findings of a boot with a draw."""

    lost: list[Fault]
    complete: bool
    apart: list
    states: list[str]  # of okram's moves: "moved", "no place"
    sweeps: float  # of all that was tested
    seconds: float


def boot(draw):
    faults = draw.couplings()
    cmdline = f"{CMDLINE} trace=moves"
    machine = named("computed", memory=draw.memory, cpus=draw.cpus, cmdline=cmdline, faults=faults)
    outcome = follow(machine, timeout=TIMEOUT_S)
    result, (test,) = outcome.last("result"), outcome.of_type("test")
    runs = [run for record in outcome.of_type("pages") for run in record["runs"]]
    bad = {at for base, end in runs for at in range(int(base, 16), int(end, 16), PAGE)}
    return Drawn(
        [fault for fault in faults if fault.victim.addr // PAGE * PAGE not in bad],
        result["complete"],
        result.get("unpaired", []),
        [move["state"] for move in outcome.of_type("trace")],
        test["swept_bytes"] / result["tested_bytes"],
        outcome.seconds,
    )
