# SPDX-License-Identifier: MIT
"""kernel/core and the patrol: no privileged instruction, mutable global or include from elsewhere.

docs/design.md, "Rules". The check reads the sources' includes and what the compiler made of
them.
"""

import re
import subprocess
from functools import cache

import pytest

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
OBJECTS = [
    (
        BUILD / ("uefi" if PATROL in source.parents else "kernel") / source.relative_to(ROOT)
    ).with_suffix(".o")
    for source in SOURCES
    if source.suffix == ".c"
]
FOLDERS = {source.parent.name for source in SOURCES}


def by_name(path):
    return str(path.relative_to(ROOT))


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@cache
def defined_symbols():
    listing = tool("nm", "--defined-only", *map(str, OBJECTS))
    return {line.split()[-1] for line in listing.splitlines() if len(line.split()) == 3}


def test_there_is_something_to_check():
    assert {"lib", "acpi", "patrol"} <= FOLDERS and len(OBJECTS) > len(FOLDERS) > 15


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_includes(source):
    for line in source.read_text().splitlines():
        match = re.match(r'\s*#\s*include\s+(?:"(.*)"|<(.*)>)', line)
        if not match:
            continue
        own, system = match.groups()
        if system:
            header, _ = LIBRARY.get(source.parent.name, (None, None))
            assert system in FREESTANDING | INTRINSICS | {header}, line
        else:
            assert own in CONTRACT or own.split("/")[-2] in FOLDERS, line


@pytest.mark.parametrize("object_file", OBJECTS, ids=by_name)
def test_needs_nothing_from_outside(object_file):
    needed = set(tool("nm", "--undefined-only", "--format=just-symbols", str(object_file)).split())
    _, of_library = LIBRARY.get(object_file.parent.name, (None, None))
    needed = {name for name in needed if not of_library or not name.startswith(of_library)}
    assert needed <= defined_symbols() | FROM_OUTSIDE


@pytest.mark.parametrize("object_file", OBJECTS, ids=by_name)
def test_no_privileged_instruction(object_file):
    code = tool("objdump", "-d", "--no-show-raw-insn", str(object_file))
    instructions = [line.split("<")[0] for line in code.splitlines() if line.startswith(" ")]
    assert [line for line in instructions if PRIVILEGED.search(line)] == []


@pytest.mark.parametrize("object_file", OBJECTS, ids=by_name)
def test_no_mutable_global(object_file):
    for line in tool("objdump", "-h", str(object_file)).splitlines():
        columns = line.split()
        if len(columns) == 7 and re.match(r"\.(data|bss)\b", columns[1]):
            assert int(columns[2], 16) == 0, f"{columns[1]} holds 0x{columns[2]} bytes"
