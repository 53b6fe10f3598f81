# SPDX-License-Identifier: MIT
"""What a tester tells while it runs, for all testers alike."""

import re
from dataclasses import dataclass, field

from okramlib.units import PAGE

from .buffer import Buffer


@dataclass
class Told:
    """Filled by a tester's reader as things are told."""

    bad_pages: frozenset[int] = frozenset()  # that the machine has, by number
    version: str = ""
    has_begun: bool = False  # to test
    has_found: bool = False
    addr: int | None = None  # of the first fault; None: it was told without one
    pages: set[int] = field(default_factory=set)  # those that were named until now, by number
    given_up: int | None = None  # pages that its line takes; None: there is no line
    has_named_all: bool = False  # of the faults that it told, each with its page
    has_ended: bool = False  # by itself, a whole pass done
    why: str = ""  # it cannot go on, in a few words
    buffer: Buffer = field(default_factory=Buffer)
    said: list[str] = field(default_factory=list)  # its last lines, for an error

    def find(self, addr=None):
        """A fault; of several, the first counts."""
        if not self.has_found:
            self.has_found, self.addr = True, addr
        elif self.addr is None:
            self.addr = addr
        if addr is not None:
            self.pages.add(addr // PAGE)


_PATTERN = re.compile(r"0x([0-9a-f]+),0x([0-9a-f]+)")


def patterns_of(text):
    """[(address, mask)] of a badram line, also of one that a screen has broken."""
    return [(int(a, 16), int(m, 16)) for a, m in _PATTERN.findall(text)]


def pages_taken(patterns, ranges):
    """How many pages of RAM the patterns of a badram line take. ranges: (address, bytes)."""
    taken = set()
    for base, size in ranges:
        for page in range(base // PAGE, (base + size) // PAGE):
            if any(_takes(page * PAGE, *pattern) for pattern in patterns):
                taken.add(page)
    return len(taken)


def _takes(page, addr, mask):
    """A pattern takes a page if it has any address of it: GRUB and Linux give up whole pages."""
    mask &= ~(PAGE - 1)
    return (page ^ addr) & mask == 0
