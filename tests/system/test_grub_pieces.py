# SPDX-License-Identifier: MIT
"""The badram line as GRUB on BIOS needs it: pairs in order, repeated for the pieces of its map."""

import subprocess

import pytest

from okramlib import ROOT, spec
from okramlib.units import GIB, MIB
from system.harness import check_found, follow, patterns
from system.linux.guest import split_machine

# What SeaBIOS reports on such a machine.
E820 = """\
BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
BIOS-e820: [mem 0x000000000009fc00-0x000000000009ffff] reserved
BIOS-e820: [mem 0x00000000000f0000-0x00000000000fffff] reserved
BIOS-e820: [mem 0x0000000000100000-0x0000000017fdefff] usable
BIOS-e820: [mem 0x0000000017fdf000-0x0000000017ffffff] reserved
BIOS-e820: [mem 0x00000000b0000000-0x00000000bfffffff] reserved
BIOS-e820: [mem 0x00000000fed1c000-0x00000000fed1ffff] reserved
BIOS-e820: [mem 0x00000000feffc000-0x00000000feffffff] reserved
BIOS-e820: [mem 0x00000000fffc0000-0x00000000ffffffff] reserved
BIOS-e820: [mem 0x0000000100000000-0x0000000105ffffff] usable
BIOS-e820: [mem 0x000000fd00000000-0x000000ffffffffff] reserved
"""

LOW, HIGH = 80 * MIB, 4 * GIB + 80 * MIB
SPAN = 4 * MIB
RANGES = f"range={LOW:#x}-{LOW + SPAN:#x},{HIGH:#x}-{HIGH + SPAN:#x}"

# On both sides of 4 GiB two columns, each between the pages of the other.
COLUMNS = [(base + first, 0x8000, 4) for base in (LOW, HIGH) for first in (0, 0x3000)]
PAGES = [first + i * stride for first, stride, n in COLUMNS for i in range(n)]


def faulty_cells():
    texts = [f"holes@{first + 0x238:#x}+{stride:#x}*{n}.3" for first, stride, n in COLUMNS]
    return [fault for text in texts for fault in spec.parse(text)]


def told(uefi, options=""):
    cmdline = f"tests=quick bandwidth=off {RANGES} {options}"
    machine = split_machine(uefi=uefi, faults=faulty_cells(), cmdline=cmdline)
    return machine, follow(machine)


def check(pairs, directory):
    """`okram badram --check` of a line on BIOS, against the bad pages: its exit code."""
    path = directory / "e820"
    path.write_text(E820)
    line = ",".join(f"{addr:#x},{mask:#x}" for addr, mask in pairs)
    command = [ROOT / "tools/okram", "badram", "--firmware", "bios", "--map", path, "--check", line]
    pages = "".join(f"{page:#x}\n" for page in PAGES)
    return subprocess.run([*command, "-"], input=pages, text=True, check=False).returncode


def test_bios_repeats_pairs(tmp_path):
    machine, outcome = told(uefi=False)
    check_found(outcome, machine, PAGES)
    pairs = patterns(outcome)
    assert check(pairs, tmp_path) == 0
    once = list(dict.fromkeys(pairs))
    assert len(once) < len(pairs)
    assert check(once, tmp_path) == 1
    assert all(check(pairs[:i] + pairs[i + 1 :], tmp_path) == 1 for i in range(len(pairs)))


def test_uefi_does_not():
    machine, outcome = told(uefi=True)
    check_found(outcome, machine, PAGES)
    pairs = patterns(outcome)
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_repetitions_count_as_patterns(limit, tmp_path):
    _, outcome = told(False, f"patterns={limit}")
    pairs = patterns(outcome)
    assert len(pairs) <= limit
    assert check(pairs, tmp_path) == 0
