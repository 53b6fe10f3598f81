# SPDX-License-Identifier: MIT
"""The time stamp counter's frequency as okram finds it, next to the host's, in boots under load.

Many short boots with 2 to 64 CPUs, drawn from a seed, while nice jobs keep all of the host's CPUs
busy. Told in the end: boots, the least and the greatest ratio of okram's frequency to the host's,
and every boot that is off by more than 1 %, warns of a clock, or came to a bad end. Exit code 1
when there is one.
"""

import argparse
import os
import random
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import EXIT_PASS  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.run import Watcher, run  # noqa: E402
from okramlib.units import MIB  # noqa: E402
from system.host_clock import HostTsc, busy, clock_warnings, told_hz  # noqa: E402

CPUS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MEMORY = 256 * MIB
CMDLINE = "tests=mats+ range=64M-65M bandwidth=off serial=text"
DEADLINE_S = 300
OFF_MAX = 0.01


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("tsc_bench: build/okram.iso is not there: run `make`.")
    chance, host = random.Random(arguments.seed), HostTsc()
    ratios, bad, end = [], [], time.monotonic() + arguments.seconds
    with busy(arguments.busy):
        for number in range(arguments.boots):
            if time.monotonic() > end:
                break
            cpus = arguments.cpus or chance.choice(CPUS)
            machine = machine_of(cpus, not arguments.bios)
            outcome = run(machine, Watcher() if arguments.whole else UntilKnown(), DEADLINE_S)
            ratio, trouble = judge(outcome, host, arguments.whole)
            ratios += [ratio] if ratio else []
            bad += [f"boot {number}, CPUs: {cpus}: {trouble}"] if trouble else []
            done = f"{number:3} {cpus:3} CPUs {outcome.seconds:6.1f} s"
            print(f"{done} {ratio or 0:.5f} {trouble}", flush=True)
    print(
        f"{len(ratios)} boots (seed {arguments.seed}), host {host.hz() / 1e6:.3f} MHz,"
        f" ratio {min(ratios, default=0):.5f} to {max(ratios, default=0):.5f}, bad: {len(bad)}"
    )
    print("\n".join(bad), end="")
    sys.exit(bool(bad) or not ratios)


def _arguments():
    parser = argparse.ArgumentParser(
        prog="tsc_bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--boots", type=int, default=100, metavar="N", help="how many (100)")
    add("--seconds", type=float, default=7200, metavar="S", help="no boot begins later (7200)")
    add("--seed", type=int, default=1, metavar="N", help="draws the numbers of CPUs (1)")
    add("--cpus", type=int, metavar="N", help="number of CPUs instead")
    add("--busy", type=int, default=os.cpu_count(), metavar="N", help="busy jobs (all CPUs)")
    add("--whole", action="store_true", help="test to the end, not only until it is known")
    add("--bios", action="store_true", help="by BIOS instead of UEFI")
    return parser.parse_args()


def machine_of(cpus, uefi):
    return Machine(uefi=uefi, memory=MEMORY, cpus=cpus, cmdline=CMDLINE)


class UntilKnown(Watcher):
    """Ends QEMU after the record with the frequency and all warnings of clocks."""

    _told = False

    def line(self, text):
        self._told |= "machine " in text and "TSC" in text

    def tick(self, qemu):
        if self._told:
            qemu.qmp.command("quit")


def judge(outcome, host, whole):
    """okram's frequency over the host's, None without one; and what is wrong, or an empty text."""
    hz = told_hz(outcome)
    if not hz or (whole and outcome.exit_code != EXIT_PASS):
        return None, outcome.trouble or "\n".join(["no frequency", *outcome.lines[-5:]])
    ratio = hz / host.hz()
    off = [f"{hz / 1e9:.3f} GHz"] if abs(ratio - 1) > OFF_MAX else []
    return ratio, "; ".join(off + clock_warnings(outcome))


if __name__ == "__main__":
    main()
