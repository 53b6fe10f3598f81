# SPDX-License-Identifier: MIT
"""The EFI system partition: where it is mounted, which partition it is, and files on it."""

import contextlib
import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble, atomic, trust
from . import partition
from .partition import Partition

# proc_pid_mountinfo(5): a space, a tab, a newline and a backslash in a folder's name.
_OCTAL = re.compile(rb"\\(040|011|012|134)")
_FILE_BYTES_MAX = 32 << 20  # of all files that the guard and okram have, by far

# Of a device on a bus, "fixed", "removable" or "unknown" (Linux, Documentation/ABI/testing/
# sysfs-devices-removable); of a disk 0, or 1 where its medium can be taken out (linux/blkdev.h,
# GENHD_FL_REMOVABLE).
_REMOVABLE = ("1", "removable")
_NUMBER = re.compile(r"\d+:\d+")


@dataclass
class Esp:
    """A mounted EFI system partition. Names on it are as firmware has them: with backslashes."""

    folder: Path
    partition: Partition | None = None  # None: unknown
    doubt: str | None = None  # why it may not be the machine's own, as half a sentence
    is_fat: bool = True  # that firmware can read it: a FAT volume is mounted there

    def warn(self):
        """Of the doubt: only who named the folder gets here with one."""
        if self.doubt:
            print(
                f"okram: warning: {self.folder} may not be this machine's own EFI system partition:"
                f" {self.doubt}.",
                file=sys.stderr,
            )

    def path(self, name):
        """Of a file or folder on it; FAT does not tell capitals from small letters."""
        path = self.folder
        for part in name.strip("\\").split("\\"):
            path = _same_name(path, part) or path / part
        return path

    def read(self, name):
        """None: there is no such file."""
        path = self.path(name)
        try:
            info = path.stat()
            if stat.S_ISREG(info.st_mode) and info.st_size <= _FILE_BYTES_MAX:
                return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
        raise Trouble(f"{path} cannot be read: it is not a file, or too large.")

    def write(self, name, data):
        """Writes another file, reads it back, then gives it the name. OSError if that fails."""
        path = self.path(name)

        def place(fresh, path):
            with open(fresh, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            if fresh.read_bytes() != data:
                raise OSError(5, "it reads back differently")
            os.replace(fresh, path)

        with atomic.file(path, _stages(path)[0], place) as file:
            file.write(data)

    def delete(self, name):
        """And what a write that was interrupted has left, here or by okram's loader."""
        for path in self.parts(name):
            path.unlink()
        atomic.sync_folder(self.path(name).parent)

    def parts(self, name):
        """What there is of a file: itself, and what a write that was interrupted has left."""
        path = self.path(name)
        return [each for each in (path, *_stages(path)) if each.exists()]

    def free_bytes(self):
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize

    def is_read_only(self):
        return bool(os.statvfs(self.folder).f_flag & os.ST_RDONLY)


def find(arguments, uuid=None):
    """The Esp by what the user gave, else of what is mounted, of several the one of that PARTUUID.
    Trouble if it cannot be told, or is another than that."""
    found = _find(arguments, uuid)
    if uuid and found.partition and found.partition.uuid != uuid:
        raise Trouble(
            f"the guard was installed on the partition {uuid}, and {found.folder} is"
            f" {found.partition.uuid}: name the folder of the former by --esp."
        )
    return found


def _find(a, uuid):
    if (a.disk is None) != (a.part is None):
        raise Trouble("--disk and --part go together.")
    if a.esp and not a.esp.is_dir():
        raise Trouble(f"--esp {a.esp}: there is no such folder.")
    if a.esp:
        _wake(a.esp)
    mounts = _fat_mounts(a.proc)
    if a.esp:
        device = next((device for at, device in mounts if at == a.esp.resolve()), None)
        doubt = _doubt(a.esp, device, a.sys)
        found = Esp(a.esp, _partition_of(device, a.sys), doubt, is_fat=device is not None)
    else:
        found = _choose(mounts, a.sys, uuid)
    if a.disk:
        found.partition = partition.read(a.disk, a.part).partition
        found.doubt = found.doubt or _doubt(found.folder, device_number(a.disk), a.sys)
        if found.doubt and not a.esp:
            raise _unnamed(found)
    return found


def _wake(folder):
    """An automount point has its volume once somebody looks into it (autofs(5))."""
    with contextlib.suppress(OSError):
        os.scandir(folder).close()


def _choose(mounts, sysfs, uuid):
    """Of those mounted, the one of that PARTUUID, else the one of the right type. One that is in
    doubt is only named."""
    found = [(Esp(at), device, _read_partition(device, sysfs)) for at, device in mounts]
    found = [each for each in found if each[2]]
    doubtful = []
    for is_meant in (lambda part: part.partition.uuid == uuid, lambda part: part.is_efi_system):
        chosen = []
        for esp, device, part in found:
            if is_meant(part):
                esp.partition, esp.doubt = part.partition, _doubt(esp.folder, device, sysfs)
                (doubtful if esp.doubt else chosen).append(esp)
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            listed = ", ".join(str(esp.folder) for esp in chosen)
            raise Trouble(
                f"several EFI system partitions are mounted: choose one by --esp: {listed}."
            )
    if doubtful:
        raise _unnamed(doubtful[0])
    raise Trouble("no EFI system partition is mounted: mount it, or name its folder by --esp.")


def _unnamed(esp):
    return Trouble(
        f"{esp.folder} is taken as the EFI system partition only if it is named by --esp:"
        f" {esp.doubt}."
    )


def _doubt(folder, device, sysfs):
    """A stick may have a partition of that type, too, and who plugs it in can write to it."""
    return disk_problem(device, sysfs) or trust.problem(folder)


def _fat_mounts(proc):
    """(folder, device's MAJOR:MINOR) of each, the one mounted last where one hides another."""
    try:
        lines = (proc / "self" / "mountinfo").read_bytes().split(b"\n")
    except OSError:
        return []
    mounts = {}
    for line in lines:
        words, _, kind = line.partition(b" - ")
        match words.split(b" "):
            case [_, _, device, b"/", at, *_] if kind.startswith((b"vfat ", b"msdos ")):
                at = _OCTAL.sub(lambda match: bytes([int(match[1], 8)]), at)
                mounts[os.fsdecode(at)] = os.fsdecode(device)
    return [(Path(at), device) for at, device in mounts.items()]


def _partition_of(device, sysfs):
    found = _read_partition(device, sysfs)
    return found.partition if found else None


def _read_partition(device, sysfs):
    """None: it is none, as on RAID, or its disk cannot be read."""
    folder = _disk_folder(device, sysfs) if device else None
    if not folder:
        return None
    try:
        number = int((folder / "partition").read_text())
        name = re.search(r"^DEVNAME=(.+)$", (folder.parent / "uevent").read_text(), re.M)[1]
        return partition.read(Path("/dev") / name, number)
    except (OSError, ValueError, TypeError, Trouble):
        return None


def _stages(path):
    """A file's other names while it is replaced; by its new name alone from here."""
    return [path.with_name(path.stem[:8] + end) for end in (".new", ".old")]


def _same_name(folder, part):
    """The entry of that name; None: there is none."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.lower() == part.lower():
                return folder / entry.name
    return None


def _disk_folder(device, sysfs):
    """Of a MAJOR:MINOR; None: there is none."""
    if not _NUMBER.fullmatch(device):
        return None
    try:
        return (sysfs / "dev" / "block" / device).resolve(strict=True)
    except (OSError, RuntimeError):
        return None


def device_number(path):
    """MAJOR:MINOR of a block device; None: it is another file, or not there."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISBLK(info.st_mode):
        return None
    return f"{os.major(info.st_rdev)}:{os.minor(info.st_rdev)}"


def disk_problem(device, sysfs):
    """Why the disk of a MAJOR:MINOR may not be a part of this machine, as half a sentence; None: it
    is, or nothing is known."""
    at = _disk_folder(device, sysfs) if device else None
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
