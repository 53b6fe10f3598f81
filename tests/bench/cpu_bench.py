# SPDX-License-Identifier: MIT
"""Memory or a CPU: what okram says of machines in QEMU, some with a bad CPU, some with bad RAM.

Of 60 machines with four CPUs 24 have a CPU whose loads, stores, vectors or cache go wrong, 24 have
memory with faults of one kind each, 12 have both. Exit code 1 when 2 % or more are judged wrong.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import spec  # noqa: E402
from okramlib.machine import KERNEL, PLUGIN  # noqa: E402
from okramlib.run import run  # noqa: E402
from okramlib.units import parse_size  # noqa: E402
from system.harness import Machine  # noqa: E402

CPUS = 4
OPTIONS = "bandwidth=off range=64M-88M isa=sse2 tests=march-c-,march-mss+ passes=2"
ROW = 300  # begins at 64 MiB in the published maps

# One in how many accesses goes wrong: some five to some hundred faults.
RATES = (8_000_000, 3_000_000, 1_000_000)
CPU_FAULTS = [
    (f"cpu-{unit}@{(i + n) % CPUS}:{RATES[n % len(RATES)] // (8 if unit == 'cache' else 1)}",)
    for i, unit in enumerate(("load", "store", "vector", "cache"))
    for n in range(6)
]
MEMORY_FAULTS = [
    ("stuck0@0x459d128.3",),
    ("stuck1@0x48cdf40.6",),
    ("rise@0x4e4c088.0",),
    ("fall@0x5190ff8.7",),
    ("stuck1@0x459d128.3", "stuck0@0x49e6f40.6", "stuck1@0x5239458.1"),
    ("lapse@0x4e4c088.0:7",),
    ("lapse@0x460c088.0:3", "lapse@0x4ed9188.4:4", "lapse@0x52b3288.2:5"),
    ("disturb@0x46b6128.3",),
    ("deceive@0x4743128.2",),
    ("invert@0x51e0000.2>0x5205000.2",),
    ("set1@0x5239000.2>0x523ba10.5",),
    ("state@0x496c000.2>0x496fa10.5",),
    ("invert-read@0x49f9000.2>0x49fba10.5",),
    ("fade@0x4e4c088.0:0.5",),
    (f"dram-row@skylake/row={ROW},rows=1,bank=1,pin=24",),
    (f"dram-row@zen3/row={ROW},rows=4,bank=1,pin=8,value=2",),
    (f"dram-column@coffee-lake/row={ROW},rows=150,bank=2,column=128,beat=2,pin=14",),
    (f"dram-pin@sandy-bridge/row={ROW},rows=8,pin=41,value=1",),
    (f"dram-pin@zen4/row={ROW},rows=8,pin=30,one=64",),
    (f"dram-chip@sandy-bridge/row={ROW},rows=8,pin=16,value=2,one=1000",),
    (f"dram-chip@raptor-lake/row={ROW},rows=8,pin=8,value=0",),
    ("chip@0x4a73000.3:40", "chip@0x44f3000.3:50"),
    ("chip-read@0x4b00000.3:40", "chip-read@0x4466000.3:50"),
    ("holes@0x43d9040+0x93000*30.1",),
]
BOTH_FAULTS = [(*CPU_FAULTS[2 * i], *MEMORY_FAULTS[2 * i + 1]) for i in range(12)]
MACHINES = (
    [("cpu", faults) for faults in CPU_FAULTS]
    + [("memory", faults) for faults in MEMORY_FAULTS]
    + [("both", faults) for faults in BOTH_FAULTS]
)


def main():
    arguments = _arguments()
    if not (KERNEL.exists() and PLUGIN.exists()):
        sys.exit("cpu_bench: run `make` and `make plugin` first.")
    counts = {truth: Counter() for truth in ("cpu", "memory", "both")}
    for number in arguments.machines or range(len(MACHINES)):
        truth, faults = MACHINES[number]
        what, why = judge(truth, faults, boot(faults))
        counts[truth][what] += 1
        print(f"{number:2} {truth:6} {what:10} {' '.join(faults)}: {why}", flush=True)
    for truth, count in counts.items():
        print(f"{truth}: " + ", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    wrong, all_of = (
        sum(c["wrong"] for c in counts.values()),
        sum(map(Counter.total, counts.values())),
    )
    print(f"wrong: {wrong} of {all_of}")
    sys.exit(wrong * 50 >= all_of > 0)


def boot(faults):
    machine = Machine(
        memory=parse_size("128M"),
        cpus=CPUS,
        cmdline=OPTIONS,
        faults=[one for text in faults for one in spec.parse(text)],
    )
    return run(machine, timeout=150)


def judge(truth, faults, outcome):
    """What the verdict is to the truth, and the verdict. "one of two": what it names is bad, but
    not all that is; "disabled": the CPU has raised an exception, which a warning says; "named":
    the run could not go on, and its last text names the CPU; "no cause": that text leaves open
    whether it is a CPU or memory; "no start": the same in the loader, before there is a record."""
    kind = outcome.last("kind") if outcome.of_type("kind") else {}
    cause = kind.get("cause")
    bad_cpu = next((int(f.split("@")[1].split(":")[0]) for f in faults if "cpu-" in f), None)
    error = (outcome.last("result") or {}).get("error", "")
    if f"cpu {bad_cpu} computes wrong" in error or f"points to CPU {bad_cpu} " in error:
        return "named", error.split("\n")[0]
    if not outcome.of_type("start"):
        return "no start", outcome.trouble
    if error and cause is None:
        return "no cause", error.split("\n")[0]
    if cause is None:
        failed = [w for w in warnings(outcome) if f"cpu {bad_cpu} " in w]
        ended = "no faults" if outcome.of_type("result") else "the run did not end"
        why = failed[0] if failed else "no cause" if kind else ended
        return "disabled" if failed else "no verdict", why
    why = f"{cause} {kind['cause_percent']} % CPU {kind['cause_cpu']}: {kind['cause_evidence']}"
    if cause == "open":
        return "undecided", why
    names = cause in ("cpu", "both")
    if (names and kind["cause_cpu"] != bad_cpu) or (truth == "cpu" and cause != "cpu"):
        return "wrong", why
    return "right" if cause == truth else "one of two", why


def warnings(outcome):
    return [
        warning
        for kind in ("machine", "result")
        for record in outcome.of_type(kind)[-1:]
        for warning in record.get("warnings", [])
    ]


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("machines", type=int, nargs="*", help=f"of 0 to {len(MACHINES) - 1} (all)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
