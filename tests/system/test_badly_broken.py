# SPDX-License-Identifier: MIT
"""Much of memory is bad: a pass takes little longer, and the line comes soon after it.

Seconds are okram's own, of machines that have as many faults, so that what the plugin costs is in
all of them. A clean one has them in memory that is not tested.
"""

from statistics import median

import pytest

from okramlib import spec
from okramlib.units import MIB, PAGE
from system.harness import follow, from_image

TIMES = 3
SLOWER_MAX = 3
LINE_WITHIN_S = 10

# Every page of half of memory: GRUB has its heap at the end, and okram is loaded below.
FIRST, HALF = 64 * MIB, 160 * MIB
N_PAGES = HALF // PAGE
ALL_BAD = f"holes@{FIRST:#x}+{PAGE:#x}*{N_PAGES}.3"

# Every other page of most of memory: nowhere there is a run of two good ones.
EVERY_OTHER = f"holes@{FIRST // 2:#x}+{2 * PAGE:#x}*{N_PAGES * 3 // 4}.3"


def boot(faults, extra=0, options=""):
    machine = from_image(
        "computed",
        memory=2 * HALF + extra,
        faults=faults,
        cmdline=f"tests=quick bandwidth=off {options}",
    )
    outcome = follow(machine)
    assert outcome.of_type("test")
    return outcome


def bad(faults):
    return boot(faults)


def clean():
    """The same tests over as much memory; the faults are between its parts."""
    parts = f"range=0-{FIRST},{FIRST + HALF}-{3 * HALF}"
    outcome = boot(ALL_BAD, extra=HALF, options=parts)
    assert not any(test["faults"] for test in outcome.of_type("test"))
    return outcome


def pass_seconds(outcome):
    """From when the machine is known to when its last test has ended, cover and all."""
    return outcome.last("test")["t"] - outcome.last("machine")["t"]


def line_seconds(outcome):
    return outcome.last("badram")["t"] - outcome.last("test")["t"]


@pytest.mark.slow
@pytest.mark.parametrize("faults", [ALL_BAD, EVERY_OTHER], ids=["all of half", "every other page"])
def test_a_pass_takes_little_longer(faults):
    """One after the other in turn, so that a busy host favours neither."""
    pairs = [(bad(faults), clean()) for _ in range(TIMES)]
    broken, sound = zip(*pairs)
    for outcome in broken:
        assert outcome.last("result")["bad_pages"] == len(spec.parse(faults))
        assert outcome.last("result")["untested_bytes"] <= MIB
    seconds = median(map(pass_seconds, broken)), median(map(pass_seconds, sound))
    print(f"a pass {seconds[0]:.1f} s, a clean one {seconds[1]:.1f} s")
    assert seconds[0] <= SLOWER_MAX * seconds[1]
    waited = median(map(line_seconds, broken))
    print(f"the line {waited:.1f} s after the last test")
    assert waited <= LINE_WITHIN_S
