# SPDX-License-Identifier: MIT
"""Whether each figure that a run measured is in each form of its report.

What is measured is known here by the names of fields alone, not by what the forms look at: so a
record, or a field, that is new and that one of them does not know is found.
"""

import contextlib
import csv
import io
import json
import re
from collections import Counter
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import product

from okramlib import csv_rows, measured, ocp, page, prometheus, tables
from tools.browser import Browser, is_missing

_MEASURED = re.compile(r"(?:\w+_)?(mb_s|ns|percent)")
_STATS = ("mean", "best", "stddev", "min", "max")
_SAMPLE = re.compile(r'okram_measured_\w+\{record="(\w+)",quantity="(\w+)",.*stat="(\w+)"\} (.+)')
_IN_OTHER_WORDS = "slowdown_percent"  # of means that are shown: people see the time added
_SCALES = {"mb_s": 1e-6, "ns": 1e9, "percent": 100}


def figures(run):
    """(type, quantity, {name of _STATS: number}) of each."""
    for record in run:
        for name, value in record.items():
            if not _MEASURED.fullmatch(name) or value is None or isinstance(value, list):
                continue
            stats = (
                value if isinstance(value, dict) else record.get(f"{name}_stats", {"mean": value})
            )
            yield record["type"], name, {n: stats[n] for n in _STATS if stats.get(n) is not None}


def _counted(found):
    return Counter((kind, name, *sorted(stats.items())) for kind, name, stats in found)


def _written(write, run):
    text = io.StringIO(newline="")
    write(text, run)
    return text.getvalue().splitlines()


def check_csv(run):
    rows = [
        r
        for r in csv.DictReader(_written(csv_rows.write, run))
        if _MEASURED.fullmatch(r["quantity"])
    ]
    found = [
        (r["record"], r["quantity"], {name: float(r[name]) for name in _STATS if r[name]})
        for r in rows
    ]
    assert _counted(found) == _counted(figures(run))
    of = [tuple(value for name, value in r.items() if name not in _STATS) for r in rows]
    assert len(set(of)) == len(of), "two rows of the CSV are of the same"


def check_ocp(run):
    found = []
    for line in _written(ocp.write, run):
        one = json.loads(line).get("testStepArtifact", {}).get("measurement", {})
        kind, _, name = one.get("name", "").partition("-")
        if _MEASURED.fullmatch(name):
            stats = {"mean": one["value"], **one["metadata"]}
            found.append((kind, name, {n: stats[n] for n in _STATS if n in stats}))
    assert _counted(found) == _counted(figures(run))


def check_prometheus(run):
    samples = [line for line in _written(prometheus.write, run) if not line.startswith("#")]
    assert len({line.rpartition(" ")[0] for line in samples}) == len(samples), (
        "a sample is there twice"
    )
    found = {}
    for kind, name, stat, value in filter(
        None, (m and m.groups() for m in map(_SAMPLE.match, samples))
    ):
        scale = _SCALES[_MEASURED.fullmatch(name)[1]]
        found.setdefault((kind, name, stat), []).append(round(float(value) * scale, 3))
    expected = {}
    for kind, name, stats in figures(run):
        for stat, value in stats.items():
            expected.setdefault((kind, name, stat), []).append(round(value, 3))
    assert found == expected


def _shown(value, quantity, name):
    """The texts for it: in Python and in JavaScript, a half is rounded differently."""
    fine = 1 if name == "mean" else 2
    coarse = 0 if value >= 100 else 1
    decimals = {"mb_s": (coarse,), "ns": (fine,), "percent": (coarse, 1)}
    units = [Decimal(1).scaleb(-n) for n in decimals[_MEASURED.fullmatch(quantity)[1]]]
    ways = product(units, (ROUND_HALF_EVEN, ROUND_HALF_UP))
    return {str(Decimal(value).quantize(unit, how)) for unit, how in ways}


def _check_cells(run, cells, names):
    numbers = {text for cell in cells for text in re.findall(r"\d+(?:\.\d+)?", cell)}
    missing = [
        (kind, quantity, name, value)
        for kind, quantity, stats in figures(run)
        for name, value in stats.items()
        if name in names and value != 0 and quantity != _IN_OTHER_WORDS
        if not _shown(abs(value), quantity, name) & numbers
    ]
    assert missing == []


def check_tables(run):
    """Those of the terminal; of a matrix they have the mean and the deviation."""
    types = measured.by_type(run)
    # Of many nodes the terminal has matrices of contention instead of its rows.
    makers = (*tables.MEASUREMENTS, tables.contention_rows)
    found = [table for make in makers for table in make(types)]
    cells = [cell for table in found for row in table.rows for cell in row]
    _check_cells(run, cells, ("mean", "stddev"))


def check_page(run, path):
    """The page, written there and drawn in a browser; "best" is the highest or the lowest."""
    if is_missing():
        return
    path.write_text(page.run(run, [], "run"))
    with contextlib.closing(Browser()) as browser:
        browser.open(path)
        cells = browser.run("return [...document.querySelectorAll('td')].map(e => e.textContent)")
    _check_cells(run, cells, ("mean", "stddev", "min", "max"))


def check_all(run):
    assert any(True for _ in figures(run))
    check_csv(run)
    check_ocp(run)
    check_prometheus(run)
    check_tables(run)
