# SPDX-License-Identifier: MIT
"""`make dist`: what is handed out."""

import hashlib
import subprocess
import zipfile

import pytest

from okramlib import BUILD, ROOT, spec, version
from okramlib import stick as mtools
from system.harness import follow, from_image
from system.sticks import empty, on

DIST = BUILD / "dist"
STICK_ZIP = DIST / f"okram-{version()}-stick.zip"


@pytest.fixture(scope="module")
def made():
    """{name: SHA-256} as it says."""
    subprocess.run(["make", "-s", "-C", ROOT, "dist"], check=True)
    lines = (DIST / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def copied_to(image, label):
    """All files of the archive, on a FAT stick without a boot loader."""
    empty(image, label)
    drive = ["-i", mtools.drive(image)]
    with zipfile.ZipFile(STICK_ZIP) as archive:
        names = archive.namelist()
        archive.extractall(image.parent / "files")
    tops = sorted({name.partition("/")[0] for name in names})
    files = [image.parent / "files" / top for top in tops]
    subprocess.run(["mcopy", "-s", *drive, *files, "::/"], check=True)


@pytest.mark.slow
def test_checksums(made):
    assert set(made) == {f"okram-{version()}{end}" for end in (".iso", ".spdx.json", "-stick.zip")}
    for name, digest in made.items():
        assert hashlib.sha256((DIST / name).read_bytes()).hexdigest() == digest


@pytest.mark.slow
def test_the_same_files_give_the_same_archive(tmp_path):
    (tmp_path / "a").write_text("one")
    command = [ROOT / "packaging" / "stick_zip", "--date", "1000000000", f"x/y={tmp_path / 'a'}"]
    first = subprocess.run(command, check=True, capture_output=True).stdout
    (tmp_path / "a").touch()
    assert subprocess.run(command, check=True, capture_output=True).stdout == first
    (tmp_path / "zip").write_bytes(first)
    with zipfile.ZipFile(tmp_path / "zip") as archive:
        assert archive.read("x/y") == b"one"
        assert archive.infolist()[0].date_time == (2001, 9, 9, 1, 46, 40)


@pytest.mark.slow
@pytest.mark.parametrize("uefi32", [False, True], ids=["64-bit", "32-bit"])
def test_files_copied_to_a_fat_stick_start_by_uefi(made, tmp_path, uefi32):
    """As a person copies them, or Rufus in ISO mode."""
    stick = tmp_path / "stick.img"
    copied_to(stick, "MY STICK")
    machine = from_image(
        "uefi-128M", uefi32=uefi32, cmdline="tests=quick bandwidth=off", **on(stick)
    )
    machine.faults = spec.parse("stuck1@0x2801237.3")
    assert follow(machine).exit_code == 1
