# SPDX-License-Identifier: MIT
"""Where the memory that memtester tests is, as the guest's init tells: memtester tells offsets."""

from dataclasses import dataclass, field

from okramlib.units import PAGE


@dataclass
class Buffer:
    size: int = 0  # bytes
    runs: list[tuple[int, int, int]] = field(default_factory=list)  # page of it, of memory, count
    told: list[tuple[int, ...]] = field(default_factory=list)  # offsets; of several one is meant

    def page(self, offset):
        """The page of memory at an offset; None: not known, or not yet."""
        index = offset // PAGE
        for first, page, count in self.runs:
            if first <= index < first + count:
                return page + index - first
        return None

    def take_failure(self, offset, is_compared):
        """Most tests compare the first half with the second: either may hold the fault."""
        self.told.append((offset, offset + self.size // 2) if is_compared else (offset,))

    def bad_pages(self, known):
        """Of the pages that are known to be bad those that it told of, without doubt."""
        told = [{self.page(offset) for offset in offsets} & known for offsets in self.told]
        return set().union(*(pages for pages in told if len(pages) == 1))
