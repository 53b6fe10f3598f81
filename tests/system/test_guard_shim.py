# SPDX-License-Identifier: MIT
"""The guard by shim: Secure Boot with Microsoft's keys, and a person who enrolls the guard."""

import json
import re
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from virt.firmware.efi import bootentry, devpath, efivar, guids, ucs16
from virt.firmware.varstore import edk2

from okramlib import BUILD
from okramlib import stick as mtools
from okramlib.machine import IMAGE
from okramlib.run import run
from okramlib.units import PAGE
from system import gpt, guard_boot, uefi_vars
from system.harness import TIMEOUT_S, attach, from_image
from system.linux import guard_guest, guest
from system.secure_boot import SMRAM, Keys, Refused, enroll_hash, microsoft
from system.test_guard_menu import (
    END,
    FIRST,
    HERE,
    KEY,
    MEMORY,
    OPEN,
    PAGES,
    Computer,
    make_signed,
)

LOADERS = BUILD / "loaders"
SHIM = "/usr/lib/shim/shimx64.efi.signed"
SHIMS = ("shimx64.efi.signed", "mmx64.efi.signed")
GUARD = BUILD / "okram-guard.efi"
BAD = {0x3000, 0x3100, 0x3101}
SLOW_S = 8 * TIMEOUT_S
SYSTEM, STICK = 7, 9  # numbers of boot entries

# "Verification failed": OK; any key; Enroll hash from disk; the stick, after the disk; the second
# file; Continue; Yes; Reboot.
ENROLL = ["ret", "ret", "down", *["down", "ret"] * 5, "ret"]

# What Debian's GRUB says of firmware's map: the one that any boot manager gets, Windows' too.
IN_MAP = re.compile(r"unusable +([0-9a-f]{16})-([0-9a-f]{16})")

GRUB_CFG = """serial
terminal_input serial
terminal_output serial
lsefimmap
linux /vmlinuz.efi {}
initrd /initrd
boot
"""


class SecureComputer(Computer):
    """With Microsoft's keys alone, Debian as it starts under Secure Boot, and a stick with okram,
    which is enrolled."""

    def __init__(self, path, enrolled=(), options="sweep=off", size=64 << 20):
        self._configuration = path / "grub.cfg"
        self._configuration.write_text(GRUB_CFG.format(f"{guest.OPTIONS} {options}"))
        here = replace(HERE, ram_bytes=MEMORY - SMRAM)
        super().__init__(
            path,
            hardware=here,
            folders=["::/EFI", "::/EFI/debian"],
            files=[
                (SHIM, "::/EFI/debian/shimx64.efi"),
                (LOADERS / "grub-signed.efi", "::/EFI/debian/grubx64.efi"),
                (self._configuration, "::/EFI/debian/grub.cfg"),
                (BUILD / "linux" / "vmlinuz", "::/vmlinuz.efi"),
                (BUILD / "linux" / "initrd", "::/initrd"),
            ],
            size=size,
        )
        self.stick = shutil.copyfile(IMAGE, path / "okram.img")
        template = microsoft(path / "microsoft.fd")
        for program in (BUILD / "okram.efi", *enrolled):
            enroll_hash(template, program)
        variables = [("OkramKey", 3, KEY), ("OkramGuardNew", 7, make_signed(PAGES, here))]
        guard_boot.make_store(self.vars, variables, driver=False, template=template)
        self._entry(SYSTEM, "\\EFI\\debian\\shimx64.efi")
        self._entry(STICK, "\\EFI\\BOOT\\BOOTX64.EFI")
        self.set("BootOrder", struct.pack("<H", SYSTEM))

    def set(self, name, data, vendor=uefi_vars.GLOBAL, attributes=7):
        store = edk2.Edk2VarStore(str(self.vars))
        listed = store.get_varlist()
        listed[name] = efivar.EfiVar(
            ucs16.from_string(name), guid=guids.parse_str(vendor), attr=attributes, data=data
        )
        store.write_varstore(str(self.vars), listed)

    def _entry(self, number, file):
        made = bootentry.BootEntry(
            attr=bootentry.LOAD_OPTION_ACTIVE,
            title=ucs16.from_string("test"),
            devicepath=devpath.DevicePath.filepath(file),
        )
        self.set(f"Boot{number:04X}", bytes(made))

    def order(self):
        """Up to the entries that firmware makes for devices."""
        data = bytes(uefi_vars.variables(self.vars)[uefi_vars.GLOBAL, "BootOrder"].data)
        numbers = struct.unpack(f"<{len(data) // 2}H", data)
        return numbers[: numbers.index(SYSTEM) + 1]

    def put_on_stick(self, source, name):
        command = ["mcopy", "-o", "-i", mtools.drive(self.stick), source, f"::/EFI/BOOT/{name}"]
        subprocess.run([str(word) for word in command], check=True)

    def _devices(self):
        """The disk, and the stick, which firmware starts only if it is asked to."""
        disk = attach("disk-as", path=f"{self.disk},readonly=off", name=self.device)
        return disk + attach("usb-disk", path=self.stick)

    def okram(self, keys):
        """The text of a start of okram from the stick, once."""
        self.set("BootNext", struct.pack("<H", STICK))
        return self.boot(keys, smm=True, image=None, extra=self._devices())

    def machine(self):
        """What starts by itself."""
        settings = {"image": None, "vars": self.vars, "cmdline": "", "extra": self._devices()}
        return from_image("guard-secure", **settings)

    def linux(self):
        """{page: it is unusable} for Linux, and what was on the console."""
        seen = guest.start(self.machine())
        unusable = {p for p in BAD if any(p * PAGE in ram for ram in seen.unusable)}
        assert not any(seen.has(page * PAGE) for page in unusable)
        ends = [[int(n, 16) for n in found] for found in IN_MAP.findall("\n".join(seen.said))]
        assert unusable == {p for p in BAD if any(a <= p * PAGE < b for a, b in ends)}
        return unusable, "\n".join(seen.said)

    def commands(self, *commands):
        """Of `okram guard`, in a Linux that Debian's shim starts."""
        shims = [(name, Path(SHIM).with_name(name).read_bytes()) for name in SHIMS]
        initrd = guard_guest.make_initrd(commands, self.path, shims)
        put = ["mcopy", "-o", "-i", gpt.drive(self.disk), initrd, "::/initrd"]
        subprocess.run(put, check=True)
        return guard_guest.understand(guest.follow_to_end(self.machine()))


@pytest.mark.slow
@pytest.mark.parametrize("version", ["16", "15.8"])
def test_from_the_menu_to_linux_and_back(tmp_path, version):
    """Enrolled by a person in shim 16's MokManager; by shim 15.8 it is enrolled before."""
    computer = SecureComputer(tmp_path, [] if version == "16" else [GUARD])
    if version == "15.8":
        computer.put_on_stick(LOADERS / "shim-15.8.efi", "BOOTX64.EFI")
        computer.put_on_stick(LOADERS / "mokmanager-15.8.efi", "mmx64.efi")
    before, files, order = computer.variables(), gpt.listing(computer.disk), (SYSTEM,)
    text = computer.okram([*OPEN, *FIRST, *END])
    assert ("shim starts the guard once you have enrolled it" in text) == (version == "16")
    assert ("Leave the stick in, and press: Enter; any key;" in text) == (version == "16")
    assert "The guard is installed." in text
    assert computer.variables()["OkramGuard"][0] == 3  # no operating system can write it
    (number, *rest) = computer.order()
    assert computer.backup()["driver"] == f"Boot{number:04X}" and tuple(rest) == order
    if version == "16":
        outcome = run(computer.machine(), Keys(ENROLL), timeout=SLOW_S)
        assert "the machine was reset" in outcome.trouble
    unusable, said = computer.linux()
    assert unusable == BAD
    assert "okram-guard: 3 bad pages masked" in said and "start_image() returned Aborted" in said
    assert "The guard is removed" in computer.okram([*OPEN, *FIRST, *END])
    assert computer.order() == order
    assert computer.variables() == before and gpt.listing(computer.disk) == files


@pytest.mark.slow
def test_left_without_enrolling(tmp_path):
    """Each start waits for keys; then the system starts, with all of its memory."""
    computer = SecureComputer(tmp_path)
    computer.okram([*OPEN, *FIRST, *END])
    watcher = Refused()
    outcome = run(computer.machine(), watcher, timeout=SLOW_S)
    assert watcher.ended and outcome.records == []
    shown = " ".join(outcome.lines)
    assert "Security Violation" in shown and "bad pages masked" not in shown
    text = computer.okram([*OPEN, *FIRST, *END])
    assert "shim does not start it before you enroll it" in text
    assert "The guard is removed" in text and computer.order() == (SYSTEM,)
    assert computer.linux()[0] == set()


@pytest.mark.slow
def test_from_a_running_linux_and_back(tmp_path):
    """Installed by `okram guard install --way shim` with Secure Boot on; the menu adds the list."""
    computer = SecureComputer(tmp_path, [GUARD], guard_guest.OPTIONS, size=256 << 20)
    tested, installed = computer.commands(
        "test --way shim --shim /", "install --way shim --shim / --yes"
    )
    assert tested.code == 0 and installed.code == 0, [*tested.lines, *installed.lines]
    assert computer.order()[1:] == (SYSTEM,)
    text = computer.okram([*OPEN, *FIRST, *END])
    assert "The guard's list now has 3 bad pages." in text, [*installed.lines, text]
    assert computer.variables()["OkramGuard"][0] == 3  # no operating system can write it
    status, removed = computer.commands("status --json", "remove --yes")
    found = json.loads(status.lines[-1])
    assert status.code == 0 and found["guard"]["state"] == "masked", found
    assert found["guard"]["masked"] == found["masked"] == found["unusable"] == len(BAD)
    assert found["in_use"] == [] and removed.code == 0
    (none,) = computer.commands("status")
    assert none.lines == ["not installed.", "the guard has not run at this boot."]
    assert computer.order() == (SYSTEM,)
    assert not [name for name in gpt.listing(computer.disk) if "okram" in name.lower()]
