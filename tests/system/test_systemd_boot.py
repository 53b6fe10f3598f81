# SPDX-License-Identifier: MIT
"""The entry of systemd-boot's menu that `okram esp install` makes starts okram; Debian's
systemd-boot, of `make loaders`."""

from pathlib import PurePosixPath

import pytest

from okramlib import BUILD
from system import gpt
from system.harness import follow, from_image
from tools import guard_samples

SYSTEMD_BOOT = BUILD / "loaders" / "systemd-boot.efi"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SYSTEMD_BOOT.exists(), reason="make loaders fetches systemd-boot"),
]


def disk_of(folder, path):
    """A disk whose EFI system partition has what is in the folder."""
    names = {f"/{p.relative_to(folder)}": p for p in folder.rglob("*") if p.is_file()}
    folders = {str(f) for name in names for f in PurePosixPath(name).parents} - {"/"}
    files = [(source, f"::{name}") for name, source in names.items()]
    return gpt.make(path, files, [f"::{name}" for name in sorted(folders)])


def test_the_entry_starts_okram(tmp_path):
    (tmp_path / "box").mkdir()
    box = guard_samples.make(tmp_path / "box")
    box.mount_esp("vfat")
    for name in ("EFI/BOOT/BOOTX64.EFI", "EFI/systemd/systemd-bootx64.efi"):
        (box.esp / name).parent.mkdir(parents=True, exist_ok=True)
        (box.esp / name).write_bytes(SYSTEMD_BOOT.read_bytes())
    (box.esp / "loader" / "entries").mkdir(parents=True)
    (box.esp / "loader" / "loader.conf").write_text("default okram.conf\ntimeout 0\n")
    where = ["--esp", box.esp, "--sys", box.root / "sys", "--proc", box.root / "proc", "--yes"]
    ran = guard_samples.in_process("esp", "install", *map(str, where))
    assert (ran.returncode, ran.stderr) == (0, "")

    disk = disk_of(box.esp, tmp_path / "disk.img")
    machine = from_image("uefi-stick-256M", image=disk, cmdline="tests=address bandwidth=off")
    start = follow(machine).last("start")
    assert start["boot"] == "uefi" and start["loader"].startswith("okram.efi")
