# SPDX-License-Identifier: MIT
"""memtester and stressapptest in a small Linux, by what they print on its console."""

import re

from okramlib import BUILD
from system.linux.guest import OPTIONS
from testers.image import make_image
from testers.machine import machine

FILES = BUILD / "testers"
_KERNEL = 16 << 20, 10 << 20  # Linux's code and data: nokaslr

_BEGIN = "testers: begin"
_END = re.compile(r"testers: end (\d+)")
_VERSION = re.compile(r"memtester version (\S+)|SAT revision ([0-9.]+)")
_TROUBLE = ("Kernel panic", "Oops", "general protection", "segfault")

# What memtester says of any of its tests. stressapptest says "Report Error" first, which has no
# address, and then this, with the physical one in parentheses.
_MEMTESTER = re.compile(r"FAILURE: ")
_STRESSAPPTEST = re.compile(r"miscompare.* at 0x[0-9a-f]+\(0x([0-9a-f]+):")
_STRESSAPPTEST_ANY = re.compile(r"Hardware Error|miscompare on CPU")


class InLinux:
    stops_by = after = None

    def __init__(self, program, title):
        self.name, self.title = program, title

    def machine(self, faults, is_wide):
        image = FILES / f"{self.name}.iso"
        if not image.exists():
            _make_image(image, self.name)
        return machine(faults, image=image)

    def own(self):
        return _KERNEL

    def poll(self, qemu, told):
        line = qemu.line(0.1)
        if isinstance(line, str):
            take_line(self.name, line, told)


def take_line(program, line, told):
    told.said.append(line)
    if _BEGIN in line:
        told.has_begun = True
    elif match := _VERSION.search(line):
        told.version = match[1] or match[2]
    elif match := _END.search(line):
        told.has_ended = True
        if int(match[1]) > 128:
            told.why = f"{program} was ended by signal {int(match[1]) - 128}"
    elif any(word in line for word in _TROUBLE):
        told.why = "Linux failed"
    elif program == "memtester" and _MEMTESTER.search(line):
        told.find()
    elif match := _STRESSAPPTEST.search(line):
        told.find(int(match[1], 16) or None)  # 0: it does not know
    elif program == "stressapptest" and told.has_begun and _STRESSAPPTEST_ANY.search(line):
        told.find()


def _make_image(image, program):
    menu = [
        f"linux /boot/vmlinuz {OPTIONS} swiotlb=noforce tester={program}",
        "initrd /boot/initrd",
    ]
    files = {"vmlinuz": BUILD / "linux" / "vmlinuz", "initrd": FILES / "initrd"}
    make_image(image, files, menu)
