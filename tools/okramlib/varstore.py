# SPDX-License-Identifier: MIT
"""UEFI variables: of the running Linux, or in a file that OVMF keeps them in.

The file is read here, not by virt-firmware, because a report must be found even in a store that a
power cut left half written, or next to somebody else's variable of the same name. The tests hold
both readers together.
"""

import struct
import uuid

from . import Trouble
from .efivars import EFIVARS, Variable, Variables

# EDK2's MdeModulePkg/Include/Guid: SystemNvDataGuid.h, VariableFormat.h (AUTHENTICATED_...).
_VOLUME_GUID = uuid.UUID("fff12b8d-7696-4c8b-a985-2747075b4f50").bytes_le
_STORE_GUID = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792").bytes_le
_VOLUME_GUID_AT = 16
_VOLUME = struct.Struct("<16x16sQ4sIH")  # guid, bytes, signature, attributes, header's bytes
_STORE = struct.Struct("<16sIBB6x")  # guid, bytes with this header, format, state
_HEADER = struct.Struct("<HBxIQ16xIII16s")  # ..., bytes of the name and of the data, vendor
_VOLUME_SIGNATURE = b"_FVH"
_STORE_FORMATTED, _STORE_HEALTHY = 0x5A, 0xFE
_STARTS = 0x55AA
# Bits are cleared as a variable goes through its states. An update writes the new one before it
# deletes the old one: of both, the new one counts.
_ADDED, _ADDED_BUT_IN_DELETION = 0x3F, 0x3E
_ALIGNMENT = 4
# A power cut may leave a header half written. If it has one of these, both sizes count as 0.
_NO_STATE, _NOT_WRITTEN = 0xFF, 0xFFFFFFFF
_FILE_BYTES_MAX = 64 << 20


def read(path, prefix):
    """The variables whose names begin so, of a directory as efivarfs has it, or of OVMF's file.

    Trouble if there is no such directory or file.
    """
    if path.is_dir() or path == EFIVARS:
        return Variables(path).listed(prefix)
    try:
        with open(path, "rb") as file:
            content = file.read(_FILE_BYTES_MAX)
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
    store = _store(content)
    if store is None:
        raise Trouble(f"{path} holds no UEFI variables as OVMF keeps them.")
    return [variable for variable in _variables(store) if variable.name.startswith(prefix)]


def _store(content):
    """The bytes from the variable store's header to its end; None: there is no store."""
    at = content.find(_VOLUME_GUID) - _VOLUME_GUID_AT
    if at < 0 or len(content) < at + _VOLUME.size:
        return None
    _, _, signature, _, header_bytes = _VOLUME.unpack_from(content, at)
    start = at + header_bytes
    if signature != _VOLUME_SIGNATURE or len(content) < start + _STORE.size:
        return None
    guid, size, formatted, state = _STORE.unpack_from(content, start)
    if (guid, formatted, state) != (_STORE_GUID, _STORE_FORMATTED, _STORE_HEALTHY):
        return None
    return content[start : start + size]


def _variables(store):
    added, in_deletion = {}, {}
    at = _STORE.size
    while at + _HEADER.size <= len(store):
        starts, state, attributes, _, _, *sizes, vendor = _HEADER.unpack_from(store, at)
        whole = state != _NO_STATE and _NOT_WRITTEN not in (attributes, *sizes)
        name_bytes, data_bytes = sizes if whole else (0, 0)
        data_at = at + _HEADER.size + name_bytes
        end = data_at + data_bytes
        if starts != _STARTS or end > len(store):
            break
        name = store[at + _HEADER.size : data_at].decode("utf-16-le", "replace").rstrip("\0")
        variable = Variable(name, uuid.UUID(bytes_le=vendor), attributes, store[data_at:end])
        if state == _ADDED:
            added[name, vendor] = variable
        elif state == _ADDED_BUT_IN_DELETION:
            in_deletion[name, vendor] = variable
        at = end + -end % _ALIGNMENT
    return list({**in_deletion, **added}.values())
