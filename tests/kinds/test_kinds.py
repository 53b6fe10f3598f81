# SPDX-License-Identifier: MIT
"""The kinds that okram names for faults of known kinds are as docs/kinds.md has them."""

import math
import subprocess

import pytest
from kinds_table import DOCUMENT, shares, table_of, with_table

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
    found = shares(bench(tmp_path, "faults=400", "seed=2"))
    assert_close(found, shares(table_of(DOCUMENT.read_text())), 40)


@pytest.mark.slow
def test_the_table(tmp_path):
    assert bench(tmp_path) == table_of(DOCUMENT.read_text()), "run make bench-kinds"


def test_docs_table():
    text = "a\n<!-- kinds -->\nold\n<!-- /kinds -->\nb\n"
    assert table_of(text) == "old\n"
    assert with_table(text, "new\n") == text.replace("old", "new")
    table = "| a fault of | seen | row | pin |\n|---|---|---|---|\n| row | 2 of 2 | 0.5 | |\n\nmore"
    assert shares(table) == {"row": {"row": 0.5, "pin": 0.0}}
