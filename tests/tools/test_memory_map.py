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

LINUX_7 = """\
[    0.000000] Linux version 7.0.0-1-amd64 (gcc 15.2.0)
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff]  System RAM
[    0.000000] BIOS-e820: [mem 0x000000000009fc00-0x000000000009ffff]  device reserved
[    0.000000] BIOS-e820: [gap 0x00000000000a0000-0x00000000000fffff]
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x000000007ffdefff]  System RAM
[    0.000000] BIOS-e820: [mem 0x000000007ffdf000-0x000000007fffffff]  ACPI NVS
[    0.000000] BIOS-e820: [gap 0x0000000080000000-0x00000000fffbffff]
[    0.000000] BIOS-e820: [mem 0x00000000fffc0000-0x00000000ffffffff]  device reserved
"""
XEN = """\
(XEN) Bootloader: GRUB 2.12
(XEN) EFI RAM map:
(XEN)  [0000000000000000, 000000000009fbff] (usable)
(XEN)  [000000000009fc00, 000000000009ffff] (reserved)
(XEN)  [0000000000100000, 000000007ffdefff] (usable)
(XEN)  [000000007ffdf000, 000000007fffffff] (ACPI NVS)
(XEN)  [00000000fffc0000, 00000000ffffffff] (reserved)
(XEN) System RAM: 2047MB (2096764kB)
"""
OLD_XEN = """\
(XEN) [2021-03-01 10:00:00] Xen-e820 RAM map:
(XEN) [2021-03-01 10:00:00]  0000000000000000 - 000000000009fc00 (usable)
(XEN) [2021-03-01 10:00:00]  0000000000100000 - 0000000080000000 (usable)
(XEN) [2021-03-01 10:00:00]  00000000fffc0000 - 0000000100000000 (reserved)
"""
DOM0 = """\
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] Xen: [mem 0x0000000000000000-0x000000000009efff] usable
"""
BEFORE = """\
[    0.000000] Linux version 6.12.0
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x00000000ffffffff] usable
[    0.000000] BIOS-e820: [mem 0x0000000100000000-0x00000004ffffffff] usable
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


@pytest.mark.parametrize(
    "text, entries",
    [(DMESG, 5), (OLD, 3), (LINUX_7, 5), (XEN, 5), (OLD_XEN, 3)],
    ids=["dmesg", "old", "7", "xen", "old xen"],
)
def test_e820(text, entries):
    memory = parse_map(text, "map")
    assert memory.ram == [(0, 0x9FC00), (0x100000, 0x80000000)]
    assert memory.entries == entries
    assert memory.top == 0xFFFC0000


def only(text):
    """The lines of the map alone, as grep shows them."""
    return "".join(line for line in text.splitlines(True) if "BIOS-e820" in line)


FORMS = {"dmesg": DMESG, "old": OLD, "7": LINUX_7, "xen": XEN, "old xen": OLD_XEN}


@pytest.mark.parametrize("other", FORMS.values(), ids=FORMS)
def test_of_two_boots_the_last_counts(other):
    """Also where what came in between was left out; before, both counted."""
    for text in (BEFORE + other, other + other, BEFORE + LINUX_7 + other, only(BEFORE) + other):
        assert vars(parse_map(text, "map")) == vars(parse_map(other, "map"))
    for text in (other + BEFORE, only(other + BEFORE)):
        assert vars(parse_map(text, "map")) == vars(parse_map(BEFORE, "map"))


def test_what_xen_leaves_to_linux_is_not_the_machines():
    with pytest.raises(Trouble, match="take the output of xl dmesg"):
        parse_map(DOM0, "map")


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
