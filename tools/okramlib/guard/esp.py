# SPDX-License-Identifier: MIT
"""The EFI system partition: where it is mounted, which partition it is, and files on it."""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble
from . import partition
from .load_option import Partition

_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass
class Esp:
    """A mounted EFI system partition. Names on it are as firmware has them: with backslashes."""

    folder: Path
    partition: Partition | None = None  # None: unknown

    def path(self, name):
        """Of a file or folder on it; FAT does not tell capitals from small letters."""
        path = self.folder
        for part in name.strip("\\").split("\\"):
            path = _same_name(path, part) or path / part
        return path

    def read(self, name):
        """None: there is no such file."""
        try:
            return self.path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Trouble(f"{self.path(name)} cannot be read: {error.strerror}.") from None

    def write(self, name, data):
        """Writes another file, reads it back, then gives it the name. OSError if that fails."""
        path = self.path(name)
        fresh = path.with_name(path.stem[:8] + ".new")
        try:
            with open(fresh, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            if fresh.read_bytes() != data:
                raise OSError(5, "it reads back differently")
            os.replace(fresh, path)
            _sync_folder(path.parent)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise

    def delete(self, name):
        path = self.path(name)
        path.unlink(missing_ok=True)
        _sync_folder(path.parent)

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
    mounts = _fat_mounts(a.proc)
    if a.esp and not a.esp.is_dir():
        raise Trouble(f"--esp {a.esp}: there is no such folder.")
    if a.esp:
        folder = a.esp
        device = next((device for at, device in mounts if at == a.esp.resolve()), None)
    else:
        folder, device = _choose(mounts, a.sys, uuid)
    if a.disk:
        return Esp(folder, partition.read(a.disk, a.part).partition)
    found = _partition_of(device, a.sys) if device else None
    return Esp(folder, found.partition if found else None)


def _choose(mounts, sys, uuid):
    found = [(at, device, _partition_of(device, sys)) for at, device in mounts]
    found = [each for each in found if each[2]]
    for choose in (lambda part: part.partition.uuid == uuid, lambda part: part.is_efi_system):
        chosen = [(at, device) for at, device, part in found if choose(part)]
        if len(chosen) == 1:
            return chosen[0]
    if chosen:
        listed = ", ".join(str(at) for at, _ in chosen)
        raise Trouble(f"several EFI system partitions are mounted: choose one by --esp: {listed}.")
    raise Trouble("no EFI system partition is mounted: mount it, or name its folder by --esp.")


def _fat_mounts(proc):
    """(folder, device's MAJOR:MINOR) of each, the one mounted last where one hides another."""
    try:
        lines = (proc / "self" / "mountinfo").read_text().splitlines()
    except OSError:
        return []
    mounts = {}
    for line in lines:
        words, _, kind = line.partition(" - ")
        _, _, device, root, at, *_ = words.split(" ")
        if kind.startswith(("vfat ", "msdos ")) and root == "/":
            mounts[_OCTAL.sub(lambda match: chr(int(match[1], 8)), at)] = device
    return [(Path(at), device) for at, device in mounts.items()]


def _partition_of(device, sys):
    """None: it is none, as on RAID, or its disk cannot be read."""
    folder = (sys / "dev" / "block" / device).resolve()
    try:
        number = int((folder / "partition").read_text())
        name = re.search(r"^DEVNAME=(.+)$", (folder.parent / "uevent").read_text(), re.M)[1]
        return partition.read(Path("/dev") / name, number)
    except (OSError, ValueError, TypeError, Trouble):
        return None


def _same_name(folder, part):
    """The entry of that name; None: there is none."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.lower() == part.lower():
                return folder / entry.name
    return None


def _sync_folder(path):
    with contextlib.suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
