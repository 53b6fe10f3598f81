# SPDX-License-Identifier: MIT
"""How many couplings with okram's own places a march in three legs finds, in QEMU.

Each draw is a boot with random couplings: the aggressor in a place where okram is in one of the
legs, the victim elsewhere. In three of four draws a place that okram is to move to turns out bad in
mid-march. Exit code 1 when a coupling was lost, or not all was tested together.
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib.machine import KERNEL, PLUGIN  # noqa: E402
from okramlib.units import parse_size  # noqa: E402
from system.couplings import LAST, SECOND, THIRD, Draw, boot  # noqa: E402

SPOILED = (None, SECOND, THIRD, LAST)


def main():
    arguments = _arguments()
    if not (KERNEL.exists() and PLUGIN.exists()):
        sys.exit("couplings_bench: run `make` and `make plugin` first.")
    print(f"seeds from {arguments.seed}", flush=True)
    n_lost = n_apart = 0
    for i in range(arguments.draws):
        draw = Draw(
            arguments.seed + i,
            arguments.memory,
            arguments.cpus,
            arguments.count,
            SPOILED[i % len(SPOILED)],
        )
        drawn = boot(draw)
        n_lost += len(drawn.lost)
        n_apart += bool(drawn.apart) or not drawn.complete
        print(line(draw, drawn), flush=True)
    print(f"{arguments.draws} draws: {n_lost} lost, {n_apart} with memory not tested together")
    sys.exit(bool(n_lost or n_apart))


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    today = int(datetime.now(UTC).strftime("%Y%m%d")) * 100
    add("--draws", type=int, default=20, help="boots (20)")
    add("--seed", type=int, default=today, help="of the first draw (by the date)")
    add("--count", type=int, default=300, help="couplings of a draw (300)")
    add("--memory", type=parse_size, default=parse_size("64M"), metavar="SIZE", help="(64M)")
    add("--cpus", type=int, default=2, help="(2)")
    return parser.parse_args()


def line(draw, drawn):
    spoiled = "none" if draw.spoiled is None else draw.spoiled + 1
    moves = drawn.states[1:]  # the first is before the tests
    return (
        f"seed {draw.seed}  bad place {spoiled!s:4}  moved {moves.count('moved')}, "
        f"in vain {len(moves) - moves.count('moved')}  sweeps {drawn.sweeps:5.1f}  "
        f"lost {len(drawn.lost)} of {draw.count}{'  apart' if drawn.apart else ''}  "
        f"{drawn.seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
