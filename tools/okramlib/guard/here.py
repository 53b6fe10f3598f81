# SPDX-License-Identifier: MIT
"""This machine, as the running Linux shows it: firmware's memory map, SMBIOS, pages in use."""

import itertools
import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble, memory_map
from ..units import PAGE

# Linux's names in firmware's map. The runtime services' memory is "Reserved" there, but is RAM.
_RAM = ("System RAM", "ACPI Tables", "ACPI Non-volatile Storage", "Unusable memory",
        "Soft Reserved")  # fmt: skip
_UNUSABLE = "Unusable memory"
_RUNTIME_CODE, _RUNTIME_DATA = 5, 6  # UEFI 2.10, 7.2, EFI_MEMORY_TYPE

# linux/kernel-page-flags.h: pages that Linux hands out to nobody.
_NO_PAGE, _BROKEN, _RESERVED = 1 << 20, 1 << 19, 1 << 32
_PAGES_AT_ONCE = 1 << 13


@dataclass
class Here:
    sys: Path = Path("/sys")
    proc: Path = Path("/proc")

    def smbios(self):
        """The files with its entry point and its structures; None: there is none, or no access."""
        folder = self.sys / "firmware" / "dmi" / "tables"
        files = [folder / "smbios_entry_point", folder / "DMI"]
        try:
            for file in files:
                file.open("rb").close()
        except FileNotFoundError:
            return None
        except PermissionError:
            raise Trouble(f"only root can read {folder}.") from None
        return files

    def ram_bytes(self):
        """As the guard counts it, in firmware's memory map."""
        entries = self.firmware_map()
        ram = sum(end - base for base, end, kind in entries if kind in _RAM)
        return ram + self._runtime_bytes() if ram else sum(e - b for b, e in self.ram())

    def firmware_map(self):
        """(base, end, Linux's name of its kind) of each entry; [] if Linux does not show it."""
        entries = []
        for folder in (self.sys / "firmware" / "memmap").glob("[0-9]*"):
            try:
                base, last = (int((folder / n).read_text(), 16) for n in ("start", "end"))
                entries.append((base, last + 1, (folder / "type").read_text().strip()))
            except (OSError, ValueError):
                continue
        return sorted(entries)

    def unusable(self):
        """Spans of firmware's map that are unusable; None: Linux does not show that map."""
        entries = self.firmware_map()
        return [(b, e) for b, e, kind in entries if kind == _UNUSABLE] if entries else None

    def iomem(self):
        path = self.proc / "iomem"
        try:
            return path.read_text(errors="replace")
        except OSError as error:
            raise Trouble(f"{path} cannot be read: {error.strerror}.") from None

    def ram(self):
        """Spans of all RAM, unusable memory included."""
        return memory_map.parse_map(self.iomem(), self.proc / "iomem").ram

    def ram_in_use(self):
        """Spans of the RAM that Linux uses, but for pages that it keeps aside."""
        return memory_map.ram_in_use(self.iomem(), self.proc / "iomem")

    def kept_aside(self, first, n):
        """Of each of n pages of RAM, whether Linux hands it to nobody; None: it does not say."""
        for start in range(first, first + n, _PAGES_AT_ONCE):
            some = min(_PAGES_AT_ONCE, first + n - start)
            content = self._page_flags(start, some)
            for (flags,) in struct.iter_unpack("<Q", content):
                yield bool(flags & (_NO_PAGE | _BROKEN | _RESERVED))
            yield from itertools.repeat(None, some - len(content) // 8)

    def _page_flags(self, first, n):
        """As many whole ones as there are."""
        try:
            with open(self.proc / "kpageflags", "rb") as file:
                file.seek(first * 8)
                content = file.read(n * 8)
        except (OSError, OverflowError):
            return b""
        return content[: len(content) // 8 * 8]

    def firmware_bits(self):
        """64 or 32; None: Linux does not say."""
        try:
            text = (self.sys / "firmware" / "efi" / "fw_platform_size").read_text()
        except OSError:
            return None
        return int(text) if re.fullmatch(r"[0-9]{1,3}\s*", text) else None

    def _runtime_bytes(self):
        n_pages = 0
        for folder in (self.sys / "firmware" / "efi" / "runtime-map").glob("[0-9]*"):
            try:
                if int((folder / "type").read_text(), 0) in (_RUNTIME_CODE, _RUNTIME_DATA):
                    n_pages += int((folder / "num_pages").read_text(), 0)
            except (OSError, ValueError):
                continue
        return n_pages * PAGE


def runs_in(runs, spans):
    """The runs (first, n) of pages that are in one of these and meet one of the spans: ascending
    and disjoint. The spans are, too; runs may be in any order, and much longer than memory."""
    ends = [end for _, end in spans]
    pieces = []
    for first, n in runs:
        for i in range(bisect_right(ends, first * PAGE), len(spans)):
            base, end = spans[i]
            if base >= (first + n) * PAGE:
                break
            pieces.append((max(first, base // PAGE), min(first + n, -(-end // PAGE))))
    return [(first, end - first) for first, end in memory_map.join(sorted(pieces))]
