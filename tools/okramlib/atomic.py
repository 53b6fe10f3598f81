# SPDX-License-Identifier: MIT
"""Files that are written as a whole: under its name there is the old file or the new one, after a
power cut, too."""

import contextlib
import errno
import os
import secrets

_END = ".new"
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)


@contextlib.contextmanager
def file(path, fresh=None, place=None):
    """An open file, which gets the name when the block ends, unless an exception ends it.

    fresh: its path until then, such as one that is known to what cleans up; None: one that no other
    process uses. place(fresh, path): gives it the name, or raises; None: os.replace. OSError.
    """
    fresh = fresh or path.with_name(f".okram-{secrets.token_hex(8)}{_END}")
    try:
        with synced(fresh) as opened:
            yield opened
        (place or os.replace)(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)


@contextlib.contextmanager
def synced(path):
    """An open file, whose bytes are on the disk when the block ends."""
    with open(path, "wb") as opened:
        yield opened
        opened.flush()
        os.fsync(opened.fileno())


def sync_folder(path):
    """The names in it are on the disk, too, where the file system can do that."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def is_unfinished(path):
    """Whether it has the name of a file that was being written."""
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(_END)
