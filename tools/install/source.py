# SPDX-License-Identifier: MIT
"""Files of the checkout, which is the current folder, for tools/install/install.

Whoever can write to the checkout, or to build/ alone, must not decide which files root reads. So no
link is followed, and from the first folder on that is not root's, all is opened with the rights of
that folder's owner. What is refused is named, and its target stays as it was.

usage: source.py check FILE... | read FILE | put MODE FOLDER FILE... | tree FOLDER TARGET
"""

import contextlib
import errno
import os
import secrets
import stat
import sys

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_DEPTH_MAX = 40  # folders in each other
_AT_ONCE_BYTES = 1 << 20


class Source:
    """An open file or folder. owner: the fstat() of the folder whose owner's rights are taken."""

    def __init__(self, path, number, owner=None):
        self.path, self.number, self.info = path, number, os.fstat(number)
        self.owner = owner if owner and owner.st_uid else self.info
        self.is_folder = stat.S_ISDIR(self.info.st_mode)
        if self.is_folder:
            return
        if not stat.S_ISREG(self.info.st_mode):
            refuse(path, "is neither a file nor a folder")
        if self.info.st_nlink > 1 and self.info.st_uid != owner.st_uid:
            refuse(path, f"is another name of a file that the user {self.info.st_uid} owns")

    @contextlib.contextmanager
    def inside(self, name, *names):
        """The Source of that name in this folder; of several names, each in the one before."""
        path = os.path.normpath(os.path.join(self.path, name))
        try:
            with _rights_of(self.owner):
                number = os.open(name, _FLAGS, dir_fd=self.number)
        except FileNotFoundError:
            whole = os.path.join(path, *names)
            sys.exit(f"install: {whole} is missing: run 'make host' first, as its user.")
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            refuse(path, "is a link" if is_link else f"cannot be read ({error.strerror})")
        try:
            found = Source(path, number, self.owner)
            with found.inside(*names) if names else contextlib.nullcontext(found) as last:
                yield last
        finally:
            os.close(number)

    def pieces(self):
        """The bytes of a file, as many as it had when it was opened."""
        if self.is_folder:
            refuse(self.path, "is a folder")
        left = self.info.st_size
        while left:
            piece = os.read(self.number, min(left, _AT_ONCE_BYTES))
            if not piece:
                refuse(self.path, "became shorter while it was read")
            left -= len(piece)
            yield piece

    def copy(self, target, mode):
        """The target is as it was, or the whole copy."""
        fresh = f"{target}.{secrets.token_hex(8)}.new"
        try:
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.writelines(self.pieces())
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            os.rename(fresh, target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fresh)

    def copy_tree(self, target, depth=1):
        """Into a new folder. Everybody may run those files that anybody may run."""
        if depth > _DEPTH_MAX:
            refuse(self.path, f"is in more than {_DEPTH_MAX} folders")
        os.mkdir(target)
        for name in sorted(os.listdir(self.number)):
            with self.inside(name) as found:
                to = os.path.join(target, name)
                if found.is_folder:
                    found.copy_tree(to, depth + 1)
                else:
                    found.copy(to, 0o755 if found.info.st_mode & 0o111 else 0o644)


@contextlib.contextmanager
def _rights_of(info):
    if os.geteuid() or not info.st_uid:  # only root can take another's
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(info.st_gid)
    os.seteuid(info.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def refuse(path, why):
    sys.exit(
        f"install: {path} {why}, and is not installed. Remove it, and get the file again by"
        " 'make host' or git, as its user."
    )


def main(verb, *words):
    root = Source(".", os.open(".", os.O_RDONLY))
    mode, folder, *files = words if verb == "put" else (None, None, *words)
    if verb == "tree":
        folder = files.pop()
    for path in files:
        with root.inside(*path.split("/")) as found:
            if verb == "read":
                sys.stdout.buffer.writelines(found.pieces())
            elif verb == "put":
                os.makedirs(folder, exist_ok=True)
                found.copy(os.path.join(folder, os.path.basename(path)), int(mode, 8))
            elif verb == "tree":
                found.copy_tree(folder)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"install: {error.filename or 'a file'} cannot be copied: {error.strerror}.")
