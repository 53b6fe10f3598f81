# SPDX-License-Identifier: MIT
"""USB sticks for tests of the UEFI loader: files, looked into with mtools."""

import shutil
import struct
import subprocess

import pytest

from okramlib import BUILD
from okramlib import stick as mtools
from okramlib.machine import IMAGE


@pytest.fixture
def stick(tmp_path):
    """A copy of the image that can be written to."""
    image = tmp_path / "stick.img"
    shutil.copyfile(IMAGE, image)
    return image


def empty(path, label):
    """A stick with a FAT partition of 31 MiB, without files."""
    sectors, first = 64 << 10, 2 << 10
    entry = struct.pack("<4xB3xII", 0xEF, first, sectors - first)
    with open(path, "wb") as file:
        file.write(entry.rjust(446 + len(entry), b"\0").ljust(510, b"\0") + b"\x55\xaa")
        file.truncate(sectors * 512)
    subprocess.run(["mformat", "-i", mtools.drive(path), "-v", label, "::"], check=True)


def on(stick):
    """What makes it the stick of a Machine."""
    return {"usb": True, "writable": True, "image": stick}


def fill(stick):
    """So that not one cluster is free."""
    for size in (1 << bits for bits in range(25, 8, -1)):
        filler = stick.with_name(f"fill{size}")
        filler.write_bytes(bytes(size))
        drive = ["-i", mtools.drive(stick)]
        subprocess.run(["mcopy", *drive, filler, f"::/{filler.name}"], stderr=subprocess.DEVNULL)


def reports(stick):
    """{name: bytes} of the reports on it that the loader has written."""
    found = {path.rpartition("/")[2]: mtools.content(stick, path) for path in mtools.reports(stick)}
    return {name: content for name, content in found.items() if not name.startswith("run-")}


def page_of(jsonl):
    """The page that the loader makes of these records."""
    head, end = [(BUILD / "viewer" / f"{name}.html").read_bytes() for name in ("head", "end")]
    return head + jsonl.replace(b"<", rb"\u003c").replace(b"&", rb"\u0026") + end


def conf(stick):
    """The text of okram.conf, and the files next to it."""
    drive = ["-i", mtools.drive(stick)]
    listed = subprocess.run(
        ["mdir", "-b", *drive, "::/EFI/BOOT"], check=True, capture_output=True, text=True
    )
    return mtools.content(stick, "::/EFI/BOOT/okram.conf").decode(), sorted(listed.stdout.split())
