# SPDX-License-Identifier: MIT
"""Which program firmware has to start so that okram runs: okram itself, or under Secure Boot the
shim that has started this system, which starts what the machine's owner has enrolled (MOK).

An okram that neither would start makes shim wait for a key: nothing is set then.
"""

import hashlib
import re
import struct
import uuid

from .. import Trouble
from ..guard import GLOBAL
from . import entry

SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")  # the vendor of its variables
_KEYS = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")  # of db (UEFI 2.10, 32.6.1)

# Of lists of signatures (UEFI 2.10, 32.4.1).
_X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
_SHA256 = uuid.UUID("c1c41626-504c-4092-aca9-41f936934328")
_LIST = struct.Struct("<16sIII")  # kind, bytes, of its header, of one signature
_OWNER_BYTES = 16

# The PE file (Microsoft PE Format).
_PE_AT, _MAGIC_32 = 0x3C, 0x10B
_MAGIC_AT, _CHECKSUM_AT, _CERTIFICATES_AT = 24, 24 + 64, {True: 24 + 96 + 32, False: 24 + 112 + 32}

_IS_SHIM = re.compile(r"\\shim[a-z0-9]*\.efi$", re.IGNORECASE)


def is_on(variables):
    return variables.data("SecureBoot", GLOBAL) == b"\1"


def way(variables, esp, name, data):
    """(file, options that come before okram's) of the boot entry for this program. Trouble if under
    Secure Boot it would not start."""
    if not is_on(variables) or _accepts(variables.data("db", _KEYS), data):
        return name, ""
    shim = _shim(variables, esp)
    if not shim:
        raise Trouble(
            "Secure Boot is on, firmware has no key for okram, and shim, which could start it, has"
            f" not started this system from {esp.folder}: sign okram (docs/guard.md, Signing), or"
            " start it from its stick."
        )
    if not _accepts(variables.data("MokListRT", SHIM), data):
        raise Trouble(f"Secure Boot is on, and shim would not start okram: {how_to_enroll(data)}.")
    return shim, f"{name} "


def how_to_enroll(data):
    """Half a sentence."""
    return (
        f"enroll it by `mokutil --import-hash {authenticode(data)}`, restart, and confirm it in"
        " MokManager's menu (Enroll MOK)"
    )


def _shim(variables, esp):
    """The file of the shim that has started this system from that partition; None: none has."""
    current = variables.data("BootCurrent", GLOBAL)
    if not current or len(current) != 2 or not esp.partition:
        return None
    option = entry.option_of(variables, int.from_bytes(current, "little"))
    is_here = option.drive == esp.partition.node()
    return option.file if is_here and _IS_SHIM.search(option.file) else None


def _accepts(lists, data):
    """Whether the lists of signatures have the program's hash, or the key of its signature."""
    hashed, signature = authenticode(data), _signature(data)
    return any(
        (kind == _SHA256 and found.hex() == hashed)
        or (kind == _X509 and bool(found) and found in signature)
        for kind, found in _signatures(lists or b"")
    )


def _signatures(lists):
    at = 0
    while at + _LIST.size <= len(lists):
        kind, size, header, each = _LIST.unpack_from(lists, at)
        end = at + size
        if size < _LIST.size or end > len(lists) or each <= _OWNER_BYTES:
            return
        for begin in range(at + _LIST.size + header, end - each + 1, each):
            yield uuid.UUID(bytes_le=kind), lists[begin + _OWNER_BYTES : begin + each]
        at = end


def authenticode(data):
    """The SHA-256 of a UEFI program by which it is enrolled: all of it but the checksum and the
    signatures (Microsoft, Windows Authenticode Portable Executable Signature Format)."""
    checksum, directory, (certificates, _) = _places(data)
    hashed = hashlib.sha256(data[:checksum])
    hashed.update(data[checksum + 4 : directory])
    hashed.update(data[directory + 8 : certificates or len(data)])
    return hashed.hexdigest()


def _signature(data):
    _, _, (at, size) = _places(data)
    return data[at : at + size] if at else b""


def _places(data):
    """Of the checksum, of the entry for certificates, and what that says."""
    try:
        pe = struct.unpack_from("<I", data, _PE_AT)[0]
        is_32_bit = struct.unpack_from("<H", data, pe + _MAGIC_AT)[0] == _MAGIC_32
        directory = pe + _CERTIFICATES_AT[is_32_bit]
        return pe + _CHECKSUM_AT, directory, struct.unpack_from("<II", data, directory)
    except struct.error:
        raise Trouble("the okram on the EFI system partition is not a UEFI program.") from None
