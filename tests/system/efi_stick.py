# SPDX-License-Identifier: MIT
"""A stick by its boot loader, such as a program of tests/system/efi, which starts okram.efi."""

import subprocess

from okramlib import BUILD
from okramlib.units import MIB


def fat_stick(path, loader, files, size=16 * MIB):
    """A FAT file system with that boot loader for UEFI; files: {name there: path here}."""
    with path.open("wb") as file:
        file.truncate(size)
    for command in (
        ["mformat", "-i", path, "::"],
        ["mmd", "-i", path, "::/EFI", "::/EFI/BOOT"],
        ["mcopy", "-i", path, loader, "::/EFI/BOOT/BOOTX64.EFI"],
        *(["mcopy", "-i", path, file, f"::/{name}"] for name, file in files.items()),
    ):
        subprocess.run([str(word) for word in command], check=True)
    return path


def efi_stick(path, program, files=None):
    """The same with a program of tests/system/efi, and with okram.efi."""
    loader = BUILD / "efi" / f"{program}.efi"
    return fat_stick(path, loader, {"okram.efi": BUILD / "okram.efi", **(files or {})})
