# SPDX-License-Identifier: MIT
"""Reads files, and makes pieces of a data set of what is in them: rows of tables, and what is
refused. Whatever is in a file, it is read with limits and checked line by line."""

import os
import stat
from dataclasses import dataclass, field

from ..units import format_size
from . import machine_name, rows, schema
from .found import Refused, Report, Source, open_source, shown
from .lines import Reader

_REPORTS_MAX = 500
_BYTES_MAX = 4 << 20
_PARTS_KEPT_MAX = 100  # of a file


@dataclass(frozen=True)
class Rejected:
    """What is not used of a file."""

    path: str
    why: str
    data: bytes | None = None  # a part of the file
    is_copied: bool = False  # all of the file is kept
    n: int = 1  # how many parts that is


@dataclass(frozen=True)
class Done:
    """A file that was read to its end."""

    path: str
    size: int
    mtime_ns: int
    why: str  # of what was refused last of it; "": nothing was
    n_damaged: int = 0  # lines
    damage: str = ""  # the first of them, and why it was left out


@dataclass(frozen=True)
class Found:
    """A report in a file."""

    key: str
    version: int
    source: str  # the file's name
    says: str  # the result in words; "": it has none


@dataclass
class Piece:
    """What is found in some files, or in a part of a large one, in the order found."""

    reports: list = field(default_factory=list)  # Found
    rows: dict = field(default_factory=dict)  # {(table, month): pyarrow.RecordBatch}
    rejected: list = field(default_factory=list)
    done: list = field(default_factory=list)
    is_last: bool = False


def read(paths, bytes_max):
    """Yields the Pieces of these files, of which none is much larger than a few MiB."""
    builder = _Builder()
    for path in paths:
        for found in _found_in(path, bytes_max):
            builder.add(found)
            if builder.is_full():
                yield builder.piece()
                builder = _Builder()
    yield builder.piece(is_last=True)


class _Builder:
    """A piece while it grows."""

    def __init__(self):
        self._piece = Piece()
        self._rows = {}  # {(table, month): [row]}
        self._seen = set()
        self._bytes = 0

    def add(self, found):
        if isinstance(found, Report):
            self._add_report(found)
        elif isinstance(found, Done):
            self._piece.done.append(found)
        else:
            self._piece.rejected.append(found)
            self._bytes += len(found.data or b"")

    def _add_report(self, report):
        date, date_by = rows.started(report)
        made = rows.rows_of(report, date, date_by)
        says = rows.says(made["runs"][0], made["pages"])
        self._piece.reports.append(Found(report.key, report.version, report.source.name, says))
        if report.name in self._seen:
            return
        self._seen.add(report.name)
        self._bytes += report.n_bytes
        for table, of_table in made.items():
            if of_table:
                self._rows.setdefault((table, date[:7]), []).extend(of_table)

    def is_full(self):
        return len(self._piece.reports) >= _REPORTS_MAX or self._bytes >= _BYTES_MAX

    def piece(self, is_last=False):
        self._piece.is_last = is_last
        for at, made in self._rows.items():
            self._piece.rows[at] = schema.batch(at[0], made)
        return self._piece


def _found_in(path, bytes_max):
    """Yields each Report and Rejected of a file; then Done, unless it could not be read."""
    try:
        file = open_source(path)
    except FileNotFoundError:  # it has got another name meanwhile
        return
    except OSError as error:
        is_link = os.path.islink(path)
        why = "it is a symbolic link" if is_link else f"it cannot be opened: {error.strerror}"
        yield Rejected(path, why)
        return
    with file:
        info = os.fstat(file.fileno())
        parts = _Parts(path)
        if rejected := _unread(path, info, bytes_max):
            yield rejected
            yield Done(path, info.st_size, info.st_mtime_ns, rejected.why)
            return
        source = Source(
            os.path.basename(shown(path)), rows.file_date(info.st_mtime), machine_name.in_path(path)
        )
        reader = Reader(source)
        try:
            for found in reader.read(file):
                yield from parts.of(found)
        except OSError as error:
            yield Rejected(path, f"it cannot be read: {error.strerror}")
            return
        if not parts.n:
            yield from parts.of(Refused(reader.why or "it has no line of okram"))
        yield from parts.rest()
        yield Done(path, info.st_size, info.st_mtime_ns, parts.why, reader.n_bad, reader.why)


def _unread(path, info, bytes_max):
    """Rejected: a file that is not read at all; None."""
    if not stat.S_ISREG(info.st_mode):
        return Rejected(path, "it is not a regular file")
    if info.st_size == 0:
        return Rejected(path, "it is empty", is_copied=True)
    if info.st_size > bytes_max:
        size, most = format_size(info.st_size), format_size(bytes_max)
        return Rejected(
            path, f"it has {size}, more than {most} (--max-size); it is left where it is"
        )
    return None


class _Parts:
    """The parts of a file. What is refused of them is kept one by one, but if there are many, or
    they cannot be told from the rest, as the whole file, once."""

    def __init__(self, path):
        self._path = path
        self._n_refused = 0
        self._n_whole = 0
        self.n = 0
        self.why = ""

    def of(self, found):
        """Yields what becomes of a Report or Refused now."""
        self.n += 1
        if isinstance(found, Report):
            yield found
            return
        self._n_refused += 1
        self.why = found.why
        if found.data is not None and self._n_refused <= _PARTS_KEPT_MAX:
            yield Rejected(self._path, found.why, found.data)
        else:
            self._n_whole += 1

    def rest(self):
        """Yields what is refused as the whole file."""
        if self._n_whole:
            n = self._n_whole
            why = self.why if n == 1 else f"{n} parts more, and the last of them: {self.why}"
            yield Rejected(self._path, why, is_copied=True, n=n)
