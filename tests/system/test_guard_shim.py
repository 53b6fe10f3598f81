# SPDX-License-Identifier: MIT
"""The guard by shim: Secure Boot with Microsoft's keys alone, and a person who enrolls the guard."""

import shutil
import struct
import subprocess
from dataclasses import replace

import pytest
from virt.firmware.efi import bootentry, devpath, efivar, guids, ucs16
from virt.firmware.varstore import edk2

from okramlib import BUILD
from okramlib import stick as mtools
from okramlib.machine import IMAGE
from okramlib.run import run
from system import gpt, guard_boot, uefi_vars
from system.harness import TIMEOUT_S, attach, from_image
from system.linux import guest
from system.secure_boot import (
    SMRAM,
    Keys,
    Refused,
    enroll_hash,
    make_key,
    microsoft,
    sign_program,
)
from system.sticks import on
from system.test_guard_menu import (
    END,
    FIRST,
    HERE,
    KEY,
    MEMORY,
    OPEN,
    PAGES,
    Computer,
    filled,
    make_signed,
    masked,
)

SHIM = "/usr/lib/shim/shimx64.efi.signed"
BAD = {0x3000, 0x3100, 0x3101}
SLOW_S = 8 * TIMEOUT_S
SYSTEM, STICK = 7, 9  # numbers of boot entries
OPTIONS = guest.OPTIONS + " initrd=\\initrd sweep=off"
LINUX = f"vmlinuz.efi {OPTIONS}"

# "Verification failed": OK; any key; Enroll hash from disk; the stick, after the disk; the second
# file; Continue; Yes; Reboot.
ENROLL = ["ret", "ret", "down", *["down", "ret"] * 5, "ret"]


class SecureComputer(Computer):
    """With Microsoft's keys, a system that shim starts, and a stick whose okram is enrolled."""

    def __init__(self, path, second="vmlinuz.efi", system=BUILD / "linux" / "vmlinuz", **options):
        folders = ["::/EFI", "::/EFI/system"]
        files = [(SHIM, "::/EFI/system/shimx64.efi"), (system, f"::/EFI/system/{second}")]
        files += [(BUILD / "linux" / "initrd", "::/initrd")]
        here = replace(HERE, ram_bytes=MEMORY - SMRAM)
        super().__init__(path, hardware=here, folders=folders, files=files, size=64 << 20)
        self.stick = shutil.copyfile(IMAGE, path / "okram.img")
        options = {"moks": [], **options}
        template = microsoft(path / "microsoft.fd", options["moks"])
        enroll_hash(template, BUILD / "okram.efi")
        found = make_signed(PAGES, here)
        variables = [("OkramKey", 3, KEY), ("OkramGuardNew", 7, found)]
        guard_boot.make_store(self.vars, variables, driver=False, template=template)
        self.entry(SYSTEM, "\\EFI\\system\\shimx64.efi", LINUX if second[0] == "v" else second)
        self.entry(STICK, "\\EFI\\BOOT\\BOOTX64.EFI")
        self.set("BootOrder", struct.pack("<H", SYSTEM))

    def set(self, name, data):
        store = edk2.Edk2VarStore(str(self.vars))
        listed = store.get_varlist()
        listed[name] = efivar.EfiVar(
            ucs16.from_string(name), guid=guids.parse_str(uefi_vars.GLOBAL), attr=7, data=data
        )
        store.write_varstore(str(self.vars), listed)

    def entry(self, number, file, options=""):
        made = bootentry.BootEntry(
            attr=bootentry.LOAD_OPTION_ACTIVE,
            title=ucs16.from_string("test"),
            devicepath=devpath.DevicePath.filepath(file),
            optdata=(options + "\0").encode("utf-16-le") if options else None,
        )
        self.set(f"Boot{number:04X}", bytes(made))

    def order(self):
        """Up to the entries that firmware makes for devices."""
        data = bytes(uefi_vars.variables(self.vars)[uefi_vars.GLOBAL, "BootOrder"].data)
        numbers = struct.unpack(f"<{len(data) // 2}H", data)
        return numbers[: numbers.index(SYSTEM) + 1]

    def devices(self):
        """The disk, and the stick, which firmware starts only if it is asked to."""
        disk = attach("disk-as", path=f"{self.disk},readonly=off", name=self.device)
        return disk + attach("usb-disk", path=self.stick)

    def okram(self, keys):
        """The text of a start of okram from the stick, once."""
        self.set("BootNext", struct.pack("<H", STICK))
        return self.boot(keys, smm=True, image=None, extra=self.devices())

    def machine(self):
        """What starts by itself."""
        settings = {"image": None, "vars": self.vars, "cmdline": "", "extra": self.devices()}
        return from_image("guard-menu", **settings, smm=True, menu=False)


@pytest.mark.slow
def test_installed_enrolled_linux_and_removed(tmp_path):
    computer = SecureComputer(tmp_path)
    computer.okram([*OPEN, "esc", "1"])  # firmware makes its entries
    before, files, order = computer.variables(), gpt.listing(computer.disk), computer.order()
    text = computer.okram([*OPEN, *FIRST, *END])
    print(text)
    print(computer.order())
    outcome = run(computer.machine(), Keys(ENROLL), timeout=SLOW_S)
    print("\n".join(outcome.lines))
    assert "the machine was reset" in outcome.trouble
    said = guest.follow_to_end(computer.machine())
    print("\n".join(said))
    text = computer.okram([*OPEN, *FIRST, *END])
    print(text)
    assert computer.order() == order
    assert computer.variables() == before
    assert gpt.listing(computer.disk) == files
