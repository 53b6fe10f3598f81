"""Passes of okram in QEMU, and what their records say about time."""

from dataclasses import dataclass

from okramlib import EXIT_PASS, Trouble
from okramlib.run import run
from okramlib.units import GIB


@dataclass(frozen=True)
class Pass:
    """Seconds by okram's own clock, which starts at kernel entry.

    warm: of the second pass. In the first the host of a virtual machine still has to find the
    memory, which takes it longer than a test, and takes it a different time every time.
    """

    test_seconds: float  # of the first pass's tests alone, added up
    warm_seconds: float
    first_sweep_seconds: float  # when the first test began
    result_seconds: float  # from kernel entry to the end of the first pass
    seconds_per_gib: float  # test_seconds for each GiB that was tested
    warm_seconds_per_gib: float


def pass_of(outcome):
    """The figures of a run of two passes. Trouble when it did not end well: it measured nothing."""
    if outcome.trouble or outcome.exit_code != EXIT_PASS:
        raise Trouble(outcome.trouble or "okram found holes in a machine that has none.")
    tests, result = outcome.of_type("test"), outcome.last("result")
    if not tests or not result["tested_bytes"]:
        raise Trouble("okram has tested nothing.")
    if result["passes"] != 2:
        raise Trouble("okram was stopped before the end of its second pass.")
    first, second = (
        [test for test in tests if test["pass"] == number] for number in (1, 2)
    )
    gib = result["tested_bytes"] / GIB
    return Pass(
        test_seconds=_seconds(first),
        warm_seconds=_seconds(second),
        first_sweep_seconds=tests[0]["t"] - tests[0]["seconds"],
        result_seconds=first[-1]["t"],
        seconds_per_gib=_seconds(first) / gib,
        warm_seconds_per_gib=_seconds(second) / gib,
    )


def _seconds(tests):
    return sum(test["seconds"] for test in tests)


def run_pass(machine, timeout):
    return pass_of(run(machine, timeout=timeout))
