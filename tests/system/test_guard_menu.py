# SPDX-License-Identifier: MIT
"""The guard installed, shown and removed by keys in the UEFI loader's menu."""

import json
import re

from okramlib import BUILD
from okramlib.machine import Machine
from okramlib.units import MIB
from system import gpt, uefi_vars
from system.guard_boot import Hardware, make_list, make_stick, make_store, read_list
from system.harness import follow
from system.test_menu import Keys

QUICK = "menu=60 save=off bandwidth=off tests=address range=1M-4M"
MEMORY = 128 * MIB
HERE = Hardware(module_bytes=MEMORY, ram_bytes=MEMORY)
PAGES = [(0x3000, 1), (0x3100, 2)]
WAKE = ["spc"] * 3
OPEN = [*WAKE, "up", "ret"]  # the guard is the last row
INSTALL = [*OPEN, "ret", "2", "esc", "1"]  # the first choice, yes, back, start

GUARD_FILE = "::/EFI/okram/okram-guardx64.efi"


def plain(outcome):
    """What the console showed, without the terminal's sequences."""
    text = re.sub(r"\x1b\[[0-9;=]*[a-zA-Z]", " ", " ".join(outcome.lines))
    return " ".join(text.split())


class Computer:
    """A disk with an EFI system partition, variables, and a stick with okram."""

    def __init__(self, path, found=PAGES, hardware=HERE, **disk):
        self.path = path
        self.vars = path / "vars.fd"
        self.disk = gpt.make(path / "disk.img", **disk)
        variables = [("OkramGuardNew", 7, make_list(found, hardware))] if found else []
        make_store(self.vars, variables, driver=False)
        self.stick = make_stick(path / "stick.img", program=BUILD / "okram.efi")
        self.readonly = "off"

    def boot(self, keys, **options):
        """The text on the console of a boot in which these keys are pressed."""
        drive = f"if=none,id=disk,format=raw,file={self.disk},readonly={self.readonly}"
        settings = {
            "uefi": True,
            "usb": True,
            "menu": True,
            "memory": MEMORY,
            "cpus": 1,
            "image": self.stick,
            "vars": self.vars,
            "cmdline": QUICK,
            "extra": ["-drive", drive, "-device", "virtio-blk-pci,drive=disk"],
        }
        return plain(follow(Machine(**{**settings, **options}), watcher=Keys(*keys)))

    def variables(self):
        """Attributes and data of okram's and of those of drivers, by name."""
        found = uefi_vars.variables(self.vars)
        return {
            name: (v.attr, bytes(v.data))
            for (vendor, name), v in found.items()
            if vendor == uefi_vars.SAVED
            or (vendor == uefi_vars.GLOBAL and name.startswith("Driver"))
        }

    def backup(self):
        return json.loads(self.variables()["OkramGuardBackup"][1])


def check_installed(computer, before, number="0000", order=b"\0\0"):
    """All is there, as the driver reads it, and nothing else has changed."""
    after = computer.variables()
    added = {"OkramGuard", "OkramGuardBackup", f"Driver{number}", "DriverOrder"}
    assert set(after) == set(before) | added
    assert read_list(after["OkramGuard"][1]) == {0x3000, 0x3100, 0x3101}
    assert after["OkramGuard"][0] == 3 and after["DriverOrder"] == (7, order)
    option = after[f"Driver{number}"][1]
    assert option[:4] == b"\1\0\0\0" and "okram guard\0".encode("utf-16-le") in option
    assert "\\EFI\\okram\\okram-guardx64.efi\0".encode("utf-16-le") in option
    assert gpt.PARTITION.bytes_le in option
    files = gpt.listing(computer.disk)
    assert files[GUARD_FILE] == (BUILD / "okram-guard.efi").read_bytes()
    assert not [name for name in files if name.endswith(".new")]


def test_installed_by_keys(tmp_path):
    computer = Computer(tmp_path)
    before = computer.variables()
    text = computer.boot(INSTALL)
    check_installed(computer, before)
    assert "The guard: install it for 3 bad pages" in text
    assert "- OkramGuard, 86 bytes: 3 bad pages" in text and "from none to 0000" in text
    assert "The guard is installed. From the next start" in text
    assert computer.backup() == {
        "type": "guard-backup",
        "version": 1,
        "way": "driver",
        "driver": "Driver0000",
        "order": None,
        "partition": str(gpt.PARTITION),
        "files": ["\\EFI\\okram\\okram-guardx64.efi"],
        "folders": ["\\EFI", "\\EFI\\okram"],
    }
