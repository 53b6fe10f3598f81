# SPDX-License-Identifier: MIT
"""memtest86+, or an image that looks like it, by its screen: 80 by 25 characters in the display's
memory, so that it does nothing for being followed."""

import re
import tempfile
import time
from pathlib import Path

from bench.memtest86 import parse
from okramlib import BUILD, Trouble
from system.harness import vga_text
from testers.image import make_image
from testers.machine import machine
from testers.reader import pages_taken, patterns_of
from testers.trial import ALL, WIDE

FILES = BUILD / "testers"
# Where GRUB puts it, enters it by the 32-bit protocol, and where it stays for most of its tests.
_START = 1 << 20

# GRUB's command line for it. As a user starts it; in badram mode it shows a line.
_OPTIONS = "nobench nobigstatus nopause keyboard=legacy reportmode={mode}"
_ADDRESS = re.compile(r"^ *\d+ +\d+ +\d+ +([0-9a-f]{8,12}) \(", re.MULTILINE)
# Between two looks at the screen, each of which costs QEMU 0.5 ms.
_POLL_S = 0.05
_HALTED = re.compile(r"Unexpected [Ii]nterrupt|Unexpected halt")


class Memtest86:
    stops_by = after = None
    gives_badram = True

    def __init__(self, release, binary, with_several=""):
        """with_several: an option that it needs with several faults in the machine."""
        self.name = f"memtest86+-{release}"
        self.with_several = with_several
        self.title = f"memtest86+ {release}, first pass"
        self.program = FILES / binary

    def machine(self, faults, ends_at):
        mode = "badram" if ends_at == WIDE else "address"
        more = self.with_several if ends_at == ALL else ""
        image = FILES / f"{self.name}-{mode}{more and '-'}{more}.iso"
        options = f"{_OPTIONS.format(mode=mode)} {more}".rstrip()
        if not image.exists():
            make_image(image, {"tester": self.program}, [f"linux /boot/tester {options}"])
        return machine(faults, image=image, serial=False)

    def own(self):
        return _START, self.program.stat().st_size

    def start(self):
        return range(0)

    def entry(self):
        return _START

    def poll(self, qemu, told):
        time.sleep(_POLL_S)
        with tempfile.NamedTemporaryFile(prefix="okram-vga-") as dump:
            lines = vga_text(qemu, Path(dump.name))
        take_screen(lines, told, qemu.machine.layout.guest_ranges)


class Image(Memtest86):
    """An image of the user's, of which is known only what is on its screen."""

    def __init__(self, name, path):
        self.name, self.title, self.program = name, name, Path(path)
        if not self.program.is_file():
            raise Trouble(f"{path}: there is no such image.")

    def machine(self, faults, ends_at):
        return machine(faults, image=self.program, serial=False)

    def own(self):
        return _START, _START

    def entry(self):
        return None


def take_screen(lines, told, ranges):
    """ranges: (address, offset, bytes) of RAM."""
    told.said = [line for line in lines if line.strip()]
    text = "\n".join(lines)
    if _HALTED.search(text):
        told.why = "it halted"
    screen = parse(lines)
    if not screen:
        return
    told.version, told.has_begun = screen.version, True
    told.has_ended = screen.passes > 0
    if not screen.errors:
        return
    patterns = patterns_of(text[text.find("badram=") :]) if "badram=" in text else []
    found = _ADDRESS.findall(text)
    if patterns:
        told.given_up = pages_taken(patterns, [(base, size) for base, _, size in ranges])
    told.has_named_all = screen.errors <= len(found)  # what has left the screen may be another's
    for addr in found:
        told.find(int(addr, 16))
    if not found:  # in badram mode: the address of a pattern need not be that of a bad page
        told.find()
