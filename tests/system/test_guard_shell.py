# SPDX-License-Identifier: MIT
"""A witness that is not okram's: the memory map that the UEFI shell's `memmap` prints."""

import re
import time

import pytest

from okramlib import BUILD
from okramlib.qemu import END, Qemu
from okramlib.units import PAGE
from system.guard_boot import DEADLINE_S, guarded, make_list, make_stick, runs_of

SHELL = BUILD / "loaders" / "shell.efi"
SCRIPT = [("startup.nsh", b"memmap\r\nreset -s\r\n")]
RUNS = 100  # the guard masks no good pages between bad ones up to this many runs

_ENTRY = re.compile(r"(\w+) +([0-9A-F]{16})-([0-9A-F]{16}) [0-9A-F]{16} [0-9A-F]{16}")


def memmap(machine):
    """Pages by the shell's names of memory types."""
    pages, deadline = {}, time.monotonic() + DEADLINE_S
    with Qemu(machine) as qemu:
        while (line := qemu.line(1)) is not END:
            assert time.monotonic() < deadline
            if match := _ENTRY.search(line or ""):
                first, last = (int(text, 16) for text in match.groups()[1:])
                pages.setdefault(match[1], set()).update(range(first // PAGE, last // PAGE + 1))
    return pages


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, RUNS])
def test_unusable_by_memmap(tmp_path, n):
    pages = [0x8000 + 16 * i for i in range(n)]
    machine = guarded(tmp_path, make_list(runs_of(pages)), options=f"runs={RUNS}")
    make_stick(machine.image, SCRIPT, program=SHELL)
    shown = memmap(machine)
    assert shown.get("Unusable", set()) == set(pages)
    assert len(shown["Available"]) > 100_000
