# SPDX-License-Identifier: MIT
"""memtester and stressapptest in a small Linux, by what they print on its console."""

import re

from okramlib import BUILD
from okramlib.units import PAGE
from system.linux.guest import OPTIONS
from testers.machine import machine

FILES = BUILD / "testers"
VMLINUZ = BUILD / "linux" / "vmlinuz"
_KERNEL = 16 << 20, 10 << 20  # Linux's code and data: nokaslr

# Where a bzImage has the size of the memory that it is unpacked in, from pref_address on
# (Documentation/arch/x86/boot.rst, init_size).
_INIT_SIZE_AT = 0x260

_BEGIN = "testers: begin"
_END = re.compile(r"testers: end (\d+)")
_SIGNALS = 128  # of what a shell tells
_VERSION = re.compile(r"memtester version (\S+)|SAT revision ([0-9.]+)")
_TROUBLE = ("Kernel panic", "Oops", "general protection", "segfault")

# What memtester says of any of its tests, at an offset in its memory, with "!=" where it compares
# two halves of that. The size of the memory, and from init where it is: page of it, page of the
# machine, number of pages.
_MEMTESTER = re.compile(r"FAILURE: (.*)at offset 0x([0-9a-f]+)")
_MEMTESTER_SIZE = re.compile(r"got +\d+MB \((\d+) bytes\)")
_MAP = re.compile(r"testers: map (\d+) (\d+) (\d+)")

# stressapptest says "Report Error" first, which has no address, and then this, with a physical
# address in parentheses. 1.0.6 takes bits of /proc/PID/pagemap for the size of a page, as they were
# before Linux 4.2, and tells the number of the page times 8: no address. Its user is told
# a wrong page; the right one tells the faults of one machine apart. A "Process Error" is data that
# were right when they were compared again.
_STRESSAPPTEST = re.compile(r"miscompare.* at 0x[0-9a-f]+\(0x([0-9a-f]+):")
_STRESSAPPTEST_ANY = re.compile(r"Hardware Error|Process Error|miscompare on CPU")


class InLinux:
    stops_by = after = None
    gives_badram = False

    def __init__(self, program, what, version="", release="bookworm"):
        self.name = f"{program}-{version}" if version else program
        self.title = f"{self.name.replace('-', ' ')}, {what}"
        self.command, self.release = program, release
        self.program = FILES / f"root-{release}.files" / program

    def machine(self, faults, ends_at):
        line = f"{OPTIONS} swiotlb=noforce tester={self.command}"
        linux = ["-initrd", str(FILES / f"initrd-{self.release}"), "-append", line]
        return machine(faults, linux, kernel=VMLINUZ)

    def own(self):
        return _KERNEL

    def entry(self):
        """Not known: Linux takes most of the time until the program starts."""

    def start(self):
        with VMLINUZ.open("rb") as kernel:
            kernel.seek(_INIT_SIZE_AT)
            size = int.from_bytes(kernel.read(4), "little")
        return range(_KERNEL[0], _KERNEL[0] + size)

    def poll(self, qemu, told):
        line = qemu.line(0.1)
        if isinstance(line, str):
            take_line(self.command, line, told)


def take_line(program, line, told):
    told.said.append(line)
    if _BEGIN in line:
        told.has_begun = True
    elif match := _VERSION.search(line):
        told.version = match[1] or match[2]
    elif match := _END.search(line):
        told.has_ended = True
        if int(match[1]) > _SIGNALS:
            told.why = f"{program} was ended by signal {int(match[1]) - _SIGNALS}"
        elif int(match[1]) and not told.has_found:
            told.why = f"{program} ended with {match[1]}"
    elif any(word in line for word in _TROUBLE):
        told.why = "Linux failed"
    elif program == "memtester":
        _take_memtester_line(line, told)
    elif match := _STRESSAPPTEST.search(line):
        addr = int(match[1], 16)
        told.find(addr or None)  # 0: it does not know
        told.pages = (told.pages | {addr // 8, addr // PAGE}) & told.bad_pages
    elif program == "stressapptest" and told.has_begun and _STRESSAPPTEST_ANY.search(line):
        told.find()


def _take_memtester_line(line, told):
    """The pages only tell the faults of one machine apart: memtester does not report them."""
    if match := _MEMTESTER_SIZE.search(line):
        told.buffer.size = int(match[1])
    elif match := _MAP.search(line):
        told.buffer.runs.append(tuple(map(int, match.groups())))
    elif match := _MEMTESTER.search(line):
        told.find()
        told.buffer.take_failure(int(match[2], 16), is_compared="!=" in match[1])
    else:
        return
    told.pages |= told.buffer.bad_pages(told.bad_pages)
