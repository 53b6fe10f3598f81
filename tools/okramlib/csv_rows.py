# SPDX-License-Identifier: MIT
"""A run's numbers as comma-separated values: one table, a row for each number measured."""

import csv

from . import compare, measured, output, records

COLUMNS = (
    "record",
    "quantity",
    "unit",
    "name",
    "cpu_node",
    "mem_node",
    "other_node",
    "order",
    "threads",
    "load_threads",
    "size_bytes",
    "load",
    "load_mb_s",
    "pass",
    "runs",
    "mean",
    "stddev",
    "min",
    "max",
    "best",
    "cores",
    "efficient_cores",
    "siblings",
    "load_mem_node",
    "isa",
    "prefetch",
    "state",
    "cpu",
    "other_cpu",
    "in_caches",
    "left_out",
    "why",
)

# What a record is of, in the column "name" or "other_node", whatever its field is called.
_NAMES = {"op": "name", "kind": "name", "mix": "name", "test": "name", "level": "name"}
_NAMES |= {"share": "name", "load_node": "other_node", "what": "name"}

QUANTITIES = records.measured() | {
    "machine": ("cpus", "nodes", "ram_bytes", "testable_bytes", "installed_bytes"),
    "node": ("ram_bytes",),
    "module": ("size_bytes", "configured_mt_s", "jedec_mt_s"),
    "test": ("seconds", "swept_bytes", "hammered_bytes", "faults"),
    "badram": ("bad_pages", "sacrificed_pages", "ranges"),
    "state": ("tested_bytes", "swept_bytes", "ram_bytes", "faults", "bad_pages"),
    "result": ("passes", "tested_bytes", "untested_bytes", "bad_pages", "seconds"),
}

_COMPARED = (
    "group",
    "what",
    "where",
    "unit",
    "a_mean",
    "a_stddev",
    "a_runs",
    "b_mean",
    "b_stddev",
    "b_runs",
    "difference_percent",
    "significant",
)


def write(file, run):
    """The numbers of a run. What a record has none of stays empty."""
    writer = _Writer(file, COLUMNS)
    for record in run:
        for quantity in QUANTITIES.get(record["type"], ()):
            if record.get(quantity) is not None:
                writer.writerow(_row(record, quantity))
        if record["type"] == "unmeasured":
            writer.writerow({"record": record["type"]} | _facts(record))
        if record["type"] == "temperature":
            for row in temperatures(record):
                writer.writerow(row)


class _Writer:
    def __init__(self, file, columns):
        self._writer = csv.DictWriter(file, columns, lineterminator="\n")
        self._writer.writeheader()

    def writerow(self, row):
        self._writer.writerow({name: output.cell(value) for name, value in row.items()})


def _row(record, quantity):
    row = {
        "record": record["type"],
        "quantity": quantity,
        "unit": records.unit(record["type"], quantity),
        **_facts(record),
    }
    if record["type"] == "node":
        row["mem_node"] = record["node"]
    stats = measured.stats(record, quantity)
    return row | {name: value for name, value in stats.items() if value is not None}


def _facts(record):
    named = {_NAMES.get(field, field): value for field, value in record.items()}
    return {
        column: value
        for column, value in named.items()
        if column in COLUMNS and not isinstance(value, dict | list)
    }


def temperatures(record):
    """Not those of a curve, of which there are many."""
    if record["when"] not in ("start", "fault", "hot", "end"):
        return
    found = [("CPU", record["cpu"])] if record["cpu"] else []
    found += [(m["slot"] or m["address"], m) for m in record["modules"]]
    for name, degrees in found:
        for quantity in ("now", "highest"):
            if degrees[quantity] is None:
                continue
            yield {
                "record": "temperature",
                "name": name,
                "quantity": f"{record['when']} {quantity}",
                "unit": "C",
                "mean": degrees[quantity],
            }


def write_comparison(file, types_a, types_b):
    """The numbers of two runs side by side; what only one has has the other's columns empty."""
    writer = _Writer(file, _COMPARED)
    for row in compare.rows(types_a, types_b):
        line = _key((row.group, row.what, row.at))
        line |= _of("a", row.a) | _of("b", row.b)
        difference = row.difference_percent()
        line["difference_percent"] = "" if difference is None else f"{difference:.3f}"
        line["significant"] = row.significant()
        writer.writerow(line)
    for letter, keys in zip("ab", compare.only_in_one(types_a, types_b), strict=True):
        for key in keys:
            writer.writerow(_key(key) | {"significant": f"only in {letter}"})


def _key(key):
    return dict(zip(("group", "what", "where"), key, strict=True))


def _of(letter, value):
    cells = {"mean": value.mean, "stddev": value.stddev, "runs": value.runs}
    return {"unit": value.unit} | {f"{letter}_{name}": cell for name, cell in cells.items()}
