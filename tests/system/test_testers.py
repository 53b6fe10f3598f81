# SPDX-License-Identifier: MIT
"""A cut of `make bench-testers`: one fault, and testers that never show anything or never end."""

import argparse

import pytest

from okramlib import BUILD, version
from okramlib.units import GIB
from testers import faults, released, run, table, trial
from testers.memtest86 import Image

MEMTEST86 = BUILD / "testers" / "memtest86+-8.10.bin"
STUCK = 76  # a stuck cell at 112 MiB: neither Linux nor what it is unpacked from is there

pytestmark = pytest.mark.skipif(not MEMTEST86.exists(), reason="make testers-build was not run")


def arguments(results, testers, **more):
    given = {"hours": 1, "faults": str(STUCK), "image": [], "limit": 900.0, "alone": 900.0}
    given |= {"group": 48, "again": False, **more}
    return argparse.Namespace(results=results, testers=testers, **given)


def test_a_stuck_cell(tmp_path):
    """All of them find it, and a second call has nothing to do."""
    results = tmp_path / "results.jsonl"
    testers = "okram-quick,memtest86+-8.10,memtester-4.7.1,stressapptest-1.0.11"
    assert run.run_all(arguments(results, testers)) == 4
    rows = run.read_results(results)
    assert {name: row["end"] for (_, name), row in rows.items()} == dict.fromkeys(
        testers.split(","), "found"
    )
    pages = {name: row["page"] for (_, name), row in rows.items()}
    assert pages.pop("memtester-4.7.1") == "untold" and set(pages.values()) == {"right"}
    assert all(row["writes"] > 0 for row in rows.values())
    assert run.run_all(arguments(results, testers)) == 0
    assert "| memtester 4.7.1, one loop | 4.7.1 | 229 | 1 | 1 |" in table.tables(rows, "testers")
    assert table.plot(rows, table.WRITES).startswith("<svg ")


def test_the_plugin_sees_where_memtest86_maps_memory_above_4_gib():
    drawn = faults.Drawn(1, "stuck", "stuck1", "above 4 GiB", 4 * GIB + 0x1234567, 3, ("", 0), 0)
    row = trial.run_trial(run.TESTERS["memtest86+-6.10"], drawn, 100)
    assert (row["end"], row["page"], row["given_up"]) == ("found", "right", None)


def test_a_fault_at_the_end_of_a_node_and_one_in_page_tables():
    for place in (faults.ENDS, faults.TABLES):
        drawn = next(one for one in released.every() if one.place == place)
        row = trial.run_trial(run.TESTERS["okram-quick"], drawn, 100)
        assert (row["end"], row["page"], row["release"]) == ("found", "right", version())


def test_an_image_that_shows_nothing(monkeypatch):
    monkeypatch.setattr(trial, "START_LIMIT_S", 10)
    image = Image("okram's own", BUILD / "okram.iso")
    row = trial.run_trial(image, faults.draw()[STUCK - 1], 100)
    assert (row["end"], row["why"]) == ("silent", "no sign of a test in 10 s")


def test_a_tester_that_does_not_end():
    row = trial.run_trial(run.TESTERS["memtest86+-8.10"], None, 5)
    assert (row["end"], row["fault"], row["page"]) == ("limit", 0, None)
    assert 5 <= row["cpu_s"] < 30
