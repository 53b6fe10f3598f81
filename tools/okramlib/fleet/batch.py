# SPDX-License-Identifier: MIT
"""The reports that become part of the data set together, as Parquet files by table and month."""

from collections import Counter

from .. import atomic
from . import journal, schema
from .found import name_of, shown
from .rows import are_at_odds

_RUNS_MAX = 20_000
_FILES_MAX = 80_000
_BYTES_MAX = 128 << 20  # in memory
_NO_MONTH = "0000-00"

NEW, BETTER, KNOWN = "new", "better", "known"


class Batch:
    def __init__(self, of_journal):
        self._journal = of_journal
        self._clear()

    def _clear(self):
        self._rows = {}  # {(table, month): [pyarrow.RecordBatch]}
        self._runs = {}  # {key: (version, says)}
        self._sources = []
        self._bytes = 0

    def add(self, piece):
        """Counts the piece's reports: NEW; BETTER: more of a run that is there; KNOWN: the data set
        has as much of the run. Gives the counts, and what contradicts another report of its run, in
        sentences."""
        counts, taken, known, replaced, at_odds = Counter(), set(), set(), [], []
        for report in piece.reports:
            key, version = report.key, report.version
            there, says = self._runs.get(key) or self._journal.run(key) or (None, "")
            if are_at_odds(report.says, says):
                at_odds.append(_at_odds(report, says, is_taken=version > there))
            if there is not None and there >= version:
                counts[KNOWN] += 1
                known.add((key, version))
                continue
            counts[NEW if there is None else BETTER] += 1
            taken.add((key, version))
            self._runs[key] = version, report.says
            if there is not None:
                replaced.append({"report": name_of(key, there)})
        for at, rows in piece.rows.items():
            self._add_rows(at, _without(rows, known - taken))
        if replaced:
            self._add_rows(("replaced", _NO_MONTH), schema.batch("replaced", replaced))
        self._sources += [
            (shown(file.path), file.size, file.mtime_ns, file.why) for file in piece.done
        ]
        return counts, at_odds

    def _add_rows(self, at, rows):
        self._rows.setdefault(at, []).append(rows)
        self._bytes += rows.nbytes

    def is_full(self):
        is_large = len(self._runs) >= _RUNS_MAX or self._bytes >= _BYTES_MAX
        return is_large or len(self._sources) >= _FILES_MAX

    def commit(self):
        number = self._journal.next_batch()
        if number == 0:  # so that engines know each table before it has rows
            for table in schema.TABLES:
                self._rows.setdefault((table, _NO_MONTH), [])
        files = [
            self._write(f"{table}/month={month}/{number:08}.parquet", table, rows)
            for (table, month), rows in self._rows.items()
            if month == _NO_MONTH or any(map(len, rows))
        ]
        if files or self._sources:
            self._journal.commit(number, files, self._runs, self._sources)
        self._clear()

    def _write(self, name, table, rows):
        import pyarrow
        from pyarrow import parquet

        path = self._journal.folder / name
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
            atomic.sync_folder(path.parents[1])
            atomic.sync_folder(path.parents[2])
        with atomic.synced(journal.new(path)) as file:
            columns = pyarrow.Table.from_batches(rows, schema.arrow(table))
            parquet.write_table(columns, file, compression="zstd")
        atomic.sync_folder(path.parent)
        return name


def _at_odds(report, says, is_taken):
    which = "this one counts" if is_taken else "that one counts"
    return (
        f"{report.source} says {report.says or 'that the run did not finish'}; another report of"
        f" the same run says {says or 'that it did not finish'}: {which}"
    )


def _without(rows, reports):
    """The rows of other reports than these (key, version)."""
    if not reports:
        return rows
    import pyarrow
    from pyarrow import compute

    names = pyarrow.array([name_of(*report) for report in reports])
    return rows.filter(compute.invert(compute.is_in(rows["report"], names)))
