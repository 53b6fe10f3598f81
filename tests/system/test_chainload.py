# SPDX-License-Identifier: MIT
"""Other ways to start okram, and where its options come from."""

import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import IMAGE, Machine
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
    """A FAT file system with GRUB as its boot loader, and okram.efi."""
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
    (tmp_path / "okram.conf").write_text("# of the stick\nranges=5 patterns=9\n")
    run("mcopy", "-i", image, tmp_path / "okram.conf", "::/okram.conf")
    return image


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def test_grub_starts_okram_efi(stick):
    machine = Machine(uefi=True, memory=128 * MIB, usb=True, image=stick, cmdline="bandwidth=off")
    start = follow(machine).last("start")
    assert start["boot"] == "uefi"
    # okram.conf next to the loader, then the load options, then QEMU's.
    words = start["cmdline"].split()
    assert words[:4] == ["ranges=5", "patterns=9", "tests=quick", "patterns=7"]
    assert words[-1] == "bandwidth=off"


def test_options_of_a_grub_entry(tmp_path):
    """By BIOS: the same image with another menu."""
    (tmp_path / "grub.cfg").write_text("multiboot2 /boot/okram.elf tests=quick patterns=7\nboot\n")
    image = tmp_path / "menu.iso"
    change = ["-map", tmp_path / "grub.cfg", "/boot/grub/grub.cfg"]
    run("xorriso", "-indev", IMAGE, "-outdev", image, "-boot_image", "any", "replay", *change)
    outcome = follow(Machine(memory=64 * MIB, image=image, cmdline="bandwidth=off"))
    start = outcome.last("start")
    assert start["boot"] == "bios" and "GRUB" in start["loader"]
    assert start["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]
