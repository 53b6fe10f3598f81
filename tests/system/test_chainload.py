"""okram.efi alone, started by GRUB from another stick."""

import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import Machine
from okramlib.units import MIB
from system.harness import follow

_GRUB_MODULES = ["fat", "part_gpt", "part_msdos", "search", "chain", "normal", "configfile"]
_GRUB_CFG = """
search --set=root --file /okram.efi
chainloader /okram.efi tests=quick patterns=7
boot
"""


@pytest.fixture
def stick(tmp_path):
    """A FAT file system with GRUB as its boot loader and okram.efi beside it."""
    (tmp_path / "grub.cfg").write_text(_GRUB_CFG)
    grub, image = tmp_path / "grub.efi", tmp_path / "stick.img"
    config = ["-c", tmp_path / "grub.cfg", "-p", "/"]
    run("grub-mkimage", "-O", "x86_64-efi", "-o", grub, *config, *_GRUB_MODULES)
    with image.open("wb") as file:
        file.truncate(16 * MIB)
    run("mformat", "-i", image, "::")
    run("mmd", "-i", image, "::/EFI", "::/EFI/BOOT")
    run("mcopy", "-i", image, grub, "::/EFI/BOOT/BOOTX64.EFI")
    run("mcopy", "-i", image, BUILD / "okram.efi", "::/okram.efi")
    return image


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def test_grub_starts_okram_efi(stick):
    machine = Machine(
        uefi=True, memory=128 * MIB, usb=True, image=stick, cmdline="bandwidth=off"
    )
    start = follow(machine).last("start")
    assert start["boot"] == "uefi"
    assert "patterns=7" in start["cmdline"]
