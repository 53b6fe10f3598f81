# SPDX-License-Identifier: MIT
"""The UEFI loaders as PE files, by an independent reader: what strict firmware asks of them."""

import re
import struct
import subprocess

import pefile
import pytest

from okramlib import BUILD

TOOL = BUILD / "elf_to_pe"

# A loader, what it is linked from, and its machine.
LOADERS = [
    ("okram.efi", "uefi", "AMD64"),
    ("okram-ia32.efi", "uefi32", "I386"),
]
BASE = 0x7654_3000
WORD = {"AMD64": "<Q", "I386": "<I"}

by_loader = pytest.mark.parametrize("name, folder, machine", LOADERS, ids=["x64", "ia32"])


def characteristics(section):
    names = ("EXECUTE", "READ", "WRITE")
    return {n for n in names if getattr(section, f"IMAGE_SCN_MEM_{n}")}


def read(name):
    return pefile.PE(BUILD / name)


def linked_at(folder, machine, base):
    """{section: bytes} of the linked file moved to that base, by readelf's list of relocations."""
    elf = BUILD / folder / "okram.elf"
    tables = subprocess.run(
        ["readelf", "-SrW", elf], check=True, capture_output=True, text=True
    ).stdout
    content = elf.read_bytes()
    sections, starts = {}, {}
    for kind, at, offset, size in re.findall(
        r"\] (\.text|\.rodata|\.data) +PROGBITS +(\w+) (\w+) (\w+)", tables
    ):
        offset, size = int(offset, 16), int(size, 16)
        starts[kind], sections[kind] = int(at, 16), bytearray(content[offset : offset + size])
    places = re.findall(r"^(\w+) +\w+ R_\w+_RELATIVE +(\w*)", tables, re.MULTILINE)
    assert len(places) > 100
    for at, addend in places:
        at = int(at, 16)
        (kind,) = [k for k in starts if 0 <= at - starts[k] < len(sections[k])]
        at -= starts[kind]
        word = WORD[machine]
        value = int(addend, 16) if addend else struct.unpack_from(word, sections[kind], at)[0]
        struct.pack_into(word, sections[kind], at, base + value)
    return sections


@by_loader
def test_what_firmware_may_enforce(name, folder, machine):
    pe = read(name)
    assert pe.get_warnings() == []
    assert pefile.MACHINE_TYPE[pe.FILE_HEADER.Machine] == f"IMAGE_FILE_MACHINE_{machine}"
    assert pe.OPTIONAL_HEADER.Subsystem == pefile.SUBSYSTEM_TYPE["IMAGE_SUBSYSTEM_EFI_APPLICATION"]
    assert pe.OPTIONAL_HEADER.IMAGE_DLLCHARACTERISTICS_NX_COMPAT
    assert pe.OPTIONAL_HEADER.SectionAlignment == 4096
    found = {section.Name.rstrip(b"\0").decode(): section for section in pe.sections}
    assert {kind: characteristics(section) for kind, section in found.items()} == {
        ".text": {"READ", "EXECUTE"},
        ".rodata": {"READ"},
        ".data": {"READ", "WRITE"},
        ".reloc": {"READ"},
    }


@by_loader
def test_sections_are_apart(name, folder, machine):
    pe = read(name)
    end = pe.OPTIONAL_HEADER.SizeOfHeaders
    for section in pe.sections:
        assert section.VirtualAddress % 4096 == 0 and section.VirtualAddress >= end
        end = section.VirtualAddress + section.Misc_VirtualSize
    assert 0 <= pe.OPTIONAL_HEADER.SizeOfImage - end < 4096
    entry = pe.get_section_by_rva(pe.OPTIONAL_HEADER.AddressOfEntryPoint)
    assert entry.Name.startswith(b".text")


@by_loader
def test_relocated_to_another_base(name, folder, machine):
    pe = read(name)
    assert not pe.FILE_HEADER.IMAGE_FILE_RELOCS_STRIPPED
    moved = pe.get_memory_mapped_image(ImageBase=BASE)
    for section in pe.sections[:3]:
        kind = section.Name.rstrip(b"\0").decode()
        expected = linked_at(folder, machine, BASE)[kind]
        start = section.VirtualAddress
        assert moved[start : start + len(expected)] == expected, kind


@by_loader
def test_equal_input_gives_equal_bytes(name, folder, machine, tmp_path):
    again = tmp_path / name
    subprocess.run([TOOL, BUILD / folder / "okram.elf", again], check=True)
    assert again.read_bytes() == (BUILD / name).read_bytes()
    assert read(name).FILE_HEADER.TimeDateStamp == 0


def cut(content):
    return content[: len(content) // 2]


def with_a_foreign_relocation(content):
    """R_X86_64_RELATIVE (8) becomes R_X86_64_64 (1)."""
    return content.replace(struct.pack("<Q", 8), struct.pack("<Q", 1))


@pytest.mark.parametrize(
    "source, change, why",
    [
        ("uefi/okram.elf", cut, "is cut off"),
        ("uefi/okram.elf", with_a_foreign_relocation, "a relocation that is not of its own"),
        ("okram.efi", bytes, "is no ELF file"),
        ("okram.elf", bytes, "sections do not follow each other"),
    ],
    ids=["cut off", "relocation", "no ELF", "kernel"],
)
def test_other_files_are_refused(source, change, why, tmp_path):
    given, made = tmp_path / "given", tmp_path / "made"
    given.write_bytes(change((BUILD / source).read_bytes()))
    ran = subprocess.run([TOOL, given, made], capture_output=True, text=True)
    assert ran.returncode == 1 and why in ran.stderr
    assert not made.exists()
