"""Where okram lives in a machine, by its own page tables (Intel SDM vol. 3A, 4.5)."""

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from okramlib.machine import Machine
from okramlib.run import Watcher
from okramlib.units import MIB
from system.harness import follow

MEMORY = {False: 64 * MIB, True: 128 * MIB}  # by whether it is UEFI

ENTRIES = 512
LEVELS = 4
FIRST_OWN = 510  # of the uppermost table: from ARENA_BASE up (kernel/arch/paging.h)
IMAGE = 511

PRESENT, LARGE = 1, 1 << 7
ADDRESS = 0x000FFFFFFFFFF000


@dataclass
class Place:
    """Physical addresses of pages, each kind in the order in which okram sees it."""

    image: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)  # stacks, fault log, plans, …
    tables: list[int] = field(default_factory=list)

    @property
    def pages(self):
        return {*self.image, *self.data, *self.tables}


@functools.cache
def first_place(uefi=False):
    """Where okram lives until a test has gone over all other memory."""
    finder = FindPlace("machine")
    # Nothing that it lives in is to be tested, so that it stays there.
    follow(_machine(uefi, "tests=quick bandwidth=off range=48M-56M"), watcher=finder)
    return finder.place


@functools.cache
def second_place(uefi=False):
    """Where it lives when it has moved once."""
    finder = FindPlace("result", then_quit=True)
    follow(_machine(uefi, "tests=address bandwidth=off exit=wait"), watcher=finder)
    return finder.place


def _machine(uefi, cmdline):
    return Machine(uefi=uefi, memory=MEMORY[uefi], cmdline=cmdline)


class FindPlace(Watcher):
    """Looks where okram lives once a record of this type has come."""

    def __init__(self, when, then_quit=False):
        self._when = when
        self._then_quit = then_quit
        self._due = False
        self.place = None

    def record(self, record):
        self._due |= record["type"] == self._when

    def tick(self, qemu):
        if self._due and not self.place:
            self.place = find_place(qemu)
            if self._then_quit:
                qemu.qmp.command("quit")


def find_place(qemu):
    """Of a running machine, which stands still meanwhile."""
    qemu.qmp.command("stop")
    cr3 = int(re.search(r"CR3=([0-9a-f]+)", qemu.qmp.monitor("info registers"))[1], 16)
    with TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "memory"
        size = qemu.machine.memory
        qemu.qmp.command("pmemsave", val=0, size=size, filename=str(path))
        memory = memoryview(path.read_bytes()).cast("Q")
    qemu.qmp.command("cont")
    place = Place()
    _walk(memory, cr3 & ADDRESS, LEVELS, None, place)
    return place


def _walk(memory, table, level, pages, place):
    """pages: the list that what is mapped below belongs to; None: not okram's own."""
    place.tables.append(table)
    first = table // 8
    for i, entry in enumerate(memory[first : first + ENTRIES]):
        if not entry & PRESENT:
            continue
        if level == LEVELS:
            pages = {FIRST_OWN: place.data, IMAGE: place.image}.get(i)
        if level > 1 and not entry & LARGE:
            _walk(memory, entry & ADDRESS, level - 1, pages, place)
        elif pages is not None:
            pages.append(entry & ADDRESS)
