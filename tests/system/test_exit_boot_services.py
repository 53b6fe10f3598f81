# SPDX-License-Identifier: MIT
"""Firmware whose ExitBootServices fails: reported, without the services that must not be called."""

import subprocess

from okramlib import BUILD
from okramlib.machine import Machine
from okramlib.run import run
from okramlib.units import MIB


def stick(path):
    """A FAT file system whose boot loader makes ExitBootServices fail and starts okram.efi."""
    with path.open("wb") as file:
        file.truncate(16 * MIB)
    for command in (
        ["mformat", "-i", path, "::"],
        ["mmd", "-i", path, "::/EFI", "::/EFI/BOOT"],
        ["mcopy", "-i", path, BUILD / "efi" / "failing_exit.efi", "::/EFI/BOOT/BOOTX64.EFI"],
        ["mcopy", "-i", path, BUILD / "okram.efi", "::/okram.efi"],
    ):
        subprocess.run([str(word) for word in command], check=True)
    return path


def test_exit_boot_services_fails(tmp_path):
    image = stick(tmp_path / "stick.img")
    outcome = run(Machine(uefi=True, memory=128 * MIB, usb=True, image=image), timeout=120)
    said = "\n".join(outcome.lines)
    assert "okram: ExitBootServices failed (0x8000000000000002). Nothing was tested" in said
    assert "after ExitBootServices: " not in said
    assert outcome.exit_code == 2
