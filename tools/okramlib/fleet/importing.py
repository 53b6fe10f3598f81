# SPDX-License-Identifier: MIT
"""Reads sources into a data set. No engine sees a source itself: it is checked while it is read
(pieces.py), by several processes, and one writes what they find."""

import contextlib
import os
from collections import Counter
from dataclasses import dataclass, field

from .. import Trouble, atomic
from ..units import format_size
from . import rejected
from .batch import Batch
from .found import shown
from .journal import Journal
from .readers import Readers

REFUSED, REFUSED_BEFORE, FILES, SKIPPED = "refused", "refused before", "files", "skipped"
DAMAGED, AT_ODDS = "damaged", "at odds"

_NAMED_MAX = 20

_BESIDE = ("diagnosis.bin", "okram.conf")

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
        importer.end()
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
                        elif not _is_no_report(entry.path):
                            yield entry.path
            except OSError:
                yield folder  # where it is opened, the reason is told


def _is_no_report(path):
    """Files of okram's own beside its reports: the same report for people, the state of a search
    on a stick, and what a delivery that was killed has left."""
    stem, ending = os.path.splitext(path)
    if ending in (".html", ".txt"):
        return os.path.exists(f"{stem}.jsonl")
    return os.path.basename(path).lower() in _BESIDE or atomic.is_unfinished(path)


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
        self._rejected = rejected.Folder(journal.folder)
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
        counts = self.outcome.counts
        for part in piece.rejected:
            self._rejected.keep(part)
            counts[REFUSED] += part.n
            self._name(f"{shown(part.path)}: {part.why}")
        added, at_odds = self.batch.add(piece)
        counts.update(added)
        for text in at_odds:
            counts[AT_ODDS] += 1
            self._name(text)
        for file in piece.done:
            counts[DAMAGED] += file.n_damaged
            if file.n_damaged and not file.why:
                more = f", nor can {file.n_damaged - 1} more" if file.n_damaged > 1 else ""
                self._name(f"{shown(file.path)}: {file.damage}{more}")
            self._advance(file.size)
        if self.batch.is_full():
            self.batch.commit()

    def end(self):
        self.batch.commit()
        if n := self._rejected.n_left_out:
            self.outcome.named.append(
                f"{self._journal.folder / rejected.FOLDER} is full"
                f" ({format_size(rejected.BYTES_MAX)}): {n} refused parts are not copied there"
            )

    def _name(self, text):
        if len(self.outcome.named) < _NAMED_MAX:
            self.outcome.named.append(text)
