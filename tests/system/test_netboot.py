# SPDX-License-Identifier: MIT
"""okram from the network: QEMU's own DHCP and TFTP server, and the ways that start from it.

The recipes of docs/netboot.md, by BIOS and by UEFI; PXELINUX is that of `make loaders`.
"""

import shutil
import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import Machine
from okramlib.units import MIB
from system.harness import follow

OPTIONS = "tests=quick patterns=7"

GRUB_MODULES = ["efinet", "tftp", "net", "chain", "normal", "configfile", "echo"]
GRUB_CFG = f"""
chainloader (tftp,10.0.2.2)/okram.efi {OPTIONS}
boot
"""

GRUB_PXE_MODULES = ["pxe", "tftp", "net", "linux", "linux16", "normal", "boot"]
GRUB_PXE_CFG = f"""
{{}} (tftp,10.0.2.2)/okram.lkrn {OPTIONS}
boot
"""

IPXE = f"""#!ipxe
kernel okram.lkrn {OPTIONS}
boot
"""

PXELINUX = f"""
DEFAULT okram
LABEL okram
    KERNEL okram.lkrn
    APPEND {OPTIONS}
    IPAPPEND 2
"""


@pytest.fixture
def server(tmp_path):
    """The folder that is served."""
    folder = tmp_path / "tftp"
    folder.mkdir()
    for name in ("okram.efi", "okram.lkrn"):
        shutil.copy(BUILD / name, folder)
    return folder


def boot(server, first, **options):
    """What the network boot of firmware starts: `first`, of the folder."""
    # romfile: UEFI's own driver, not the iPXE that QEMU's cards have in a ROM. A BIOS has no other.
    netdev = f"user,id=net,tftp={server},bootfile={first},ipv6=off"
    rom = ",romfile=" if options.get("uefi") else ""
    extra = ["-netdev", netdev, "-device", f"virtio-net-pci,netdev=net,bootindex=0{rom}"]
    memory = 256 if options.get("uefi") else 64
    cmdline = "bandwidth=off"
    machine = Machine(memory=memory * MIB, image=None, extra=extra, cmdline=cmdline, **options)
    return follow(machine)


def check_options(outcome, boot_way, loader):
    start = outcome.last("start")
    assert start["boot"] == boot_way and start["loader"] == loader
    assert start["cmdline"].split()[:2] == OPTIONS.split()
    assert "BOOT" not in start["cmdline"]  # what loaders add of themselves
    assert outcome.last("result")["status"] == "pass"


def grub_of(server, platform, commands, modules):
    """GRUB's program of that platform, with its configuration in it, as `grub` in the folder."""
    config = server.parent / "grub.cfg"
    config.write_text(commands)
    out = ["-o", server / "grub", "-c", config, "-p", "(tftp,10.0.2.2)/"]
    command = ["grub-mkimage", "-O", platform, *out, *modules]
    subprocess.run([str(word) for word in command], check=True)
    return "grub"


def test_firmware(server):
    start = boot(server, "okram.efi", uefi=True).last("start")
    assert start["boot"] == "uefi"


def test_grub_keeps_the_card(server):
    """GRUB has it open for itself: it stays connected, and okram starts."""
    start = boot(server, grub_of(server, "x86_64-efi", GRUB_CFG, GRUB_MODULES), uefi=True).last(
        "start"
    )
    assert start["boot"] == "uefi"
    assert start["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]


def test_qemu_kernel():
    """Without a network: QEMU loads it."""
    extra = ["-kernel", str(BUILD / "okram.lkrn"), "-append", OPTIONS]
    machine = Machine(memory=64 * MIB, image=None, extra=extra, cmdline="bandwidth=off")
    check_options(follow(machine), "bios", "QEMU, Linux boot protocol")


def test_ipxe_by_bios(server):
    (server / "boot.ipxe").write_text(IPXE)
    check_options(boot(server, "boot.ipxe"), "bios", "iPXE, Linux boot protocol")


@pytest.mark.slow
def test_pxelinux(server):
    for name in ("pxelinux.0", "ldlinux.c32"):
        shutil.copy(BUILD / "loaders" / name, server)
    (server / "pxelinux.cfg").mkdir()
    (server / "pxelinux.cfg" / "default").write_text(PXELINUX)
    check_options(boot(server, "pxelinux.0"), "bios", "Syslinux, Linux boot protocol")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["linux", "linux16"])  # the 32-bit protocol, the 16-bit one
def test_grub_by_bios(server, command):
    program = grub_of(server, "i386-pc-pxe", GRUB_PXE_CFG.format(command), GRUB_PXE_MODULES)
    check_options(boot(server, program), "bios", "GRUB, Linux boot protocol")
