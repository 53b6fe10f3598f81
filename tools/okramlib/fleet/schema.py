# SPDX-License-Identifier: MIT
"""The tables of the data set, and their columns.

`report` names one report of a run in all tables; `month` is a folder's name, and no column. Times
are text such as 2026-11-24T13:14:34, which sorts as time does. Pages are numbers of 4 KiB pages.
"""

FORMAT = 3  # of the data set; journal.py refuses another one

_TEXT, _NUMBER, _REAL, _TRUTH = "string", "int64", "float64", "bool"

TABLES = {
    "runs": {
        "report": _TEXT,
        "key": _TEXT,  # of the run, whatever way its reports came
        "version": _NUMBER,  # of the reports with one key the one with the highest counts
        "machine": _TEXT,
        "machine_by": _TEXT,  # machine_name.py
        "model": _TEXT,
        "cpu": _TEXT,
        "okram": _TEXT,
        "started": _TEXT,
        "date_by": _TEXT,  # run, file
        "source": _TEXT,
        "signature": _TEXT,  # found.SIGNED, found.UNSIGNED
        "status": _TEXT,  # totals.STATUSES
        "complete": _TRUTH,
        "passes": _NUMBER,
        "seconds": _REAL,
        "tested_bytes": _NUMBER,
        "ram_bytes": _NUMBER,
        "bad_pages": _NUMBER,
        "has_all_pages": _TRUTH,  # the table `pages` has every bad page
        "faults": _NUMBER,
        "corrected": _NUMBER,
        "uncorrected": _NUMBER,
        "memory_ecc": _TEXT,
        "nodes": _NUMBER,
        "last_test": _TEXT,
        "lines": _NUMBER,
        "lines_left_out": _NUMBER,  # damaged, or unknown to this version of okram
    },
    "modules": {
        "report": _TEXT,
        "slot": _TEXT,
        "kind": _TEXT,
        "size_bytes": _NUMBER,
        "maker": _TEXT,
        "part": _TEXT,
        "serial": _TEXT,
        "chip_maker": _TEXT,
        "year": _NUMBER,
        "week": _NUMBER,
        "configured_mt_s": _NUMBER,
        "is_named": _TRUTH,  # as the bad one
    },
    "pages": {"report": _TEXT, "base": _NUMBER, "end": _NUMBER},
    "bandwidth": {
        "report": _TEXT,
        "cpu_node": _NUMBER,
        "mem_node": _NUMBER,
        "op": _TEXT,
        "threads": _NUMBER,
        "mean": _REAL,
        "stddev": _REAL,
        "repeats": _NUMBER,
    },
    "ecc": {
        "report": _TEXT,
        "source": _TEXT,  # mce, cper
        "corrected": _TRUTH,
        "errors": _NUMBER,
        "channel": _TEXT,
        "slot": _TEXT,
        "page": _NUMBER,
    },
    "kinds": {
        "report": _TEXT,
        "kind": _TEXT,
        "confidence": _TEXT,
        "bit": _NUMBER,
        "bits": _NUMBER,
        "bus_bits": _NUMBER,
        "chip": _TEXT,
    },
    "replaced": {"report": _TEXT},  # there is another one with more of its run
    "lines": {"report": _TEXT, "name": _TEXT, "place": _TEXT, "text": _TEXT},
}


def batch(table, rows):
    """Rows, as dictionaries, as a pyarrow.RecordBatch."""
    import pyarrow

    columns = TABLES[table].items()
    fitting = [{name: _fitting(row.get(name), kind) for name, kind in columns} for row in rows]
    return pyarrow.RecordBatch.from_pylist(fitting, arrow(table))


def _fitting(value, kind):
    """A report may have any number, and a whole one where others are."""
    if value is None or kind not in (_NUMBER, _REAL):
        return value
    return float(value) if kind == _REAL else int(max(-(2**63), min(value, 2**63 - 1)))


def arrow(table):
    """The schema of a table for pyarrow."""
    import pyarrow

    return pyarrow.schema(
        [(name, pyarrow.type_for_alias(kind)) for name, kind in TABLES[table].items()]
    )
