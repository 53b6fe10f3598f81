# SPDX-License-Identifier: MIT
"""Boots with okram-guard.efi as Driver0000: lists made here, and what is seen of the guard.

A program of tests/system/efi prints firmware's memory map and the guard's variables.
"""

import hmac
import json
import re
import struct
import subprocess
import time
import uuid
from dataclasses import dataclass, field

from virt.firmware.efi import bootentry, devpath, efivar, guids, ucs16
from virt.firmware.varstore import edk2

from crc32c import crc32c
from okramlib import BUILD
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system.harness import from_image
from system.uefi_vars import GLOBAL, SAVED

NV, BS, RT = 1, 2, 4
UNUSABLE, CONVENTIONAL = 8, 7
GUARD = "EFI/okram/okram-guardx64.efi"
FILE = "EFI/okram/okram/guard.list"
DEADLINE_S = 240

_HEAD = struct.Struct("<8sIHHIIQq16sQQII")  # kernel/core/formats/guardlist/guard_list.h, version 1
_HEAD_BYTES = {1: 80, 2: 128}  # version 2: and salt, HMAC
KEY = bytes(range(100, 132))  # an OkramKey
_SALT = bytes(range(16))
_MAP = re.compile(r"guard map (\w\w) (\w{10}) (\w{10})")
_RESERVE = re.compile(r"guard reserve (\w{16}) (\w{16})")
_VARIABLE = re.compile(r"guard (status|masked|list) (?:none|(\w{8}) (.*))")
_SAID = re.compile(r"(okram-guard: .*?\.)(?:\x1b|$)")


@dataclass
class Hardware:
    """What a list's fingerprint is of, as QEMU's SMBIOS has it: one module, unless given."""

    board: uuid.UUID = uuid.UUID(int=0)
    serials: tuple = ("",)
    module_bytes: int = 512 * MIB
    ram_bytes: int = 512 * MIB

    def fingerprint(self):
        modules = b""
        for index, serial in enumerate(self.serials):
            names = (f"DIMM {index}", "", serial)
            locator, part, serial = (name.encode() + b"\0" for name in names)
            modules += locator + struct.pack("<Q", self.module_bytes) + part + serial
        installed = len(self.serials) * self.module_bytes
        board = self.board.bytes_le
        return board, installed, self.ram_bytes, len(self.serials), crc32c(modules)


def _number(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def runs_of(pages):
    """[(first page, pages)] that do not touch."""
    runs = []
    for page in sorted(set(pages)):
        if runs and sum(runs[-1]) == page:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((page, 1))
    return runs


def make_signed(runs, hardware=None, key=KEY, made=1795305600):
    """A list of version 2, as okram's kernel writes it, written independently."""
    old = make_list(runs, hardware, made)
    board = hmac.digest(_SALT, old[40:56], "sha256")[:16] if any(old[40:56]) else bytes(16)
    size = len(old) + 48
    head = struct.pack("<HHI", 2, 128, size) + old[20:40] + board + old[56:80] + _SALT
    signed = b"okram guard list\0" + head + bytes(32) + old[80:]
    rest = head + hmac.digest(key, signed, "sha256") + old[80:]
    return b"OkramGrd" + struct.pack("<I", crc32c(rest)) + rest


def is_signed(data, key=KEY):
    """Whether a list has this key's HMAC."""
    rest = data[12:96] + bytes(32) + data[128:]
    return data[96:128] == hmac.digest(key, b"okram guard list\0" + rest, "sha256")


def make_list(runs, hardware=None, made=1795305600):
    """The list's bytes, of version 1: of the form that the guard reads, written independently."""
    body, at = b"", 0
    for first, n in runs:
        body += _number(first - at) + _number(n - 1)
        at = first + n
    n_pages = sum(n for _, n in runs)
    fields = [b"OkramGrd", 0, 1, 80, 80 + len(body), len(runs), n_pages, made]
    fields += (hardware or Hardware()).fingerprint()
    head = _HEAD.pack(*fields)
    fields[1] = crc32c(head[12:] + body)
    return _HEAD.pack(*fields) + body


def read_list(data):
    """{page} of a list that is whole."""
    _, crc, version, head_bytes, size, n_runs, n_pages, *_ = _HEAD.unpack_from(data)
    assert data[:8] == b"OkramGrd" and (head_bytes, size) == (_HEAD_BYTES[version], len(data))
    assert crc == crc32c(data[12:])
    numbers, n, shift = [], 0, 0
    for byte in data[head_bytes:]:
        n |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append(n)
            n = shift = 0
    pages, at = set(), 0
    for good, more in zip(numbers[::2], numbers[1::2]):
        pages |= set(range(at + good, at + good + more + 1))
        at += good + more + 1
    assert (n_runs, n_pages) == (len(numbers) // 2, len(pages))
    return pages


def run_tool(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def make_stick(
    path, files=(), program=BUILD / "efi/show_guard.efi", guard=BUILD / "okram-guard.efi"
):
    """A FAT file system with the guard, what is started after it, and more files: path, bytes."""
    with path.open("wb") as file:
        file.truncate(16 * MIB)
    run_tool("mformat", "-i", path, "::")
    run_tool("mmd", "-i", path, *(f"::/EFI{name}" for name in ("", "/BOOT", "/okram")))
    run_tool("mmd", "-i", path, "::/EFI/okram/okram")
    run_tool("mcopy", "-i", path, program, "::/EFI/BOOT/BOOTX64.EFI")
    run_tool("mcopy", "-i", path, guard, f"::/{GUARD}")
    for name, data in files:
        content = path.with_suffix(".content")
        content.write_bytes(data)
        run_tool("mcopy", "-o", "-i", path, content, f"::/{name}")
    return path


def _variable(name, guid, attributes, data):
    return efivar.EfiVar(
        ucs16.from_string(name), guid=guids.parse_str(guid), attr=attributes, data=data
    )


def make_store(path, variables=(), driver=True, options="", template=None):
    """A store with Driver0000, the guard; variables: (name, attributes, data) of okram's vendor."""
    store = edk2.Edk2VarStore(str(template or from_image("uefi").firmware_files[1]))
    listed = store.get_varlist()
    if driver:
        entry = bootentry.BootEntry(
            attr=bootentry.LOAD_OPTION_ACTIVE,
            title=ucs16.from_string("okram guard"),
            devicepath=devpath.DevicePath.filepath("\\" + GUARD.replace("/", "\\")),
            optdata=(options + "\0").encode("utf-16-le") if options else None,
        )
        listed["Driver0000"] = _variable("Driver0000", GLOBAL, NV | BS | RT, bytes(entry))
        listed["DriverOrder"] = _variable("DriverOrder", GLOBAL, NV | BS | RT, bytes(2))
    for name, attributes, data in variables:
        listed[name] = _variable(name, SAVED, attributes, data)
    store.write_varstore(str(path), listed)
    return path


@dataclass
class Seen:
    status: dict | None = None
    status_attributes: int = 0
    masked: set | None = None  # pages of OkramGuardMasked
    memory_map: list = field(default_factory=list)  # (type, first page, pages)
    reserved: list = field(default_factory=list)  # (address, bytes) of Linux's table
    said: list = field(default_factory=list)  # the guard's lines on the console
    seconds: float = 0.0  # from QEMU's start to the program

    def of_type(self, kind):
        return {p for t, first, n in self.memory_map if t == kind for p in range(first, first + n)}


def boot(machine):
    """What the program shows; AssertionError if the machine does not come so far."""
    seen, lines = Seen(), []
    start = time.monotonic()
    with Qemu(machine) as qemu:
        while (line := qemu.line(1)) is not END:
            assert time.monotonic() < start + DEADLINE_S, "\n".join(lines[-50:])
            if line is None:
                continue
            lines.append(line)
            if line == "guard shown":
                seen.seconds = time.monotonic() - start
            _understand(line, seen)
    assert "guard end" in lines, "\n".join(lines[-50:])
    return seen


def _understand(line, seen):
    if match := _MAP.fullmatch(line):
        kind, first, n = (int(number, 16) for number in match.groups())
        seen.memory_map.append((kind, first, n))
    elif match := _RESERVE.fullmatch(line):
        seen.reserved.append(tuple(int(number, 16) for number in match.groups()))
    elif (match := _VARIABLE.fullmatch(line)) and match[2]:
        if match[1] == "status":
            seen.status, seen.status_attributes = json.loads(match[3]), int(match[2], 16)
        elif match[1] == "masked":
            seen.masked = read_list(bytes.fromhex(match[3]))
    elif match := _SAID.search(line):
        seen.said.append(match[1])


def guarded(directory, data=None, *, attributes=NV | BS, files=(), options="", **settings):
    """A machine with the guard, and the list `data` in its variable."""
    variables = [] if data is None else [("OkramGuard", attributes, data)]
    return from_image(
        "guarded",
        image=make_stick(directory / "stick.img", files),
        vars=make_store(directory / "vars.fd", variables, options=options),
        **settings,
    )
