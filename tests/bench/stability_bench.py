# SPDX-License-Identifier: MIT
"""Which tests are first to find errors at random times, by the condition that they come under.

Memory of a machine in QEMU has a wrong bit in one of N lines that are stored under a condition
(`rare`, tools/okramlib/spec.py). A row is a test, or several with the level that they make; of each
condition: of 100 lines that the test reads or writes, how many are stored under it, and the test
would see a wrong bit in them. The time until the first error is in inverse proportion to it.
Conditions that depend on data are drawn 16 times: behind the figure is how many of them were met.
The last column is QEMU's CPU seconds for a GB that is read or written, without faults.
"""

import argparse
import resource
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import spec  # noqa: E402
from okramlib.machine import KERNEL, PLUGIN  # noqa: E402
from okramlib.run import run  # noqa: E402
from okramlib.units import MIB, parse_size  # noqa: E402
from system.harness import Machine  # noqa: E402

BASE, SIZE, CPUS, LINE = 64 * MIB, 8 * MIB, 4, 64
OPTIONS = f"bandwidth=off spd=off range={BASE:#x}-{BASE + SIZE:#x}"
ROWS = (
    *("bus-pulse", "bus-stress", "bus-random", "random", "block-move", "backgrounds", "address"),
    *("march-mss+", "stability", "thorough"),
)
DRAWN = 16
FAULTS = 250  # wanted of a run: the report names 1000
TIMED = 10**9  # bytes, for CPU seconds


def main():
    arguments = _arguments()
    if not (KERNEL.exists() and PLUGIN.exists()):
        sys.exit("stability_bench: run `make` and `make plugin` first.")
    print("| test | " + " | ".join((*arguments.when, "s/GB")) + " |", flush=True)
    for test in arguments.tests:
        _, moved, seconds = boot(test, ())
        row = [measure(test, when, moved) for when in arguments.when]
        _, more, longer = boot(test, (), 1 + TIMED // moved)
        rate = (longer - seconds) / (more - moved) * 1e9
        print(f"| {test} | " + " | ".join(row) + f" | {rate:.2f} |", flush=True)


def measure(test, when, moved):
    """The cell. The first run, with many errors, says how rare they may be for the second."""
    parts = DRAWN if when in ("pattern", "lanes") else 1
    one_in = max(1, moved // LINE // FAULTS)
    lines, *_ = boot(test, faults(when, parts, one_in))
    if len(lines) < FAULTS / 10 and one_in > 1:
        one_in = max(1, one_in * len(lines) // FAULTS)
        lines, *_ = boot(test, faults(when, parts, one_in))
    share = 100 * len(lines) * one_in * LINE / moved
    part = SIZE // parts
    met = len({(line - BASE) // part for line in lines})
    return f"{share:.3g}" + (f" ({met})" if parts > 1 else "")


def faults(when, parts, one_in):
    part = SIZE // parts
    texts = [f"rare@{BASE + i * part:#x}+{part:#x}:{one_in}/{when}/{i + 1}" for i in range(parts)]
    return [fault for text in texts for fault in spec.parse(text)]


def boot(test, faults, passes=1):
    """Which lines were wrong, bytes that were read and written, QEMU's CPU seconds."""
    machine = Machine(
        memory=parse_size("128M"),
        cpus=CPUS,
        cmdline=f"{OPTIONS} passes={passes} tests={test}",
        faults=faults,
    )
    before = cpu_seconds()
    outcome = run(machine, timeout=600)
    lines = {int(f["addr"], 16) // LINE * LINE for f in outcome.of_type("fault")}
    return lines, sum(t["swept_bytes"] for t in outcome.of_type("test")), cpu_seconds() - before


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("tests", nargs="*", default=ROWS, help="of tests= (%(default)s)")
    parser.add_argument("--when", nargs="+", default=spec.RARE_WHENS, help="conditions (all)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
