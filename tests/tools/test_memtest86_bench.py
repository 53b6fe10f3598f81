# SPDX-License-Identifier: MIT
"""memtest86+'s screens, recorded, and its passes by them."""

import pytest

from bench import memtest86
from bench.memtest86 import Clock, Screen, parse, text_of
from okramlib import Trouble

# Recorded from Debian's memtest86+ 6.10-4 on the benchmark's machine.
STARTING = """\
      Memtest86+ v6.10      │ QEMU TCG CPU version 2.5+
CLK/Temp: 2314MHz           │ Pass   %
L1 Cache:   64KB  4.76 GB/s │ Test   %
L2 Cache:  512KB   261 MB/s │ Test #
L3 Cache:   16MB   293 MB/s │ Testing:
Memory  :  511MB   348 MB/s │ Pattern:
────────────────────────────┴─────────────┬─────────────────────────────────────
CPU:                      SMP: N/A        │ Time:           Status: Init.
Using:                                    │ Pass:           Errors:
──────────────────────────────────────────┴─────────────────────────────────────
"""
TESTING = """\
      Memtest86+ v6.10      │ QEMU TCG CPU version 2.5+
CLK/Temp: 2303MHz           │ Pass 39% ###############
L1 Cache:   64KB  3.21 GB/s │ Test 68% ###########################
L2 Cache:  512KB   223 MB/s │ Test #6  [Moving inversions, 64 bit pattern]
L3 Cache:   16MB   195 MB/s │ Testing: 4MB - 511MB [507MB of 511MB]
Memory  :  511MB   200 MB/s │ Pattern: 0x0000000000000010
────────────────────────────┴─────────────┬─────────────────────────────────────
CPU: 2 Cores 2 Threads    SMP: 2T (PAR)   │ Time:  0:01:30  Status: Testing  \\
Using: All Cores                          │ Pass:  0        Errors: 0
──────────────────────────────────────────┴─────────────────────────────────────
"""
TITLE = "[Moving inversions, 64 bit pattern]"


def parsed(text):
    return parse(text.splitlines())


def test_screen_memory_is_read():
    lines = TESTING.splitlines()
    lines += [""] * (25 - len(lines))
    screen = "".join(line.ljust(80) for line in lines).encode("cp437")
    assert text_of(b"".join(bytes([char, 0x17]) for char in screen)) == lines


def test_screen_of_a_test():
    assert parsed(TESTING) == Screen("6.10", 6, TITLE[1:-1], 0, 0, 2, "in parallel")


def test_no_test_runs():
    assert parsed("") is None
    assert parsed(STARTING) is None
    assert parsed("SeaBIOS (version 1.16.2-debian-1.16.2-1)\nLoading Memtest86+......") is None


@pytest.mark.parametrize(
    "whole, part",
    [
        (f"6  {TITLE}", ""),
        (f"6  {TITLE}", "6"),
        (f"6  {TITLE}", "6  [Moving inver"),
        ("Pass:  0", "Pass:   "),
        ("Errors: 0", "Errors:  "),
    ],
)
def test_what_is_being_drawn_is_no_screen(whole, part):
    assert whole in TESTING
    assert parsed(TESTING.replace(whole, part)) is None


@pytest.mark.parametrize(
    "shown, cpus, mode",
    [
        ("SMP: 2T (SEQ)", 2, "one after the other"),
        ("SMP: 16T (RR )", 16, "in turns"),
        ("SMP: Disabled", 1, "alone"),
    ],
)
def test_modes(shown, cpus, mode):
    screen = parsed(TESTING.replace("SMP: 2T (PAR)", shown))
    assert (screen.cpus, screen.mode) == (cpus, mode)


def test_counts_of_more_digits():
    screen = parsed(
        TESTING.replace("#6  [Moving inversions, 64 bit", "#10 [Bit fade test, 2")
        .replace("Pass:  0", "Pass:  12")
        .replace("Errors: 0", "Errors: 345")
    )
    assert (screen.test, screen.passes, screen.errors) == (10, 12, 345)
    assert screen.is_bit_fade and not parsed(TESTING).is_bit_fade


def screen(test, title="a test", passes=0, errors=0):
    return Screen("6.10", test, title, passes, errors, 2, "in parallel")


def test_pass_ends_where_bit_fade_begins():
    clock = Clock()
    assert not clock.has_begun and not clock.is_complete
    assert clock.see(screen(0), 10.0)
    assert not clock.see(screen(0, errors=1), 12.0)
    assert clock.see(screen(1, "b test", errors=1), 13.0)
    assert clock.has_begun and not clock.is_complete
    assert clock.see(screen(2, "Bit fade test, 2 patterns", errors=1), 20.5)
    assert clock.is_complete
    done = clock.first_pass()
    assert done.seconds == 10.5 and done.errors == 1
    assert done.tests == [(0, "a test", 3.0), (1, "b test", 7.5)]
    assert done.sweeps is None  # not counted


# The first may be over before it is seen.
@pytest.mark.parametrize("unseen", [0, 1])
def test_sweeps_of_the_first_pass(unseen):
    titles = list(memtest86.SWEEPS)[unseen:]
    assert TITLE[1:-1] in titles
    clock = Clock()
    for second, title in enumerate([*titles, "Bit fade test, 2 patterns"]):
        clock.see(screen(second, title), float(second))
    assert clock.first_pass().sweeps == 1130 - 4  # of memtest86+ 8.10, without those of bit fade


def test_second_pass_is_not_taken_for_the_first():
    clock = Clock()
    clock.see(screen(0), 0.0)
    with pytest.raises(Trouble, match="second pass"):
        clock.see(screen(0, passes=1), 9.0)


def test_image_is_where_the_set_up_looks_for_it(request):
    assert str(memtest86.IMAGE) in (request.config.rootpath / "tools" / "setup").read_text()
