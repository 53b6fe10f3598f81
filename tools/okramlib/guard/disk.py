# SPDX-License-Identifier: MIT
"""What Linux says of a disk: whether it stays in the machine."""

import os
import re
import stat

# Of a device on a bus, "fixed", "removable" or "unknown" (Linux, Documentation/ABI/testing/
# sysfs-devices-removable); of a disk 0, or 1 where its medium can be taken out (linux/blkdev.h,
# GENHD_FL_REMOVABLE).
_REMOVABLE = ("1", "removable")
_NUMBER = re.compile(r"\d+:\d+")


def folder(device, sysfs):
    """Of a MAJOR:MINOR; None: there is none."""
    if not _NUMBER.fullmatch(device):
        return None
    try:
        return (sysfs / "dev" / "block" / device).resolve(strict=True)
    except (OSError, RuntimeError):
        return None


def number_of(path):
    """MAJOR:MINOR of a block device; None: it is another file, or not there."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISBLK(info.st_mode):
        return None
    return f"{os.major(info.st_rdev)}:{os.minor(info.st_rdev)}"


def problem(device, sysfs):
    """Why the disk of a MAJOR:MINOR may not be a part of this machine, as half a sentence; None: it
    is, or nothing is known."""
    at = folder(device, sysfs) if device else None
    if not at:
        return None
    top = (sysfs / "devices").resolve()
    for part in (at, *at.parents):
        if part == top:
            break
        if _word(part / "removable") in _REMOVABLE:
            return "its disk is removable"
        if os.path.basename(os.path.realpath(part / "subsystem")) == "usb":
            return "its disk is on USB"
        if (part / "loop").is_dir():
            return "its disk is an image in a file"
        if _word(part / "device" / "type") == "SD":  # eMMC, which is soldered, has MMC there
            return "its disk is an SD card"
    return None


def _word(path):
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return None
