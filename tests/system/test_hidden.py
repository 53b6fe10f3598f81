# SPDX-License-Identifier: MIT
"""Started from a GRUB that has badram or cutmem in force: the hidden pages are not forgotten."""

import struct
import subprocess
import time
from pathlib import Path

import pytest

from okramlib import BUILD, EXIT_PASS, EXIT_UNFINISHED, ROOT
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system.efi_stick import fat_stick
from system.harness import TIMEOUT_S, follow, from_image
from system.test_loading import _GRUB_MODULES

QUICK = "tests=quick bandwidth=off"
BADRAM = "badram 0x3000000,0xffffffffff000,0x5554000,0xfffffffffe000"  # one page, and two
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
    return fat_stick(image, grub, {"okram.efi": BUILD / "okram.efi"})


def boot(directory, uefi, hide, words=QUICK, **options):
    image = (uefi_image if uefi else bios_image)(directory, hide)
    machine = from_image("128M", uefi=uefi, usb=uefi, image=image, cmdline=words, **options)
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


def test_by_bios_a_new_line_is_added_to_the_old_one(tmp_path):
    """The new one does not have the pages that are missing from the map."""
    outcome = boot(tmp_path, False, BADRAM, faults="stuck1@0x6800040.3")
    assert outcome.last("badram")["line"] == "badram=0x6800000,0xffffffffff000"
    text = outcome.last("advice")["text"]
    assert text.endswith("if GRUB's badram or cutmem hid them, add the new line to the old one.")


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_hidden_pages_and_a_part(tmp_path, uefi):
    outcome = boot(tmp_path, uefi, BADRAM, f"{QUICK} range=32M-64M")
    text = outcome.last("advice")["text"]
    assert "in the part that was tested, 32.0 MiB of " in text and "keep the old" in text


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_nothing_is_hidden(tmp_path, uefi):
    outcome = boot(tmp_path, uefi, "")
    result = outcome.last("result")
    assert result["complete"] and "hidden_pages" not in result and "hole_pages" not in result
    assert "missing from the memory map" not in str(outcome.last("machine")["warnings"])
    assert outcome.last("advice")["case"] == "good"


# A library for grub-mkconfig that knows a disk which this test does not have.
LIBRARY = """
is_path_readable_by_grub() { true; }
make_system_path_relative_to_its_root() { echo /okram; }
prepare_grub_to_access_device() { echo 'search --set=root --file /okram/okram.elf'; }
grub_add_tab() { sed 's/^/\\t/'; }
"""
FILES = ("okram.elf", "okram.copy", "okram.efi", "okram-ia32.efi")
ENTRY_MODULES = "normal loadenv reboot test mmap chain multiboot2 search fat part_msdos biosdisk"


def script_writes(directory, name, badram, custom=""):
    """The output of the package's script of that name for grub.cfg."""
    folder, scripts = directory / "okram", directory / "grub.d"
    for path in (folder, scripts):
        path.mkdir(exist_ok=True)
    for file in FILES:
        (folder / file).touch()
    (directory / "grub-mkconfig_lib").write_text(LIBRARY)
    (scripts / "40_custom").write_text(f"#!/bin/sh\nexec tail -n +3 $0\n{custom}\n")
    text = (ROOT / "packaging" / "20_okram").read_text()
    (scripts / name).write_text(text.replace("folder=/boot/okram", f"folder={folder}"))
    environment = {"pkgdatadir": str(directory), "GRUB_DEVICE_BOOT": "x", "PATH": "/usr/bin:/bin"}
    if badram:
        environment["GRUB_BADRAM"] = badram.removeprefix("badram ")
    command = ["sh", scripts / name]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout.decode()


def test_the_entry_restarts_only_where_memory_is_hidden(tmp_path):
    for badram, custom in (("", ""), ("", "# badram 1,2\nset x=badram")):
        assert script_writes(tmp_path, "00_before_okram", badram, custom) == ""
        assert "reboot" not in script_writes(tmp_path, "20_okram", badram, custom)
    for badram, custom in ((BADRAM, ""), ("", BADRAM), ("", f"  {CUTMEM}")):
        assert "save_env okram_next" in script_writes(tmp_path, "00_before_okram", badram, custom)
        assert "reboot" in script_writes(tmp_path, "20_okram", badram, custom)


def disk(directory, uefi, environment):
    """A disk with GRUB, as update-grub leaves it with a GRUB_BADRAM; its default is okram."""
    (directory / "grub.cfg").write_text(
        script_writes(directory, "00_before_okram", BADRAM)
        + f"load_env\nset menuentry_id_option=--id\n{BADRAM}\nset default=okram\nset timeout=0\n"
        + script_writes(directory, "20_okram", BADRAM)
    )
    image, core = directory / "disk.img", directory / "core"
    at = f"{image}@@1M"
    with image.open("wb") as file:
        file.truncate(34 * MIB)
        file.seek(446)  # one partition of type 0C, from 1 MiB on
        file.write(struct.pack("<B3xB3xII", 0x80, 0x0C, 2048, 33 * 2048) + bytes(48) + b"\x55\xaa")
    run("mformat", "-i", at, "::")
    run("mmd", "-i", at, "::/boot", "::/boot/grub", "::/okram", "::/EFI", "::/EFI/BOOT")
    modules = [m for m in ENTRY_MODULES.split() if m != ("biosdisk" if uefi else "chain")]
    target = "x86_64-efi" if uefi else "i386-pc"
    prefix = "(,msdos1)/boot/grub"
    run("grub-mkimage", "-O", target, "-o", core, "-p", prefix, *modules)
    if uefi:
        run("mcopy", "-i", at, core, "::/EFI/BOOT/BOOTX64.EFI")
    else:
        boot = Path("/usr/lib/grub/i386-pc/boot.img").read_bytes()
        with image.open("r+b") as file:
            file.write(boot[:440])
            file.seek(512)
            file.write(core.read_bytes())
    run("mcopy", "-i", at, directory / "grub.cfg", "::/boot/grub/grub.cfg")
    if environment:
        run("grub-editenv", directory / "grubenv", "create")
        run("mcopy", "-i", at, directory / "grubenv", "::/boot/grub/grubenv")
    for name in FILES:
        built = BUILD / ("stripped.elf" if name == "okram.elf" else name)
        run("mcopy", "-i", at, built, f"::/okram/{name}")
    return image


def start(image, uefi):
    return from_image("stick-writable-128M", uefi=uefi, image=image, cmdline=QUICK)


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_packages_entry_tests_what_badram_hides(tmp_path, uefi):
    """The first start leaves a word and restarts; the next comes before the badram line."""
    image = disk(tmp_path, uefi, True)
    with Qemu(start(image, uefi)) as qemu:
        deadline = time.monotonic() + TIMEOUT_S
        while qemu.line(1) is not END:
            assert time.monotonic() < deadline
    result = follow(start(image, uefi)).last("result")
    assert result["complete"] and "hole_pages" not in result and "hidden_pages" not in result
    run("mcopy", "-n", "-i", f"{image}@@1M", "::/boot/grub/grubenv", tmp_path / "after")
    assert "okram_next=\n" in (tmp_path / "after").read_text()


@pytest.mark.slow
def test_the_entry_without_an_environment(tmp_path):
    """GRUB has no place for the word: okram starts all the same, and says how much is hidden."""
    result = follow(start(disk(tmp_path, False, False), False)).last("result")
    assert result["hole_pages"] == 3
