# SPDX-License-Identifier: MIT
"""What was not taken for a report is kept in a folder of its own, by its content: the same twice is
there once."""

import contextlib
import hashlib
import io
import os
import re
import shutil

from . import journal
from .found import open_source, shown

FOLDER = "rejected"


def keep(folder, part):
    """Writes what a pieces.Rejected has into DATA/rejected, and next to it why."""
    rejected = folder / FOLDER
    rejected.mkdir(exist_ok=True)
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
    _write(target.with_name(target.name + ".why"), io.BytesIO(why))
    journal.sync_folder(rejected)


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
        return
    with open(journal.new(target), "wb") as file:
        shutil.copyfileobj(source, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(journal.new(target), target)
