# SPDX-License-Identifier: MIT
"""The tables of docs/performance.md that are made, and the manual's sentence.

    performance_docs.py [OUTPUT OF pass_host_bench...]

Puts the efficiencies that the benchmark has printed, for each level an output, into the document,
if any are given. Then what follows from them and from the manual's table of levels: how long a pass
takes on some machines.
"""

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT, MANUAL = ROOT / "docs" / "performance.md", ROOT / "docs" / "manual.md"
LEVELS = ("quick", "standard", "thorough")
GIB = 1 << 30

# Of the channels' peak, what their CPUs copy at. An assumption: 0.75 to 0.85 is usual.
COPIES_AT = 0.75

# Seconds that a level waits, whatever the machine is: retention; fade and row hammer.
WAITS = {"quick": 0, "standard": 6, "thorough": 4 * 3 * 60 + 60}


@dataclass(frozen=True)
class Machine:
    name: str
    gib: int
    channels: int  # of 64 bits
    mt_s: int  # millions of transfers a second

    @property
    def peak(self):
        """Bytes a second."""
        return self.channels * 8 * self.mt_s * 1e6

    def seconds(self, sweeps, efficiency, waits):
        return sweeps * self.gib * GIB / (self.peak * COPIES_AT * efficiency) + waits


PC = Machine("PC, two channels of DDR5-5600", 32, 2, 5600)
SERVER = Machine("server, two sockets of 12 channels of DDR5-4800", 1024, 24, 4800)
MACHINES = (
    Machine("laptop, 128 bits of LPDDR5-6400", 16, 2, 6400),
    PC,
    Machine("workstation, 8 channels of DDR5-5200", 256, 8, 5200),
    SERVER,
    Machine("16 sockets of 8 channels of DDR5-4400", 32768, 128, 4400),
)


def between(text, name):
    """What stands between the markers of that name."""
    return text.split(f"<!-- {name} -->\n", 1)[1].split(f"<!-- /{name} -->\n", 1)[0]


def replaced(text, name, lines):
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, rest = text.split(begin, 1)
    return before + begin + "".join(f"{line}\n" for line in lines) + end + rest.split(end, 1)[1]


_HEAD = re.compile(
    r"^(?P<tests>\S+) over (?P<mib>\d+) MiB, \w+, threads: (?P<threads>\d+);"
    r" medians of (?P<runs>\d+)"
)
_ROW = re.compile(
    r"^(?P<name>\S.*?) +(?P<sweeps>\d+) +[\d.]+ +(?P<s>[\d.]+) \([\d.-]+\) +(?P<gb_s>[\d.]+)"
    r" +[\d.]+ +(?P<ratio>[\d.]+) \((?P<spread>[\d.]+-[\d.]+)\) *$"
)


def efficiency_table(outputs):
    """What the benchmark has printed: a row for each test, with 1 thread and with 2."""
    rows = {}
    for output in outputs:
        whole = threads = ""
        for line in output.splitlines():
            if head := _HEAD.match(line):
                whole = f"a {head['tests']} pass, {head['mib']} MiB, runs: {head['runs']}"
                threads = head["threads"]
            elif row := _ROW.match(line):
                name = row["name"].replace("the pass", whole)
                rows.setdefault((name, row["sweeps"]), {}).setdefault(threads, row)
    table = ["| | sweeps | 1 thread, GB/s | efficiency | 2 threads, GB/s | efficiency |"]
    table.append("|---|---|---|---|---|---|")
    for (name, number), row in rows.items():
        table.append(f"| {name} | {number} | {_cells(row.get('1'))} | {_cells(row.get('2'))} |")
    return table


def _cells(row):
    return f"{row['gb_s']} | {row['ratio']} ({row['spread']})" if row else " | "


def efficiency(document, level):
    """Of a pass with 1 thread or with 2, the smaller one: a noisy yardstick promises too much."""
    cells = re.search(rf"^\| a {level} pass, .*", document, re.MULTILINE)[0].split("|")
    return min(float(ratio.split()[0]) for ratio in (cells[4], cells[6]))


def sweeps(manual):
    """Of each level, by the manual's table."""
    found = {
        level: re.search(rf"^\| {level} \|.*\| (\d+) \|$", manual, re.MULTILINE)[1]
        for level in LEVELS
    }
    return {level: int(number) for level, number in found.items()}


def words(seconds):
    """Two digits are all that an estimate is worth."""
    if seconds < 60:
        return f"{_two_digits(seconds)} s"
    if seconds < 90 * 60:
        return f"{_two_digits(seconds / 60)} min"
    return f"{_two_digits(seconds / 3600)} h"


def _two_digits(number):
    return f"{float(f'{number:.2g}'):g}"


def estimates(document, manual):
    by_level = sweeps(manual)
    parts = {level: efficiency(document, level) for level in LEVELS}
    table = ["| computed | memory | bandwidth | quick | standard | thorough |"]
    table.append("|---|---|---|---|---|---|")
    for machine in MACHINES:
        times = [words(machine.seconds(by_level[of], parts[of], WAITS[of])) for of in LEVELS]
        memory = f"{machine.gib // 1024} TiB" if machine.gib >= 1024 else f"{machine.gib} GiB"
        bandwidth = f"{machine.peak * COPIES_AT / 1e9:.0f} GB/s"
        table.append(f"| {machine.name} | {memory} | {bandwidth} | {' | '.join(times)} |")
    return table


def sentence(document, manual):
    part, number = efficiency(document, "standard"), sweeps(manual)["standard"]
    pc, server = (words(m.seconds(number, part, WAITS["standard"])) for m in (PC, SERVER))
    text = (
        f"A standard pass takes about {pc} on a PC with 32 GiB in two channels of DDR5-5600, and"
        f" about {server} on a two-socket server with 1 TiB. That is computed: sweeps x bytes /"
        f" (bandwidth x efficiency) + waits, with {COPIES_AT} of the channels' peak as bandwidth"
        f" and an efficiency of {part}. [performance.md](performance.md) has more"
        " machines, and what was measured."
    )
    return textwrap.wrap(text, 100)


def main():
    document, manual = DOCUMENT.read_text(), MANUAL.read_text()
    if len(sys.argv) > 1:
        outputs = [Path(name).read_text() for name in sys.argv[1:]]
        document = replaced(document, "efficiency", efficiency_table(outputs))
    document = replaced(document, "estimates", estimates(document, manual))
    DOCUMENT.write_text(document)
    MANUAL.write_text(replaced(manual, "estimate", sentence(document, manual)))


if __name__ == "__main__":
    main()
