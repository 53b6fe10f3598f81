# SPDX-License-Identifier: MIT
"""A Linux in QEMU with Python, okram as `make install` installs it, efivarfs and a disk with an EFI
system partition: what `okram guard` does on a running system.

Python and what okram imports of it are this host's, at the same places.
"""

import re
import shutil
import struct
import subprocess
import sys
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path

from okramlib import BUILD, ROOT, environment
from okramlib.units import MIB
from system.harness import attach, from_image
from system.linux import guest
from tools.installed import install

MODULES = BUILD / "linux" / "guard-modules"
OPTIONS = "rdinit=/guard-init"
PARTITION = uuid.UUID("0f0e0d0c-0b0a-0908-0706-050403020100")

_BLOCK = 512
_START, _BLOCKS = 2048, 32 * MIB // _BLOCK
_ENTRIES, _ENTRY_BYTES = 128, 128
_EFI_SYSTEM = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")

_RUN = re.compile(r"guard: run (.*)")
_EXIT = re.compile(r"guard: exit (\d+)")
_LIBRARY = re.compile(r"(/\S+) \(0x")

_NOT_NEEDED = ("okram.iso", "okram.elf")  # and large

# Run by the interpreter of the guest: the files of all modules that it will need.
_LIST_FILES = """
import sys
sys.path.insert(0, sys.argv[1])
import encodings.utf_8, encodings.utf_8_sig, encodings.utf_16_le, encodings.ascii
import tempfile, unicodedata
from okramlib import cli
for module in list(sys.modules.values()):
    for name in getattr(module, "__file__", None), getattr(module, "__cached__", None):
        if name:
            print(name)
print(sys.executable)
"""


@dataclass
class Ran:
    command: str
    code: int | None
    lines: list


def make_disk(path):
    """A GPT with one partition, an EFI system partition without files."""
    entry = _EFI_SYSTEM.bytes_le + PARTITION.bytes_le
    entry += struct.pack("<QQ8x72s", _START, _START + _BLOCKS - 1, "esp".encode("utf-16-le"))
    entries = entry.ljust(_ENTRIES * _ENTRY_BYTES, b"\0")
    blocks = _START + _BLOCKS + 2048
    protective = struct.pack("<8BII", 0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF, 1, blocks - 1)
    record = bytes(446) + protective + bytes(48) + b"\x55\xaa"
    last = blocks - 1
    with path.open("wb") as file:
        file.truncate(blocks * _BLOCK)
        file.write(record + _header(1, last, 2, entries) + entries)
        file.seek((last - 32) * _BLOCK)
        file.write(entries + _header(last, 1, last - 32, entries))
    drive = f"{path}@@{_START * _BLOCK}"
    for command in (
        ["mformat", "-i", drive, "-T", str(_BLOCKS), "::"],
        ["mmd", "-i", drive, "::/EFI"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return path


def _header(own, other, entries_at, entries):
    fields = (own, other, 34, max(own, other) - 34, uuid.UUID(int=9).bytes_le, entries_at)

    def pack(crc):
        return struct.pack(
            *("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, *fields),
            *(_ENTRIES, _ENTRY_BYTES, zlib.crc32(entries)),
        )

    return pack(zlib.crc32(pack(0))).ljust(_BLOCK, b"\0")


def files_on(disk):
    """{path: bytes} of the partition, folders as None."""
    drive = f"{disk}@@{_START * _BLOCK}"
    ran = subprocess.run(["mdir", "-/", "-b", "-i", drive, "::/"], check=True, capture_output=True)
    found = {}
    for name in ran.stdout.decode().split("\n")[:-1]:
        if name.endswith("/"):
            found[name] = None
        else:
            content = subprocess.run(["mtype", "-i", drive, name], check=True, capture_output=True)
            found[name] = content.stdout
    return found


def run(commands, disk, variables, directory, files=(), memory=512 * MIB, of="guard "):
    """Boots Linux once, runs commands of `okram guard`, or of all okram, in it: a list of Ran.

    files: (name, bytes) for the guest's root.
    """
    _make_image(directory / "linux.iso", make_initrd(commands, directory, files, of))
    return understand(guest.follow_to_end(machine(disk, variables, directory, memory=memory)))


def make_initrd(commands, directory, files=(), of="guard "):
    """A file in that directory: Linux runs the commands if it is started with OPTIONS."""
    environment.make(str(MODULES.relative_to(ROOT)))
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    lines = "".join(f"{python} -ISB /usr/bin/okram {of}{command}\n" for command in commands)
    initrd = directory / "initrd"
    given = [("guard-commands", lines.encode()), *files]
    initrd.write_bytes(
        (BUILD / "linux" / "initrd").read_bytes() + _archive(directory, python, given)
    )
    return initrd


def machine(disk, variables, directory, **settings):
    """The one that Linux runs on, with what `run` has made."""
    image = directory / "linux.iso"
    extra = attach("disk", path=disk)
    return from_image(
        "computed-uefi-1cpu", image=image, vars=variables, cmdline="", extra=extra, **settings
    )


def _archive(directory, python, given):
    """A cpio archive of files at their own places, and of those given."""
    listed = subprocess.run(
        [python, "-I", "-c", _LIST_FILES, ROOT / "tools"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")[:-1]
    paths = {path for path in map(Path, listed) if path.exists() and ROOT not in path.parents}
    root = directory / "root"
    okram = root / "usr" / "lib" / "okram"
    if not okram.exists():  # from the boot before
        install(root, "MODULES=system")
        for path in _NOT_NEEDED:
            (okram / path).unlink()
    own = {okram / "badram", okram / "guardlist"}
    programs = [p for p in paths | own if p.suffix == ".so" or p.read_bytes()[:4] == b"\x7fELF"]
    for program in programs:
        ran = subprocess.run(["ldd", program], capture_output=True, text=True)
        paths |= {Path(name) for name in _LIBRARY.findall(ran.stdout)}
    for path in paths:
        put = root / path.relative_to("/")
        put.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, put)  # with its time: compiled modules are of that
    for module in MODULES.iterdir():
        (root / "guard-modules").mkdir(exist_ok=True)
        shutil.copy2(module, root / "guard-modules")
    for name, data in given:
        (root / name).write_bytes(data)
    shutil.copy2(ROOT / "tests" / "system" / "linux" / "guard-init", root)
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    return subprocess.run(
        ["cpio", "--create", "--format=newc", "--owner=0:0", "--quiet"],
        input="\n".join(names).encode() + b"\n",
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout


def _make_image(image, initrd):
    config = image.with_suffix(".cfg")
    config.write_text(guest.menu(kernel_options=OPTIONS))
    files = [f"boot/grub/grub.cfg={config}", f"boot/initrd={initrd}"]
    files.append(f"boot/vmlinuz={BUILD / 'linux' / 'vmlinuz'}")
    subprocess.run(["grub-mkrescue", "-o", image, *files], check=True, capture_output=True)


def understand(said):
    assert "guard: end" in said, "\n".join(["Linux did not come to an end:", *said[-60:]])
    ran = []
    for line in said:
        if match := _RUN.fullmatch(line):
            ran.append(Ran(match[1], None, []))
        elif match := _EXIT.fullmatch(line):
            ran[-1].code = int(match[1])
        elif ran and ran[-1].code is None:
            ran[-1].lines.append(line)
    return ran
