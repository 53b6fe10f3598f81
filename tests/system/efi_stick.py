# SPDX-License-Identifier: MIT
"""A stick whose boot loader is a program of tests/system/efi, which starts okram.efi."""

import subprocess

from okramlib import BUILD
from okramlib.units import MIB


def efi_stick(path, program):
    """A FAT file system with both."""
    with path.open("wb") as file:
        file.truncate(16 * MIB)
    for command in (
        ["mformat", "-i", path, "::"],
        ["mmd", "-i", path, "::/EFI", "::/EFI/BOOT"],
        ["mcopy", "-i", path, BUILD / "efi" / f"{program}.efi", "::/EFI/BOOT/BOOTX64.EFI"],
        ["mcopy", "-i", path, BUILD / "okram.efi", "::/okram.efi"],
    ):
        subprocess.run([str(word) for word in command], check=True)
    return path
