# SPDX-License-Identifier: MIT
"""Started from a GRUB that has badram or cutmem in force: what it hid is not forgotten."""

import subprocess

import pytest

from okramlib import BUILD, EXIT_PASS, EXIT_UNFINISHED
from okramlib.machine import Machine
from okramlib.units import MIB
from system.harness import follow
from system.test_loading import _GRUB_MODULES

QUICK = "tests=quick bandwidth=off"
BADRAM = "badram 0x3000000,0xffffffffff000,0x5554000,0xfffffffffe000"  # one page, and two
PAGES = [(0x3000000, 1), (0x5554000, 2)]
CUTMEM = "cutmem 0x3000000 0x3001000\ncutmem 0x5554000 0x5556000"
PATTERNS = [["0x3000000", "0xffffffffff000"], ["0x5554000", "0xfffffffffe000"]]


def run(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def bios_image(directory, hide):
    """A CD whose GRUB hides pages, and starts okram by Multiboot2."""
    config, image = directory / "grub.cfg", directory / "grub.iso"
    config.write_text(f"{hide}\nmultiboot2 /okram.elf\nmodule2 /okram.copy\nboot\n")
    files = {"boot/grub/grub.cfg": config}
    files |= {"okram.elf": BUILD / "stripped.elf", "okram.copy": BUILD / "okram.copy"}
    run("grub-mkrescue", "-o", image, *(f"{name}={path}" for name, path in files.items()))
    return image


def uefi_image(directory, hide):
    """A stick whose GRUB hides pages, and starts okram.efi."""
    config, grub, image = directory / "grub.cfg", directory / "grub.efi", directory / "stick.img"
    config.write_text(
        f"search --set=root --file /okram.efi\n{hide}\nchainloader /okram.efi\nboot\n"
    )
    run(
        *("grub-mkimage", "-O", "x86_64-efi", "-o", grub, "-c", config, "-p", "/"),
        *(*_GRUB_MODULES, "mmap", "chain"),
    )
    with image.open("wb") as file:
        file.truncate(16 * MIB)
    run("mformat", "-i", image, "::")
    run("mmd", "-i", image, "::/EFI", "::/EFI/BOOT")
    run("mcopy", "-i", image, grub, "::/EFI/BOOT/BOOTX64.EFI")
    run("mcopy", "-i", image, BUILD / "okram.efi", "::/okram.efi")
    return image


def boot(directory, uefi, hide, words=QUICK, **options):
    image = (uefi_image if uefi else bios_image)(directory, hide)
    machine = Machine(uefi=uefi, memory=128 * MIB, usb=uefi, image=image, cmdline=words, **options)
    return follow(machine)


@pytest.mark.parametrize("hide", [BADRAM, CUTMEM], ids=["badram", "cutmem"])
def test_by_uefi_hidden_pages_are_in_the_line(tmp_path, hide):
    """No fault was found, but the line that protects the machine is still needed."""
    outcome = boot(tmp_path, True, hide)
    result, badram = outcome.last("result"), outcome.last("badram")
    assert (result["status"], result["complete"]) == ("pass", False)
    assert (result["hidden_pages"], result["bad_pages"]) == (3, 0)
    assert badram["bad_pages"] == 3 and badram["patterns"] == PATTERNS
    advice = outcome.last("advice")
    assert advice["case"] == "rest"
    assert "3 pages were hidden before okram started, and so not tested: keep" in advice["text"]
    assert outcome.exit_code == EXIT_UNFINISHED


def test_by_bios_holes_are_named(tmp_path):
    outcome = boot(tmp_path, False, BADRAM)
    result = outcome.last("result")
    said = "3 pages within RAM are missing from the memory map, the first at 0x3000000, as after "
    (warning,) = (w for w in outcome.last("machine")["warnings"] if w.startswith(said))
    assert "keep the old line, and add a new one to it" in warning
    assert (result["status"], result["complete"], result["hole_pages"]) == ("pass", True, 3)
    assert (
        "if GRUB's badram or cutmem hid them, keep the old line." in outcome.last("advice")["text"]
    )
    assert outcome.exit_code == EXIT_PASS


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_nothing_is_hidden(tmp_path, uefi):
    outcome = boot(tmp_path, uefi, "")
    result = outcome.last("result")
    assert result["complete"] and "hidden_pages" not in result and "hole_pages" not in result
    assert "missing from the memory map" not in str(outcome.last("machine")["warnings"])
    assert outcome.last("advice")["case"] == "good"
