# SPDX-License-Identifier: MIT
"""The packaged memtest86+ on the machine that okram runs on, followed by its screen.

Its image is started as it comes: all tests, and all CPUs at once. The screen is read from the
display's memory, through QEMU: memtest86+ does nothing for it and is not slowed down.
"""

import re
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from okramlib import Trouble
from okramlib.qemu import Qemu

IMAGE = Path("/usr/lib/memtest86+/memtest86+x64.iso")

# Reads and writes of all memory by each test of the first pass, in which tests do a third of their
# iterations. Counted in the source of 8.10; the image of 6.10 holds the same iterations. Bit fade,
# which does 4, makes them 1130.
SWEEPS = {
    "Address test, walking ones, no cache": 0,  # some words only
    "Address test, own address + window": 2,
    "Moving inversions, 1s & 0s": 18,
    "Moving inversions, 8 bit pattern": 80,
    "Moving inversions, random pattern": 90,
    "Moving inversions, 64 bit pattern": 640,
    "Block move": 56,
    "Random number sequence": 80,
    "Modulo 20, random pattern": 160,
}

_BIT_FADE = "Bit fade"  # waits for minutes on purpose: it is not counted
_POLL_S = 0.1
_START_DEADLINE_S = 120

_VGA_TEXT = 0xB8000
_COLUMNS, _ROWS = 80, 25

_VERSION = re.compile(r"Memtest86\+ v(\S+)")
_TEST = re.compile(r"Test #(\d+)\s+\[(.+?)\]")
_PASSES = re.compile(r"Pass: +(\d+)")
_ERRORS = re.compile(r"Errors: +(\d+)")
_CPUS = re.compile(r"SMP: (\d+)T \((.+?) *\)")
_MODES = {"PAR": "in parallel", "SEQ": "one after the other", "RR": "in turns"}


@dataclass(frozen=True)
class Screen:
    """What it shows while it tests."""

    version: str
    test: int
    title: str  # of the test
    passes: int  # completed
    errors: int
    cpus: int
    mode: str  # how it uses them

    @property
    def is_bit_fade(self):
        return self.title.startswith(_BIT_FADE)


@dataclass(frozen=True)
class FirstPass:
    """From its first test to the start of bit fade."""

    version: str
    cpus: int
    mode: str
    errors: int
    seconds: float
    sweeps: int | None  # by SWEEPS; None when it has done a test that is not there
    tests: list[tuple[int, str, float]]  # number, title, seconds


def text_of(vga):
    """The lines of a text screen: each character is followed by its colours."""
    text = vga[::2].decode("cp437")
    return [text[row * _COLUMNS :][:_COLUMNS].rstrip() for row in range(_ROWS)]


def parse(lines):
    """The screen, or None while no test runs or while a part of it is just being drawn."""
    text = "\n".join(lines)
    found = [p.search(text) for p in (_VERSION, _TEST, _PASSES, _ERRORS)]
    if not all(found):
        return None
    version, test, passes, errors = found
    smp = _CPUS.search(text)
    return Screen(
        version=version[1],
        test=int(test[1]),
        title=test[2],
        passes=int(passes[1]),
        errors=int(errors[1]),
        cpus=int(smp[1]) if smp else 1,
        mode=_MODES.get(smp[2], smp[2]) if smp else "alone",
    )


class Clock:
    """Takes screens and the times at which they were seen, until the pass is complete."""

    def __init__(self):
        self._changes = []  # (time, screen): when another test was first seen
        self._errors = 0

    def see(self, screen, now):
        """True when another test has begun. Trouble when the pass has ended without bit fade."""
        if screen.passes:
            raise Trouble("memtest86+ has begun its second pass, and bit fade was not seen.")
        self._errors = screen.errors
        if self._changes and self._changes[-1][1].test == screen.test:
            return False
        self._changes.append((now, screen))
        return True

    @property
    def has_begun(self):
        return bool(self._changes)

    @property
    def is_complete(self):
        return self.has_begun and self._changes[-1][1].is_bit_fade

    def first_pass(self):
        """What a complete pass took."""
        begin, _ = self._changes[0]
        end, last = self._changes[-1]
        pairs = list(zip(self._changes, self._changes[1:]))
        return FirstPass(
            version=last.version,
            cpus=last.cpus,
            mode=last.mode,
            errors=self._errors,
            seconds=end - begin,
            sweeps=_sweeps_of([was.title for (_, was), _ in pairs]),
            tests=[(was.test, was.title, after - at) for (at, was), (after, _) in pairs],
        )


def _sweeps_of(titles):
    return sum(SWEEPS.values()) if SWEEPS.keys() >= set(titles) else None


def run_first_pass(machine, timeout, report):
    """Starts memtest86+ on the machine. Trouble when bit fade does not come within `timeout`.

    report: is called with a line whenever a test begins.
    """
    machine = replace(machine, image=IMAGE, serial=False, cmdline="")
    clock = Clock()
    begin = time.monotonic()
    with Qemu(machine) as qemu, tempfile.NamedTemporaryFile(prefix="okram-vga-") as dump:
        while not clock.is_complete:
            time.sleep(_POLL_S)
            lines = _read_screen(qemu, Path(dump.name))
            now = time.monotonic()
            screen = parse(lines)
            if screen and clock.see(screen, now):
                report(f"{now - begin:6.1f} s  test #{screen.test}, {screen.title}")
            if now - begin > timeout:
                raise Trouble(f"memtest86+ has not reached its bit fade test in {timeout:g} s.")
            if now - begin > _START_DEADLINE_S and not clock.has_begun:
                raise Trouble(f"memtest86+ runs no test; its screen: {_last_line(lines)}")
    return clock.first_pass()


def _read_screen(qemu, path):
    size = _COLUMNS * _ROWS * 2
    qemu.qmp.command("pmemsave", val=_VGA_TEXT, size=size, filename=str(path))
    return text_of(path.read_bytes())


def _last_line(lines):
    texts = [line.strip() for line in lines if line.strip()]
    return texts[-1] if texts else "nothing."
