# SPDX-License-Identifier: MIT
"""The guided diagnosis on simulated machines: a few in each check, all of them in the long one."""

import subprocess

import pytest

from docs_table import table_of
from okramlib import BUILD, ROOT

DOCUMENT = ROOT / "docs" / "diagnosis.md"


def run_bench(*arguments):
    """The table's rows by their names; the bench itself fails if 1 % of the ends are wrong."""
    ran = subprocess.run(
        ["nice", BUILD / "bench" / "diagnosis_bench", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    rows = [line.strip("| ").split(" | ") for line in ran.stdout.splitlines()[2:]]
    return ran.stdout, {name: [float(value) for value in values] for name, *values in rows}


def test_a_few_machines():
    _, rows = run_bench(250, 2)
    machines, right, wrong, undecided, median, _ = rows["all"]
    assert machines == 250 and wrong < 1 and right > 85 and median <= 5
    assert right + wrong + undecided == pytest.approx(100, abs=0.2)
    assert rows["too many modules"][1] > 90
    rarer = next(values for name, values in rows.items() if name.startswith("rarer"))
    assert rarer[0] == 25 and rarer[1] > 60, "in no other row"


@pytest.mark.slow
def test_all_machines_and_the_document():
    table, rows = run_bench()
    assert rows["all"][0] == 10000 and rows["all"][2] < 1
    assert table_of(DOCUMENT.read_text(), "diagnosis") == table, "run make diagnosis-docs"
