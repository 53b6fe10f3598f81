# SPDX-License-Identifier: MIT
"""How soon q ends a run: each test, by keys over serial, PS/2 and xHCI.

The time is the host's, from the key to the result's record, and so also QEMU's and this host's own.
Printed for each test and way in: the median and the longest of all boots. Exit code 1 when a run
ended in another way, or a key took longer than a second.
"""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.run import Watcher, run  # noqa: E402
from okramlib.units import MIB  # noqa: E402

NAMES = [
    *("address", "random", "retention", "fade", "moving-inversions", "block-move", "bus-stress"),
    *("row-hammer", "mats+", "march-y", "march-c-", "pmovi", "march-mss", "march-ss", "march-raw"),
    *("address-up", "backgrounds", "march-mss+", "march-raw+", "bus-pulse"),
]
WAYS = {
    "serial": [],
    "PS/2": [],
    "xHCI": ["-machine", "i8042=off", "-device", "qemu-xhci", "-device", "usb-kbd"],
}
ENDLESS = "passes=0 bandwidth=off fade=60 hammer=60"
AFTER_S = (2, 5)  # of the machine record: somewhere in the test
DEADLINE_S = 120
MOST_S = 1.0


class PressQ(Watcher):
    """Presses q once, at that time after the machine record."""

    def __init__(self, after, by_serial):
        self.seconds = None  # from the key to the result
        self._after, self._by_serial = after, by_serial
        self._due = self._pressed = None

    def record(self, record):
        if record["type"] == "machine":
            self._due = time.monotonic() + self._after
        elif record["type"] == "result" and self._pressed:
            self.seconds = time.monotonic() - self._pressed

    def tick(self, qemu):
        if self._due is None or self._pressed or time.monotonic() < self._due:
            return
        self._pressed = time.monotonic()
        if self._by_serial:
            qemu.type("q")
        else:
            qemu.press("q")


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("keys_bench: build/okram.iso is not there: run `make`.")
    chance, bad = random.Random(arguments.seed), []
    for name in arguments.tests.split(","):
        for way in WAYS:
            taken = []
            for _ in range(arguments.boots):
                seconds, trouble = measure(name, way, chance.uniform(*AFTER_S))
                taken += [seconds] if seconds else []
                bad += [f"{name}, {way}: {trouble}"] if trouble else []
            if taken:
                median, longest = statistics.median(taken), max(taken)
                print(f"{name:17} {way:7} {median:6.3f} s  {longest:6.3f} s", flush=True)
    print(*bad, sep="\n")
    sys.exit(bool(bad))


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boots", type=int, default=3, help="of each test and way (3)")
    parser.add_argument("--tests", default=",".join(NAMES), help="comma-separated")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def measure(name, way, after):
    """The seconds, or None; what went wrong, or ""."""
    watcher = PressQ(after, way == "serial")
    machine = Machine(memory=512 * MIB, cmdline=f"tests={name} {ENDLESS}", extra=WAYS[way])
    outcome = run(machine, watcher, DEADLINE_S)
    if outcome.trouble or watcher.seconds is None:
        return None, outcome.trouble or "the run ended before the key"
    late = "too late" if watcher.seconds > MOST_S else ""
    return watcher.seconds, late


if __name__ == "__main__":
    main()
