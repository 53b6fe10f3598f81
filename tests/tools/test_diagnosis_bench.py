# SPDX-License-Identifier: MIT
"""The guided diagnosis on simulated machines: a few in each check, all of them in the long one."""

import subprocess

import pytest

from docs_table import table_of
from okramlib import BUILD, ROOT

DOCUMENT = ROOT / "docs" / "diagnosis.md"


def run_bench(*arguments):
    """Both tables' rows by their names; the bench itself fails if 1 % of the ends are wrong."""
    ran = subprocess.run(
        ["nice", BUILD / "bench" / "diagnosis_bench", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    tables = ran.stdout.split("\n\n")[::2]
    rows = [line.strip("| ").split(" | ") for table in tables for line in table.splitlines()[2:]]
    return ran.stdout, {
        name: [[float(part) for part in value.split(" -> ")] for value in values]
        for name, *values in rows
    }


def test_a_few_machines():
    _, rows = run_bench(250, 2)
    [machines], [right], [wrong], [undecided], [median], _ = rows["all"]
    assert machines == 250 and wrong < 1 and right > 85 and median <= 5
    assert right + wrong + undecided == pytest.approx(100, abs=0.2)
    assert rows["too many modules"][1][0] > 90
    [rarer], [right], *_ = next(values for name, values in rows.items() if name.startswith("rarer"))
    assert rarer == 25 and right > 60, "in no other row"


def test_suspects_need_fewer_restarts():
    _, rows = run_bench(250, 3)
    for name in ("1 suspect, measured", "2 suspects, measured", "1 suspect, by registers alone"):
        _, (_, right), _, (without, with_suspects), _ = rows[name]
        assert right > 95 and with_suspects < without - 0.3


@pytest.mark.slow
def test_all_machines_and_the_document():
    table, rows = run_bench()
    assert rows["all"][0] == [10000] and rows["all"][2][0] < 1
    assert table_of(DOCUMENT.read_text(), "diagnosis") == table, "run make diagnosis-docs"
