# SPDX-License-Identifier: MIT
"""Passes of okram in QEMU, and their times by their records."""

from dataclasses import dataclass
from statistics import median

from okramlib import EXIT_PASS, Trouble
from okramlib.run import run
from okramlib.units import GIB

WAITING_TESTS = ("retention", "fade")  # they wait on purpose, whatever the machine is


@dataclass(frozen=True)
class OneTest:
    """A test of the first pass. A sweep is one read or one write of all memory under test."""

    name: str
    sweeps: float  # as counted while it ran
    seconds: float
    mb_s: float  # swept


@dataclass(frozen=True)
class Pass:
    """Seconds by okram's own clock, which starts at kernel entry.

    busy: without the tests that wait. warm: of the second pass, or the median of all after the
    first. In the first the host of a virtual machine still has to find the memory, which takes it
    longer than a test, and takes it a different time every time.
    """

    tests: list[OneTest]  # of the first pass
    sweeps: float  # of the first pass, and so on
    busy_sweeps: float
    seconds: float  # of its tests alone, added up
    busy_seconds: float
    warm_busy_seconds: float
    first_sweep_seconds: float  # when the first test began
    result_seconds: float  # from kernel entry to the end of the first pass
    seconds_per_gib: float  # seconds for each GiB that was tested
    warm_seconds_per_gib: float


def pass_of(outcome):
    """The figures of a run of two passes or more. Trouble when it did not end well: it measured
    nothing."""
    if outcome.trouble or outcome.exit_code != EXIT_PASS:
        raise Trouble(outcome.trouble or "okram found bad pages in a machine without any.")
    records, result = outcome.of_type("test"), outcome.last("result")
    if not records or not result["tested_bytes"]:
        raise Trouble("okram has tested nothing.")
    if result["passes"] < 2:
        raise Trouble("okram was stopped before the end of its second pass.")
    tested = result["tested_bytes"]
    first, *warm = (
        [_test_of(record, tested) for record in records if record["pass"] == number + 1]
        for number in range(result["passes"])
    )
    gib = tested / GIB
    return Pass(
        tests=first,
        sweeps=_sweeps(first),
        busy_sweeps=_sweeps(_busy(first)),
        seconds=_seconds(first),
        busy_seconds=_seconds(_busy(first)),
        warm_busy_seconds=median(_seconds(_busy(tests)) for tests in warm),
        first_sweep_seconds=records[0]["t"] - records[0]["seconds"],
        result_seconds=max(record["t"] for record in records if record["pass"] == 1),
        seconds_per_gib=_seconds(first) / gib,
        warm_seconds_per_gib=median(_seconds(tests) for tests in warm) / gib,
    )


def _test_of(record, tested_bytes):
    swept, seconds = record["swept_bytes"], record["seconds"]
    return OneTest(
        name=record["test"],
        sweeps=swept / tested_bytes,
        seconds=seconds,
        mb_s=swept / 1e6 / seconds if seconds else 0.0,
    )


def _busy(tests):
    return [test for test in tests if test.name not in WAITING_TESTS]


def _sweeps(tests):
    return sum(test.sweeps for test in tests)


def _seconds(tests):
    return sum(test.seconds for test in tests)


def run_pass(machine, timeout):
    return pass_of(run(machine, timeout=timeout))
