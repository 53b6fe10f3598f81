# SPDX-License-Identifier: MIT
"""Where the memory that memtester tests is: it reports offsets, and the guest's init the pages."""

from dataclasses import dataclass, field

from okramlib.units import PAGE


@dataclass
class Buffer:
    size: int = 0  # bytes
    runs: list[tuple[int, int, int]] = field(default_factory=list)  # page of it, of memory, count
    failures: list[tuple[int, ...]] = field(default_factory=list)  # offsets; of two, one is meant

    def page(self, offset):
        """The page of memory at an offset; None: not known, or not yet."""
        index = offset // PAGE
        for first, page, count in self.runs:
            if first <= index < first + count:
                return page + index - first
        return None

    def take_failure(self, offset, is_compared):
        """Most tests compare the first half with the second: either may hold the fault."""
        self.failures.append((offset, offset + self.size // 2) if is_compared else (offset,))

    def bad_pages(self, known):
        """Those of the known bad pages that failures are in, without doubt."""
        found = [{self.page(offset) for offset in offsets} & known for offsets in self.failures]
        return set().union(*(pages for pages in found if len(pages) == 1))
