# SPDX-License-Identifier: MIT
"""okram from the network: QEMU's own DHCP and TFTP server, and the ways that start from it."""

import shutil
import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import Machine
from okramlib.units import MIB
from system.harness import follow

GRUB_MODULES = ["efinet", "tftp", "net", "chain", "normal", "configfile", "echo"]
GRUB_CFG = """
chainloader (tftp,10.0.2.2)/okram.efi tests=quick patterns=7
boot
"""


@pytest.fixture
def server(tmp_path):
    """The folder that is served, with okram.efi in it."""
    folder = tmp_path / "tftp"
    folder.mkdir()
    shutil.copy(BUILD / "okram.efi", folder)
    return folder


def boot(server, first, **options):
    """What firmware's own network boot starts: `first`, of the folder."""
    # romfile: firmware's own driver, not the iPXE that QEMU's cards have in a ROM.
    netdev = f"user,id=net,tftp={server},bootfile={first},ipv6=off"
    extra = ["-netdev", netdev, "-device", "virtio-net-pci,netdev=net,bootindex=0,romfile="]
    machine = Machine(memory=256 * MIB, image=None, extra=extra, cmdline="bandwidth=off", **options)
    return follow(machine)


def grub_of(server):
    """GRUB's EFI program, with its configuration in it, as `grub.efi` in the folder."""
    config = server.parent / "grub.cfg"
    config.write_text(GRUB_CFG)
    out = ["-o", server / "grub.efi", "-c", config, "-p", "(tftp,10.0.2.2)/"]
    command = ["grub-mkimage", "-O", "x86_64-efi", *out, *GRUB_MODULES]
    subprocess.run([str(word) for word in command], check=True)
    return "grub.efi"


def test_firmware(server):
    start = boot(server, "okram.efi", uefi=True).last("start")
    assert start["boot"] == "uefi"


def test_grub_keeps_the_card(server):
    """GRUB has it open for itself: it stays connected, and okram starts."""
    start = boot(server, grub_of(server), uefi=True).last("start")
    assert start["boot"] == "uefi"
    assert start["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]
