# SPDX-License-Identifier: MIT
"""What was not taken for a report is kept in a folder of its own, by its content: the same twice is
there once. The folder is bounded: what does not fit is named, and is where it was found."""

import contextlib
import hashlib
import io
import os
import re
import shutil

from .. import atomic
from . import journal
from .found import open_source, shown

FOLDER = "rejected"
BYTES_MAX = 1 << 30
_FILES_MAX = 100_000


class Folder:
    """DATA/rejected."""

    def __init__(self, folder):
        self._folder = folder / FOLDER
        self.n_left_out = 0
        self._n = self._bytes = 0
        with contextlib.suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                self._n += 1
                self._bytes += entry.stat(follow_symlinks=False).st_size

    def keep(self, part):
        """Writes what a pieces.Rejected has, and next to it why."""
        size = _size(part)
        if self._n >= _FILES_MAX or self._bytes + size > BYTES_MAX:
            self.n_left_out += 1
            return
        self._folder.mkdir(exist_ok=True)
        if _keep(self._folder, part):
            self._n += 2
            self._bytes += size


def _size(part):
    if part.data is not None:
        return len(part.data)
    with contextlib.suppress(OSError):
        return os.lstat(part.path).st_size if part.is_copied else 0
    return 0


def _keep(rejected, part):
    """Whether it was not there."""
    name = shown(part.path)
    clean = re.sub(r"[^\w.-]+", "_", os.path.basename(name), flags=re.ASCII)[-80:]
    with _opened(part) as source:
        if source:
            digest = hashlib.file_digest(source, "sha256")
            source.seek(0)
        else:
            digest = hashlib.sha256(name.encode())
        target = rejected / f"{digest.hexdigest()[:16]}-{clean}"
        if source:
            _write(target, source)
    why = f"{name}: {part.why}\n".encode(errors="replace")
    return _write(target.with_name(target.name + ".why"), io.BytesIO(why))


def _opened(part):
    """What is to be kept, as a context; it gives None where only the reason is."""
    if part.data is not None:
        return io.BytesIO(part.data)
    if part.is_copied:
        with contextlib.suppress(FileNotFoundError):  # it was there a moment ago
            return open_source(part.path)
    return contextlib.nullcontext()


def _write(target, source):
    if target.exists():
        return False
    with atomic.file(target, fresh=journal.new(target)) as file:
        shutil.copyfileobj(source, file)
    return True
