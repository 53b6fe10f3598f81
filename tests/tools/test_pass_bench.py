# SPDX-License-Identifier: MIT
"""Times of passes by their records, and the tables of them, without a run."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import memtest86, pass_bench, tables
from bench.okram_pass import pass_of
from bench.pass_bench import Series, in_turns
from okramlib import EXIT_BAD_PAGES, EXIT_PASS, Trouble
from okramlib.run import Outcome
from okramlib.units import GIB, MIB


@pytest.mark.parametrize("wanted, n_notes", [(1, 1), (0, 0)])
def test_without_memtest86_it_is_said(monkeypatch, wanted, n_notes):
    monkeypatch.setattr(memtest86, "IMAGE", Path("/nonexistent/memtest86+.iso"))
    notes = []
    arguments = Namespace(memtest86_runs=wanted, timeout=1)
    assert pass_bench.memtest86_series(arguments, notes).n_wanted == 0
    assert len(notes) == n_notes
    assert all("memtest86+ is not installed" in note for note in notes)


@dataclass
class Ran:
    seconds: float


def test_runs_are_done_in_turns():
    done = []

    def series(name, n_wanted):
        return Series(name, lambda: done.append(name) or Ran(len(done)), n_wanted)

    one, two, none = series("one", 3), series("two", 1), series("none", 0)
    in_turns([one, two, none])
    assert done == ["one", "two", "one", "one"]
    assert [run["seconds"] for run in one.runs] == [1, 3, 4]
    assert [run["seconds"] for run in two.runs] == [2] and none.runs == []
    assert all(run["host_cpus_used"] >= 0 for run in one.runs)
    in_turns([])


def test_memory_the_host_has_not_is_left_out():
    notes = []
    assert pass_bench.measure_sizes(Namespace(runs=1, sizes=[1 << 50]), notes) == []
    assert notes == ["1 PiB is left out: the host has not that much free."]


def record(t, number, name, seconds, swept):
    times = {"t": t, "pass": number, "seconds": seconds}
    return {"type": "test", "test": name, "swept_bytes": swept, **times}


def outcome(exit_code=EXIT_PASS, trouble="", tested=GIB // 2, passes=2):
    return Outcome(
        exit_code,
        trouble,
        [
            record(1.75, 1, "address", 1.5, 2 * GIB),
            record(4.25, 1, "retention", 2.5, GIB),
            record(4.75, 1, "random", 0.5, 3 * GIB),
            record(5.75, 2, "address", 1.0, 2 * GIB),
            record(7.75, 2, "retention", 2.0, GIB),
            record(8.0, 2, "random", 0.25, 4 * GIB),
            {"t": 9.0, "type": "result", "tested_bytes": tested, "passes": passes},
        ],
    )


def test_times_of_a_pass():
    done = pass_of(outcome())
    assert (done.seconds, done.first_sweep_seconds, done.result_seconds) == (4.5, 0.25, 4.75)
    assert (done.seconds_per_gib, done.warm_seconds_per_gib) == (9.0, 6.5)


def test_later_passes_are_taken_together():
    more = outcome(passes=4)
    more.records[6:6] = [record(9, number, "address", s, GIB) for number, s in ((3, 2), (4, 9))]
    done = pass_of(more)
    assert (done.seconds, done.warm_seconds_per_gib) == (4.5, 6.5)
    assert done.warm_busy_seconds == 2


@pytest.mark.parametrize(
    "memory, ranges",
    [
        (320 * MIB, "0x4000000-0x14000000"),
        (4 * GIB, "0x4000000-0x80000000,0x100000000-0x180000000"),
    ],
)
def test_all_but_some_room_is_tested(memory, ranges):
    assert pass_bench.ranges_above(memory, pass_bench.ROOM) == ranges


@pytest.mark.parametrize("name", ["retention", "fade"])
def test_a_pass_without_what_waits(name):
    records = [
        {**record, "test": name} if record.get("test") == "retention" else record
        for record in outcome().records
    ]
    done = pass_of(Outcome(EXIT_PASS, "", records))
    assert (done.seconds, done.busy_seconds, done.warm_busy_seconds) == (4.5, 2.0, 1.25)
    assert (done.sweeps, done.busy_sweeps) == (12, 10)


def test_sweeps_are_of_what_was_tested():
    assert pass_of(outcome(tested=GIB)).sweeps == 6


def test_each_test_of_the_first_pass():
    tests = pass_of(outcome()).tests
    assert [test.name for test in tests] == ["address", "retention", "random"]
    assert [test.sweeps for test in tests] == [4, 2, 6]
    assert [test.seconds for test in tests] == [1.5, 2.5, 0.5]
    assert [round(test.mb_s) for test in tests] == [1432, 429, 6442]


def test_a_test_of_no_time_has_no_speed():
    records = [{**record, "seconds": 0} for record in outcome().records]
    assert [test.mb_s for test in pass_of(Outcome(EXIT_PASS, "", records)).tests] == [0, 0, 0]


@pytest.mark.parametrize(
    "bad, why",
    [
        (outcome(trouble="No result: QEMU ended."), "No result"),
        (outcome(exit_code=EXIT_BAD_PAGES), "bad pages"),
        (outcome(tested=0), "nothing"),
        (outcome(passes=1), "stopped"),
        (Outcome(EXIT_PASS, "", outcome().records[6:]), "nothing"),
    ],
)
def test_a_bad_pass_measures_nothing(bad, why):
    with pytest.raises(Trouble, match=why):
        pass_of(bad)


def passes(seconds, gib=0.5, first=0.25):
    return [
        {
            "tests": [
                {"name": "march-c-", "sweeps": 70.0, "seconds": s, "mb_s": 1000 * s},
                {"name": "retention", "sweeps": 4.0, "seconds": 4.0, "mb_s": 536.9},
            ],
            "sweeps": 74.0,
            "busy_sweeps": 70.0,
            "seconds": s + 4,
            "busy_seconds": s,
            "warm_busy_seconds": s - 1,
            "first_sweep_seconds": first,
            "result_seconds": s + 4.5,
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
        "quick": [{"seconds": s, "sweeps": 14.0, "host_cpus_used": 1.25} for s in (0.5, 1.0, 0.25)],
        "memtest86": [
            {
                "version": "6.10",
                "cpus": 2,
                "mode": "in parallel",
                "errors": 0,
                "seconds": 110.0,
                "sweeps": 1126,
                "host_cpus_used": 1.5,
            }
        ],
        "size_tests": "quick",
        "sizes": [
            {"memory": 512 * MIB, "passes": passes([1.0, 1.0, 2.0])},
            {"memory": 4 * GIB, "passes": passes([8.4, 8.4, 8.4], gib=4, first=0.5)},
        ],
        "ends_memory": 1024 * GIB,
        "ends": [
            {"name": "bottom", "passes": passes([2.0], gib=1, first=1.5)},
            {"name": "top", "passes": passes([2.1], gib=1, first=2.5)},
        ],
        "notes": ["12 GiB is left out: the host has not that much free."],
    }


def text_and_lines(results):
    text = tables.of(results)
    return text, [" ".join(line.split()) for line in text.splitlines()]


def part(lines, head):
    """The lines under a heading."""
    at = lines.index(head) + 1
    return lines[at : lines.index("", at)]


def test_medians_are_compared(results):
    assert tables.speed_up(results, "busy_seconds") == 1.9
    assert tables.sizes_apart_percent(results, "seconds_per_gib") == pytest.approx(5.0)
    text, lines = text_and_lines(results)
    assert part(lines, "A pass, 512 MiB, CPUs: 2") == [
        "okram, standard: its tests 9.00 s (8.50-10.00, 3)",
        "sweeps 74",
        "without retention 5.00 s (4.50-6.00, 3)",
        "sweeps 70",
        "okram, kernel entry to result 9.50 s (9.00-10.50, 3)",
        "host CPUs that QEMU had 1.75 (1.75-1.75, 3)",
        "memtest86+ 6.10, first pass 110.00 s (110.00-110.00, 1)",
        "sweeps 1126",
        "host CPUs that QEMU had 1.50 (1.50-1.50, 1)",
        "without bit fade; 2 CPUs in parallel; errors it counted: 0",
        "memtest86+ / okram without retention 22.0 wanted: at least 18",
        "memtest86+ / okram, entry to result 11.6 wanted: at least 10",
    ]
    at = lines.index("speed-up 1.90")
    assert lines[at + 1] == "later passes 2.12 wanted: at least 1.9"
    at = lines.index("furthest apart 5.0 %")
    assert lines[at + 1] == "later passes 5.0 % wanted: within 10 %"
    start = "kernel entry to first sweep, 4 GiB 0.50 s (0.50-0.50, 3) wanted: under 1 s"
    assert start in lines
    assert "load average 0.50 before, 2.25 after" in text
    assert lines[-1] == "Note: 12 GiB is left out: the host has not that much free."


# Of an even number of runs it is the faster one of the middle.
@pytest.mark.parametrize("seconds", [[5.0], [7.0, 5.0], [9.0, 1.0, 5.0]])
def test_tests_are_those_of_the_median_run(results, seconds):
    results["cpus"][-1]["passes"] = passes(seconds)
    _, lines = text_and_lines(results)
    assert part(lines, "Tests of a standard pass, 512 MiB, CPUs: 2: the median run") == [
        "sweeps seconds MB/s swept",
        "march-c- 70 5.00 5000",
        "retention 4 4.00 537",
        "all 74 9.00",
    ]


def test_equal_coverage(results):
    _, lines = text_and_lines(results)
    shown = part(lines, "Equal coverage, 512 MiB, CPUs: 2")
    assert [line for line in shown if line[-1].isdigit() or line.endswith(")")] == [
        "okram, quick 0.50 s (0.25-1.00, 3)",
        "sweeps 14",
        "host CPUs that QEMU had 1.25 (1.25-1.25, 3)",
        "memtest86+ 6.10, first pass 110.00 s (110.00-110.00, 1)",
        "sweeps 1126",
        "memtest86+ / okram 220.0",
        "okram, standard without retention 5.00 s (4.50-6.00, 3)",
        "sweeps 70",
    ]


def test_sweeps_not_counted(results):
    results["memtest86"][0]["sweeps"] = None
    _, lines = text_and_lines(results)
    assert lines.count("sweeps not counted") == 2


def test_ends_of_a_large_machine(results):
    _, lines = text_and_lines(results)
    assert part(lines, "The ends of 1 TiB, CPUs: 2, tests=quick") == [
        "bottom 2.00 s/GiB (2.00-2.00, 1)",
        "later passes 1.00 s/GiB (1.00-1.00, 1)",
        "top 2.10 s/GiB (2.10-2.10, 1)",
        "later passes 1.05 s/GiB (1.05-1.05, 1)",
        "apart, later passes 5.0 % wanted: within 10 %",
        "kernel entry to first sweep 2.00 s (1.50-2.50, 2) wanted: under 3 s",
    ]


@pytest.mark.parametrize("memory, end", [(GIB, GIB), (4 * GIB, 6 * GIB), (1024 * GIB, 1026 * GIB)])
def test_end_of_ram(memory, end):
    assert pass_bench.ram_end(memory) == end


def test_without_memtest86_and_sizes(results):
    results["memtest86"] = results["sizes"] = results["ends"] = []
    text, lines = text_and_lines(results)
    assert "okram, standard" in text and "GiB  " not in text
    assert "okram, quick 0.50 s (0.25-1.00, 3)" in lines
    assert not any(line.startswith(("memtest86+ /", "memtest86+ 6.10")) for line in lines)
