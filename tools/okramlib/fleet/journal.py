# SPDX-License-Identifier: MIT
"""What was imported: the runs, the files that they came from, and the batches of Parquet files.

A batch is in the data set once the journal's transaction is committed: its files are written and
synced before that under names that end in .new, which no engine reads, and get their own names
after it. Whatever ends an import, the next one starts with recover(): it renames what was
committed and deletes what was not; the sources of the latter are not in the journal, and are read
again.
"""

import contextlib
import fcntl
import os
import sqlite3
from pathlib import Path

from .. import Trouble, atomic
from . import schema

NAME = "journal.sqlite"
_LOCK = "import.lock"
_PLACING = "placing.lock"  # held while files get their names, and while they are read
_NEW = ".new"

_TABLES = """
CREATE TABLE run (key TEXT PRIMARY KEY, version INTEGER NOT NULL, says TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE source (path TEXT PRIMARY KEY, bytes INTEGER, mtime_ns INTEGER, why TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE batch (id INTEGER PRIMARY KEY, is_placed INTEGER NOT NULL);
CREATE TABLE file (batch INTEGER NOT NULL, path TEXT NOT NULL);
"""


class Journal:
    """Open for one import; use it as a context."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self._make_folder()
            self._lock(stack)
            self._database = stack.enter_context(contextlib.closing(_connect(self.folder)))
            self._make_tables()
            self.recover()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _make_folder(self):
        if self.folder.is_dir():
            there = {path.name for path in self.folder.iterdir()} - {_LOCK, _PLACING}
            if there and NAME not in there:
                raise Trouble(f"{self.folder} has other files; name an empty or a new folder.")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / _PLACING).touch()

    def _lock(self, stack):
        file = (self.folder / _LOCK).open("w")
        stack.callback(file.close)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(f"another import into {self.folder} is running.") from None

    def _make_tables(self):
        version = _version(self._database)
        if version not in (0, schema.FORMAT):
            raise Trouble(_of_other_format(self.folder, version))
        if version == 0:
            self._database.executescript(
                f"BEGIN; {_TABLES} PRAGMA user_version = {schema.FORMAT}; COMMIT;"
            )

    def recover(self):
        """Ends what was committed, undoes what was not."""
        self._place()
        for path in self.folder.glob(f"*/month=*/*{_NEW}"):
            path.unlink()

    def run(self, key):
        """(version, what it says) of the report of that run that is there; None: there is none."""
        query = "SELECT version, says FROM run WHERE key = ?"
        return self._database.execute(query, (key,)).fetchone()

    def why_refused(self, path, size, mtime_ns):
        """Of a file as it is now: "" if nothing of it was; None: it has to be read."""
        row = self._database.execute(
            "SELECT why FROM source WHERE path = ? AND bytes = ? AND mtime_ns = ?",
            (path, size, mtime_ns),
        ).fetchone()
        return row and row[0]

    def next_batch(self):
        return self._database.execute("SELECT coalesce(max(id) + 1, 0) FROM batch").fetchone()[0]

    def commit(self, batch, files, runs, sources):
        """files: their names in the folder, each written and synced under its name with .new.
        runs: {key: (version, says)}; sources: [(path, bytes, mtime_ns, why)]."""
        database = self._database
        with database:
            database.execute("BEGIN IMMEDIATE")
            rows = ((key, *run) for key, run in runs.items())
            database.executemany("INSERT OR REPLACE INTO run VALUES (?, ?, ?)", rows)
            database.executemany("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", sources)
            if files:
                database.execute("INSERT INTO batch VALUES (?, 0)", (batch,))
                rows = ((batch, name) for name in files)
                database.executemany("INSERT INTO file VALUES (?, ?)", rows)
        self._place()

    def _place(self):
        names = self._database.execute(
            "SELECT path FROM file JOIN batch ON batch = id WHERE NOT is_placed"
        ).fetchall()
        if not names:
            return
        with locked(self.folder, fcntl.LOCK_EX):
            for (name,) in names:
                path = self.folder / name
                with contextlib.suppress(FileNotFoundError):  # it has its name
                    os.replace(new(path), path)
            for folder in {(self.folder / name).parent for (name,) in names}:
                atomic.sync_folder(folder)
            with self._database:
                self._database.execute("UPDATE batch SET is_placed = 1 WHERE NOT is_placed")


def new(path):
    return path.with_name(path.name + _NEW)


@contextlib.contextmanager
def locked(folder, how=fcntl.LOCK_SH):
    """While no batch is half there."""
    with open(Path(folder) / _PLACING) as file:
        fcntl.flock(file, how)
        yield


@contextlib.contextmanager
def reading(folder):
    """While a data set is asked. Trouble if it is not one, or if an import was interrupted within
    a batch."""
    folder = Path(folder)
    if not (folder / NAME).is_file():
        raise Trouble(f"{folder} is not a data set: `okram fleet import` makes one.")
    with locked(folder):
        uri = f"{(folder / NAME).absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            if (version := _version(database)) != schema.FORMAT:
                raise Trouble(_of_other_format(folder, version))
            is_whole = database.execute("SELECT min(is_placed) FROM batch").fetchone()[0]
        if not is_whole:
            raise Trouble(f"an import was interrupted: `okram fleet import {folder}` ends it.")
        yield


def _connect(folder):
    database = sqlite3.connect(folder / NAME, isolation_level=None)
    database.execute("PRAGMA synchronous = EXTRA")
    return database


def _version(database):
    try:
        return database.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise Trouble(f"the journal of the data set cannot be read: {error}.") from None


def _of_other_format(folder, version):
    return (
        f"{folder} is a data set of format {version}; this okram has format {schema.FORMAT}:"
        " import the reports into a new folder."
    )
