# SPDX-License-Identifier: MIT
"""okram's USB stick in a file: made of the image, and looked into with mtools."""

import re
import shlex
import shutil
import subprocess

from . import Trouble
from .units import count

_SECTOR_BYTES = 512
_PARTITIONS_AT = 446  # of the master boot record: four entries of 16 bytes
_ENTRY_BYTES = 16
_RUN = re.compile(r"/run-\d+\.html$")
_NUMBER = b"<!-- run 0"  # kernel/core/formats/run_file/stick_file.c
_TYPES = (0x0C, 0xEF)  # FAT32, which Windows mounts; EFI system partition: sticks of older images
_REPORTS = "okram"


def make(path, image):
    """The image as a stick in that file, unless there is one. True if it is new."""
    try:
        if path.exists():
            return False
        shutil.copyfile(image, path)
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror}.") from None
    return True


def drive(path):
    """The stick's FAT partition as mtools want it after -i. Trouble if there is none."""
    try:
        with open(path, "rb") as file:
            record = file.read(_SECTOR_BYTES)
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
    for at in range(_PARTITIONS_AT, len(record) - _ENTRY_BYTES, _ENTRY_BYTES):
        entry = record[at : at + _ENTRY_BYTES]
        if entry[4] in _TYPES:
            return f"{path}@@{int.from_bytes(entry[8:12], 'little') * _SECTOR_BYTES}"
    raise Trouble(f"{path} is not a stick of okram: it has no FAT partition.")


def reports(path):
    """The paths of the reports on the stick, e.g. ::/okram/2026-11-22-pc.html. Those of the kernel
    that are still empty are left out, and next.cfg, which is none."""
    ran = _mtools("mdir", "-b", "-i", drive(path), f"::/{_REPORTS}")
    found = sorted(ran.stdout.split("\n")[:-1]) if ran.returncode == 0 else []
    return [name for name in found if _is_report(path, name)]


def _is_report(path, name):
    if _RUN.search(name):
        return _NUMBER in content(path, name)
    return not name.endswith("/next.cfg")


def summary(path):
    """The reports on the stick, and the command that looks into it."""
    found = reports(path)
    lines = [f"{path}: {count(len(found), 'file')} of reports", *found]
    return "\n  ".join([*lines, f"to look into it: mdir -i {shlex.quote(drive(path))} ::/"])


def content(path, name):
    """The bytes of a file on the stick."""
    ran = _mtools("mtype", "-i", drive(path), name, text=False)
    if ran.returncode != 0:
        raise Trouble(f"{name} on {path} cannot be read: {ran.stderr.decode().strip()}")
    return ran.stdout


def _mtools(*words, text=True):
    try:
        return subprocess.run(words, capture_output=True, text=text)
    except OSError:
        raise Trouble(f"{words[0]} of mtools is missing.") from None
