# SPDX-License-Identifier: MIT
"""The guard's PE file: whether firmware can start it (Microsoft PE Format; UEFI 2.10, 2.1.1)."""

import struct
from dataclasses import dataclass

from .. import Trouble

_PE_AT, _SIGNATURE = 0x3C, b"PE\0\0"
_MACHINE_X86_64, _MAGIC_64, _APPLICATION, _BOOT_SERVICES_DRIVER = 0x8664, 0x20B, 10, 11
# From the signature on.
_MACHINE_AT, _MAGIC_AT, _SUBSYSTEM_AT, _CERTIFICATES_AT = 4, 24, 24 + 68, 24 + 112 + 4 * 8
_HEADER_BYTES = _CERTIFICATES_AT + 8


@dataclass
class Image:
    path: object
    data: bytes
    is_signed: bool

    def as_application(self):
        """EDK2 starts no boot entry that is a driver. A signature is void then."""
        data = bytearray(self.data)
        at = struct.unpack_from("<I", data, _PE_AT)[0]
        struct.pack_into("<H", data, at + _SUBSYSTEM_AT, _APPLICATION)
        return bytes(data)


def read(path):
    """Trouble if it is not a UEFI driver for x86-64."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
    at = struct.unpack_from("<I", data, _PE_AT)[0] if len(data) >= _PE_AT + 4 else 0
    header = data[at : at + _HEADER_BYTES]
    if data[:2] != b"MZ" or not header.startswith(_SIGNATURE) or len(header) < _HEADER_BYTES:
        raise Trouble(f"{path} is not a UEFI program.")
    machine, magic, subsystem = (
        struct.unpack_from("<H", header, offset)[0]
        for offset in (_MACHINE_AT, _MAGIC_AT, _SUBSYSTEM_AT)
    )
    if (machine, magic) != (_MACHINE_X86_64, _MAGIC_64):
        raise Trouble(f"{path} is not for x86-64.")
    if subsystem != _BOOT_SERVICES_DRIVER:
        raise Trouble(f"{path} is not a UEFI driver, but of subsystem {subsystem}.")
    _, certificate_bytes = struct.unpack_from("<II", header, _CERTIFICATES_AT)
    return Image(path, data, certificate_bytes > 0)
