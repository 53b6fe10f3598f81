# SPDX-License-Identifier: MIT
"""Sweeps over clean memory, where every fault that is found is a false one.

Many short runs over a matrix of machines, drawn from a seed, for a given time. It reports:
runs, sweeps (a sweep is one read or one write of all memory under test), bytes swept, and every run
that found something or failed. Exit code 1 if there is one.
"""

import argparse
import os
import random
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import EXIT_PASS  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.run import run  # noqa: E402
from okramlib.units import MIB  # noqa: E402

RUN_S = 20  # of testing
DEADLINE_S = 300  # of a run, start-up included
WAITS = "fade=1s hammer=1s"  # what waits on purpose sweeps nothing meanwhile

# A day of a PC: 16 GiB at 20 GB/s are 0.86 s a sweep.
DAY_SWEEPS = 100_000

FIRMWARE = (False, True)  # UEFI
CPUS = (1, 1, 2, 2, 3, 4, 8)  # more than the host's own wait for each other most of the time
NODES = (1, 2, 4)
MEMORY = (48 * MIB, 64 * MIB, 96 * MIB, 128 * MIB)
SWEEPING = (
    "address,march-c-,march-mss,march-mss+,backgrounds,random,moving-inversions,bus-stress,"
    "block-move"
)
TESTS_OF_RUN = ("quick", "standard", "thorough", *3 * (SWEEPING,))  # retention mostly waits
ISAS = ("auto", "scalar", "sse2", "avx2")


@dataclass
class Total:
    runs: int = 0
    sweeps: float = 0.0
    swept_bytes: int = 0
    by_machine: Counter = field(default_factory=Counter)  # sweeps
    bad: list[str] = field(default_factory=list)


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("soak: build/okram.iso is not there: run `make`, or `make soak`.")
    total, lock = Total(), threading.Lock()
    end = time.monotonic() + arguments.seconds
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for job in range(arguments.jobs):
            pool.submit(_work, f"{arguments.seed}.{job}", end, total, lock)
    print(_text(total, arguments.seed))
    sys.exit(bool(total.bad) or not total.runs)


def _arguments():
    parser = argparse.ArgumentParser(
        prog="soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--seconds", type=float, default=600, metavar="S", help="no run begins later (600)")
    add("--seed", type=int, default=1, metavar="N", help="draws the machines (1)")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="parallel runs (all CPUs)")
    return parser.parse_args()


def _work(seed, end, total, lock):
    chance = random.Random(seed)
    while time.monotonic() < end:
        machine = _draw(chance)
        outcome = run(machine, timeout=DEADLINE_S)
        with lock:
            _count(total, machine, outcome)


def _draw(chance):
    uefi = chance.choice(FIRMWARE)
    cpus = chance.choice(CPUS)
    isa = chance.choice(ISAS)
    options = f"tests={chance.choice(TESTS_OF_RUN)} {WAITS} seed={chance.randrange(1, 1 << 32)}"
    if isa != "auto":
        options += f" isa={isa}"
    return Machine(
        uefi=uefi,
        memory=chance.choice([size for size in MEMORY if not uefi or size >= 64 * MIB]),
        cpus=cpus,
        nodes=chance.choice([n for n in NODES if n <= cpus]),
        cmdline=f"{options} bandwidth=off passes=0 time={RUN_S}s",
    )


def _count(total, machine, outcome):
    """A run that was stopped before its first pass was over has still swept without a fault."""
    name = f"{'UEFI' if machine.uefi else 'BIOS'}, CPUs: {machine.cpus}, nodes: {machine.nodes}"
    record, tests = outcome.last("machine"), outcome.of_type("test")
    swept = sum(test["swept_bytes"] for test in tests)
    total.runs += 1
    total.swept_bytes += swept
    if record:
        total.sweeps += swept / record["testable_bytes"]
        total.by_machine[name] += swept / record["testable_bytes"]
    found = outcome.of_type("fault") or outcome.of_type("mce")
    result = outcome.last("result")
    warned = result and [text for text in result.get("warnings", []) if "okram's" in text]
    if outcome.exit_code != EXIT_PASS or outcome.bad_lines or found or warned:
        why = outcome.trouble or str(found or warned or result)
        total.bad.append(f"{name}, {machine.memory // MIB} MiB, {machine.cmdline}: {why}")
        print(f"soak: {total.bad[-1]}", file=sys.stderr, flush=True)


def _text(total, seed):
    by_machine = sorted(total.by_machine.items())
    lines = [f"{name:>30} {sweeps:10.0f} sweeps" for name, sweeps in by_machine]
    lines.append(
        f"{total.runs} runs (seed {seed}), {total.sweeps:.0f} sweeps,"
        f" {total.swept_bytes / 1e12:.2f} TB:"
        f" {total.sweeps / DAY_SWEEPS:.2f} days of a PC with 16 GiB at 20 GB/s"
    )
    lines.append(f"false faults and bad ends: {len(total.bad)}")
    return "\n".join(lines + total.bad)


if __name__ == "__main__":
    main()
