# SPDX-License-Identifier: MIT
"""How long a pass of okram takes in QEMU: next to memtest86+, by CPUs, by size of memory, and at
both ends of a machine with 1 TiB.

A noisy host makes noisy figures: each is the median of several runs, with its extremes, and the
load average before and after.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from bench import memtest86, tables  # noqa: E402
from bench.okram_pass import run_pass  # noqa: E402
from okramlib import Trouble, version  # noqa: E402
from okramlib.layout import RamLayout  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.qemu import qemu_version  # noqa: E402
from okramlib.units import GIB, MIB, format_size, parse_size  # noqa: E402

PASS_MEMORY = 512 * MIB
PASS_CPUS = 2
SIZES = "256M,1G,4G,16G"
QUICK = "quick"  # covers what memtest86+ covers between lines; a minute or two at 16 GiB
LARGE = 1024 * GIB
END_SIZE = GIB  # of what is tested at each end of LARGE
ROOM = 64 * MIB  # below what is tested: okram stays there

_HOST_KEEPS = GIB  # what QEMU, and the host itself, need in addition to the guest's memory


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("pass_bench: build/okram.iso is not there: run `make`, or `make bench-pass`.")
    try:
        # Opened first: an error is reported before the work.
        with open(arguments.json or os.devnull, "w") as out:
            results = _measure(arguments)
            json.dump(results, out, indent=2)
    except Trouble as trouble:
        sys.exit(f"pass_bench: {trouble}")
    except OSError as error:
        sys.exit(f"pass_bench: {error}")
    except KeyboardInterrupt:
        sys.exit("pass_bench: stopped.")
    print(tables.of(results))


def _arguments():
    parser = argparse.ArgumentParser(
        prog="pass_bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--runs", type=_positive, default=5, metavar="N", help="runs of okram for each figure (5)")
    add("--memtest86-runs", type=int, default=1, metavar="N", help="runs of memtest86+ (1)")
    add("--sizes", type=_sizes, default=_sizes(SIZES), metavar="LIST", help=f"memory ({SIZES})")
    add("--timeout", type=float, default=3600, metavar="SECONDS", help="of one run (3600)")
    add("--json", type=Path, metavar="FILE", help="write every figure there")
    return parser.parse_args()


def _positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a count from 1 on")
    return int(text)


def _sizes(text):
    try:
        return [parse_size(size) for size in text.split(",") if size]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _measure(arguments):
    results = {
        "okram": version(),
        "qemu": ".".join(map(str, qemu_version())),
        "host_cpus": len(os.sched_getaffinity(0)),
        "load_before": os.getloadavg()[0],
        "memory": PASS_MEMORY,
        "notes": [],
    }
    results |= _measure_passes(arguments, results["notes"])
    results["size_tests"] = QUICK
    results["sizes"] = measure_sizes(arguments, results["notes"])
    results["ends_memory"] = LARGE
    results["ends"] = _measure_ends(arguments)
    results["load_after"] = os.getloadavg()[0]
    return results


@dataclass
class Series:
    """Runs of one thing, which returns its figures as a dataclass."""

    name: str
    run: Callable
    n_wanted: int
    runs: list[dict] = field(default_factory=list)


def _measure_passes(arguments, notes):
    """Whatever is compared with memtest86+, or with itself on more CPUs, and memtest86+."""
    machines = [_machine(PASS_MEMORY, cpus, "standard") for cpus in (1, PASS_CPUS)]
    by_cpus = [_okram(arguments, machine) for machine in machines]
    quick = _okram(arguments, _machine(PASS_MEMORY, PASS_CPUS, QUICK))
    theirs = memtest86_series(arguments, notes)
    in_turns([*by_cpus, quick, theirs])
    return {
        "cpus": [
            {"cpus": machine.cpus, "passes": one.runs} for machine, one in zip(machines, by_cpus)
        ],
        "quick": quick.runs,
        "memtest86": theirs.runs,
    }


def measure_sizes(arguments, notes):
    """okram does not move here: then QEMU translates all of its code again, which takes as long
    whatever the memory is, and which no real machine does."""
    sizes, series = [], []
    for size in arguments.sizes:
        if size + ROOM + _HOST_KEEPS > _available_memory():
            notes.append(f"{format_size(size)} is left out: the host has not that much free.")
        else:
            sizes.append(size)
            series.append(_okram(arguments, _sized(size)))
    in_turns(series)
    return [{"memory": size, "passes": one.runs} for size, one in zip(sizes, series)]


def _sized(size):
    machine = _machine(size + ROOM, PASS_CPUS, QUICK, _passes_over(size))
    machine.cmdline += f" range={ranges_above(machine.memory, ROOM)}"
    return machine


def _passes_over(size):
    """Two, and more of little memory, for a pass over it is short."""
    return 2 + 2 * GIB // size


def ranges_above(memory, room):
    """All of a machine's RAM but the lowest `room` bytes."""
    (_, _, low), *high = RamLayout(memory).guest_ranges
    spans = [(room, low)] + [(base, base + size) for base, _, size in high]
    return ",".join(f"{base:#x}-{end:#x}" for base, end in spans)


def _measure_ends(arguments):
    """The same size at the bottom and at the top of a machine of which the host has little."""
    machines = [_end(arguments, base) for base in (END_SIZE, ram_end(LARGE) - END_SIZE)]
    in_turns(machines)
    return [{"name": name, "passes": one.runs} for name, one in zip(("bottom", "top"), machines)]


def _end(arguments, base):
    machine = _machine(LARGE, PASS_CPUS, QUICK, _passes_over(END_SIZE))
    machine.sparse, machine.cpu = True, "max,phys-bits=46"
    machine.cmdline += f" range={base:#x}-{base + END_SIZE:#x}"
    return _okram(arguments, machine)


def ram_end(memory):
    """The address after the last RAM of a large machine."""
    base, _, size = RamLayout(memory).guest_ranges[-1]
    return base + size


def _machine(memory, cpus, tests, passes=2):
    cmdline = f"bandwidth=off passes={passes} tests={tests}"
    return Machine(memory=memory, cpus=cpus, cmdline=cmdline)


def _okram(arguments, machine):
    name = f"okram, {format_size(machine.memory)}, CPUs: {machine.cpus}, {machine.cmdline}"
    return Series(name, lambda: run_pass(machine, arguments.timeout), arguments.runs)


def memtest86_series(arguments, notes):
    n_wanted = arguments.memtest86_runs
    if n_wanted and not memtest86.IMAGE.exists():
        notes.append("memtest86+ is not installed (Debian: memtest86+): okram's figures alone.")
        n_wanted = 0
    machine = Machine(memory=PASS_MEMORY, cpus=PASS_CPUS)
    run = partial(memtest86.run_first_pass, machine, arguments.timeout, _tell)
    return Series("memtest86+", run, n_wanted)


def in_turns(series):
    """Does the runs that are wanted: one of each, and so on, so that what else the host does meets
    all of them."""
    for turn in range(max((one.n_wanted for one in series), default=0)):
        for one in series:
            if turn < one.n_wanted:
                _tell(f"{one.name}, run {turn + 1}")
                one.runs.append(_watched(one.run))
                _tell(f"  {one.runs[-1]['seconds']:.2f} s")


def _watched(run):
    """What a run returns, and how much of the host its QEMU had meanwhile, start-up included."""
    begin, used = time.monotonic(), _children_cpu_seconds()
    figures = asdict(run())
    used, seconds = _children_cpu_seconds() - used, time.monotonic() - begin
    return {**figures, "host_cpus_used": used / seconds}


def _children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _available_memory():
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise Trouble("/proc/meminfo has no MemAvailable.")


def _tell(line):
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
