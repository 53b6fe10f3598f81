# SPDX-License-Identifier: MIT
"""Seconds from kernel entry to the first sweep in QEMU, step by step, by okram's own clock.

The host has not touched the machines' memory before. Each figure is the median of several runs, the
first sweep's with its extremes: a noisy host makes noisy figures.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import Trouble  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.qemu import qemu_version  # noqa: E402
from okramlib.run import Watcher, run  # noqa: E402
from okramlib.units import GIB, MIB, format_size  # noqa: E402

TIMEOUT_S = 600
SWEEPS_IN_S = 1  # of the last record before; the first progress may be long after that
HOST_MEMORY = 6 * GIB  # that a machine may use: it is stopped in the first sweep
PART = "range=256M-512M"


def _much(memory, **options):
    """More memory than the host has: only what is touched costs."""
    extra = ["-m", f"{memory // MIB}M", "-machine", "memory-backend=lazy"]
    extra += ["-object", f"memory-backend-ram,id=lazy,size={memory // MIB}M,reserve=off"]
    return Machine(cpu="max,phys-bits=46", extra=extra, **options)


# Their names are for --machines.
MACHINES = {
    "4g": Machine(memory=4 * GIB),
    "4g-uefi": Machine(memory=4 * GIB, uefi=True),
    "4g-bandwidth": Machine(memory=4 * GIB, cmdline="bandwidth=quick"),
    "1t-part": _much(1024 * GIB, cmdline=PART),
    "1t-part-uefi": _much(1024 * GIB, cmdline=PART, uefi=True),
    "1t-bandwidth": _much(1024 * GIB, cmdline=f"{PART} bandwidth=quick"),
    "1t": _much(1024 * GIB),
    "64-cpus": Machine(memory=GIB, cpus=64),
    "255-cpus": Machine(memory=GIB, cpus=255),
}


class Stop(Watcher):
    """Presses q in the first sweep, and sees to it that the host has room for what it touches."""

    def __init__(self, machine):
        self._is_measuring = "bandwidth=quick" in machine.cmdline
        self._due = None

    def record(self, record):
        if record["type"] == "machine" and not self._is_measuring:
            self._due = time.monotonic() + SWEEPS_IN_S
        elif record["type"] == "progress" and record["test"]:
            self._due = time.monotonic()

    def tick(self, qemu):
        if self._due and time.monotonic() >= self._due:
            self._due = None
            qemu.type("q")
        if qemu.resident_bytes() > HOST_MEMORY:
            raise Trouble(f"the machine has touched more than {format_size(HOST_MEMORY)}.")


def measure(machine):
    """The seconds of each step, by its name; the last is the first sweep."""
    outcome = run(machine, Stop(machine), TIMEOUT_S)
    tests, support = outcome.of_type("test"), outcome.last("support")
    if outcome.trouble or not tests or not support:
        raise Trouble(outcome.trouble or "the run ended before the first sweep.")
    steps = {step["name"]: step["seconds"] for step in support["steps"]}
    return {**steps, "the first sweep begins": tests[0]["t"] - tests[0]["seconds"]}


def summary(name, runs):
    """Lines of text: each step, when it was done, and how long it had taken."""
    lines, before = [f"{name}: {len(runs)} runs"], 0.0
    for step in runs[0]:
        seconds = statistics.median(one[step] for one in runs)
        lines.append(f"  {seconds:7.3f} s  +{seconds - before:.3f}  {step}")
        before = seconds
    last = [one[step] for one in runs]
    lines[-1] += f" ({min(last):.3f} to {max(last):.3f})"
    return "\n".join(lines)


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("start_bench: build/okram.iso is not there: run `make`, or `make bench-start`.")
    unknown = [name for name in arguments.machines if name not in MACHINES]
    if unknown:
        sys.exit(f"start_bench: no such machine: {', '.join(unknown)}.")
    try:
        version = ".".join(map(str, qemu_version()))
        print(f"QEMU {version}, {len(os.sched_getaffinity(0))} host CPUs", flush=True)
        for name in arguments.machines:
            print(summary(name, _runs(MACHINES[name], arguments.runs)), flush=True)
    except Trouble as trouble:
        sys.exit(f"start_bench: {trouble}")
    except KeyboardInterrupt:
        sys.exit("start_bench: stopped.")
    print(f"load average: {os.getloadavg()[0]:.1f}")


def _runs(machine, n):
    """bandwidth=off comes first: what the machine's own options say wins."""
    machine.cmdline = f"tests=mats+ bandwidth=off support=on {machine.cmdline}"
    return [measure(machine) for _ in range(n)]


def _arguments():
    parser = argparse.ArgumentParser(
        prog="start_bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each machine (5)")
    parser.add_argument(
        "--machines",
        type=lambda text: text.split(","),
        default=list(MACHINES),
        metavar="LIST",
        help=f"of {','.join(MACHINES)} (all)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
