# SPDX-License-Identifier: MIT
"""The kinds that okram names for faults of known kinds are as docs/kinds.md has them."""

import math
import subprocess

import pytest
from kinds_table import DOCUMENT, shares, sure_ones, table_of, with_table

from okramlib import BUILD

BENCH = BUILD / "kinds" / "kinds_bench"


def bench(tmp_path, *options):
    table = tmp_path / "table"
    subprocess.run([BENCH, f"table={table}", *options], check=True, capture_output=True)
    return table.read_text()


def assert_close(found, documented, n):
    """Within four standard deviations of a share of n, and one fault."""
    for kind, names in documented.items():
        for name, share in names.items():
            limit = 4 * math.sqrt(max(share * (1 - share), 0.01) / n) + 1 / n
            assert abs(found[kind][name] - share) <= limit, (kind, name)


def test_some_faults_of_another_seed(tmp_path):
    found = bench(tmp_path, "faults=600", "seed=2")
    assert_close(shares(found), shares(table_of(DOCUMENT.read_text())), 60)
    assert sure_ones(found)["all"] >= 0.99


def test_sure_is_sure():
    """Over all, for each way to count addresses, and for rows by their number."""
    found = sure_ones(table_of(DOCUMENT.read_text()))
    assert len(found) == 1 + 5 + 3
    assert min(found.values()) >= 0.99, found


@pytest.mark.slow
def test_the_table(tmp_path):
    assert bench(tmp_path) == table_of(DOCUMENT.read_text()), "run make bench-kinds"


def test_docs_table():
    text = "a\n<!-- kinds -->\nold\n<!-- /kinds -->\nb\n"
    assert table_of(text) == "old\n"
    assert with_table(text, "new\n") == text.replace("old", "new")
    table = "| a fault of | seen | row | pin |\n|---|---|---|---|\n| row | 2 of 2 | 0.5 | |"
    assert shares(table) == {"row": {"row": 0.5, "pin": 0.0}}
    said = (
        "| said to be | verdicts | right |\n|---|---|---|\n| sure | 5 | 0.8 |\n| likely | 3 | 0.5 |"
    )
    title = "| of these | verdicts | right | sure | right |\n|---|---|---|---|---|\n"
    found = sure_ones(f"{table}\n\n{said}\n\n{title}| a | 3 | 0.5 | 2 | 1.0 |\n")
    assert found == {"all": 0.8, "a": 1.0}
