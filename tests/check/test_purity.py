# SPDX-License-Identifier: MIT
"""kernel/core and the patrol: no privileged instruction, mutable global or include from elsewhere.

docs/design.md, "Rules". The check reads the sources' includes and what the compiler made of
them.
"""

import re
import subprocess

from okramlib import BUILD, ROOT

FREESTANDING = {"stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "limits.h"}
INTRINSICS = {"immintrin.h", "emmintrin.h", "cpuid.h"}
CONTRACT = {"boot/boot_info.h"}  # plain structs that the loaders share with the kernel
# What whoever links the code defines: its panic, and in UEFI programs the stack's guard value.
FROM_OUTSIDE = {"panic", "__stack_chk_guard", "__stack_chk_fail"}
FROM_OUTSIDE |= {"font_blob", "font_files", "font_files_count"}  # display/font_data.asm
LIBRARY = {  # the folders that may use a library: header, names
    "qr": ("qrcodegen/qrcodegen.h", "qrcodegen_"),
    "sign": ("bearssl.h", "br_"),
}

# Instructions that fault in user mode, by AMD64 Architecture Programmer's Manual, volume 3, 4.
PRIVILEGED = re.compile(
    r"\b(cli|sti|hlt|clts|invd|wbinvd|wbnoinvd|invlpg\w*|invpcid|lgdt|lidt|lldt|ltr|lmsw"
    r"|rdmsr|wrmsr|rdpmc|swapgs|sysret\w*|sysexit\w*|iret\w*|xsetbv|monitor|mwait"
    r"|in|out|insb|insw|insl|outsb|outsw|outsl)\b|%[cd]r\d+"
)


CORE = ROOT / "kernel" / "core"
PATROL = ROOT / "boot" / "guard" / "patrol"
SOURCES = sorted([*CORE.rglob("*.[ch]"), *PATROL.glob("*.[ch]")])
OBJECTS = {
    str(
        (
            BUILD / ("uefi" if PATROL in source.parents else "kernel") / source.relative_to(ROOT)
        ).with_suffix(".o")
    ): source.parent.name
    for source in SOURCES
    if source.suffix == ".c"
}
FOLDERS = {source.parent.name for source in SOURCES}


def listed(*command):
    """The lines that a tool prints of each object."""
    ran = subprocess.run([*command, *OBJECTS], check=True, capture_output=True, text=True)
    parts = re.split(r"^(/\S+):(?: +file format .*)?\n", ran.stdout, flags=re.MULTILINE)
    found = {name: text.splitlines() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    assert found.keys() == OBJECTS.keys()
    return found


def test_there_is_something_to_check():
    assert {"lib", "acpi", "patrol"} <= FOLDERS and len(OBJECTS) > len(FOLDERS) > 15


def is_allowed(source, own, system):
    if system:
        header, _ = LIBRARY.get(source.parent.name, (None, None))
        return system in FREESTANDING | INTRINSICS | {header}
    return own in CONTRACT or own.split("/")[-2] in FOLDERS


def test_includes():
    include = re.compile(r'^\s*#\s*include\s+(?:"(.*)"|<(.*)>)', re.MULTILINE)
    found = {source: include.findall(source.read_text()) for source in SOURCES}
    assert sum(map(len, found.values())) > len(SOURCES)
    assert [(s, of) for s in found for of in found[s] if not is_allowed(s, *of)] == []


def test_needs_nothing_from_outside():
    defined, needed = set(), {}
    for name, lines in listed("nm").items():
        _, of_library = LIBRARY.get(OBJECTS[name], (None, "\0"))
        symbols = [line.split()[-2:] for line in lines if line]
        defined |= {symbol for kind, symbol in symbols if kind != "U"}
        needed[name] = {symbol for kind, symbol in symbols if kind == "U"}
        needed[name] = {symbol for symbol in needed[name] if not symbol.startswith(of_library)}
    assert len(defined) > len(OBJECTS)
    assert {o: s for o in needed if (s := needed[o] - defined - FROM_OUTSIDE)} == {}


def test_no_privileged_instruction():
    for name, lines in listed("objdump", "-d", "--no-show-raw-insn").items():
        instructions = [line.split("<")[0] for line in lines if line.startswith(" ")]
        assert [line for line in instructions if PRIVILEGED.search(line)] == [], name


def test_no_mutable_global():
    for name, lines in listed("objdump", "-h").items():
        columns = [line.split() for line in lines]
        sizes = {of[1]: int(of[2], 16) for of in columns if len(of) == 7 and of[0].isdigit()}
        assert sizes[".text"] >= 0, name
        assert [s for s in sizes if re.match(r"\.(data|bss)\b", s) and sizes[s]] == [], name
