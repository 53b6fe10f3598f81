# SPDX-License-Identifier: MIT
"""The disk of a computer that has Linux: an EFI system partition with the guard and boot loaders.

Each of WAYS starts the same Linux (tests/system/linux) with the same options. UEFI's variables
choose which one, by BootNext, and name the guard as a driver, as on a real computer.
"""

import struct
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from virt.firmware.efi import bootentry, devpath, efivar, guids, ucs16
from virt.firmware.varstore import edk2

from okramlib import BUILD
from okramlib.units import MIB
from system import guard_boot
from system.uefi_vars import GLOBAL

GUARD = BUILD / "okram-guard.efi"

_LOADERS = BUILD / "loaders"
_LINUX = BUILD / "linux"

_SECTOR = 512
_FIRST = 2048  # sector of the partition
_SECTORS = 96 * MIB // _SECTOR

_WAY = 7  # Boot0007
_ATTRIBUTES = guard_boot.NV | guard_boot.BS | guard_boot.RT


@dataclass(frozen=True)
class Way:
    """What the boot entry starts, with which options, and the loader's file in build/loaders."""

    file: str
    loader: str = ""
    options: str = ""


WAYS = {
    "grub-2.06": Way("/EFI/grub-2.06.efi", "grub-2.06.efi"),
    "grub-2.12": Way("/EFI/grub-2.12.efi", "grub-2.12.efi"),
    "stub": Way("/vmlinuz.efi", options="initrd=\\initrd {}"),
    "systemd-boot": Way("/EFI/systemd/systemd-bootx64.efi", "systemd-boot.efi"),
    "refind": Way("/EFI/refind/refind_x64.efi", "refind.efi"),
    "uki": Way("/EFI/Linux/linux.efi"),
    "xen": Way("/EFI/xen/xen.efi", "xen.efi"),
}

# The monolithic images of Debian look for this one.
_GRUB_CFG = """serial
terminal_input serial
terminal_output serial
linux /vmlinuz.efi {}
initrd /initrd
boot
"""
_SYSTEMD_ENTRY = "title Linux\nlinux /vmlinuz.efi\ninitrd /initrd\noptions {}\n"
_SYSTEMD_CONF = "default linux.conf\ntimeout 0\n"
_REFIND_CONF = """timeout -1
textonly
use_nvram false
scanfor manual
menuentry Linux {{
    loader /vmlinuz.efi
    initrd /initrd
    options "{}"
}}
"""
_XEN_CFG = """[global]
default=linux
[linux]
options=console=com1 com1=115200 loglvl=all noreboot sync_console
kernel=vmlinuz.efi panic=-1
"""


def make(path, way, kernel_options, guard=True):
    """A disk that starts Linux in that way, with the guard's file or without; the path."""
    content = {"/vmlinuz.efi": _LINUX / "vmlinuz", "/initrd": _LINUX / "initrd"}
    if guard:
        content[f"/{guard_boot.GUARD}"] = GUARD
    if WAYS[way].loader:
        content[WAYS[way].file] = _LOADERS / WAYS[way].loader
    content |= _configuration(way, kernel_options, path)
    _partition(path)
    drive = f"{path}@@{_FIRST * _SECTOR}"
    guard_boot.run_tool("mformat", "-F", "-i", drive, "::")
    folders = {str(folder) for name in content for folder in PurePosixPath(name).parents} - {"/"}
    if folders:
        guard_boot.run_tool("mmd", "-i", drive, *[f"::{folder}" for folder in sorted(folders)])
    for name, source in content.items():
        if not isinstance(source, Path):
            data, source = source, path.with_name("file")
            source.write_bytes(data)
        guard_boot.run_tool("mcopy", "-i", drive, source, f"::{name}")
    return path


def _configuration(way, kernel_options, path):
    if way.startswith("grub"):
        return {"/EFI/debian/grub.cfg": _GRUB_CFG.format(kernel_options).encode()}
    if way == "systemd-boot":
        entry = _SYSTEMD_ENTRY.format(kernel_options).encode()
        return {"/loader/loader.conf": _SYSTEMD_CONF.encode(), "/loader/entries/linux.conf": entry}
    if way == "refind":
        return {"/EFI/refind/refind.conf": _REFIND_CONF.format(kernel_options).encode()}
    if way == "uki":
        return {WAYS[way].file: _unified(path.with_name("linux.efi"), kernel_options)}
    if way == "xen":
        kernel = {"/EFI/xen/vmlinuz.efi": _LINUX / "vmlinuz"}
        return {"/EFI/xen/xen.cfg": _XEN_CFG.encode(), **kernel}
    return {}


def _unified(path, kernel_options):
    """systemd's stub with the kernel, its options and its initial file system inside."""
    (path.with_suffix(".cmdline")).write_text(kernel_options)
    (path.with_suffix(".osrel")).write_text("ID=linux\n")
    sections = [
        (".osrel", path.with_suffix(".osrel"), 0x20000),
        (".cmdline", path.with_suffix(".cmdline"), 0x30000),
        (".linux", _LINUX / "vmlinuz", 0x2000000),
        (".initrd", _LINUX / "initrd", 0x4000000),
    ]
    words = []
    for name, file, address in sections:
        words += ["--add-section", f"{name}={file}"]
        words += ["--change-section-vma", f"{name}={address:#x}"]
    guard_boot.run_tool("objcopy", *words, _LOADERS / "systemd-stub.efi", path)
    return path


def _partition(path):
    """The only one, of MBR type EFI system."""
    entry = struct.pack("<4xB3xII", 0xEF, _FIRST, _SECTORS - _FIRST)
    record = bytes(446) + entry
    with open(path, "wb") as file:
        file.write(record.ljust(_SECTOR - 2, b"\0") + b"\x55\xaa")
        file.truncate(_SECTORS * _SECTOR)


def variables(path, way, kernel_options, guard_list=None):
    """A store whose next boot goes that way, and which starts the guard, if there is a list."""
    given = [("OkramGuard", guard_boot.NV | guard_boot.BS, guard_list)] if guard_list else []
    guard_boot.make_store(path, given, driver=bool(guard_list))
    return choose(path, way, kernel_options)


def choose(path, way, kernel_options):
    """Makes the next boot with this store go that way."""
    store = edk2.Edk2VarStore(str(path))
    listed = store.get_varlist()
    options = WAYS[way].options.format(kernel_options)
    entry = bootentry.BootEntry(
        attr=bootentry.LOAD_OPTION_ACTIVE,
        title=ucs16.from_string(way),
        devicepath=devpath.DevicePath.filepath(WAYS[way].file.replace("/", "\\")),
        optdata=(options + "\0").encode("utf-16-le") if options else None,
    )
    for name, data in (f"Boot{_WAY:04X}", bytes(entry)), ("BootNext", struct.pack("<H", _WAY)):
        listed[name] = efivar.EfiVar(
            ucs16.from_string(name), guid=guids.parse_str(GLOBAL), attr=_ATTRIBUTES, data=data
        )
    store.write_varstore(str(path), listed)
    return path
