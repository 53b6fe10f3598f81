# SPDX-License-Identifier: MIT
"""Two runs side by side: what differs, by how much, and whether that is significant."""

import numpy as np
import pytest

from okramlib import compare, measured, ttest
from okramlib.compare import HIGHER, LOWER, UNKNOWN, WITHIN, Row, Value
from okramlib.ttest import welch_p
from tools.sample_runs import make_run

NAMES = ("a.jsonl", "b.jsonl")


def types(**how):
    return measured.by_type(make_run(**how))


def row(a, b):
    return Row("group", "what", "at", Value("MB/s", *a), Value("MB/s", *b))


# Two-sided probabilities of Student's t from published tables: (degrees of freedom, t, p).
@pytest.mark.parametrize(
    "freedom, t, p",
    [
        (1, 12.706, 0.05),
        (1, 63.657, 0.01),
        (2, 4.303, 0.05),
        (5, 4.032, 0.01),
        (10, 2.228, 0.05),
        (10, 3.169, 0.01),
        (30, 2.750, 0.01),
        (120, 2.617, 0.01),
    ],
)
def test_t_distribution(freedom, t, p):
    """One row without spread: Welch's degrees of freedom are the other's alone."""
    n = freedom + 1
    assert welch_p(t, n**0.5, n, 0, 0, 2) == pytest.approx(p, rel=2e-3)


def test_welch_has_closed_forms():
    """Of 2 degrees of freedom: p = 1 - t / sqrt(2 + t^2)."""
    for t in (0.1, 1, 3, 50):
        assert welch_p(t, 1, 2, 0, 1, 2) == pytest.approx(1 - t / (2 + t * t) ** 0.5, rel=1e-9)


def test_welch_at_its_edges():
    assert welch_p(5, 0, 3, 5, 0, 3) == 1
    assert welch_p(5, 0, 3, 6, 0, 3) == 0
    assert welch_p(5, 1, 3, 5, 1, 3) == pytest.approx(1)
    assert welch_p(0, 1, 20, 1e9, 1, 20) < 1e-12
    assert welch_p(3, 1, 8, 4, 2, 5) == pytest.approx(welch_p(4, 2, 5, 3, 1, 8))
    assert 0 < welch_p(100, 1e-200, 5, 100, 2e-200, 5) <= 1


@pytest.mark.parametrize(
    "a, b, beyond",
    [
        ((100, 1, 20), (102, 1, 20), HIGHER),
        ((100, 1, 20), (98, 1, 20), LOWER),
        ((100, 1, 20), (100.5, 1, 20), WITHIN),
        ((100, 10, 20), (102, 10, 20), WITHIN),
        ((100, 1, 2), (102, 1, 2), WITHIN),
        ((100, 0, 5), (100, 0, 5), WITHIN),
        ((100, 0, 5), (100.1, 0, 5), HIGHER),
        ((100, None, 1), (200, 0, 20), UNKNOWN),
        ((100, 1, 20), (200, None, None), UNKNOWN),
    ],
)
def test_significant(a, b, beyond):
    assert row(a, b).significant() == beyond


def test_both_sides_of_the_limit():
    """20 runs each, equal spread: 38 degrees of freedom, t = 2.7116 is p = 0.01."""
    error = (2 / 20) ** 0.5
    assert row((100, 1, 20), (100 + 2.70 * error, 1, 20)).significant() == WITHIN
    assert row((100, 1, 20), (100 + 2.72 * error, 1, 20)).significant() == HIGHER


def test_difference():
    assert row((200, 1, 5), (150, 1, 5)).difference_percent() == -25
    assert row((0, 0, 5), (150, 1, 5)).difference_percent() is None


def test_one_operation_that_is_faster_is_found_and_no_other():
    found = compare.rows(types(seed=1), types(seed=2, faster={"triad": 1.05}))
    known = [r for r in found if r.significant() != UNKNOWN]
    triad = [r for r in known if r.what == "triad"]
    others = [r for r in known if r.what != "triad"]
    assert len(triad) == 4 * 4 * 2 + 32 * 2 and len(others) > 200
    assert all(r.significant() == HIGHER for r in triad)
    # By chance one of a hundred; four times as many has a probability of below 1e-4.
    assert sum(r.significant() != WITHIN for r in others) < 0.04 * len(others)


def test_a_run_beside_itself():
    same = types()
    assert {r.significant() for r in compare.rows(same, same)} == {WITHIN}
    assert compare.only_in_one(same, same) == ([], [])
    assert "0 higher and 0 lower" in compare.summary(same, same)


def test_everything_is_tested():
    """Nothing is without a spread but what was measured once, and older latencies."""
    found = compare.rows(types(), types(seed=2, speed=0.9))
    assert {r.significant() for r in found if r.a.unit == "ns"} == {HIGHER}
    assert {r.significant() for r in found if r.a.unit == "MB/s"} == {LOWER}
    assert {r.significant() for r in compare.rows(types(runs=1), types())} == {UNKNOWN}


def places_of(threads):
    """What the threads of 32 CPUs, two of a core, run on."""
    siblings = max(0, threads - 16)
    cores = f"{threads - siblings} core{'s' * (threads > 1)}"
    return cores + (f" + {siblings} sibling{'s' * (siblings > 1)}" if siblings else "")


def test_interleaving_on_and_off():
    """4 nodes of 8 CPUs against 1 of 32: scaling compares; what cannot is named."""
    off, on = types(nodes=4), types(nodes=1, cpus_per_node=32)
    found = compare.rows(off, on)
    places = {(r.what, r.at) for r in found if r.group == "Scaling"}
    assert places == {
        (op, f"{order}, {n} CPU{'s' * (n > 1)} ({places_of(n)})")
        for op in ("triad", "read")
        for order in ("fill", "spread")
        for n in range(1, 33)
    }
    only_off, only_on = compare.only_in_one(off, on)
    assert ("Bandwidth between nodes", "read", "node 2 to 3, 8 CPUs") in only_off
    assert ("Bandwidth between nodes", "read", "node 0 to 0, 32 CPUs") in only_on
    last = list(compare.tables([off, on], NAMES, 3))[-1]
    assert any("and 28 more" in line[-1] for line in last.rows)
    whole = list(compare.tables([off, on], NAMES))[-1]
    assert "more" not in str(whole.rows) and "node 2 to 3, 8 CPUs" in str(whole.rows)


def test_older_reports_do_not_say_what_threads_run_on():
    old = types(nodes=1)
    for row in old["bandwidth"]:
        for field in ("cores", "efficient_cores", "siblings"):
            row.pop(field, None)
    scaling = [row.at for row in compare.rows(old, types(nodes=1)) if row.group == "Scaling"]
    assert "fill, 4 CPUs" in scaling and not any("core" in at for at in scaling)


def test_the_other_way_round_changes_the_sign():
    a, b = types(seed=1), types(seed=2, speed=1.5)
    there, back = (compare.rows(*pair) for pair in ((a, b), (b, a)))
    assert len(there) == len(back)
    for one, other in zip(there, back, strict=True):
        assert (one.significant() == HIGHER) == (other.significant() == LOWER)


def test_nothing_in_common():
    bare = types(bandwidth=False)
    assert "no measurement in common" in compare.summary(bare, types())
    assert compare.rows(bare, types()) == []


def test_latency_over_another_size_is_said():
    a, b = types(nodes=2), types(nodes=2)
    for record in b["latency"]:
        if record["size_bytes"] == 256 << 20:
            record["size_bytes"] = 1 << 30
    table = next(
        t for t in compare.tables([a, b], NAMES) if t.title == "Idle latency between nodes"
    )
    assert table.notes == ("Not measured over the same size: 256 MiB in a, 1 GiB in b.",)


def stability(errors, moved_bytes):
    rate = {"moved_bytes": moved_bytes, "errors": errors, "per_tb": errors / moved_bytes * 1e12}
    return {
        "result": [{"type": "result", "stability": {**rate, "low": 0, "high": 9, "first_s": None}}]
    }


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ((0, 10**12), (3, 10**12), WITHIN),  # p = 0.25
        ((0, 10**12), (8, 10**12), HIGHER),  # p = 0.0078
        ((40, 10**12), (40, 4 * 10**12), LOWER),
        ((40, 10**12), (160, 4 * 10**12), WITHIN),
        ((0, 10**12), (0, 10**13), WITHIN),
    ],
)
def test_rates_of_errors(a, b, says):
    (row,) = compare.rows(stability(*a), stability(*b))
    assert row.group == "Stability" and row.significant() == says
    assert compare.summary(stability(*a), stability(*b)).endswith(" would).")


def test_equal_rates_are_rarely_called_different():
    """Of runs with the same rate 1 % or less, as the test is exact."""
    random = np.random.default_rng(7)
    for mean in (0.3, 3, 30):
        runs = random.poisson(mean, (500, 2))
        wrong = sum(ttest.rate_p(int(a), 10**12, int(b), 10**12) < compare.P_LIMIT for a, b in runs)
        assert wrong <= 12, mean


def test_what_memory_runs_at():
    running = {
        "mt_s": 5600,
        "cl": 46,
        "rcd": 45,
        "rp": 45,
        "ras": None,
        "command_rate": 2,
        "gear": 1,
    }
    types = {
        "module": [
            {"type": "module", "running": running},
            {"type": "module", "running": None, "configured_mt_s": 3200},
            {"type": "module", "running": None, "configured_mt_s": None},
        ]
    }
    what = next(compare.tables([types, {}], ("x", "y")))
    assert [row[6] for row in what.rows] == ["5600 MT/s 46-45-45-? 2T, 3200 MT/s", "?"]
