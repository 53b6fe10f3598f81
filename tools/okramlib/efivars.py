# SPDX-License-Identifier: MIT
"""UEFI variables in Linux's efivarfs: a file NAME-VENDOR holds four bytes of attributes, then data.

Linux marks all but well-known variables immutable, so that nobody deletes by accident what firmware
cannot do without; the mark is taken off for a change, and set again.
"""

import contextlib
import errno
import fcntl
import os
import struct
import uuid
from dataclasses import dataclass
from pathlib import Path

from . import Trouble

EFIVARS = Path("/sys/firmware/efi/efivars")

NON_VOLATILE, BOOT_SERVICES, RUNTIME = 1, 2, 4
KEPT = NON_VOLATILE | BOOT_SERVICES | RUNTIME

# linux/fs.h
_GET_FLAGS, _SET_FLAGS, _IMMUTABLE = 0x80086601, 0x40086602, 0x10
_NO_FLAGS_HERE = (errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL)

_NAMES = [(NON_VOLATILE, "NV"), (BOOT_SERVICES, "BS"), (RUNTIME, "RT")]


@dataclass(frozen=True)
class Variable:
    name: str
    vendor: uuid.UUID
    attributes: int
    data: bytes


class Variables:
    """Of one folder. Changes raise OSError; what cannot be read is a Trouble."""

    def __init__(self, folder=EFIVARS):
        self.folder = folder
        if not folder.is_dir() or (folder == EFIVARS and not any(folder.iterdir())):
            raise Trouble(
                f"{folder} holds no UEFI variables: this system was not started by UEFI, or"
                " efivarfs is not mounted."
            )

    def path(self, name, vendor):
        return self.folder / f"{name}-{vendor}"

    def read(self, name, vendor):
        """(attributes, data); None: there is no such variable."""
        try:
            content = self.path(name, vendor).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Trouble(f"the variable {name} cannot be read: {error.strerror}.") from None
        # A variable that was deleted, or not written at all, is an empty file for a while.
        return (int.from_bytes(content[:4], "little"), content[4:]) if len(content) > 4 else None

    def data(self, name, vendor):
        found = self.read(name, vendor)
        return found[1] if found else None

    def write(self, name, vendor, attributes, data):
        """In one write, which firmware does whole or not at all."""
        path = self.path(name, vendor)
        was_there = path.exists()
        try:
            with _changeable(path), _opened(path, os.O_WRONLY | os.O_CREAT) as file:
                content = struct.pack("<I", attributes) + data
                if os.write(file, content) != len(content):
                    raise OSError(errno.EIO, "it was written in part")
                if os.fstat(file).st_size > len(content):  # no efivarfs
                    os.ftruncate(file, len(content))
        except OSError:
            if not was_there:  # older kernels leave a file without a variable
                with contextlib.suppress(OSError):
                    self.delete(name, vendor)
            raise

    def delete(self, name, vendor):
        path = self.path(name, vendor)
        with _changeable(path, stays=False):
            path.unlink(missing_ok=True)

    def free_bytes(self):
        """That Linux lets be used, which keeps 5 KiB free; None: an older one does not say."""
        found = os.statvfs(self.folder)
        return found.f_bavail if found.f_bsize == 1 else None

    def names(self, prefix, vendor):
        """Of all variables of that vendor that begin so."""
        end = f"-{vendor}"
        files = self.folder.glob(f"{prefix}*{end}")
        return sorted(file.name.removesuffix(end) for file in files)

    def listed(self, prefix):
        """All Variables whose names begin so, of any vendor."""
        found = []
        for file in sorted(self.folder.glob(f"{prefix}*")):
            name, _, vendor = file.name.partition("-")
            try:
                vendor = uuid.UUID(vendor)
            except ValueError:
                raise Trouble(f"{file} is not a UEFI variable.") from None
            if content := self.read(name, vendor):
                found.append(Variable(name, vendor, *content))
        return found


def attributes_text(attributes):
    return "+".join(name for bit, name in _NAMES if attributes & bit)


@contextlib.contextmanager
def _opened(path, flags):
    file = os.open(path, flags, 0o644)
    try:
        yield file
    finally:
        os.close(file)


@contextlib.contextmanager
def _changeable(path, stays=True):
    """The file without its immutable mark; it is marked again if it stays."""
    flags = _flags(path)
    if not flags & _IMMUTABLE:
        yield
        return
    _set_flags(path, flags & ~_IMMUTABLE)
    try:
        yield
    finally:
        if stays or path.exists():
            _set_flags(path, flags)


def _flags(path):
    """0 where there is no file, or a file system without flags."""
    try:
        with _opened(path, os.O_RDONLY) as file:
            return struct.unpack("<I", fcntl.ioctl(file, _GET_FLAGS, bytes(8))[:4])[0]
    except FileNotFoundError:
        return 0
    except OSError as error:
        if error.errno in _NO_FLAGS_HERE:
            return 0
        raise


def _set_flags(path, flags):
    with _opened(path, os.O_RDONLY) as file:
        fcntl.ioctl(file, _SET_FLAGS, struct.pack("<Q", flags))
