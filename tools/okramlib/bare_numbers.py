# SPDX-License-Identifier: MIT
"""Numbers without 0x: kept until the whole list tells whether they are decimal or hexadecimal."""

from array import array

from . import Trouble
from .units import PAGE

BASES = (10, 16)
TOP = 1 << 46  # above all RAM
NUMBERS_MAX = 1 << 24  # more than any tester writes; a list of them takes 384 MiB
_DIGITS_MAX = 16


class BareNumbers:
    """Of one input. With scale 1 they are addresses, else numbers of units of that many bytes. A
    base that is given holds."""

    def __init__(self, scale, base=None):
        self.base, self.scale = base, scale
        self._lines = array("Q")
        self._digits = array("Q")  # first and last in turn, both read as hexadecimal
        self._is_hex = False

    def __len__(self):
        return len(self._lines)

    def add(self, line, first, last=None):
        """Digits of a number, or of a range. ValueError if they are not a number in that base."""
        for text in (first, last or first):
            if len(text) > _DIGITS_MAX:
                raise ValueError(f"'{text[:_DIGITS_MAX]}...' is longer than any address")
            if self.base == 10 and not text.isdecimal():
                raise ValueError(f"'{text}' is not decimal")
        numbers = int(first, 16), int(last or first, 16)
        if last is not None and numbers[0] == numbers[1]:  # below: one number
            raise ValueError(f"{first}-{last} ends before it begins")
        if len(self) >= NUMBERS_MAX:
            raise Trouble(f"the input names more than {NUMBERS_MAX} bad places.")
        self._is_hex |= any(
            not text.isdecimal() or text[:1] == "0" for text in (first, last or "1")
        )
        self._lines.append(line)
        self._digits.extend(numbers)

    def inferred_base(self):
        """By the whole list: a letter or a leading zero is of a hexadecimal number, and an address
        of a page is a multiple of its size. None: it may be either."""
        if self.base or self._is_hex:
            return self.base or 16
        possible = [base for base in BASES if max(self._numbers(base)) * self.scale < TOP]
        if len(possible) == 2 and self.scale == 1:
            possible = [b for b in BASES if all(n % PAGE == 0 for n in self._numbers(b))]
        return possible[0] if len(possible) == 1 else None

    def is_the_same(self):
        """Whether they mean the same pages in both bases."""
        if self._is_hex:
            return False
        both = zip(*map(self._numbers, BASES))
        return all(a * self.scale // PAGE == b * self.scale // PAGE for a, b in both)

    def spans(self, base):
        """(line, first, end) of each; of one number the end is None."""
        numbers = self._numbers(base)
        for line, first, last in zip(self._lines, numbers, numbers):
            yield line, first, None if first == last else last

    def texts(self):
        """(line, text) of each."""
        for line, first, last in self.spans(16):
            yield line, f"{first:x}" if last is None else f"{first:x}-{last:x}"

    def _numbers(self, base):
        return (number if base == 16 else int(f"{number:x}") for number in self._digits)
