# SPDX-License-Identifier: MIT
import pytest

from okramlib import Trouble
from okramlib.memory_map import parse_map

IOMEM = """\
00000000-00000fff : Reserved
00001000-0009fbff : System RAM
0009fc00-0009ffff : Reserved
000a0000-000bffff : PCI Bus 0000:00
000f0000-000fffff : Reserved
  000f0000-000fffff : System ROM
00100000-7ffdefff : System RAM
  01000000-01e00e90 : Kernel code
7ffdf000-7ffeffff : ACPI Tables
7fff0000-7fffffff : Unusable memory
80000000-febfffff : PCI Bus 0000:00
  fd000000-fdffffff : 0000:00:02.0
feffc000-feffffff : Reserved
100000000-17fffffff : System RAM
"""
RAM = [(0x1000, 0x9FC00), (0x100000, 0x80000000), (0x100000000, 0x180000000)]

DMESG = """\
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
[    0.000000] BIOS-e820: [mem 0x000000000009fc00-0x000000000009ffff] reserved
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x000000007ffdefff] usable
[    0.000000] BIOS-e820: [mem 0x000000007ffdf000-0x000000007fffffff] ACPI NVS
[    0.000000] BIOS-e820: [mem 0x00000000fffc0000-0x00000000ffffffff] reserved
[    0.000000] e820: update [mem 0x00000000-0x00000fff] usable ==> reserved
[    0.000000] NX (Execute Disable) protection: active
"""
OLD = """\
BIOS-e820: 0000000000000000 - 000000000009fc00 (usable)
BIOS-e820: 0000000000100000 - 0000000080000000 (usable)
BIOS-e820: 00000000fffc0000 - 0000000100000000 (reserved)
"""


def test_iomem():
    memory = parse_map(IOMEM, "map")
    assert memory.ram == RAM
    assert memory.entries == 9
    assert memory.pieces == [
        (0, 0x1000),
        (0x1000, 0x9FC00),
        (0x9FC00, 0xA0000),
        (0xF0000, 0x100000),
        (0x100000, 0x7FFDF000),
        (0x7FFDF000, 0x7FFF0000),
        (0x7FFF0000, 0x80000000),
        (0xFEFFC000, 0xFF000000),
        (0x100000000, 0x180000000),
    ]
    assert memory.top == 0x100000000


@pytest.mark.parametrize("text, entries", [(DMESG, 5), (OLD, 3)], ids=["new", "old"])
def test_e820(text, entries):
    memory = parse_map(text, "map")
    assert memory.ram == [(0, 0x9FC00), (0x100000, 0x80000000)]
    assert memory.entries == entries
    assert memory.top == 0xFFFC0000


def test_pieces_of_one_kind_are_joined():
    text = "".join(
        f"BIOS-e820: [mem {base:#018x}-{base + 0xFFFF:#018x}] {kind}\n"
        for base, kind in [
            (0x30000, "reserved"),
            (0x10000, "usable"),
            (0x20000, "usable"),
            (0x40000, "type 9"),
            (0x50000, "type 10"),
        ]
    )
    pieces = [(0x10000, 0x30000), (0x30000, 0x40000), (0x40000, 0x50000), (0x50000, 0x60000)]
    assert parse_map(text, "map").pieces == pieces


def test_inner_pieces_cut_the_outer():
    text = "00000000-0000ffff : Reserved\n  00004000-00007fff : ACPI Tables\n"
    text += "00010000-0001ffff : System RAM\n"
    pieces = [(0, 0x4000), (0x4000, 0x8000), (0x8000, 0x10000), (0x10000, 0x20000)]
    assert parse_map(text, "map").pieces == pieces


def test_what_is_not_shown():
    with pytest.raises(Trouble, match="only root"):
        parse_map("00000000-00000000 : System RAM\n00000000-00000000 : Reserved\n", "map")


@pytest.mark.parametrize("text", ["", "hello\n", "000a0000-000bffff : PCI Bus 0000:00\n"])
def test_no_map(text):
    with pytest.raises(Trouble, match="map has no memory map"):
        parse_map(text, "map")
