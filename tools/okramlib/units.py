# SPDX-License-Identifier: MIT
"""Sizes and addresses, as users type and read them."""

import re

_SUFFIX = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_NUMBER = re.compile(r"(0x[0-9a-f]+|[0-9]+)([kmgt]?)", re.IGNORECASE)

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
PAGE = 4096


def parse_size(text):
    """Bytes from 4096, 0x1000, 512M or 2g. ValueError when it is none of these."""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError(f"'{text}' is not a number such as 0x1000, 4096 or 512M")
    return int(match[1], 0 if match[1][:2].lower() == "0x" else 10) << _SUFFIX[match[2].upper()]


def format_size(size):
    """A size in the largest unit that shows it in few digits: 512 MiB, 1.5 GiB."""
    if size >= 1 << 80:  # no size of memory; a float may not hold it
        return f"2^{int(size).bit_length() - 1} B and more"
    power = 0
    while size >= 1024 and power < len(_UNITS) - 1:
        size, power = size / 1024, power + 1
    return f"{size:.4g} {_UNITS[power]}"


def count(n, one, many=None):
    """1 page, 2 pages."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def figure(value):
    """0.516, 2.50, 55925: three digits, or all before the point (kernel/core/lib/error_rate.c)."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def format_moved(tb):
    """TB, of 10^12 bytes, that were read and written: 340 GB, 1.20 TB."""
    return f"{figure(tb * 1000)} GB" if tb < 1 else f"{figure(tb)} TB"


def format_seconds(seconds):
    """14 s, 2:05, 1:02:05."""
    whole = int(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
