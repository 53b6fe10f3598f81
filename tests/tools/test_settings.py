# SPDX-License-Identifier: MIT
"""Runs of different settings: their names, and whether their errors and starts differ."""

import numpy as np
import pytest

from okramlib import compare, outcome, settings, ttest

TB = 10**12
XMP = {"kind": "xmp", "mt_s": 6000, "timings": {"cl": 30, "rcd": 38, "rp": 38, "ras": 96}}
RUNNING = {"mt_s": 6000, "cl": 30, "rcd": 38, "rp": 38, "ras": 96, "command_rate": 2}


def module(**fields):
    return {"kind": "DDR5", "running": None, "configured_mt_s": None, "profiles": []} | fields


@pytest.mark.parametrize(
    ("modules", "name"),
    [
        ([], "?"),
        ([module()], "?"),
        ([{"configured_mt_s": 2933}], "2933 MT/s"),
        ([module(configured_mt_s=4800, setting="jedec")], "DDR5 4800 MT/s JEDEC"),
        ([module(configured_mt_s=4800, setting="below-profile")], "DDR5 4800 MT/s JEDEC"),
        ([module(configured_mt_s=6400, setting="overclock")], "DDR5 6400 MT/s overclock"),
        (
            [module(running=RUNNING, setting="overclock", profiles=[XMP], configured_mv=1350)] * 2,
            "DDR5 6000 MT/s 30-38-38-96 2T XMP 1.35 V",
        ),
        (
            [module(running=RUNNING | {"cl": 28}, setting="overclock", profiles=[XMP])],
            "DDR5 6000 MT/s 28-38-38-96 2T overclock",
        ),
        (
            [module(configured_mt_s=4800), module(configured_mt_s=5600)],
            "DDR5 4800 MT/s, DDR5 5600 MT/s",
        ),
    ],
)
def test_names(modules, name):
    assert settings.name({"module": modules}) == name


def test_known_limits():
    # By R: poisson.test(c(12, 3), c(10, 10)): 1.08 to 22.1; fisher.test of 3 and 12 of 20: 0.0079.
    low, high = ttest.rate_ratio(3, 10 * TB, 12, 10 * TB)
    assert (low, high) == (pytest.approx(1.076, abs=1e-2), pytest.approx(22.09, abs=0.1))
    assert ttest.rate_ratio(0, TB, 20, TB)[1] == float("inf")
    assert ttest.rate_ratio(20, TB, 0, TB)[0] == 0
    assert ttest.part_p(3, 20, 12, 20) == pytest.approx(0.0079, abs=1e-4)


def test_the_limits_hold():
    """Of two runs with rates of 1 to 3; one has moved twice as much."""
    chance = np.random.default_rng(63)
    pairs = zip(chance.poisson(8, 400), chance.poisson(48, 400), strict=True)
    limits = [ttest.rate_ratio(int(a), TB, int(b), 2 * TB) for a, b in pairs if a + b]
    assert sum(low <= 3 <= high for low, high in limits) >= 0.95 * len(limits)


def run(mt_s, errors, tb=1, **cycles):
    rate = {"errors": errors, "moved_bytes": tb * TB, "per_tb": errors / tb}
    rate |= {"low": errors / 2, "high": errors * 2 + 3.0, "first_s": 95 if errors else None}
    types = {"module": [module(configured_mt_s=mt_s)], "result": [{"stability": rate}]}
    return types | ({"cycles": [cycles]} if cycles else {})


def starts(with_errors, **more):
    return {"starts": 20, "lost": 0, "low": 0.03, "high": 0.38, "with_errors": with_errors} | more


def test_three_settings():
    runs = [
        run(6000, 0, 4, **starts(3)),
        run(6200, 5, **starts(3, lost=1)),
        run(6400, 30, **starts(18, cold=True)),
    ]
    rates, of_starts = settings.tables(runs, ["a.jsonl", "b.jsonl", "c.jsonl"])
    assert [row[-1] for row in rates.rows] == [f"DDR5 {n} MT/s" for n in (6000, 6200, 6400)]
    assert [row[1:6] for row in rates.rows] == [
        ["0", "4.00 TB", "", "0", "at most 3.00"],
        ["5", "1.00 TB", "1:35", "5.00", "2.50 to 13.0"],
        ["30", "1.00 TB", "1:35", "30.0", "15.0 to 63.0"],
    ]
    assert rates.columns[6] == of_starts.columns[5] == "<beside a"
    beside = [row[6] for row in rates.rows]
    assert beside[0] == "" and beside[1] == "3.67 times or more, p = 0.00032"
    assert [row[1] for row in of_starts.rows] == ["20", "20", "20 cold"]
    assert [row[4] for row in of_starts.rows] == ["0", "1", "0"]
    assert [row[5] for row in of_starts.rows] == ["", "p = 1", "p = 3.4e-06"]


def test_settings_that_are_the_same_or_not_known():
    both = [run(6000, 0), run(6000, 0)]
    (rates,) = settings.tables(both, ["a", "b"])
    assert [row[-1] for row in rates.rows] == ["a: DDR5 6000 MT/s", "b: DDR5 6000 MT/s"]
    assert rates.rows[1][6] == "no errors in either"
    assert [row[-1] for row in next(settings.tables([run(None, 1)] * 2, "xy")).rows] == [
        "x: ?",
        "y: ?",
    ]


def test_beside_the_first_run_that_has_the_number():
    none = {"module": [module(configured_mt_s=6000)], "result": [{}]}
    runs = [none, run(6200, 1, 2, **starts(0)), run(6400, 30, **starts(20))]
    rates, of_starts = settings.tables(runs, "xyz")
    assert rates.columns[6] == of_starts.columns[5] == "<beside b"
    assert "Beside b: the rate as a multiple of b's" in rates.notes[0]
    assert [row[0] for row in rates.rows] == ["b", "c"] and rates.rows[0][6] == ""
    assert [row[3] for row in of_starts.rows] == ["at most 38.0 %", "at least 3.0 %"]


ALWAYS = {"retest": [{"page": "0x1000", "tries": 8, "failed": 8}]}
SOMETIMES = {"retest": [{"page": "0x1000", "tries": n, "failed": m} for n, m in ((8, 7), (3, 3))]}


def test_a_page_that_is_always_bad_has_no_rate():
    """Nor is another run compared with it."""
    stuck = run(6000, 18) | ALWAYS
    (rates,) = settings.tables([stuck, run(6200, 3), run(6400, 9) | SOMETIMES], "abc")
    assert rates.columns[6] == "<beside b" and settings.NO_RATE_NOTE in rates.notes
    assert [row[4:7] for row in rates.rows[:2]] == [
        ["", "no rate", ""],
        ["3.00", "1.50 to 9.00", ""],
    ]
    assert "p = " in rates.rows[2][6]
    (rates,) = settings.tables([stuck, stuck], "ab")
    assert [row[6] for row in rates.rows] == ["", ""]
    assert "p = " not in compare.summary(stuck, run(6200, 3))
    assert compare.rows(stuck, run(6200, 3)) == []
    said = outcome.stability(stuck)
    assert said == (
        "Stability at DDR5 6000 MT/s: 18 errors in 1.00 TB, but no rate: a page was bad each time"
        " that it was tested again."
    )
    assert "per TB" in outcome.stability(stuck | SOMETIMES)


def test_runs_without_such_numbers():
    assert list(settings.tables([run(6000, 0), {}], "ab")) == []
