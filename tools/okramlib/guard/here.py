# SPDX-License-Identifier: MIT
"""This machine, as the running Linux shows it: firmware's memory map, SMBIOS, pages in use."""

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

    def is_kept_aside(self, page):
        """Whether Linux hands that page of its RAM to nobody; None: it does not say."""
        try:
            with open(self.proc / "kpageflags", "rb") as file:
                file.seek(page * 8)
                content = file.read(8)
        except OSError:
            return None
        if len(content) < 8:
            return None
        return bool(struct.unpack("<Q", content)[0] & (_NO_PAGE | _BROKEN | _RESERVED))

    def firmware_bits(self):
        """64 or 32; None: Linux does not say."""
        try:
            text = (self.sys / "firmware" / "efi" / "fw_platform_size").read_text()
        except OSError:
            return None
        return int(text) if re.fullmatch(r"\d+\s*", text) else None

    def _runtime_bytes(self):
        n_pages = 0
        for folder in (self.sys / "firmware" / "efi" / "runtime-map").glob("[0-9]*"):
            try:
                if int((folder / "type").read_text(), 0) in (_RUNTIME_CODE, _RUNTIME_DATA):
                    n_pages += int((folder / "num_pages").read_text(), 0)
            except (OSError, ValueError):
                continue
        return n_pages * PAGE


def pages_in(runs, spans):
    """Page numbers of the runs (first, n) that meet one of the spans, ascending and disjoint."""
    bases = [base for base, _ in spans]
    for first, n in runs:
        for page in range(first, first + n):
            at = bisect_right(bases, page * PAGE + PAGE - 1) - 1
            if at >= 0 and spans[at][1] > page * PAGE:
                yield page
