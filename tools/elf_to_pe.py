# SPDX-License-Identifier: MIT
"""Makes a PE file of a UEFI program that boot/pe/efi.ld linked, for 64-bit or for 32-bit firmware.

    elf_to_pe.py [--driver] LINKED.elf SBAT.csv PROGRAM.efi

(Microsoft PE Format; UEFI 2.10, 2.1.1.) With --driver it is a boot services driver, else an
application. SBAT.csv becomes the section .sbat, by which shim knows which generation of the program
this is (shim's SBAT.md). Shim takes all bytes of the section for text, so its size is exact.

Each section begins in a page of its own, and none is both writable and executable, so that firmware
can protect them. All bytes of the file belong to the headers or to a section, so that a signature
covers them. Equal input gives equal bytes. Exits with 1 and a sentence when a file is not what it
should be. With Python's own library alone: the build needs no environment.
"""

import re
import struct
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NoReturn

PAGE = 4096

# The sections of the program: what the linker made, and then what this tool adds.
LINKED = {".text": 0x60000020, ".rodata": 0x40000040, ".data": 0xC0000040}
ADDED = {".sbat": 0x40000040, ".reloc": 0x42000040}

# Component, generation, vendor, package, version and URL, and no byte that is not text.
FIELD = r"[ -+\--~]+"
SBAT_LINE = re.compile(rf"{FIELD},[0-9]+(,{FIELD}){{4}}")


@dataclass(frozen=True)
class Format:
    """What the files of one machine have: of ELF and of PE."""

    head: str  # e_entry, e_shoff, e_shnum, e_shstrndx
    part: str  # sh_name, sh_type, sh_addr, sh_offset, sh_size
    relocations: str  # the section's name
    relocation: str  # r_offset, r_info, and for 64 bits r_addend
    relative: int  # r_info: the program's own address (R_X86_64_RELATIVE, R_386_RELATIVE)
    word: str
    machine: int
    flags: int  # executable, and LARGE_ADDRESS_AWARE or 32BIT_MACHINE
    magic: int  # PE32+ or PE32
    dll_flags: int  # NX_COMPAT, DYNAMIC_BASE, and for 64 bits HIGH_ENTROPY_VA
    base_relocation: int  # DIR64 or HIGHLOW


X64 = Format(
    "<24xQ8xQ12xHH", "<II8xQQQ24x", ".rela.dyn", "<QQq", 8, "<Q", 0x8664, 0x22, 0x20B, 0x160, 10
)
IA32 = Format(
    "<24xI4xI12xHH", "<II4xIII16x", ".rel.dyn", "<II", 8, "<I", 0x14C, 0x102, 0x10B, 0x140, 3
)


@dataclass(frozen=True)
class Part:
    """A section of the linked file; content is without the zeros of .bss."""

    at: int
    size: int
    content: bytes


@dataclass
class Section:
    """A section of the PE file."""

    name: str
    flags: int
    at: int
    size: int
    content: bytes

    def in_file(self) -> bytes:
        """Its content in whole pages."""
        return self.content.ljust(align_up(len(self.content)), b"\0")


def fail(path: Path | str, why: str) -> NoReturn:
    """Ends the program."""
    sys.exit(f"elf_to_pe: {path}: {why}")


def align_up(n: int) -> int:
    """To a whole number of pages."""
    return (n + PAGE - 1) // PAGE * PAGE


def read_linked(path: Path) -> tuple[Format, int, dict[str, Part]]:
    """The format, the entry point, and the sections by name."""
    content = path.read_bytes()
    if content[:4] != b"\x7fELF" or len(content) < 64:
        fail(path, "is not an ELF file")
    form = X64 if content[4] == 2 else IA32
    parts = {}
    try:
        entry, table, count, names = struct.unpack_from(form.head, content)
        rows = [
            struct.unpack_from(form.part, content, table + i * struct.calcsize(form.part))
            for i in range(count)
        ]
        for name, kind, at, offset, size in rows:
            start = rows[names][3] + name
            text = content[start : content.index(b"\0", start)].decode()
            if kind != 8 and offset + size > len(content):  # SHT_NOBITS
                fail(path, "is cut off")
            parts[text] = Part(at, size, b"" if kind == 8 else content[offset : offset + size])
    except (struct.error, IndexError, ValueError):
        fail(path, "is cut off")
    return form, entry, parts


def read_sbat(path: Path) -> bytes:
    """The file, when shim can read it."""
    content = path.read_bytes()
    *lines, rest = content.decode("latin-1").split("\n")
    if not content.startswith(b"sbat,1,"):
        fail(path, "does not begin with the version of SBAT: sbat,1,...")
    if rest or not all(SBAT_LINE.fullmatch(line) for line in lines):
        fail(path, "a line is not of six fields with commas between them, the second a number")
    if len(lines) < 2:
        fail(path, "names no component")
    return content


def load(path: Path, parts: dict[str, Part]) -> tuple[bytearray, list[Section]]:
    """The program as it is in memory, from address 0 on, and its sections without content."""
    sections = []
    end = PAGE
    for name, flags in LINKED.items():
        part = parts.get(name)
        if not part or not part.size or part.at != end:
            fail(path, "its sections do not follow each other as boot/pe/efi.ld has them")
        size = part.size
        if name == ".data" and ".bss" in parts and parts[".bss"].size:
            size = parts[".bss"].at + parts[".bss"].size - part.at
        sections.append(Section(name, flags, part.at, size, b""))
        end = align_up(part.at + size)
    image = bytearray(end)
    for section in sections:
        content = parts[section.name].content.ljust(section.size, b"\0")
        image[section.at : section.at + section.size] = content
    return image, sections


def relocate(path: Path, form: Format, parts: dict[str, Part], image: bytearray) -> bytes:
    """Puts 64-bit addends in their places, where those of 32 bits are, and lists the places."""
    part = parts.get(form.relocations)
    places = []
    for place, info, *addend in struct.iter_unpack(form.relocation, part.content if part else b""):
        if info & 0xFF != form.relative or place + struct.calcsize(form.word) > len(image):
            fail(path, "it has a relocation that is not of its own address")
        if addend:
            struct.pack_into("<q", image, place, *addend)
        places.append(place)
    if not places:
        fail(path, "it has no relocations")
    blocks = b""  # one for each page, with a word for each place in it
    for page, group in groupby(sorted(places), lambda place: place // PAGE):
        words = [form.base_relocation << 12 | place % PAGE for place in group]
        words += [0] * (len(words) % 2)
        blocks += struct.pack(f"<II{len(words)}H", page * PAGE, 8 + 2 * len(words), *words)
    return blocks


def headers(form: Format, entry: int, subsystem: int, sections: list[Section]) -> bytes:
    """All before the first section: a page."""
    text, rodata, *_, reloc = sections
    words = struct.Struct(f"<{form.word[1]}")
    data_size = sum(len(section.in_file()) for section in sections[1:])
    optional = struct.pack("<H2x5I", form.magic, len(text.in_file()), data_size, 0, entry, text.at)
    if form is IA32:
        optional += struct.pack("<I", rodata.at)  # where data begin: PE32 alone has this
    optional += words.pack(0)  # the image base
    optional += struct.pack("<II12x", PAGE, PAGE)
    optional += struct.pack("<4xII4x", reloc.at + align_up(reloc.size), PAGE)
    optional += struct.pack("<HH", subsystem, form.dll_flags)
    optional += 4 * words.pack(0) + struct.pack("<4xI", 16)  # stack, heap; count of directories
    optional += struct.pack("<40xII80x", reloc.at, reloc.size)  # the sixth: base relocations
    head = struct.pack("<2s58xI", b"MZ", 64)
    head += struct.pack("<4sHH12xHH", b"PE", form.machine, len(sections), len(optional), form.flags)
    head += optional
    place = PAGE
    for section in sections:
        size = len(section.in_file())
        name = section.name.encode()
        row = (name, section.size, section.at, size, place, section.flags)
        head += struct.pack("<8s4I12xI", *row)
        place += size
    return head.ljust(PAGE, b"\0")


def main() -> None:
    """Reads all, then writes."""
    arguments = sys.argv[1:]
    is_driver = arguments[:1] == ["--driver"]
    if len(arguments) != 3 + is_driver:
        fail("use", "elf_to_pe.py [--driver] LINKED.elf SBAT.csv PROGRAM.efi")
    linked, sbat, program = map(Path, arguments[is_driver:])
    form, entry, parts = read_linked(linked)
    added = {".sbat": read_sbat(sbat)}
    image, sections = load(linked, parts)
    added[".reloc"] = relocate(linked, form, parts, image)
    for section in sections:
        section.content = bytes(image[section.at : section.at + parts[section.name].size])
    for name, content in added.items():
        before = sections[-1]
        at = before.at + align_up(before.size)
        sections.append(Section(name, ADDED[name], at, len(content), content))
    subsystem = 11 if is_driver else 10  # EFI boot services driver, EFI application
    head = headers(form, entry, subsystem, sections)
    program.write_bytes(head + b"".join(section.in_file() for section in sections))


if __name__ == "__main__":
    main()
