# SPDX-License-Identifier: MIT
"""CPU seconds of a UEFI boot in QEMU, from power on to the program that firmware boots, without the
guard and with it: without a list, with a few pages, and with as many runs as it masks by default.

The kinds of boot take turns. Told of each: the median, the least and the greatest, and what the
median has more than that without the guard.
"""

import argparse
import resource
import sys
import tempfile
from pathlib import Path
from statistics import median

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import BUILD  # noqa: E402
from system.guard_boot import boot, guarded, make_list, make_store  # noqa: E402

FIRST_PAGE = 0x8000  # of 512 MiB: not firmware's
RUNS = {"guard, no list": None, "guard, 4 pages": 4, "guard, 500 runs": 500}
WITHOUT = "without the guard"


def main():
    arguments = _arguments()
    if not (BUILD / "efi/show_guard.efi").exists():
        sys.exit("guard_bench: build/efi/show_guard.efi is not there: run `make bench-guard`.")
    seconds = {name: [] for name in (WITHOUT, *RUNS)}
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(arguments.boots):
            for name in seconds:
                folder = Path(scratch) / f"{number} {name}"
                folder.mkdir()
                seconds[name].append(_seconds_of_boot(folder, name))
    for name, found in seconds.items():
        more = median(found) - median(seconds[WITHOUT])
        told = f"{name:18} {median(found):6.2f} s ({min(found):.2f} to {max(found):.2f})"
        print(told if name == WITHOUT else f"{told} {more:+.2f} s")


def _arguments():
    parser = argparse.ArgumentParser(
        prog="guard_bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--boots", type=int, default=5, metavar="N", help="of each kind (5)")
    return parser.parse_args()


def _seconds_of_boot(folder, name):
    n = RUNS.get(name)
    pages = None if n is None else make_list([(FIRST_PAGE + 2 * i, 1) for i in range(n)])
    machine = guarded(folder, pages)
    if name == WITHOUT:
        make_store(machine.vars, driver=False)
    begin = _children_cpu_seconds()
    seen = boot(machine)
    used = _children_cpu_seconds() - begin
    masked = len(seen.masked or ())
    if masked != (n or 0) or bool(seen.said) == (name == WITHOUT):
        sys.exit(f"guard_bench: {name}: {masked} pages masked, said: {seen.said}")
    return used


def _children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
