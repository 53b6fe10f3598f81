# SPDX-License-Identifier: MIT
import pytest

from okramlib import Trouble
from okramlib.memory_map import parse_map
from tools.map_samples import BEFORE, DMESG, DOM0, IOMEM, LINUX_7, OLD, OLD_XEN, XEN

RAM = [(0x1000, 0x9FC00), (0x100000, 0x80000000), (0x100000000, 0x180000000)]


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
