# SPDX-License-Identifier: MIT
"""The guard installed, shown and removed by keys in the UEFI loader's menu."""

import json
import re
import struct
import subprocess
import uuid

import pytest
from virt.firmware.efi import bootentry, devpath, efivar, guids, ucs16
from virt.firmware.varstore import edk2

import okramlib.machine
from crc32c import crc32c
from okramlib import BUILD
from okramlib.units import MIB
from system import gpt, uefi_vars
from system.guard_boot import (
    KEY,
    Hardware,
    make_list,
    make_signed,
    make_stick,
    make_store,
    read_list,
)
from system.harness import attach, follow, from_image
from system.test_menu import Keys

QUICK = "menu=60 save=off bandwidth=off tests=address range=1M-4M"
MEMORY = 384 * MIB  # enough for what the guard leaves in one piece, in addition to these pages
HERE = Hardware(module_bytes=MEMORY, ram_bytes=MEMORY)
PAGES = [(0x3000, 1), (0x3100, 2)]
WAKE = ["spc"] * 3
OPEN = [*WAKE, "g"]
FIRST, SECOND = ["ret", "2"], ["2", "2"]  # a choice, and yes
END = ["esc", "1"]
INSTALL = [*OPEN, *FIRST, *END]

BACKUP_OF_LATER = b'{"type":"guard-backup","version":2}\n'

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
        variables = [("OkramKey", 3, KEY)]
        if found:
            variables.append(("OkramGuardNew", 7, make_signed(found, hardware)))
        make_store(self.vars, variables, driver=False)
        self.stick = make_stick(path / "stick.img", program=BUILD / "okram.efi")
        self.readonly = "off"
        self.device = "virtio-blk-pci,drive=disk"

    def boot(self, keys, **options):
        """The text on the console of a boot in which these keys are pressed."""
        disk = attach("disk-as", path=f"{self.disk},readonly={self.readonly}", name=self.device)
        settings = {"image": self.stick, "vars": self.vars, "cmdline": QUICK, "extra": disk}
        machine = from_image("guard-menu", **{**settings, **options})
        return plain(follow(machine, watcher=Keys(*keys)))

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
    computer.device = "ide-hd,drive=disk,bus=ide.3"
    before = computer.variables()
    text = computer.boot(INSTALL)
    check_installed(computer, before)
    assert "Install it on ESP on SATA disk (" in text
    assert "If that does not work: as the first boot entry" in text
    assert "The guard is not signed: once Secure Boot is on, it does not start." in text
    assert "It is installed. Restart: then this page says how many pages it masks." in text
    assert "installed, starts when you restart" in text and "not started" not in text
    assert "The guard: install it for 3 bad pages" in text
    assert "suspend BitLocker" in text and "shutdown /s /f /t 0" in text
    assert "fast start-up" in text
    assert "written by the operating system" not in text
    assert (
        "- UEFI variable OkramGuard, 134 bytes: 3 bad pages" in text
        and "in this order; the files to ESP on SATA disk (" in text
    )
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


UNSIGNED = {
    "old": lambda: make_list(PAGES, HERE),
    "another key's": lambda: make_signed(PAGES, HERE, bytes(32)),
    "tampered": lambda: tampered(make_signed([(0x3000, 1), (0x3100, 1)], HERE)),
}


def tampered(data):
    """A signed list whose last run has one page more, with a CRC that is right."""
    data = bytearray(data)
    data[-1] += 1
    data[24] += 1
    data[8:12] = struct.pack("<I", crc32c(bytes(data[12:])))
    return bytes(data)


@pytest.mark.parametrize(
    "who", [name if name == "tampered" else pytest.param(name, marks=pytest.mark.slow)
            for name in UNSIGNED]
)  # fmt: skip
def test_a_list_of_the_operating_system_is_asked_about_twice(tmp_path, who):
    """Efivarfs is enough to write OkramGuardNew: one yes does nothing."""
    computer = Computer(tmp_path)
    change_list(computer, UNSIGNED[who]())
    before, files = computer.variables(), gpt.listing(computer.disk)
    text = computer.boot([*OPEN, *FIRST, "ret", "esc", *END])  # the first row of a question is no
    assert "OkramGuardNew, was written by the operating system, not by okram" in text
    assert "The list was written by the operating system, not by okram." in text
    assert "Once more: the list with 3 bad pages was written by the operating system" in text
    assert computer.variables() == before and gpt.listing(computer.disk) == files
    text = computer.boot([*OPEN, *FIRST, "2", *END])
    assert "The guard is installed." in text
    check_installed(computer, before)


def masked(text):
    return re.search(r"The guard: (\d+ bad pages? masked)", text)


@pytest.mark.slow
def test_found_installed_masked_added_to_and_removed(tmp_path):
    """From a run that finds bad pages to a machine as it was before, byte by byte."""
    computer = Computer(tmp_path, found=None)
    found = {"menu": False, "vars": computer.vars, "image": computer.stick}
    found["cmdline"] = "tests=mats+ bandwidth=off after=next"
    follow(
        from_image(
            "guard-menu",
            **found,
            faults=["stuck0@0x3000123.4", "stuck1@0x3100000.1"],
        )
    )
    before, files = computer.variables(), gpt.listing(computer.disk)

    text = computer.boot(INSTALL)
    assert "The guard: install it for 2 bad pages" in text and "is installed." in text
    installed = computer.variables()
    assert read_list(installed["OkramGuard"][1]) == {0x3000, 0x3100}

    text = computer.boot(["spc", "1"])
    assert masked(text)[1] == "2 bad pages masked"
    assert "2 bad pages masked" in text.partition("okram 0.1.0: starting")[0]  # the guard's line

    more = {**{name: data for name, (_, data) in computer.variables().items()}}
    fingerprint = more["OkramGuard"][40:96]
    assert fingerprint == more["OkramGuardNew"][40:96]
    change_list(computer, make_signed([(0x3100, 2)], HERE))
    text = computer.boot(INSTALL)
    assert "2 bad pages masked; the last run found more" in text
    assert "The guard's list now has 3 bad pages." in text
    assert read_list(computer.variables()["OkramGuard"][1]) == {0x3000, 0x3100, 0x3101}

    change_list(computer, before["OkramGuardNew"][1])
    text = computer.boot(INSTALL)
    assert "3 bad pages masked" in text and "The guard is removed" in text
    assert computer.variables() == before
    assert gpt.listing(computer.disk) == files


def change_list(computer, data):
    """What another run would have found."""
    change(computer, "OkramGuardNew", uefi_vars.SAVED, 7, data)


def change(computer, name, vendor, attributes, data):
    store = edk2.Edk2VarStore(str(computer.vars))
    listed = store.get_varlist()
    listed[name] = efivar.EfiVar(
        ucs16.from_string(name), guid=guids.parse_str(vendor), attr=attributes, data=data
    )
    store.write_varstore(str(computer.vars), listed)


@pytest.mark.slow
def test_a_driver_order_in_use(tmp_path):
    """Others' entries stay, after the guard's."""
    computer = Computer(tmp_path)
    entry = bootentry.BootEntry(
        attr=bootentry.LOAD_OPTION_ACTIVE,
        title=ucs16.from_string("not there"),
        devicepath=devpath.DevicePath.filepath("\\other.efi"),
    )
    for number in 0, 1, 2:
        change(computer, f"Driver000{number}", uefi_vars.GLOBAL, 7, bytes(entry))
    change(computer, "DriverOrder", uefi_vars.GLOBAL, 7, b"\1\0\0\0")
    before = computer.variables()
    computer.boot(INSTALL)
    after = computer.variables()
    assert after["DriverOrder"] == (7, b"\3\0\1\0\0\0") and "Driver0003" in after
    assert computer.backup()["order"] == "01000000"
    computer.boot([*OPEN, *FIRST, *END])
    assert computer.variables() == before


def filled(path):
    """A disk without a free cluster."""
    filler = path / "filler"
    for size in (1 << bits for bits in range(25, 8, -1)):
        filler.write_bytes(bytes(size))
        at = ["-i", gpt.drive(path / "disk.img")]
        subprocess.run(["mcopy", *at, filler, f"::/fill{size}"], stderr=subprocess.DEVNULL)


REFUSED = {
    "a full partition": "Nothing can be written to ESP",
    "a read-only partition": "There is no EFI system partition that can be written to: it is",
    "no list": "No bad memory is known. Run a test first.",
    "a damaged list": "OkramGuardNew, cannot be used: its CRC-32C is wrong",
    "another machine": "is not used: the computer changed since it was made. Test again.",
    "a list of another's": "OkramGuard was not installed by okram, and is left as it is.",
    "a damaged backup": "OkramGuardBackup is damaged: it is of another version.",
}


@pytest.mark.slow
@pytest.mark.parametrize("how", REFUSED)
def test_what_cannot_be_installed_is_said_and_nothing_changes(tmp_path, how):
    hardware = Hardware(uuid.UUID(int=5), module_bytes=MEMORY, ram_bytes=MEMORY)
    computer = Computer(
        tmp_path,
        found=None if how == "no list" else PAGES,
        hardware=hardware if how == "another machine" else HERE,
    )
    if how == "a full partition":
        filled(tmp_path)
    computer.readonly = "on" if how == "a read-only partition" else "off"
    if how == "a damaged list":
        change_list(computer, make_list(PAGES, HERE)[:-1] + b"\0")
    if how == "a list of another's":
        change(computer, "OkramGuard", uefi_vars.SAVED, 7, make_list(PAGES, HERE))
    if how == "a damaged backup":
        change(computer, "OkramGuardBackup", uefi_vars.SAVED, 7, BACKUP_OF_LATER)
    before, disk = computer.variables(), computer.disk.read_bytes()
    asks = how in ("a full partition", "another machine")  # else there is nothing to choose
    text = computer.boot([*OPEN, *(FIRST if asks else []), *END])
    assert REFUSED[how] in text
    assert computer.variables() == before and computer.disk.read_bytes() == disk


@pytest.mark.slow
@pytest.mark.parametrize(
    "way, folder, starter",
    [("systemd", "drivers", "systemd-boot"), ("refind", "drivers_x64", "rEFInd")],
)
def test_a_way_that_the_menu_does_not_install_is_removed(tmp_path, way, folder, starter):
    """As an older okram installed it, or Linux."""
    place = f"::/EFI/{way}/{folder}"
    made = {f"{place}/", f"{place}/okram-guardx64.efi"}
    computer = Computer(
        tmp_path,
        folders=["::/EFI", f"::/EFI/{way}", place],
        files=[(BUILD / "okram-guard.efi", f"{place}/okram-guardx64.efi")],
    )
    before, files = computer.variables(), gpt.listing(computer.disk)
    assert made <= set(files)
    record = {"type": "guard-backup", "version": 1, "way": way, "driver": None, "order": None}
    record |= {"partition": str(gpt.PARTITION), "folders": [f"\\EFI\\{way}\\{folder}"]}
    record |= {"files": [f"\\EFI\\{way}\\{folder}\\okram-guardx64.efi"]}
    change(computer, "OkramGuardBackup", uefi_vars.SAVED, 7, json.dumps(record).encode())
    change(computer, "OkramGuard", uefi_vars.SAVED, 3, make_signed(PAGES, HERE))
    text = computer.boot([*OPEN, *FIRST, *END])
    assert f"It is installed for {starter}, which has not started okram." in text
    assert "The guard is removed" in text
    assert computer.variables() == before
    assert gpt.listing(computer.disk) == {n: d for n, d in files.items() if n not in made}


@pytest.mark.slow
def test_the_first_boot_entry(tmp_path, monkeypatch):
    """Firmware starts the guard, which masks and ends, then the next entry: okram."""
    device = okramlib.machine._boot_device

    def without_index(*args):
        return [word.replace(",bootindex=0", "") for word in device(*args)]

    monkeypatch.setattr(okramlib.machine, "_boot_device", without_index)
    computer = Computer(tmp_path)

    def order():
        return bytes(uefi_vars.variables(computer.vars)[uefi_vars.GLOBAL, "BootOrder"].data)

    computer.boot([*WAKE, "1"])  # firmware makes its entries
    before, before_order = computer.variables(), order()
    assert "is installed." in computer.boot([*OPEN, *SECOND, *END])
    number = int(computer.backup()["driver"].removeprefix("Boot"), 16)
    assert order() == number.to_bytes(2, "little") + before_order
    text = computer.boot([*OPEN, *FIRST, *END])
    assert masked(text)[1] == "3 bad pages masked" and "The guard is removed" in text
    assert computer.variables() == before and order() == before_order
    everything = uefi_vars.variables(computer.vars)
    assert (uefi_vars.GLOBAL, f"Boot{number:04X}") not in everything
