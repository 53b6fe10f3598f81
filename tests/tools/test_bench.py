"""What the benchmarks make of screens and records, without running anything."""

from argparse import Namespace
from pathlib import Path

import pytest

from bench import memtest86, pass_bench, tables
from bench.memtest86 import Clock, Screen, parse, text_of
from bench.okram_pass import pass_of
from okramlib import EXIT_HOLES, EXIT_PASS, Trouble
from okramlib.run import Outcome
from okramlib.units import GIB, MIB

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


def test_second_pass_is_not_taken_for_the_first():
    clock = Clock()
    clock.see(screen(0), 0.0)
    with pytest.raises(Trouble, match="second pass"):
        clock.see(screen(0, passes=1), 9.0)


def test_image_is_where_the_set_up_looks_for_it(request):
    assert str(memtest86.IMAGE) in (request.config.rootpath / "tools" / "setup").read_text()


def test_without_memtest86_it_is_said(monkeypatch):
    monkeypatch.setattr(memtest86, "IMAGE", Path("/nonexistent/memtest86+.iso"))
    notes = []
    assert pass_bench.measure_memtest86(Namespace(memtest86_runs=1), notes) == []
    assert len(notes) == 1 and "memtest86+ is not installed" in notes[0]


def test_memory_the_host_has_not_is_left_out():
    notes = []
    assert pass_bench.measure_sizes(Namespace(runs=1, sizes=[1 << 50]), notes) == []
    assert notes == ["1024 TiB is left out: the host has not that much free."]


def outcome(exit_code=EXIT_PASS, trouble="", tested=GIB // 2, passes=2):
    return Outcome(
        exit_code,
        trouble,
        [
            {"t": 1.75, "type": "test", "pass": 1, "seconds": 1.5},
            {"t": 4.25, "type": "test", "pass": 1, "seconds": 2.5},
            {"t": 5.25, "type": "test", "pass": 2, "seconds": 1.0},
            {"t": 6.75, "type": "test", "pass": 2, "seconds": 1.5},
            {"t": 7.0, "type": "result", "tested_bytes": tested, "passes": passes},
        ],
    )


def test_times_of_a_pass():
    done = pass_of(outcome())
    assert (done.test_seconds, done.first_sweep_seconds, done.result_seconds) == (4.0, 0.25, 4.25)
    assert done.seconds_per_gib == 8.0
    assert (done.warm_seconds, done.warm_seconds_per_gib) == (2.5, 5.0)


@pytest.mark.parametrize(
    "bad, why",
    [
        (outcome(trouble="The machine died."), "died"),
        (outcome(exit_code=EXIT_HOLES), "holes"),
        (outcome(tested=0), "nothing"),
        (outcome(passes=1), "stopped"),
        (Outcome(EXIT_PASS, "", outcome().records[4:]), "nothing"),
    ],
)
def test_a_bad_pass_measures_nothing(bad, why):
    with pytest.raises(Trouble, match=why):
        pass_of(bad)


def passes(seconds, gib=0.5, first=0.25):
    return [
        {
            "test_seconds": s,
            "warm_seconds": s - 1,
            "first_sweep_seconds": first,
            "result_seconds": s + 0.5,
            "seconds_per_gib": s / gib,
            "warm_seconds_per_gib": s / 2 / gib,
            "host_cpus_used": 1.75,
        }
        for s in seconds
    ]


@pytest.fixture
def results():
    return {
        "okram": "0.1.0",
        "qemu": "7.2",
        "host_cpus": 2,
        "load_before": 0.5,
        "load_after": 2.25,
        "memory": 512 * MIB,
        "cpus": [
            {"cpus": 1, "passes": passes([9.0, 9.5, 30.0])},
            {"cpus": 2, "passes": passes([5.0, 4.5, 6.0])},
        ],
        "memtest86": [
            {
                "version": "6.10",
                "cpus": 2,
                "mode": "in parallel",
                "errors": 0,
                "seconds": 110.0,
                "host_cpus_used": 1.5,
            }
        ],
        "size_tests": "quick",
        "sizes": [
            {"memory": 512 * MIB, "passes": passes([1.0, 1.0, 2.0])},
            {"memory": 4 * GIB, "passes": passes([8.4, 8.4, 8.4], gib=4, first=0.5)},
        ],
        "notes": ["12 GiB is left out: the host has not that much free."],
    }


def test_medians_are_compared(results):
    assert tables.speed_up(results, "test_seconds") == 1.9
    assert tables.sizes_apart_percent(results, "seconds_per_gib") == pytest.approx(5.0)
    text = tables.of(results)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "okram, standard: its tests 5.00 s (4.50-6.00, 3)" in lines
    assert "memtest86+ 6.10, first pass 110.00 s (110.00-110.00, 1)" in lines
    assert "host CPUs that QEMU had 1.75 (1.75-1.75, 3)" in lines
    assert "host CPUs that QEMU had 1.50 (1.50-1.50, 1)" in lines
    assert "memtest86+ / okram's tests 22.0" in lines
    assert "memtest86+ / okram, entry to result 20.0 wanted: at least 8" in lines
    at = lines.index("speed-up 1.90")
    assert lines[at + 1] == "the second pass 2.12 wanted: at least 1.8"
    at = lines.index("furthest apart 5.0 %")
    assert lines[at + 1] == "the second pass 5.0 % wanted: within 10 %"
    start = "kernel entry to first sweep, 4 GiB 0.50 s (0.50-0.50, 3) wanted: under 1 s"
    assert start in lines
    assert "load average 0.50 before, 2.25 after" in text
    assert lines[-1] == "Note: 12 GiB is left out: the host has not that much free."


def test_without_memtest86_and_sizes(results):
    results["memtest86"] = results["sizes"] = []
    text = tables.of(results)
    assert "okram, standard" in text and "memtest86+" not in text and "GiB  " not in text
