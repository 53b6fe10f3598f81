# SPDX-License-Identifier: MIT
"""Where a pass's instructions go, in QEMU: by folder, and how many of them are waiting.

A plugin counts every instruction of the kernel on all CPUs. A run of three passes less one of a
single pass is two passes, without the start. Where a machine has more CPUs than the host, most of
them wait for the host most of the time: instructions tell what waiting costs, seconds do not.

The screen is renewed by the clock, four times a second, however long a pass takes: so what it costs
is said of a second, too. With --uefi it has 1280x800 pixels, else it is VGA text; with --blind
there is none.
"""

import argparse
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import BUILD, EXIT_PASS, Trouble  # noqa: E402
from okramlib.machine import Machine  # noqa: E402
from okramlib.run import run  # noqa: E402
from okramlib.units import GIB, format_size, parse_size  # noqa: E402

PLUGIN = BUILD / "plugin" / "count_instructions.so"
KERNEL = BUILD / "okram.elf"
PASSES = (1, 3)
WANTED_PERCENT = 5
SHOWN = 15  # functions
BLIND = ["-vga", "none"]  # a second -vga counts

# Where CPUs wait for each other, give each other work, or hand on what they have found.
WAITING = (
    "kernel/cpu/arch/move.asm",
    "kernel/hw/cpus/",
    "kernel/event/",
    "kernel/cpu/interrupt/",
    "kernel/hw/mce/mca_queue.c",
)


# What makes the pictures of the screen and draws them; text that is made for it is in core/lib.
SCREEN = (
    "kernel/show/screen/",
    "kernel/show/sections/",
    "kernel/show/console/",
    "kernel/core/measurement/picture/",
    "kernel/run/progress/ram_map.c",
)
# Of these, the picture of all RAM alone.
PICTURE = (
    "kernel/show/screen/screen_picture.c",
    "kernel/core/measurement/picture/",
    "kernel/run/progress/ram_map.c",
)


def main():
    arguments = _arguments()
    if not PLUGIN.exists():
        sys.exit("instructions_bench: the plugin is not there: run `make bench-instructions`.")
    try:
        counts, seconds = _counts_of_a_pass(arguments)
    except Trouble as trouble:
        sys.exit(f"instructions_bench: {trouble}")
    except KeyboardInterrupt:
        sys.exit("instructions_bench: stopped.")
    size = format_size(arguments.memory)
    screen = "no screen" if arguments.blind else "1280x800" if arguments.uefi else "VGA text"
    print(
        f"Instructions of a pass, {size}, CPUs: {arguments.cpus}, tests={arguments.tests}, {screen}"
    )
    print("\n".join(table(counts, seconds, Symbols(KERNEL))))


def _arguments():
    parser = argparse.ArgumentParser(
        prog="instructions_bench",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add("--cpus", type=int, default=64, metavar="N", help="CPUs of the machine (64)")
    add("--memory", type=parse_size, default=2 * GIB, metavar="SIZE", help="its memory (2G)")
    add("--tests", default="quick", metavar="LIST", help="which tests (quick)")
    add("--uefi", action="store_true", help="by UEFI, whose screen has pixels")
    add("--blind", action="store_true", help="without a screen")
    add("--timeout", type=float, default=3600, metavar="SECONDS", help="of one run (3600)")
    return parser.parse_args()


def _counts_of_a_pass(arguments):
    """Instructions by the address of their block, and how long the pass takes."""
    (few, short), (many, long) = (_counts(arguments, passes) for passes in PASSES)
    many.subtract(few)
    n_passes = PASSES[1] - PASSES[0]
    per_pass = Counter({vaddr: count / n_passes for vaddr, count in many.items()})
    return per_pass, (long - short) / n_passes


def _counts(arguments, passes):
    """Instructions by the address of their block, and the seconds of the run."""
    with tempfile.NamedTemporaryFile("r", prefix="okram-instructions-") as out:
        machine = Machine(
            memory=arguments.memory,
            cpus=arguments.cpus,
            uefi=arguments.uefi,
            cmdline=f"bandwidth=off tests={arguments.tests} passes={passes}",
            extra=["-plugin", f"{PLUGIN},out={out.name}", *BLIND * arguments.blind],
        )
        outcome = run(machine, timeout=arguments.timeout)
        if outcome.trouble or outcome.exit_code != EXIT_PASS:
            raise Trouble(outcome.trouble or "okram found bad pages in a machine without any.")
        return parse_counts(out.read()), outcome.last("result")["seconds"]


def parse_counts(text):
    counts = Counter()
    for line in text.splitlines():
        vaddr, executed = line.split()
        counts[int(vaddr, 16)] += int(executed)
    return counts


class Symbols:
    """The kernel's functions, and the source file of each."""

    def __init__(self, elf):
        lines = _output("nm", "--numeric-sort", str(elf)).splitlines()
        functions = [line.split() for line in lines if line.split()[1] in "tT"]
        self._starts = [int(start, 16) for start, _, _ in functions]
        self._names = [name for _, _, name in functions]
        self._elf = elf

    def function(self, vaddr):
        """Its name, and the address where it starts."""
        at = bisect_right(self._starts, vaddr) - 1
        return (self._names[at], self._starts[at]) if at >= 0 else ("?", 0)

    def files(self, vaddrs):
        """The source files that addresses belong to, from the root on, such as kernel/main.c."""
        hexes = [f"{vaddr:#x}" for vaddr in vaddrs]
        lines = _output("addr2line", "-e", str(self._elf), *hexes).splitlines()
        root = f"{TESTS.parent}/"
        return [_plain(line.rpartition(":")[0], root) for line in lines]


def _plain(path, root):
    """NASM names its source files twice over: kernel/cpu/arch/kernel/cpu/arch/smp.asm."""
    folder = str(Path(path.removeprefix(root)).parent)
    half = folder[: len(folder) // 2]
    return f"{half if folder == f'{half}/{half}' else folder}/{Path(path).name}"


def _output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(counts, seconds, symbols):
    """Lines: by folder, what waiting is, the functions with most."""
    functions = Counter()
    for vaddr, count in counts.items():
        functions[symbols.function(vaddr)] += count
    file_of = dict(zip(functions, symbols.files([start for _, start in functions])))
    folders = Counter()
    for function, count in functions.items():
        folders[str(Path(file_of[function]).parent)] += count
    total = sum(functions.values())

    def count_in(places):
        return sum(n for function, n in functions.items() if file_of[function].startswith(places))

    lines = [f"  {total:.4g} instructions in {seconds:.1f} s"]
    lines += [_row(name, count, total) for name, count in folders.most_common() if count > 0]
    lines.append("the functions with most:")
    for function, count in functions.most_common(SHOWN):
        lines.append(_row(f"{function[0]}, {file_of[function]}", count, total))
    wanted = f"  wanted: under {WANTED_PERCENT} %"
    return [
        *lines,
        _row("for the screen", count_in(SCREEN), total) + _rate(count_in(SCREEN), seconds),
        _row("of it the picture of all RAM", count_in(PICTURE), total)
        + _rate(count_in(PICTURE), seconds),
        _row("in barriers and queues", count_in(WAITING), total) + wanted,
    ]


def _row(name, count, total):
    return f"  {name:<60} {100 * count / total:>7.3f} %"


def _rate(count, seconds):
    return f"  {count / seconds / 1e6:.2f} million a second"


if __name__ == "__main__":
    main()
