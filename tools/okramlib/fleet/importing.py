# SPDX-License-Identifier: MIT
"""Reads sources into a data set. No engine sees a source itself: it is checked while it is read
(pieces.py), by several processes, and one writes what they find."""

import contextlib
import os
from collections import Counter
from dataclasses import dataclass, field

from .. import Trouble
from . import rejected
from .batch import Batch
from .found import shown
from .journal import Journal
from .readers import Readers

REFUSED, REFUSED_BEFORE, FILES, SKIPPED = "refused", "refused before", "files", "skipped"
DAMAGED = "damaged"

_NAMED_MAX = 20

# What a process reads at a time.
_FILES_MAX = 250
_BYTES_MAX = 1 << 20


@dataclass
class Outcome:
    """What an import came to: how many of batch.NEW and so on, and what was refused, in
    sentences."""

    counts: Counter = field(default_factory=Counter)
    named: list = field(default_factory=list)


def run(folder, sources, bytes_max, jobs=1, progress=None):
    """Imports what is in these files and folders, of which jobs processes read. progress: a
    context, entered once these are there, that gives what is told of bytes that are done."""
    for source in sources:
        if not os.path.lexists(source):
            raise Trouble(f"{source} is not there.")
    progress = progress or contextlib.nullcontext(lambda size: None)
    with Readers(jobs, bytes_max) as readers, Journal(folder) as journal, progress as advance:
        importer = _Importer(journal, advance)
        paths = importer.unread(files(sources, folder))
        for piece in readers.read(_lists(paths)):
            importer.take(piece)
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


def _lists(files):
    """The paths of (path, size), some at a time."""
    paths, total = [], 0
    for path, size in files:
        paths.append(path)
        total += size
        if len(paths) >= _FILES_MAX or total >= _BYTES_MAX:
            yield paths
            paths, total = [], 0
    if paths:
        yield paths


class _Importer:
    def __init__(self, journal, advance):
        self.outcome = Outcome()
        self.batch = Batch(journal)
        self._journal = journal
        self._advance = advance

    def unread(self, paths):
        """Yields (path, size) of the files that the journal does not have as they are now."""
        counts = self.outcome.counts
        for path in paths:
            counts[FILES] += 1
            try:
                info = os.lstat(path)
            except OSError:  # where it is opened, the reason is told
                yield path, 0
                continue
            why = self._journal.why_refused(shown(path), info.st_size, info.st_mtime_ns)
            if why is None:
                yield path, info.st_size
                continue
            counts[REFUSED_BEFORE if why else SKIPPED] += 1
            self._advance(info.st_size)

    def take(self, piece):
        counts, named = self.outcome.counts, self.outcome.named
        for part in piece.rejected:
            rejected.keep(self._journal.folder, part)
            counts[REFUSED] += part.n
            if len(named) < _NAMED_MAX:
                named.append(f"{shown(part.path)}: {part.why}")
        counts.update(self.batch.add(piece))
        for file in piece.done:
            counts[DAMAGED] += file.n_damaged
            self._advance(file.size)
        if self.batch.is_full():
            self.batch.commit()
