# SPDX-License-Identifier: MIT
"""Reads sources into a data set. Whatever is in a file, it is read with limits, checked line by
line, and named if it is refused; no engine sees the file itself."""

import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .. import Trouble
from ..units import format_size
from . import machine_name, rejected
from .batch import Batch
from .found import Refused, Report, Source
from .journal import Journal
from .lines import Reader

REFUSED, REFUSED_BEFORE, FILES, SKIPPED = "refused", "refused before", "files", "skipped"
DAMAGED = "damaged"

_NAMED_MAX = 20
_PARTS_KEPT_MAX = 100  # of a file
_EMPTY = Refused("it is empty")
_NO_FILE = Refused("it is not a regular file")


@dataclass
class Outcome:
    """What an import came to: how many of batch.NEW and so on, and what was refused, in
    sentences."""

    counts: Counter = field(default_factory=Counter)
    named: list = field(default_factory=list)

    def refuse(self, name, why):
        self.counts[REFUSED] += 1
        if len(self.named) < _NAMED_MAX:
            self.named.append(f"{name}: {why}")


def run(folder, sources, bytes_max, advance=lambda size: None):
    """Imports what is in these files and folders; advance() is told of bytes that are done."""
    for source in sources:
        if not os.path.lexists(source):
            raise Trouble(f"{source} is not there.")
    with Journal(folder) as journal:
        importer = _Importer(journal, bytes_max, advance)
        for path in files(sources, journal.folder):
            importer.take(path)
        importer.batch.commit()
    return importer.outcome


def files(sources, left_out):
    """The paths of all files, as text, without those of the data set itself. Names are taken as
    they come: a folder of a million files needs no list."""
    own = os.path.realpath(left_out)
    for source in map(str, sources):
        if not os.path.isdir(source):
            yield os.path.realpath(source)
            continue
        folders = [os.path.abspath(source)]
        while folders:
            folder = folders.pop()
            if os.path.realpath(folder) == own:
                continue
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        elif not _is_for_people(entry.path):
                            yield entry.path
            except OSError:
                yield folder  # where it is opened, the reason is told


def _is_for_people(path):
    """Of the three files that okram writes to a stick, the two that are the third one's text."""
    stem, ending = os.path.splitext(path)
    return ending in (".html", ".txt") and os.path.exists(f"{stem}.jsonl")


def total_bytes(sources, folder):
    total = 0
    for path in files(sources, folder):
        try:
            total += os.lstat(path).st_size
        except OSError:
            continue
    return total


class _Importer:
    def __init__(self, journal, bytes_max, advance):
        self.outcome = Outcome()
        self.batch = Batch(journal)
        self._journal = journal
        self._bytes_max = bytes_max
        self._advance = advance

    def take(self, path):
        """Reads a file, unless the journal has it as it is now."""
        counts = self.outcome.counts
        counts[FILES] += 1
        try:
            # A pipe would be waited for.
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:  # it has got another name meanwhile
            return
        except OSError as error:
            self._refuse(path, Refused(f"it cannot be opened: {error.strerror}"), None)
            return
        with open(number, "rb") as file:
            info = os.fstat(number)
            name = os.fsencode(path).decode(errors="replace")
            known = self._journal.known(name, info.st_size, info.st_mtime_ns)
            if known is None:
                why = self._read(path, file, info)
                self.batch.add_source(name, info.st_size, info.st_mtime_ns, why)
            else:
                counts[REFUSED_BEFORE if known else SKIPPED] += 1
        self._advance(info.st_size)
        if self.batch.is_full():
            self.batch.commit()

    def _read(self, path, file, info):
        """Why the file, or something in it, was refused; ""."""
        if refused := self._unread(info):
            copy = path if info.st_size <= self._bytes_max else None
            return self._refuse(path, refused, copy if stat.S_ISREG(info.st_mode) else None)
        date = datetime.fromtimestamp(info.st_mtime).strftime("%Y-%m-%dT%H:%M:%S")  # noqa: DTZ006
        source = Source(os.path.basename(path), date, machine_name.in_path(path))
        reader, refused, n_found = Reader(source), _RefusedParts(self._refuse, path), 0
        try:
            for found in reader.read(file):
                n_found += 1
                if isinstance(found, Report):
                    self._add(found)
                else:
                    refused.add(found)
        except OSError as error:
            return self._refuse(path, Refused(f"it cannot be read: {error.strerror}"), None)
        self.outcome.counts[DAMAGED] += reader.n_bad
        if not n_found:
            refused.add(Refused(reader.why or "it has no line of okram"))
        return refused.why

    def _unread(self, info):
        if not stat.S_ISREG(info.st_mode):
            return _NO_FILE
        if info.st_size == 0:
            return _EMPTY
        if info.st_size > self._bytes_max:
            size, most = format_size(info.st_size), format_size(self._bytes_max)
            return Refused(f"it has {size}, more than {most} (--max-size); it is left where it is")
        return None

    def _add(self, report):
        self.outcome.counts[self.batch.add(report)] += 1
        if self.batch.is_full():
            self.batch.commit()

    def _refuse(self, path, refused, copy, is_kept=False):
        name = os.fsencode(path).decode(errors="replace")
        if not is_kept:
            rejected.keep(Path(self._journal.folder), name, refused, copy)
        self.outcome.refuse(name, refused.why)
        return refused.why


class _RefusedParts:
    """What is refused of one file: the first parts are kept one by one, more of them as the whole
    file, once; `why` is the last reason."""

    def __init__(self, refuse, path):
        self._refuse = refuse
        self._path = path
        self._n = 0
        self._has_copy = False
        self.why = ""

    def add(self, refused):
        self._n += 1
        if self._n > _PARTS_KEPT_MAX:
            refused = Refused(refused.why)
        is_whole = refused.data is None
        is_kept = is_whole and self._has_copy
        self._has_copy |= is_whole
        self.why = self._refuse(self._path, refused, self._path, is_kept)
