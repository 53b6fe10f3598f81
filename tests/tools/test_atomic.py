# SPDX-License-Identifier: MIT
"""Files that are written as a whole, whatever fails and whenever."""

import errno
import os

import pytest

from okramlib import atomic


def write(path, **options):
    with atomic.file(path, **options) as file:
        file.write(b"new" * 10_000)


def no_place(fresh, path):
    assert fresh.read_bytes() == b"new" * 10_000  # all is there before it has its name
    raise OSError(errno.EIO, "it reads back differently")


def synced_at(monkeypatch):
    """What is synced and named, in that order."""
    done, fsync, replace = [], os.fsync, os.replace

    def note_sync(number):
        done.append(os.path.realpath(f"/proc/self/fd/{number}"))
        fsync(number)

    def note_replace(fresh, path):
        done.append((str(fresh), str(path)))
        replace(fresh, path)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    return done


@pytest.mark.parametrize("is_there", [True, False])
def test_it_is_there_as_a_whole(tmp_path, is_there, monkeypatch):
    path = tmp_path / "file"
    if is_there:
        path.write_text("old")
    done = synced_at(monkeypatch)
    write(path)
    assert path.read_bytes() == b"new" * 10_000 and list(tmp_path.iterdir()) == [path]
    fresh = done[0]
    assert done == [fresh, (fresh, str(path)), str(tmp_path)] and atomic.is_unfinished(fresh)


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_what_fails(tmp_path, monkeypatch, is_there, name):
    """The old file stays, and nothing else is left."""
    path = tmp_path / "file"
    if is_there:
        path.write_text("old")

    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(OSError):
        write(path)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"] * is_there


@pytest.mark.parametrize("why", [ValueError, KeyboardInterrupt])
def test_whoever_writes_fails(tmp_path, why):
    (tmp_path / "file").write_text("old")
    with pytest.raises(why), atomic.file(tmp_path / "file") as file:
        file.write(b"half")
        raise why
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


def test_a_name_that_is_not_given(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match="differently"):
        write(tmp_path / "file", place=no_place)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


def test_leftovers_of_one_that_was_killed(tmp_path):
    """Of its known name they are overwritten."""
    fresh = tmp_path / "file.new"
    fresh.write_text("half")
    write(tmp_path / "file", fresh=fresh)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_the_longest_name(tmp_path):
    write(tmp_path / ("n" * 255))
    assert [entry.name for entry in tmp_path.iterdir()] == ["n" * 255]


@pytest.mark.parametrize(
    "number, is_error", [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)]
)
def test_a_folder_that_cannot_be_synced(tmp_path, monkeypatch, number, is_error):
    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    if is_error:
        with pytest.raises(OSError):
            atomic.sync_folder(tmp_path)
    else:
        atomic.sync_folder(tmp_path)


@pytest.mark.parametrize(
    "name, is_it",
    [("/a/.okram-1.new", True), ("/a/.x.new", True), ("/a/x.new", False), ("/a.new/.x", False)],
)
def test_unfinished(name, is_it):
    assert atomic.is_unfinished(name) == is_it
