# SPDX-License-Identifier: MIT
"""Linux in QEMU, started by GRUB: where it has RAM, and whether that RAM holds what is stored.

What make has built (linux.mk) is put on an image for BIOS and UEFI, with the menu asked for.
"""

import re
import subprocess
import time
from dataclasses import dataclass, field, replace

from okramlib import BUILD
from okramlib.layout import RamLayout
from okramlib.machine import Machine
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system.harness import attach, from_image, settings_of

_FILES = BUILD / "linux"
_LOW = 384 * MIB
_DEADLINE_S = 240

# nokaslr: the kernel stays off the holes, without the line too. init_on_alloc=0: faster under TCG.
# no_timer_check: on a busy host the timer's first ticks come too late for Linux, which panics.
OPTIONS = "console=ttyS0 quiet panic=-1 nokaslr init_on_alloc=0 no_timer_check"

_IOMEM = re.compile(r"([0-9a-f]{8,})-([0-9a-f]{8,}) : (.*)")  # not indented: no part of another
_MEM_TOTAL = re.compile(r"MemTotal: +(\d+) kB")
_BAD = re.compile(r"sweep: bad page 0x([0-9a-f]+)")
_DONE = re.compile(r"sweep: done (\d+) bytes")
_PSTORE_FILE = re.compile(r"pstore: file dmesg-efi(?:_pstore)?-(\d+)")
_HEX = re.compile(r"([0-9a-f]{2})+ *")


class _SplitLayout(RamLayout):
    low = _LOW


class SplitMachine(Machine):
    """RAM on both sides of 4 GiB, as with a large machine, but so little that a sweep is quick."""

    @property
    def layout(self):
        return _SplitLayout(self.memory, self.nodes)


def split_machine(**options):
    return SplitMachine(**settings_of("split", **options, extra=attach("ram-above-4g", low=_LOW)))


@dataclass
class Seen:
    """What Linux said."""

    ram: list[range] = field(default_factory=list)  # System RAM of /proc/iomem
    unusable: list[range] = field(default_factory=list)  # likewise
    total_bytes: int = 0  # MemTotal
    swept_bytes: int = 0
    bad: set[int] = field(default_factory=set)  # addresses of pages that did not hold
    said: list[str] = field(default_factory=list)

    def has(self, page):
        return any(page in ram for ram in self.ram)


def start(machine, deadline_s=_DEADLINE_S):
    """What the machine starts by itself, which must be this Linux."""
    return _checked(follow_to_end(machine, deadline_s))


def boot(machine, directory, badram="", kernel_options=""):
    """Starts Linux on the machine, with its faults, by a GRUB that runs `badram` before."""
    said = _boot(machine, directory, badram, kernel_options)
    seen = _checked(said)
    assert seen.swept_bytes, "\n".join(said)
    return seen


def _checked(said):
    seen = _understand(said)
    assert seen.ram and seen.total_bytes, "\n".join(said)
    return seen


def pstore(variables, directory):
    """{record's number: bytes} of /sys/fs/pstore, which Linux makes of OVMF's variables in that
    file. Linux then removes them."""
    machine = from_image("uefi-256M-1cpu", vars=variables)
    said = _boot(machine, directory, kernel_options="rdinit=/show-pstore")
    files, name = {}, None
    for line in said:
        if match := _PSTORE_FILE.fullmatch(line):
            name = int(match[1])
            files[name] = b""
        elif line == "pstore: done":
            return files
        elif name and _HEX.fullmatch(line):
            files[name] += bytes.fromhex(line)
    raise AssertionError("\n".join(["Linux did not show pstore:", *said]))


def has_pstore():
    """False where linux.mk found no module for it."""
    return (_FILES / "efi-pstore.ko").stat().st_size > 0


def _boot(machine, directory, badram="", kernel_options=""):
    image = directory / "linux.iso"
    _make_image(image, menu(badram, kernel_options))
    return follow_to_end(replace(machine, image=image, cmdline=""))


def menu(badram="", kernel_options=""):
    """GRUB's, that starts Linux at once."""
    lines = ["serial", "terminal_output serial"]
    lines += [f"badram {badram}"] if badram else []
    lines += [f"linux /boot/vmlinuz {OPTIONS} {kernel_options}"]
    return "\n".join([*lines, "initrd /boot/initrd", "boot\n"])


def _make_image(image, menu):
    config = image.with_suffix(".cfg")
    config.write_text(menu)
    files = [f"boot/grub/grub.cfg={config}"]
    files += [f"boot/{name}={_FILES / name}" for name in ("vmlinuz", "initrd")]
    subprocess.run(["grub-mkrescue", "-o", image, *files], check=True, capture_output=True)


def follow_to_end(machine, deadline_s=_DEADLINE_S):
    """The lines that Linux says until it powers off."""
    said = []
    deadline = time.monotonic() + deadline_s
    with Qemu(machine) as qemu:
        while (line := qemu.line(1)) is not END:
            if line is not None:
                said.append(line)
            assert time.monotonic() < deadline, "\n".join(["Linux did not come to an end:", *said])
    return said


def _understand(said):
    seen = Seen(said=said)
    kinds = {"System RAM": seen.ram, "Unusable memory": seen.unusable}
    for line in said:
        if (match := _IOMEM.fullmatch(line)) and match[3] in kinds:
            kinds[match[3]].append(range(int(match[1], 16), int(match[2], 16) + 1))
        elif match := _MEM_TOTAL.fullmatch(line):
            seen.total_bytes = int(match[1]) * 1024
        elif match := _BAD.fullmatch(line):
            seen.bad.add(int(match[1], 16))
        elif match := _DONE.fullmatch(line):
            seen.swept_bytes = int(match[1])
    return seen
