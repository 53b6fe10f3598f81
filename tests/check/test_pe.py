# SPDX-License-Identifier: MIT
"""The UEFI loaders as PE files, by an independent reader: what firmware and shim ask of them."""

import re
import struct
import subprocess

import pefile
import pytest

from okramlib import BUILD, ROOT

TOOL = ["python3", ROOT / "tools" / "elf_to_pe.py"]

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
        ".sbat": {"READ"},
        ".reloc": {"READ"},
    }


@by_loader
def test_all_of_the_file_is_signed(name, folder, machine):
    """A signature covers headers and sections: none may leave bytes of the file out."""
    pe = read(name)
    at = pe.OPTIONAL_HEADER.SizeOfHeaders
    for section in pe.sections:
        assert section.PointerToRawData == at
        at += section.SizeOfRawData
    assert at == (BUILD / name).stat().st_size and at % 8 == 0
    kernel = (BUILD / "okram.copy").read_bytes()
    copies = pe.sections[1].get_data().count(kernel)
    assert copies == 2


@by_loader
def test_what_shim_reads(name, folder, machine):
    """Its size is that of the text: shim takes padding for one more line."""
    (sbat,) = [s for s in read(name).sections if s.Name.rstrip(b"\0") == b".sbat"]
    assert sbat.SizeOfRawData >= sbat.Misc_VirtualSize
    rows = sbat.get_data()[: sbat.Misc_VirtualSize].decode().splitlines(keepends=True)
    assert rows[0].startswith("sbat,1,") and all(row.endswith("\n") for row in rows)
    fields = [row.rstrip("\n").split(",") for row in rows]
    assert all(len(row) == 6 and all(row) for row in fields)  # shim refuses an empty one
    assert all(row[5] == "none" or row[5].startswith("https://") for row in fields)
    version = (ROOT / "VERSION").read_text().strip()
    (own,) = [row.split(",") for row in rows[1:]]
    assert own[0] == "okram" and own[1].isdigit() and own[4] == version and len(own) == 6
    assert not any(sbat.get_data()[sbat.Misc_VirtualSize :])


SBAT = "sbat,1,SBAT Version,sbat,1,u\nokram,1,okram,okram,1,u\n"


def make_with(sbat, tmp_path, *options):
    made, given = tmp_path / "made.efi", tmp_path / "sbat.csv"
    given.write_text(sbat)
    command = [*TOOL, *options, BUILD / "uefi" / "okram.elf", given, made]
    return made, subprocess.run(command, capture_output=True, text=True)


def test_a_driver(tmp_path):
    made, ran = make_with(SBAT, tmp_path, "--driver")
    assert ran.returncode == 0
    assert pefile.PE(made).OPTIONAL_HEADER.Subsystem == 11


@pytest.mark.parametrize(
    "sbat, why",
    [
        ("", "does not begin with"),
        ("okram,1,okram,okram,1,u\n", "does not begin with"),
        (SBAT.splitlines(keepends=True)[0], "names no component"),
        (SBAT[:-1], "six fields"),
        (SBAT.replace(",u", ""), "six fields"),
        (SBAT.replace("okram,1", "okram,x"), "six fields"),
        (SBAT.replace("okram,1", "okram,"), "six fields"),
        (SBAT.replace("okram,okram", "okram,"), "six fields"),
        (SBAT + "okram.debian,1,Debian,okram,1-1,u,v\n", "six fields"),
        (SBAT + "\n", "six fields"),
        (SBAT + "\0", "six fields"),
        (SBAT.replace("\n", "\r\n"), "six fields"),
    ],
)
def test_wrong_sbat_is_refused(sbat, why, tmp_path):
    made, ran = make_with(sbat, tmp_path)
    assert ran.returncode == 1 and why in ran.stderr and not made.exists()


def test_a_distributions_own_line(tmp_path):
    line = "okram.debian,1,Debian,okram,0.1.0-1,https://tracker.debian.org/pkg/okram\n"
    more, made = tmp_path / "more.csv", tmp_path / "sbat" / "okram.csv"
    more.write_text(line)
    command = ["make", "-s", f"BUILD={tmp_path}", f"SBAT_MORE={more}", str(made)]
    subprocess.run(command, cwd=ROOT, check=True)
    assert made.read_text() == (BUILD / "sbat" / "okram.csv").read_text() + line


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
        is_equal = moved[start : start + len(expected)] == expected
        assert is_equal, kind


@by_loader
def test_equal_input_gives_equal_bytes(name, folder, machine, tmp_path):
    again = tmp_path / name
    command = [*TOOL, BUILD / folder / "okram.elf", BUILD / "sbat" / "okram.csv", again]
    subprocess.run(command, check=True)
    is_equal = again.read_bytes() == (BUILD / name).read_bytes()
    assert is_equal
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
        ("okram.efi", bytes, "is not an ELF file"),
        ("okram.elf", bytes, "sections do not follow each other"),
    ],
    ids=["cut off", "relocation", "no ELF", "kernel"],
)
def test_other_files_are_refused(source, change, why, tmp_path):
    given, made = tmp_path / "given", tmp_path / "made"
    given.write_bytes(change((BUILD / source).read_bytes()))
    command = [*TOOL, given, BUILD / "sbat" / "okram.csv", made]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1 and why in ran.stderr
    assert not made.exists()


@pytest.mark.parametrize("name", ["uefi/okram", "uefi/okram-guard", "uefi32/okram"])
def test_the_stack_is_guarded(name):
    """Functions with arrays call __stack_chk_fail where the guard value has changed."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", BUILD / f"{name}.elf"]
    code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert len(re.findall(r"call.*<__stack_chk_fail(?:_local)?>", code)) > 50
