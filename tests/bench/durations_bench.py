# SPDX-License-Identifier: MIT
"""What the UEFI loader's menu says that tests take, beside what they then take in QEMU.

Both are of the same machine in the same minute. A promise should be right within a third.
"""

import argparse
import os
import re
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import Trouble  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.run import Watcher, run  # noqa: E402
from okramlib.units import GIB, MIB, format_size  # noqa: E402

TIMEOUT_S = 3600
READ_S = 4  # before each key: all CPUs are timed after the first
ROWS = {"2": "Standard test", "3": "Quick test", "4": "Thorough test", "6": "Bandwidth of all"}
SECONDS = {"second": 1, "minute": 60, "hour": 3600}

# A key of the menu, memory, CPUs.
RUNS = [
    ("3", 4 * GIB, 1),
    ("3", 2 * GIB, 2),
    ("2", 256 * MIB, 1),
    ("2", 1 * GIB, 2),
    ("4", 256 * MIB, 1),
    ("6", 512 * MIB, 2),
]


class Choose(Watcher):
    """Presses a key of the menu, and measures from there to the result."""

    def __init__(self, key):
        self._key = key
        self._keys = ["spc", key]
        self._due = None
        self._pressed = None
        self.seconds = None

    def line(self, text):
        if self._due is None and "okram" in text and "starting" in text:
            self._due = time.monotonic() + READ_S

    def record(self, record):
        if record["type"] == "result":
            self.seconds = time.monotonic() - self._pressed

    def tick(self, qemu):
        if self._keys and self._due and time.monotonic() >= self._due:
            self._pressed = time.monotonic()
            self._due = self._pressed + READ_S
            qemu.press(self._keys.pop(0))


def promised(lines, row):
    """The last that the menu said of this row."""
    told = re.findall(
        rf"{row}.{{0,40}}?, (?:about|up to) (\d+) (second|minute|hour)", " ".join(lines)
    )
    if not told:
        raise Trouble(f"the menu did not say how long this takes: {row}.")
    number, unit = told[-1]
    return int(number) * SECONDS[unit]


def measure(key, memory, cpus):
    watcher = Choose(key)
    machine = Machine(uefi=True, memory=memory, cpus=cpus, cmdline="menu=60 exit=qemu")
    outcome = run(machine, watcher, TIMEOUT_S)
    if outcome.trouble or watcher.seconds is None:
        raise Trouble(outcome.trouble or "the run ended without a result.")
    return promised(outcome.lines, ROWS[key]), watcher.seconds


def main():
    parser = argparse.ArgumentParser(prog="durations_bench", description=__doc__)
    parser.add_argument("--run", type=int, action="append", help="of the list, from 1 on (all)")
    chosen = parser.parse_args().run or range(1, len(RUNS) + 1)
    if not IMAGE.exists():
        sys.exit("durations_bench: build/okram.iso is not there: run `make`.")
    try:
        for key, memory, cpus in (RUNS[i - 1] for i in chosen):
            promise, taken = measure(key, memory, cpus)
            print(
                f"{ROWS[key]}, {format_size(memory)}, CPUs: {cpus}: "
                f"promised {promise} s, taken {taken:.0f} s, ratio {promise / taken:.2f}",
                flush=True,
            )
    except Trouble as trouble:
        sys.exit(f"durations_bench: {trouble}")
    print(f"load average: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
