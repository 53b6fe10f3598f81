# SPDX-License-Identifier: MIT
"""The tables of docs/performance.md, from what the efficiency bench prints."""

import pytest

from bench import performance_docs
from okramlib.units import GIB

# As pass_host_bench prints it; elements are indented, and no rows.
HOST_OUTPUT = """\
load average before: 0.50

standard over 1024 MiB, avx2, threads: 1; medians of 5 (smallest-largest)
                          sweeps        GB seconds              GB/s likwid s  efficiency
march-mss                     36      38.7    4.11 (3.92-4.25)    9.4     1.17   0.29 (0.28-0.31)
  up(r0,r0,w1,w1)              8       8.6    1.21 (1.12-1.24)    7.1     0.30   0.24 (0.21-0.31)
the pass                     118     126.7    7.58 (7.33-7.92)   16.7     3.97   0.53 (0.50-0.57)
at barriers: 0.0 % of the threads' time

standard over 1024 MiB, avx2, threads: 2; medians of 5 (smallest-largest)
march-mss                     36      38.7    2.48 (2.39-4.20)   15.6     0.88   0.32 (0.27-0.36)
the pass                     118     126.7    5.14 (4.63-6.40)   24.6     3.12   0.50 (0.59-0.61)
"""
LEVELS = "".join(
    f"| {level} | tests | {n} |\n" for level, n in zip(performance_docs.LEVELS, (8, 100, 700))
)


def test_efficiencies_as_a_table():
    quick = "quick over 64 MiB, sse2, threads: 2; medians of 1\n" + HOST_OUTPUT.splitlines()[6]
    table = performance_docs.efficiency_table([HOST_OUTPUT, quick])
    assert table[2:] == [
        "| march-mss | 36 | 9.4 | 0.29 (0.28-0.31) | 15.6 | 0.32 (0.27-0.36) |",
        "| a standard pass, 1024 MiB, runs: 5 | 118 | 16.7 | 0.53 (0.50-0.57) | 24.6 |"
        " 0.50 (0.59-0.61) |",
        "| a quick pass, 64 MiB, runs: 1 | 118 |  |  | 16.7 | 0.53 (0.50-0.57) |",
    ]
    assert performance_docs.efficiency("\n".join(table), "standard") == 0.5


def test_estimates_of_passes():
    passes = "".join(
        f"| a {of} pass, 1 MiB, runs: 5 | 1 | 1 | 1 | 1 | 0.50 (0.4-0.6) |\n"
        for of in performance_docs.LEVELS
    )
    table = performance_docs.estimates(passes, LEVELS)
    pc = 100 * 32 * GIB / (2 * 8 * 5600e6 * 0.75 * 0.5) + performance_docs.WAITS["standard"]
    assert f"{performance_docs.words(pc)} |" in next(row for row in table if row.startswith("| PC"))
    assert len(table) == 2 + len(performance_docs.MACHINES)


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.123, "0.12 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (5399, "90 min"),
        (5400, "1.5 h"),
        (86400, "24 h"),
    ],
)
def test_two_digits_of_a_time(seconds, words):
    assert performance_docs.words(seconds) == words


def test_documents_follow_from_each_other():
    """After a change of the sweeps: python3 tests/bench/performance_docs.py."""
    document, manual = performance_docs.DOCUMENT.read_text(), performance_docs.MANUAL.read_text()
    shown = performance_docs.between(document, "estimates").splitlines()
    assert shown == performance_docs.estimates(document, manual)
    shown = performance_docs.between(manual, "estimate").splitlines()
    assert shown == performance_docs.sentence(document, manual)


def test_levels_have_the_sweeps_of_the_coverage_table():
    manual = performance_docs.MANUAL.read_text()
    coverage = (performance_docs.ROOT / "docs" / "coverage.md").read_text()
    for level, number in performance_docs.sweeps(manual).items():
        assert f"\n| {level} | {number} |" in coverage
