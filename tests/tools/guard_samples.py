# SPDX-License-Identifier: MIT
"""A machine for `okram guard`: what Linux shows of it, its variables, its disk, as folders
and files."""

import contextlib
import io
import json
import os
import struct
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from data import tables
from okramlib import BUILD, ROOT, cli, environment, guard, trust
from okramlib.guard import lists
from okramlib.guard.here import Here
from okramlib.units import GIB, MIB, PAGE

BAD = [0x5000000, 0x7345000, 0x7346000]
BAD_LINE = "badram=0x5000000,0xffffffffff000,0x7345000,0xffffffffff000,0x7346000,0xffffffffff000\n"
UUID = bytes(range(16))
OTHER_DRIVER = b"\1\0\0\0\0\0o\0\0\0"  # not read by anybody here
NOT_RAM = 0xFD000000

GPT_GUID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
GPT_START, GPT_BLOCKS = 2048, 65536

# start, last byte, Linux's name of the kind
MEMORY_MAP = [
    (0x0, 0x9FFFF, "System RAM"),
    (0x100000, 0x3EFFFFFF, "System RAM"),
    (0x3F000000, 0x3F0FFFFF, "ACPI Tables"),
    (0x3F100000, 0x3F1FFFFF, "Reserved"),  # of these, half for the runtime services
    (0x3F200000, 0x3FFFFFFF, "System RAM"),
]
RUNTIME_BYTES = MIB // 2

# The command builds nothing.
environment.make(*(str((BUILD / name).relative_to(ROOT)) for name in ("guardlist", "badram")))


@dataclass
class Box:
    root: Path

    @property
    def efivars(self):
        return self.root / "efivars"

    @property
    def esp(self):
        return self.root / "esp"

    @property
    def driver(self):
        return self.root / "okram-guard.efi"

    @property
    def here(self):
        return Here(self.root / "sys", self.root / "proc")

    def options(self, is_install=True):
        options = ["--esp", self.esp, "--disk", self.root / "disk", "--part", "1"]
        options += ["--efivars", self.efivars, "--sys", self.root / "sys"]
        options += ["--proc", self.root / "proc"]
        return [*options, "--guard", self.driver, "--shim", self.shims] if is_install else options

    @property
    def shims(self):
        """As the package shim-signed has it."""
        return self.root / "shim"

    def mount_esp(self, *kinds):
        """What Linux says is mounted there, one on the other; of a RAID, which is no partition."""
        (self.root / "sys" / "dev" / "block" / "9:0").mkdir(parents=True, exist_ok=True)
        lines = [f"29 1 9:0 / {self.esp} rw - {kind} /dev/md0 rw\n" for kind in kinds]
        (self.root / "proc" / "self" / "mountinfo").write_text("".join(lines))

    def run(self, action, *arguments, input=""):
        given = self.options(action in ("install", "test"))
        return in_process("guard", action, *map(str, [*given, *arguments]), input=input)

    def install(self, *arguments, **options):
        """Of BAD, unless a list is given."""
        if "--list" not in arguments:
            arguments, options = ("--list", "-", *arguments), {"input": BAD_LINE, **options}
        return self.run("install", "--yes", *arguments, **options)

    def set(self, name, data, vendor=guard.VENDOR, attributes=7):
        path = self.efivars / f"{name}-{vendor}"
        path.write_bytes(struct.pack("<I", attributes) + data)

    def get(self, name, vendor=guard.VENDOR):
        path = self.efivars / f"{name}-{vendor}"
        return path.read_bytes()[4:] if path.exists() else None

    def list_of(self, addresses):
        runs = [(address // PAGE, 1) for address in sorted(addresses)]
        return lists.from_runs(runs, self.here).data

    def set_iomem(self, gone=()):
        """Linux's map, in which these pages are unusable."""
        lines = []
        for base, last, kind in MEMORY_MAP:
            at = base
            for address in sorted(a for a in gone if base <= a <= last):
                if at < address:
                    lines.append(f"{at:08x}-{address - 1:08x} : {kind}")
                lines.append(f"{address:08x}-{address + PAGE - 1:08x} : Unusable memory")
                at = address + PAGE
            lines.append(f"{at:08x}-{last:08x} : {kind}")
        (self.root / "proc" / "iomem").write_text("\n".join(lines) + "\n")

    def set_status(self, **changes):
        record = {"type": "guard", "version": "0.1.0", "state": "masked", "source": "variable"}
        record |= {"why": None, "made": "2026-11-22", "pages": 3, "masked": 3, "held": 0}
        record |= {"reserved": 0, "outside": 0, "microseconds": 210, "patrol": None, **changes}
        self.set(guard.STATUS, json.dumps(record).encode(), attributes=6)

    def state(self):
        """All variables and all files, byte by byte."""
        folders = (self.efivars, self.esp)
        paths = sorted(path for folder in folders for path in folder.rglob("*"))
        return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def make(root):
    box = Box(root)
    firmware, proc = root / "sys" / "firmware", root / "proc"
    for folder in (firmware / "dmi" / "tables", firmware / "efi", proc / "self", box.efivars):
        folder.mkdir(parents=True)
    write_smbios(box, b"serial-1")
    (firmware / "efi" / "fw_platform_size").write_text("64\n")
    write_entries(firmware / "memmap", MEMORY_MAP, ["start", "end", "type"])
    runtime = [("5", "0x3f100000", hex(RUNTIME_BYTES // PAGE)), ("11", "0xfee00000", "0x1")]
    write_entries(firmware / "efi" / "runtime-map", runtime, ["type", "phys_addr", "num_pages"])
    box.set_iomem()
    (proc / "self" / "mountinfo").write_text("")
    (box.esp / "EFI" / "Boot").mkdir(parents=True)
    for folder in (root, box.esp):  # whatever the umask is
        folder.chmod(0o755)
    box.set("BootOrder", b"\0\0", guard.GLOBAL)
    box.set("Boot0000", OTHER_DRIVER, guard.GLOBAL)
    box.set("SecureBoot", b"\0", guard.GLOBAL, 6)
    (root / "disk").write_bytes(gpt_disk())
    box.driver.write_bytes(driver())
    box.shims.mkdir()
    (box.shims / "shimx64.efi.signed").write_bytes(shim())
    (box.shims / "mmx64.efi.signed").write_bytes(shim(b""))
    return box


def order(*numbers):
    """Of a variable like BootOrder."""
    return struct.pack(f"<{len(numbers)}H", *numbers)


def write_smbios(box, serial):
    folder = box.root / "sys" / "firmware" / "dmi" / "tables"
    system = tables.smbios_structure(1, 1, bytes([1, 2, 0, 0]) + UUID + bytes(3), b"Maker", b"Box")
    module = tables.smbios_device(2, 3, 1024)
    module = module[:0x18] + b"\3" + module[0x19:-1] + serial + b"\0\0"
    structures = system + module + tables.SMBIOS_END
    # The entry point may count more than there is.
    entry = struct.pack("<5sBBBBBBBIQ", b"_SM3_", 0, 24, 3, 2, 0, 1, 0, 4096, 0xF1000)
    entry = entry[:5] + bytes([-sum(entry) & 0xFF]) + entry[6:]
    (folder / "smbios_entry_point").write_bytes(entry)
    (folder / "DMI").write_bytes(structures)


def write_entries(folder, rows, names, first=0):
    for number, row in enumerate(rows, first):
        (folder / str(number)).mkdir(parents=True, exist_ok=True)
        for name, value in zip(names, row, strict=True):
            text = hex(value) if isinstance(value, int) else value
            (folder / str(number) / name).write_text(f"{text}\n")


def gpt_disk(block=512, kind="c12a7328-f81f-11d2-ba4b-00a0c93ec93b"):
    """One partition; neither firmware nor this tool looks at the checksums here."""
    header = b"EFI PART".ljust(72, b"\0") + struct.pack("<QII", 2, 128, 128)
    entry = uuid.UUID(kind).bytes_le + GPT_GUID.bytes_le
    entry += struct.pack("<QQ", GPT_START, GPT_START + GPT_BLOCKS - 1)
    return bytes(block) + header.ljust(block, b"\0") + entry.ljust(4 * block, b"\0")


def mbr_disk(kind=0xEF):
    entry = struct.pack("<BBHBBHII", 0, 0, 0, kind, 0, 0, 63, 4096)
    record = bytes(440) + b"\x78\x56\x34\x12\0\0" + entry
    return record.ljust(510, b"\0") + b"\x55\xaa"


def driver(machine=0x8664, magic=0x20B, subsystem=11, certificate_bytes=0, body=b"one"):
    """The head of a PE file (Microsoft PE Format), and something after it."""
    optional = struct.pack("<H66xH42x", magic, subsystem)
    optional += bytes(32) + struct.pack("<II", 0x400, certificate_bytes) + bytes(88)
    head = b"PE\0\0" + struct.pack("<HHIIIHH", machine, 0, 0, 0, 0, len(optional), 0x2022)
    return b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + head + optional + body


SBAT = b"sbat,1,SBAT Version,sbat,1,u\nshim,4,UEFI shim,shim,1,u\nshim.debian,1,Debian,shim,16,u\n"


def shim(sbat=SBAT, **options):
    """The same, with one section, .sbat."""
    image = driver(**{"subsystem": 10, "certificate_bytes": 8, "body": b"", **options})
    start = len(image) + 40
    section = struct.pack("<8sIIII16x", b".sbat", len(sbat), 0x1000, len(sbat), start)
    return image[:0x46] + struct.pack("<H", 1) + image[0x48:] + section + sbat


RAM_BYTES = GIB - (0x100000 - 0xA0000) - MIB + RUNTIME_BYTES


@dataclass
class Ran:
    """As subprocess.CompletedProcess."""

    returncode: int
    stdout: str
    stderr: str


def in_process(*arguments, input=""):
    """The installed command in this process: it is quick, and tests can make parts of it fail.
    Whoever runs the tests is root to it."""
    out, err, stdin = io.StringIO(), io.StringIO(), io.TextIOWrapper(io.BytesIO(input.encode()))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.object(sys, "argv", ["okram", *arguments]),
        mock.patch.object(environment, "need_installed", lambda what: None),
        mock.patch.object(trust, "OWNERS", {0, os.geteuid()}),
    ):
        try:
            code = cli.main()
        except SystemExit as exited:
            code = exited.code
    return Ran(code, out.getvalue(), err.getvalue())
