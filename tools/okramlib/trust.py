# SPDX-License-Identifier: MIT
"""Root runs only what root alone can change.

Whoever can change a program, or a folder on the way to it, decides what root does when it runs that
program. So each of them has to be root's, and nobody else may write to it, up to /, as sshd demands
of its files (sshd_config(5), StrictModes). One thing is allowed that sshd refuses: on the way there
may be a folder such as /tmp, to which all may write but in which nobody can rename or delete what
another owns (the sticky bit, POSIX.1-2017, 4.3 and XSH unlink()).

Only the installed command is protected by this: in a folder that a user owns the user could also
change this file.
"""

import os
import stat

from . import IS_INSTALLED, IS_WHEEL, ROOT

OWNERS = {0}
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH  # by an ACL, too: its mask is the group's bits
_LINKS_MAX = 40  # as of Linux

# Of a checkout: git looks at the owner of the first itself; what root runs of the second is looked
# at when it is run.
_NOT_LOOKED_AT = {".git", "build"}


def problem_of_okram(programs):
    """Why root should not run this okram and these programs, as half a sentence; None: it may."""
    not_looked_at = modules_folders() if IS_INSTALLED else [ROOT / name for name in _NOT_LOOKED_AT]
    for path in programs:
        if why := problem(path):
            return why
    return problem_of_tree(ROOT.parent if IS_WHEEL else ROOT, not_looked_at)


def modules_folders():
    """Of the installed command, made for one version of Python each: the Python modules of others,
    some thousand files that not every subcommand needs."""
    return list(ROOT.glob("python3.*"))


def problem_of_tree(folder, not_looked_at=()):
    """Who else than root could change the folder or anything in it, as half a sentence; None:
    nobody."""
    if why := problem(folder):
        return why
    left_out = {str(path) for path in not_looked_at}
    folders = [str(folder)]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except FileNotFoundError:  # somebody builds meanwhile
            continue
        except OSError as error:
            return _unreadable(error)
        for entry in entries:
            if entry.path in left_out:
                continue
            try:
                why = _judge(entry.path, entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                continue
            if not why and entry.is_symlink():
                why = problem(entry.path)
            if why:
                return why
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return None


def problem(path):
    """Who else than root could change what is at this path, or on the way to it from /, as half a
    sentence; None: nobody. Links are followed."""
    left = _parts(os.path.abspath(path))
    at, n_links = "/", 0
    try:
        if why := _judge(at, os.lstat(at), is_on_the_way=True):
            return why
        while left:
            part = left.pop()
            if part == "..":
                at = os.path.dirname(at)
                continue
            step = os.path.join(at, part)
            info = os.lstat(step)
            if why := _judge(step, info, is_on_the_way=bool(left)):
                return why
            if not stat.S_ISLNK(info.st_mode):
                at = step
                continue
            n_links += 1
            if n_links > _LINKS_MAX:
                return f"{path} is a link without an end"
            target = os.readlink(step)
            at = "/" if target.startswith("/") else at
            left += _parts(target)
    except OSError as error:
        return _unreadable(error)
    return None


def _unreadable(error):
    return f"{error.filename} cannot be looked at ({error.strerror})"


def _parts(path):
    """The last first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _judge(path, info, is_on_the_way=False):
    if info.st_uid not in OWNERS:
        return f"{_user(info.st_uid)} owns {path}"
    is_link = stat.S_ISLNK(info.st_mode)  # its mode says nothing
    is_sticky = stat.S_ISDIR(info.st_mode) and info.st_mode & stat.S_ISVTX
    if info.st_mode & _OTHERS_WRITE and not is_link and not (is_sticky and is_on_the_way):
        return f"others than root may write to {path}"
    return None


def _user(number):
    import pwd  # only where it is needed

    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user {number}"
