# SPDX-License-Identifier: MIT
"""What was not taken for a report is kept apart, by its content: the same twice is there once."""

import hashlib
import os
import re
import shutil

from . import journal

FOLDER = "rejected"


def keep(folder, name, refused, path):
    """Writes refused.data, or a copy of the file, into DATA/rejected, and next to it why. path:
    None for a file that is too large to be copied: it stays where it is."""
    rejected = folder / FOLDER
    rejected.mkdir(exist_ok=True)
    digest = _digest(refused, path, name)
    clean = re.sub(r"[^\w.-]+", "_", os.path.basename(name), flags=re.ASCII)[-80:]
    target = rejected / f"{digest}-{clean}"
    if refused.data is not None:
        _write(target, refused.data)
    elif path is not None:
        _copy(path, target)
    why = target.with_name(target.name + ".why")
    _write(why, f"{name}: {refused.why}\n".encode("utf-8", "replace"))
    journal.sync_folder(rejected)


def _digest(refused, path, name):
    if refused.data is not None:
        return hashlib.sha256(refused.data).hexdigest()[:16]
    if path is None:
        return hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def _write(target, data):
    if target.exists():
        return
    with open(journal.new(target), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(journal.new(target), target)


def _copy(path, target):
    if target.exists():
        return
    with open(path, "rb") as source, open(journal.new(target), "wb") as file:
        shutil.copyfileobj(source, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(journal.new(target), target)
