# SPDX-License-Identifier: MIT
"""The reports that become part of the data set together, as Parquet files by table and month."""

import os
from datetime import datetime, timedelta

from .. import totals
from . import journal, rows, schema

_RUNS_MAX = 5000
_BYTES_MAX = 64 << 20  # of lines, whatever they become
_DATE = "%Y-%m-%dT%H:%M:%S"
_FIRST_YEAR = 2020  # before okram: the machine's clock has lost the time
_NO_MONTH = "0000-00"

NEW, BETTER, KNOWN = "new", "better", "known"


class Batch:
    def __init__(self, of_journal):
        self._journal = of_journal
        self._latest = (datetime.now() + timedelta(days=1)).strftime(_DATE)  # noqa: DTZ005
        self._clear()

    def _clear(self):
        self._rows = {}  # {(table, month): [row]}
        self._runs = {}  # {key: version}
        self._sources = []
        self._bytes = 0

    def add(self, report):
        """NEW; BETTER: more of a run that is there; KNOWN: the data set has as much of the run."""
        there = self._runs.get(report.key, self._journal.version_of(report.key))
        if there is not None and there >= report.version:
            return KNOWN
        date, date_by = self._date(report)
        for table, made in rows.rows_of(report, date, date_by).items():
            if made:
                self._rows.setdefault((table, date[:7]), []).extend(made)
        self._runs[report.key] = report.version
        self._bytes += report.n_bytes
        return NEW if there is None else BETTER

    def add_source(self, path, size, mtime_ns, why):
        """A file that was read to its end; why it was refused, or ""."""
        self._sources.append((path, size, mtime_ns, why))

    def is_full(self):
        is_large = len(self._runs) >= _RUNS_MAX or self._bytes >= _BYTES_MAX
        return is_large or len(self._sources) >= 4 * _RUNS_MAX

    def commit(self):
        number = self._journal.next_batch()
        if number == 0:  # so that engines know each table before it has rows
            for table in schema.TABLES:
                self._rows.setdefault((table, _NO_MONTH), [])
        files = [
            self._write(f"{table}/month={month}/{number:08}.parquet", table, made)
            for (table, month), made in self._rows.items()
        ]
        if files or self._sources:
            self._journal.commit(number, files, self._runs, self._sources)
        self._clear()

    def _write(self, name, table, made):
        import pyarrow
        from pyarrow import parquet

        path = self._journal.folder / name
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
            journal.sync_folder(path.parents[1])
            journal.sync_folder(path.parents[2])
        with open(journal.new(path), "wb") as file:
            columns = pyarrow.Table.from_pylist(made, schema.arrow(table))
            parquet.write_table(columns, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        journal.sync_folder(path.parent)
        return name

    def _date(self, report):
        """When the run started, and who says so: the run, or the file's own time."""
        types = report.types()
        identity = totals.last(types, "identity") or {}
        state = totals.last(types, "state") or {}
        for text in (identity.get("date"), state.get("started")):
            if self._is_date(text):
                return text, "run"
        return report.source.date, "file"

    def _is_date(self, text):
        try:
            found = datetime.strptime(text, _DATE)  # noqa: DTZ007
        except (TypeError, ValueError):
            return False
        return len(text) == 19 and found.year >= _FIRST_YEAR and text <= self._latest
