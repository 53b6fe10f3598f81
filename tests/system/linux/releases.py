# SPDX-License-Identifier: MIT
"""GRUB and Linux of several releases of Debian, of `make releases`, any GRUB with any Linux.

By BIOS GRUB is the release's rescue CD, to which the menu and what it starts are added; by UEFI its
program, on a disk.
"""

import pytest

from okramlib import BUILD
from okramlib.units import MIB
from system import guard_boot
from system.linux import guest

GRUBS = {"bookworm": "grub-2.06", "trixie": "grub-2.12", "sid": "grub-sid"}
RELEASES = tuple(GRUBS)

OPTIONS = guest.OPTIONS.replace(" quiet", "")

_LOADERS = BUILD / "loaders"
_INITRD = BUILD / "linux" / "initrd"
_DISK_BYTES = 96 * MIB


def boot(grub, linux, directory, commands=(), options=OPTIONS, **settings):
    """The log of Linux, started by a GRUB after these commands; both by their releases.

    settings: of guest.split_machine.
    """
    uefi = settings["uefi"]
    files = _of_release(f"{GRUBS[grub]}.{'efi' if uefi else 'iso'}", f"vmlinuz-{linux}")
    config = directory / "grub.cfg"
    config.write_text(_menu(commands, options))
    image = directory / f"{grub}-{linux}-{'uefi' if uefi else 'bios'}.img"
    image.unlink(missing_ok=True)
    (_make_disk if uefi else _make_cd)(image, config, *files)
    return guest.start(guest.split_machine(image=image, usb=uefi, menu=True, **settings))


def _of_release(*names):
    paths = [_LOADERS / name for name in names]
    for path in paths:
        if not path.exists() or not path.stat().st_size:
            pytest.skip(
                f"{path.name} is not there: `make releases` fetches it of Debian's packages"
            )
    return paths


def _menu(commands, options):
    lines = ["serial", "terminal_input serial", "terminal_output serial", *commands]
    lines += [f"linux /vmlinuz {options}", "initrd /initrd", "boot\n"]
    return "\n".join(lines)


def _make_cd(image, config, grub, vmlinuz):
    command = ["xorriso", "-indev", grub, "-outdev", image, "-boot_image", "any", "replay"]
    for source, to in (config, "/boot/grub/grub.cfg"), (vmlinuz, "/vmlinuz"), (_INITRD, "/initrd"):
        command += ["-map", source, to]
    guard_boot.run_tool(*command)


def _make_disk(image, config, grub, vmlinuz):
    """Debian's GRUB looks for its menu in that folder."""
    with image.open("wb") as file:
        file.truncate(_DISK_BYTES)
    guard_boot.run_tool("mformat", "-F", "-i", image, "::")
    guard_boot.run_tool("mmd", "-i", image, "::/EFI", "::/EFI/BOOT", "::/EFI/debian")
    for source, to in (
        (grub, "EFI/BOOT/BOOTX64.EFI"),
        (config, "EFI/debian/grub.cfg"),
        (vmlinuz, "vmlinuz"),
        (_INITRD, "initrd"),
    ):
        guard_boot.run_tool("mcopy", "-i", image, source, f"::/{to}")
