"""How long a pass of okram takes in QEMU: beside memtest86+, by CPUs, by size of memory.

A noisy host makes noisy figures: each is the median of several runs, its extremes stand beside it,
and the load average before and after is told.
"""

import argparse
import json
import os
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from bench import memtest86, tables  # noqa: E402
from bench.okram_pass import run_pass  # noqa: E402
from okramlib import Trouble, version  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.qemu import qemu_version  # noqa: E402
from okramlib.units import GIB, MIB, format_size, parse_size  # noqa: E402

PASS_MEMORY = 512 * MIB
PASS_CPUS = 2
SIZES = "512M,4G,12G"
SIZE_TESTS = "quick"  # 14 sweeps: under a minute at 12 GiB

_HOST_KEEPS = GIB  # what QEMU, and the host itself, need beside the guest's memory


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("pass_bench: build/okram.iso is not there: run `make`, or `make bench-pass`.")
    try:
        # Opened first: a file that cannot be written is told before the work, not after.
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
    add("--runs", type=_positive, default=3, metavar="N", help="runs of okram for each figure (3)")
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
    results["cpus"] = _measure_cpus(arguments)
    results["memtest86"] = measure_memtest86(arguments, results["notes"])
    results["size_tests"] = SIZE_TESTS
    results["sizes"] = measure_sizes(arguments, results["notes"])
    results["load_after"] = os.getloadavg()[0]
    return results


def _measure_cpus(arguments):
    """Standard passes by number of CPUs, in turns, so that what else the host does meets all."""
    machines = [_machine(PASS_MEMORY, cpus, "standard") for cpus in (1, PASS_CPUS)]
    passes = _in_turns(arguments, machines)
    return [{"cpus": machine.cpus, "passes": runs} for machine, runs in zip(machines, passes)]


def measure_sizes(arguments, notes):
    machines = []
    for size in arguments.sizes:
        if size + _HOST_KEEPS > _available_memory():
            notes.append(f"{format_size(size)} is left out: the host has not that much free.")
        else:
            machines.append(_machine(size, PASS_CPUS, SIZE_TESTS))
    passes = _in_turns(arguments, machines)
    return [{"memory": machine.memory, "passes": runs} for machine, runs in zip(machines, passes)]


def _machine(memory, cpus, tests):
    return Machine(memory=memory, cpus=cpus, cmdline=f"bandwidth=off passes=2 tests={tests}")


def _in_turns(arguments, machines):
    passes = [[] for _ in machines]
    for run in range(arguments.runs):
        for machine, runs in zip(machines, passes):
            runs.append(_watched(lambda: run_pass(machine, arguments.timeout)))
            _tell(
                f"okram, {format_size(machine.memory)}, CPUs: {machine.cpus}, {machine.cmdline},"
                f" run {run + 1}: {runs[-1]['test_seconds']:.2f} s"
            )
    return passes


def measure_memtest86(arguments, notes):
    if not memtest86.IMAGE.exists():
        notes.append("memtest86+ is not installed (Debian: memtest86+): okram's figures alone.")
        return []
    machine = Machine(memory=PASS_MEMORY, cpus=PASS_CPUS)
    runs = []
    for run in range(arguments.memtest86_runs):
        _tell(f"memtest86+, run {run + 1}")
        runs.append(
            _watched(lambda: memtest86.run_first_pass(machine, arguments.timeout, _tell))
        )
    return runs


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
    raise Trouble("/proc/meminfo does not tell how much memory is free.")


def _tell(line):
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
