# SPDX-License-Identifier: MIT
"""Other ways to start okram, and where its options come from."""

import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import IMAGE, KERNEL
from okramlib.units import MIB
from system.efi_stick import fat_stick
from system.harness import attach, follow, from_image

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
    conf = "# für Tests\r\nranges=5 patterns=9\r\n"  # as Windows' editors write it
    (tmp_path / "okram.conf").write_bytes(conf.encode("utf-16"))
    files = {"okram.efi": BUILD / "okram.efi", "okram.conf": tmp_path / "okram.conf"}
    return fat_stick(image, grub, files)


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_conf_of_windows_editors(tmp_path, encoding):
    """Notepad saves UTF-16 if it is asked to, as a shell's redirection does, with a mark."""
    image, path = tmp_path / "stick.img", tmp_path / "okram.conf"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + "# für Tests\r\ntests=quick\r\npatterns=7\r\n".encode(encoding))
    fat_stick(image, BUILD / "okram.efi", {"okram.conf": path})
    machine = from_image("uefi-stick-128M", image=image, cmdline="bandwidth=off")
    outcome = follow(machine)
    assert outcome.last("start")["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]
    assert not any("option" in text for text in outcome.last("machine")["warnings"])


def test_grub_starts_okram_efi(stick):
    machine = from_image("uefi-stick-128M", image=stick, cmdline="bandwidth=off")
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
    outcome = follow(from_image("small", image=image, cmdline="bandwidth=off"))
    start = outcome.last("start")
    assert start["boot"] == "bios" and "GRUB" in start["loader"]
    assert start["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]


# What loaders and entries for Linux have on the command line besides okram's own words.
LINUX_WORDS = "quiet ip=dhcp vga=791 root=/dev/sda1 initrd=/okram.conf"

LINUX_MODULES = ["fat", "part_msdos", "linux", "multiboot2", "normal", "configfile", "boot"]


def check_by_uefi(outcome):
    """All that UEFI's tables say is known, and the loader's words are no warnings."""
    start, machine = outcome.last("start"), outcome.last("machine")
    assert start["boot"] == "uefi" and "patterns=7" in start["cmdline"].split()
    assert machine["cpus"] == 4 and machine["nodes"] == 2
    assert outcome.last("result")["status"] == "pass"
    assert outcome.of_type("identity") and outcome.last("identity")["board"]
    (warning,) = machine["warnings"]
    assert warning == (
        "the memory map that the loader passes does not describe UEFI's services, which okram.efi "
        "can use: the report is not kept in UEFI variables"
    )


def on_uefi(**options):
    extra = [*attach("board-okram"), *options.pop("extra", [])]
    return from_image(
        "uefi-256M-4cpus-2nodes", cmdline="tests=mats+ bandwidth=off", extra=extra, **options
    )


def test_the_linux_protocol_on_uefi():
    """OVMF's own loader, for QEMU's -kernel."""
    extra = attach("append", options=f"{LINUX_WORDS} patterns=7")
    check_by_uefi(follow(on_uefi(kernel=KERNEL, extra=extra)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [f"linux /okram.lkrn {LINUX_WORDS} patterns=7", "multiboot2 /okram.elf patterns=7"]
)
def test_grub_on_uefi_without_okram_efi(command, tmp_path):
    (tmp_path / "grub.cfg").write_text(f"{command}\nboot\n")
    grub, image = tmp_path / "grub.efi", tmp_path / "stick.img"
    config = ["-p", "/"]
    run("grub-mkimage", "-O", "x86_64-efi", "-o", grub, *config, *LINUX_MODULES)
    files = {name: BUILD / name for name in ("okram.lkrn", "okram.elf")}
    fat_stick(image, grub, {**files, "grub.cfg": tmp_path / "grub.cfg"}, 64 * MIB)
    check_by_uefi(follow(on_uefi(on="uefi-stick-256M-4cpus-2nodes", image=image)))
