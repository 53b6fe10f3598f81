"""Passes of okram in QEMU, and what their records say about time."""

from dataclasses import dataclass

from okramlib import EXIT_PASS, Trouble
from okramlib.run import run
from okramlib.units import GIB


@dataclass(frozen=True)
class Pass:
    """Seconds by okram's own clock, which starts at kernel entry.

    warm: without the first test. In it the host of a virtual machine first has to find the memory,
    which takes it longer than the test, and takes it a different time every time.
    """

    test_seconds: float  # of the tests alone, added up
    warm_seconds: float
    first_sweep_seconds: float  # when the first test began
    result_seconds: float  # when all was said
    seconds_per_gib: float  # test_seconds for each GiB that was tested
    warm_seconds_per_gib: float


def pass_of(outcome):
    """The figures of a run of one pass. Trouble when it did not end well: it measured nothing."""
    if outcome.trouble or outcome.exit_code != EXIT_PASS:
        raise Trouble(outcome.trouble or "okram found holes in a machine that has none.")
    tests, result = outcome.of_type("test"), outcome.last("result")
    if len(tests) < 2 or not result["tested_bytes"]:
        raise Trouble("okram has tested nothing, or has done one test only.")
    if not result["passes"]:
        raise Trouble("okram was stopped before the end of its pass.")
    seconds = [test["seconds"] for test in tests]
    gib = result["tested_bytes"] / GIB
    return Pass(
        test_seconds=sum(seconds),
        warm_seconds=sum(seconds[1:]),
        first_sweep_seconds=tests[0]["t"] - tests[0]["seconds"],
        result_seconds=result["t"],
        seconds_per_gib=sum(seconds) / gib,
        warm_seconds_per_gib=sum(seconds[1:]) / gib,
    )


def run_pass(machine, timeout):
    return pass_of(run(machine, timeout=timeout))
