# SPDX-License-Identifier: MIT
"""`okram esp`: what it writes to the EFI system partition, and what it leaves alone."""

import os

import pytest

from okramlib import esp
from okramlib.guard.esp import Esp
from tools import guard_samples as samples

PROGRAM = b"MZ\0\0sbat,1,...\nokram,1,okram,okram,0.1.0,none\n"
OLDER = PROGRAM.replace(b"0.1.0", b"0.0.9")
FOREIGN = b"MZ\0\0sbat,1,...\ngrub,1,...\n"


@pytest.fixture
def box(tmp_path, monkeypatch):
    """A machine with 64-bit UEFI, whose partition has nothing yet."""
    for name in ("okram.efi", "okram-ia32.efi"):
        (tmp_path / name).write_bytes(PROGRAM + name.encode())
    monkeypatch.setattr(esp, "BUILD", tmp_path)
    (tmp_path / "box").mkdir()
    made = samples.make(tmp_path / "box")
    made.mount_esp("vfat")
    return made


def run(box, action, *more):
    where = ["--esp", box.esp, "--sys", box.root / "sys", "--proc", box.root / "proc"]
    return samples.in_process("esp", action, *map(str, [*where, *more]))


def put(box, name, data=b""):
    path = box.esp / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def with_systemd_boot(box):
    (box.esp / "loader" / "entries").mkdir(parents=True)
    put(box, "EFI/systemd/systemd-bootx64.efi")


def test_without_yes_nothing_is_written(box):
    with_systemd_boot(box)
    before = box.state()
    ran = run(box, "install")
    assert ran.returncode == 0 and box.state() == before
    assert "write   \\EFI\\okram\\okramx64.efi: " in ran.stdout
    assert "write   \\loader\\entries\\okram.conf: " in ran.stdout
    assert ran.stdout.endswith("Nothing is written: --yes does it.\n")


def test_there_and_back(box):
    with_systemd_boot(box)
    before = box.state()
    ran = run(box, "install", "--yes")
    assert (ran.returncode, ran.stderr) == (0, "")
    written = box.esp / "EFI" / "okram" / "okramx64.efi"
    assert written.read_bytes() == PROGRAM + b"okram.efi"
    entry = (box.esp / "loader" / "entries" / "okram.conf").read_text().splitlines()
    assert entry[1:] == ["title Memory test (okram)", "efi /EFI/okram/okramx64.efi"]
    assert "there is nothing to do" in run(box, "install", "--yes").stdout
    assert run(box, "remove").returncode == 0 and written.exists()
    ran = run(box, "remove", "--yes")
    assert ran.returncode == 0 and box.state() == before
    assert "there is nothing to do" in run(box, "remove", "--yes").stdout


@pytest.mark.parametrize("kinds", [[], ["ext4"], ["autofs"]], ids=["folder", "ext4", "autofs"])
def test_what_firmware_cannot_read_is_refused(box, kinds):
    before = box.state()
    box.mount_esp(*kinds)
    ran = run(box, "install", "--yes")
    assert ran.returncode == 2 and box.state() == before
    assert f"{box.esp} is not a FAT volume" in ran.stderr and "is the EFI" not in ran.stdout
    (box.esp / "EFI" / "okram").mkdir(parents=True)
    written = put(box, "EFI/okram/okramx64.efi", OLDER)
    assert run(box, "remove", "--yes").returncode == 0 and not written.exists()
    ran = run(box, "install", "--yes", "--esp", box.esp / "EFI")
    assert ran.returncode == 2 and f"{box.esp / 'EFI'} is not a FAT volume" in ran.stderr


def test_an_automount_point_is_looked_into(box, monkeypatch):
    """It has its volume only then."""
    scandir = os.scandir

    def mounts(folder):
        if folder == box.esp:
            box.mount_esp("autofs", "vfat")
        return scandir(folder)

    box.mount_esp("autofs")
    monkeypatch.setattr(os, "scandir", mounts)
    ran = run(box, "install", "--yes")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (box.esp / "EFI" / "okram" / "okramx64.efi").exists()


def test_without_systemd_boot_there_is_no_entry(box):
    ran = run(box, "install", "--yes")
    assert ran.returncode == 0 and "entry" not in ran.stdout
    assert not (box.esp / "loader").exists()


def test_32_bit_firmware(box):
    (box.root / "sys" / "firmware" / "efi").mkdir(parents=True, exist_ok=True)
    (box.root / "sys" / "firmware" / "efi" / "fw_platform_size").write_text("32\n")
    assert run(box, "install", "--yes").returncode == 0
    (written,) = (box.esp / "EFI" / "okram").iterdir()
    assert written.name == "okramia32.efi"
    assert written.read_bytes() == PROGRAM + b"okram-ia32.efi"


def test_an_older_okram_is_replaced(box):
    written = put(box, "EFI/okram/OKRAMX64.EFI", OLDER)
    ran = run(box, "install", "--yes")
    assert ran.returncode == 0 and "replace \\EFI\\okram\\okramx64.efi" in ran.stdout
    assert written.read_bytes() == PROGRAM + b"okram.efi"


@pytest.mark.parametrize(
    "name, data",
    [
        ("EFI/okram/okramx64.efi", FOREIGN),
        ("EFI/okram/okramx64.efi", b""),
        ("loader/entries/okram.conf", b"title Somebody's\nefi /EFI/okram/okramx64.efi\n"),
    ],
)
def test_what_is_foreign_is_left_alone(box, name, data):
    with_systemd_boot(box)
    foreign = put(box, name, data)
    before = box.state()
    for action in ("install", "remove"):
        ran = run(box, action, "--yes")
        assert ran.returncode == 2 and box.state() == before
        assert f"okram: {foreign} is not okram's" in ran.stderr


def test_the_guard_stays(box):
    guard = put(box, "EFI/okram/okram-guardx64.efi", b"guard")
    run(box, "install", "--yes")
    assert run(box, "remove", "--yes").returncode == 0
    assert [path.name for path in (box.esp / "EFI" / "okram").iterdir()] == [guard.name]


def test_full(box, monkeypatch):
    monkeypatch.setattr(Esp, "free_bytes", lambda _: 65536)
    before = box.state()
    ran = run(box, "install", "--yes")
    assert ran.returncode == 2 and "is full" in ran.stderr and box.state() == before


def test_a_failure_is_undone(box, monkeypatch):
    with_systemd_boot(box)
    before, write = box.state(), Esp.write

    def fails_at_the_entry(self, name, data):
        if name.endswith(".conf"):
            raise OSError(5, os.strerror(5))
        write(self, name, data)

    monkeypatch.setattr(Esp, "write", fails_at_the_entry)
    ran = run(box, "install", "--yes")
    assert ran.returncode == 2 and "all is as it was" in ran.stderr and box.state() == before
