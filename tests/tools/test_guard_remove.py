# SPDX-License-Identifier: MIT
"""`okram guard remove`: all is as it was before the installation, byte by byte."""

import errno
import json

import pytest

from okramlib import efivars, guard
from okramlib.guard import esp
from tools import guard_samples as samples
from tools.guard_samples import order


def remove(box):
    return box.run("remove", "--yes")


@pytest.mark.parametrize("former", [None, order(2), order(9, 2, 0), order(2, 2)])
def test_byte_by_byte(box, former):
    if former is not None:
        box.set("DriverOrder", former, guard.GLOBAL, attributes=7)
        box.set("Driver0002", samples.OTHER_DRIVER, guard.GLOBAL)
    before = box.state()
    box.install("--options", "patrol=30")
    box.install("--file")
    installed = box.state()
    ran = box.run("remove")
    assert ran.returncode == 0 and "Nothing is written" in ran.stdout
    assert box.state() == installed
    ran = remove(box)
    assert ran.returncode == 0 and ran.stderr == "" and "The guard is removed" in ran.stdout
    assert box.state() == before


def test_what_others_put_beside_it_stays(box):
    box.install()
    theirs = box.esp / "EFI" / "okram" / "theirs"
    theirs.write_bytes(b"mine")
    assert remove(box).returncode == 0
    assert theirs.read_bytes() == b"mine"
    assert not (theirs.parent / "okram-guardx64.efi").exists()


def test_what_okram_found_stays(box):
    box.set(guard.FOUND, box.list_of(samples.BAD))
    before = box.state()
    box.run("install", "--yes")
    remove(box)
    assert box.state() == before


@pytest.mark.parametrize(
    "now, after", [(order(5, 0, 6), order(5, 6)), (order(5), order(5)), (order(0), None)]
)
def test_an_order_that_others_changed_since(box, now, after):
    """Only the guard is taken out."""
    box.install()
    box.set("DriverOrder", now, guard.GLOBAL)
    assert remove(box).returncode == 0
    assert box.get("DriverOrder", guard.GLOBAL) == after


def test_a_number_that_another_driver_has_now(box):
    box.install()
    box.set("Driver0000", samples.OTHER_DRIVER, guard.GLOBAL)
    ran = remove(box)
    assert ran.returncode == 0
    assert box.get("Driver0000", guard.GLOBAL) == samples.OTHER_DRIVER
    assert box.get("DriverOrder", guard.GLOBAL) == order(0)


def test_another_partition_than_it_was_installed_on(box):
    box.install()
    disk = (box.root / "disk").read_bytes()
    (box.root / "disk").write_bytes(disk.replace(samples.GPT_GUID.bytes_le, bytes(range(1, 17))))
    before = box.state()
    ran = remove(box)
    assert ran.returncode == 2 and f"on the partition {samples.GPT_GUID}, and" in ran.stderr
    assert box.state() == before


def test_half_of_it_is_gone(box):
    before = box.state()
    box.install()
    (box.esp / "EFI" / "okram" / "okram-guardx64.efi").unlink()
    (box.efivars / f"Driver0000-{guard.GLOBAL}").unlink()
    (box.efivars / f"{guard.LIST}-{guard.VENDOR}").unlink()
    assert remove(box).returncode == 0
    assert box.state() == before


def test_not_installed(box):
    ran = remove(box)
    assert ran.returncode == 2 and "the guard is not installed" in ran.stderr


RECORD = {"type": "guard-backup", "version": 1, "driver": None, "order": None}
RECORD |= {"way": "driver", "files": []}


@pytest.mark.parametrize(
    "damaged, why",
    [
        (b"\xff\xfe", "it is not one line of JSON"),
        (b" " * 5000, "it is too long"),
        ({**RECORD, "driver": "Boot00"}, "its driver is not a Driver####"),
        ({**RECORD, "files": ["/etc/passwd"]}, "its files are not those of the guard"),
        ({**RECORD, "folders": ["\\EFI\\Boot"]}, "its folders are not those of the guard"),
    ],
)
def test_a_backup_that_is_not_believed(box, damaged, why):
    """By the reader of okram's menu: tests/unit/boot/test_backup.c has all cases."""
    data = damaged if isinstance(damaged, bytes) else json.dumps(damaged).encode()
    box.set(guard.BACKUP, data)
    before = box.state()
    ran = remove(box)
    assert ran.returncode == 2 and why in ran.stderr and len(ran.stderr.splitlines()) == 1
    assert box.state() == before


def test_every_step_that_fails_is_undone(box, monkeypatch):
    box.set("DriverOrder", order(4), guard.GLOBAL)
    box.install()
    box.install("--list", "-", "--file", input="0x9000000\n")
    before = box.state()
    left, fails = 0, []

    def failing(real):
        def delete(self, *arguments):
            nonlocal left
            left -= 1
            if left < 0 and fails:
                fails.clear()
                raise OSError(errno.EACCES, "Permission denied")
            return real(self, *arguments)

        return delete

    monkeypatch.setattr(esp.Esp, "delete", failing(esp.Esp.delete))
    monkeypatch.setattr(efivars.Variables, "delete", failing(efivars.Variables.delete))
    for n_good in range(4):
        left, fails = n_good, [True]
        ran = remove(box)
        assert ran.returncode == 2 and "Permission denied. What was done" in ran.stderr
        assert box.state() == before
    left, fails = 4, [True]
    assert remove(box).returncode == 0 and fails


def test_what_linux_cannot_delete_is_named(box):
    box.install()
    (box.efivars / f"{guard.LIST}-{guard.VENDOR}").unlink()
    box.set_status(patrol={"bytes": 1, "next": "0x0", "faults": 0, "microseconds": 1})
    ran = remove(box)
    assert ran.returncode == 0
    assert "OkramGuard and OkramPatrol, for boot services only, cannot be deleted" in ran.stdout


def test_the_partition_is_read_only(box, monkeypatch):
    box.install()
    monkeypatch.setattr(esp.Esp, "is_read_only", lambda self: True)
    ran = remove(box)
    assert ran.returncode == 2 and "is mounted read-only" in ran.stderr
