# SPDX-License-Identifier: MIT
"""Who can change what is at a path: as root, okram runs only what root alone can."""

import os

import pytest

from okramlib import trust

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 12345


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Below one that is root's, whoever runs this."""
    monkeypatch.setattr(trust, "OWNERS", {0, os.geteuid()})
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").touch()
    for name, mode in (("a", 0o755), ("a/b", 0o755), ("a/b/file", 0o644)):  # whatever the umask is
        (tmp_path / name).chmod(mode)
    return tmp_path


def may_write(path):
    return f"others than root may write to {path}"


def test_nobody(folder):
    file = folder / "a" / "b" / "file"
    assert trust.problem(file) is None and trust.problem_of_tree(folder) is None
    assert trust.problem(folder / "a" / ".." / "a" / "b" / ".") is None
    assert trust.problem("/") is None


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666, 0o1646])
def test_a_file_that_others_can_write_to(folder, mode):
    file = folder / "a" / "b" / "file"
    file.chmod(mode)
    assert trust.problem(file) == trust.problem_of_tree(folder) == may_write(file)


@pytest.mark.parametrize("mode, is_good", [(0o775, False), (0o757, False), (0o1777, True)])
def test_a_folder_on_the_way(folder, mode, is_good):
    """In one with the sticky bit nobody can replace what another owns."""
    (folder / "a").chmod(mode)
    found = trust.problem(folder / "a" / "b" / "file")
    assert found == (None if is_good else may_write(folder / "a"))


def test_a_folder_that_others_can_add_to(folder):
    """The sticky bit does not help there: a new module would be found."""
    (folder / "a" / "b").chmod(0o1777)
    assert trust.problem(folder / "a" / "b") == may_write(folder / "a" / "b")
    assert trust.problem_of_tree(folder) == may_write(folder / "a" / "b")
    assert trust.problem_of_tree(folder, [folder / "a" / "b"]) is None


def test_links(folder):
    """All that a link leads over counts."""
    other = folder / "other"
    other.mkdir()
    other.chmod(0o755)
    (other / "link").symlink_to("../a/b/file")
    (folder / "first").symlink_to(other)
    path = folder / "first" / "link"
    assert trust.problem(path) is None
    other.chmod(0o777)
    assert trust.problem(path) == may_write(other)
    other.chmod(0o755)
    (folder / "a" / "b").chmod(0o777)
    assert trust.problem(path) == may_write(folder / "a" / "b")
    assert trust.problem_of_tree(other) == may_write(folder / "a" / "b")


def test_links_to_nowhere(folder):
    (folder / "circle").symlink_to("circle")
    (folder / "gone").symlink_to("nothing")
    assert "is a link without an end" in trust.problem(folder / "circle")
    assert "nothing cannot be looked at (No such file" in trust.problem(folder / "gone")
    assert "cannot be looked at" in trust.problem(folder / "a" / "b" / "file" / "more")


@AS_ROOT
@pytest.mark.parametrize("name", ["a/b/file", "a/b", "a", "link"])
def test_what_another_owns(folder, name):
    (folder / "link").symlink_to("a/b/file")
    os.chown(folder / name, NOBODY, -1, follow_symlinks=False)
    path = folder / ("link" if name == "link" else "a/b/file")
    assert trust.problem(path) == f"the user {NOBODY} owns {folder / name}"


@AS_ROOT
def test_a_user_by_its_name(folder):
    import pwd

    user = next(entry for entry in pwd.getpwall() if entry.pw_uid)
    os.chown(folder / "a", user.pw_uid, -1)
    assert trust.problem(folder / "a") == f"the user {user.pw_name} owns {folder / 'a'}"
