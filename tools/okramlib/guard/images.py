# SPDX-License-Identifier: MIT
"""The UEFI programs that an installation copies: the guard, and for Secure Boot a distribution's
shim with its MokManager."""

import struct
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble

SHIM = Path("/usr/lib/shim")  # of Debian's and Ubuntu's package shim-signed
_SHIM_NAMES = ("shimx64.efi.signed", "shimx64.efi", "BOOTX64.EFI")  # the last on okram's stick
_MOKMANAGER_NAMES = ("mmx64.efi.signed", "mmx64.efi")

# A PE file (Microsoft PE Format; UEFI 2.10, 2.1.1).
_PE_AT, _SIGNATURE = 0x3C, b"PE\0\0"
_MACHINE_X86_64, _MAGIC_64, _APPLICATION, _BOOT_SERVICES_DRIVER = 0x8664, 0x20B, 10, 11
# From the signature on.
_MACHINE_AT, _SECTIONS_AT, _OPTIONAL_BYTES_AT, _MAGIC_AT = 4, 6, 20, 24
_SUBSYSTEM_AT, _CERTIFICATES_AT = _MAGIC_AT + 68, _MAGIC_AT + 112 + 4 * 8
_HEADER_BYTES = _CERTIFICATES_AT + 8
_SECTION = struct.Struct("<8sI4xII16x")  # name, bytes in memory, in the file, where


@dataclass
class Image:
    path: Path
    data: bytes

    def __post_init__(self):
        """Trouble if it is not a UEFI program for x86-64."""
        self._at = self._number("<I", _PE_AT) if len(self.data) >= _PE_AT + 4 else 0
        header = self.data[self._at : self._at + _HEADER_BYTES]
        if (
            self.data[:2] != b"MZ"
            or not header.startswith(_SIGNATURE)
            or len(header) < _HEADER_BYTES
        ):
            raise Trouble(f"{self.path} is not a UEFI program.")
        kind = self._number("<H", self._at + _MACHINE_AT), self._number("<H", self._at + _MAGIC_AT)
        if kind != (_MACHINE_X86_64, _MAGIC_64):
            raise Trouble(f"{self.path} is not for x86-64.")

    def _number(self, form, at):
        return struct.unpack_from(form, self.data, at)[0]

    @property
    def subsystem(self):
        return self._number("<H", self._at + _SUBSYSTEM_AT)

    @property
    def is_signed(self):
        return self._number("<I", self._at + _CERTIFICATES_AT + 4) > 0

    def as_application(self):
        """For a boot entry. A signature is void then."""
        data = bytearray(self.data)
        struct.pack_into("<H", data, self._at + _SUBSYSTEM_AT, _APPLICATION)
        return bytes(data)

    def sbat(self):
        """{component: generation} of its section .sbat (shim's SBAT.md)."""
        at = self._at + _MAGIC_AT + self._number("<H", self._at + _OPTIONAL_BYTES_AT)
        table = self.data[at : at + _SECTION.size * self._number("<H", self._at + _SECTIONS_AT)]
        whole = len(table) - len(table) % _SECTION.size
        for name, virtual, size, start in _SECTION.iter_unpack(table[:whole]):
            if name.rstrip(b"\0") == b".sbat":
                return _generations(self.data[start : start + min(virtual, size)])
        return {}

    def revoked_by(self, level):
        """The component of it that is older than the content of SbatLevel accepts; or None."""
        own = self.sbat()
        least = _generations(level)
        return next((name for name in least if own.get(name, least[name]) < least[name]), None)


def _generations(text):
    """A generation that is no number counts as 0, as with shim."""
    rows = [line.split(b",") for line in text.rstrip(b"\0").split(b"\n")]
    return {row[0]: int(row[1]) if row[1].isdigit() else 0 for row in rows if len(row) > 1}


def read_guard(path):
    image = _read(path)
    if image.subsystem != _BOOT_SERVICES_DRIVER:
        raise Trouble(f"{path} is not a UEFI driver, but of subsystem {image.subsystem}.")
    return image


def read_shim(folder, level):
    """Shim's Image and MokManager's; level: the content of the variable SbatLevelRT, or None."""
    found = []
    for what, names in ("shim", _SHIM_NAMES), ("MokManager", _MOKMANAGER_NAMES):
        path = next((folder / name for name in names if (folder / name).exists()), None)
        if not path:
            raise Trouble(
                f"{folder} has no {what} ({', '.join(names)}): install the package shim-signed, or"
                " name the folder EFI/BOOT of okram's stick by --shim."
            )
        found.append(_read(path))
    shim, _ = found
    if b"shim" not in shim.sbat() or not shim.is_signed:
        raise Trouble(f"{shim.path} is not a signed shim.")
    if part := shim.revoked_by(level or b""):
        raise Trouble(
            f"{shim.path} is older than this machine accepts ({part.decode(errors='replace')}):"
            " under Secure Boot it would switch the machine off. Update the package shim-signed."
        )
    return found


def _read(path):
    try:
        return Image(path, path.read_bytes())
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
