# SPDX-License-Identifier: MIT
"""A run's numbers as comma-separated values."""

import csv
import io

from okramlib import compare, csv_rows, measured
from okramlib.compare import UNKNOWN
from tools.sample_runs import make_run
from tools.samples import GOOD


def read(write, *what):
    text = io.StringIO()
    write(text, *what)
    return list(csv.DictReader(io.StringIO(text.getvalue())))


def test_every_number_is_there():
    run = make_run()
    rows = read(csv_rows.write, run)
    numbers = {(r["record"], r["quantity"], float(r["mean"])) for r in rows}
    for record in run:
        for name in ("ns", "mb_s", "idle_mb_s", "loaded_mb_s", "idle_ns", "slowdown_percent"):
            if name in record:
                mean = measured.stats(record, name)["mean"]
                assert (record["type"], name, mean) in numbers
    bandwidths = [r for r in rows if r["record"] == "bandwidth"]
    assert len(bandwidths) == sum(r["type"] == "bandwidth" for r in run)


def test_a_row_says_what_it_is_of():
    run = make_run()
    rows = read(csv_rows.write, run)
    record = next(r for r in run if r.get("order") == "spread" and r["threads"] == 5)
    row = next(r for r in rows if r["order"] == "spread" and r["threads"] == "5")
    assert (row["record"], row["name"], row["unit"]) == ("bandwidth", record["op"], "MB/s")
    assert row["runs"] == "20" and row["cpu_node"] == row["mem_node"] == "0"
    for name, value in record["mb_s"].items():
        assert float(row[name]) == value
    loaded = [r for r in rows if r["name"] == "2:1" and r["quantity"] == "ns"]
    assert len(loaded) == 8 and all(float(r["load_mb_s"]) > 0 for r in loaded)
    cache = next(r for r in rows if r["record"] == "cache" and r["quantity"] == "ns")
    assert (cache["name"], cache["size_bytes"], cache["unit"]) == ("1", str(48 << 10), "ns")


# Without figures.
WORDS_ALONE = {
    "start",
    "identity",
    "support",
    "pages",
    "fault",
    "external",
    "alias",
    "mce",
    "line",
} | {
    *("rows", "ecc_page", "cper", "trace", "retest", "kind", "diagnosis", "advice", "picture"),
}


def test_a_record_of_every_type():
    rows = read(csv_rows.write, [{"t": 1, **record} for record in GOOD])
    kinds = {row["record"] for row in rows}
    assert kinds == {record["type"] for record in GOOD} - WORDS_ALONE
    numbers = {(row["record"], row["quantity"]) for row in rows}
    assert ("machine", "installed_bytes") not in numbers, "null is not a number"
    assert ("contention", "latency_percent") not in numbers
    assert all(row["mean"] for row in rows if not row["why"])
    reasons = [(r["record"], r["name"], r["mem_node"], r["why"]) for r in rows if r["why"]]
    assert reasons == [("unmeasured", "all", "", "the node has no memory")]
    heat = [row for row in rows if row["record"] == "temperature"]
    assert [(r["name"], r["quantity"], r["mean"], r["unit"]) for r in heat[1:3]] == [
        ("CPU", "start highest", "45.0", "C"),
        ("0x50", "start now", "38.25", "C"),
    ]


def test_commas_in_words():
    run = [dict(r, load='a, "b"\nc') for r in make_run() if r["type"] == "latency"][:1]
    assert read(csv_rows.write, run)[0]["load"] == 'a, "b"\nc'


def test_two_runs():
    a, b = (measured.by_type(make_run(nodes=n, seed=n)) for n in (2, 4))
    rows = read(csv_rows.write_comparison, a, b)
    compared = compare.rows(a, b)
    only_a, only_b = compare.only_in_one(a, b)
    assert len(rows) == len(compared) + len(only_a) + len(only_b) and compared and only_b
    for row, found in zip(rows, compared, strict=False):
        assert float(row["a_mean"]) == found.a.mean and float(row["b_mean"]) == found.b.mean
        assert row["significant"] == found.significant()
        assert (row["a_stddev"] == "") == (found.significant() == UNKNOWN)
    assert rows[-1]["significant"] == "only in b" and rows[-1]["a_mean"] == ""
