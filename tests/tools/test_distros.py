# SPDX-License-Identifier: MIT
"""tests/distros.py, which checks okram in distributions made from nothing, without making any."""

import time
from pathlib import Path

import pytest

import distros

TRIXIE = distros.DISTRIBUTIONS["trixie"]


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Plays the commands in the distribution: (exit code, what goes to the log) of each."""
    monkeypatch.setattr(distros, "HERE", tmp_path)
    monkeypatch.setattr(distros, "make_chroot", lambda distribution, log: tmp_path)

    def play(**results):
        def inside(chroot, directory, command, log, deadline):
            code, text = results[command.split()[1]]
            log.write(text)
            log.flush()
            return code

        monkeypatch.setattr(distros, "inside", inside)
        return distros.checked(TRIXIE)

    return play


def test_all_is_well(commands):
    line, good = commands(run=(1, "5 passed, 1 failed\n"), check=(0, "é\n1200 passed, 0 failed\n"))
    assert line == "trixie: make run returned 1; 1200 passed, 0 failed, 0 minutes" and good


@pytest.mark.parametrize(
    "run, check, text",
    [
        ((1, ""), (2, "1190 passed, 11 failed\nmake: ***\n"), "1190 passed, 11 failed"),
        ((2, ""), (0, "9 passed, 0 failed\n"), "make run returned 2 instead of 1; 9 passed"),
        ((1, ""), (2, "error\n"), "make check did not finish, 0 passed, 1 failed"),
        ((1, "9 passed, 0 failed\n"), (2, ""), "make check did not finish"),
        ((1, ""), (0, "0 passed, 0 failed\n"), "0 passed, 0 failed"),
    ],
)
def test_failures(commands, run, check, text):
    line, good = commands(run=run, check=check)
    assert text in line and not good


def test_trouble_is_told_as_the_distributions(commands, monkeypatch):
    def make_chroot(distribution, log):
        raise distros.Trouble("debootstrap failed: see its log")

    monkeypatch.setattr(distros, "make_chroot", make_chroot)
    line, good = distros.checked(TRIXIE)
    assert line == "trixie: debootstrap failed: see its log, 0 minutes" and not good


def test_distributions_are_chosen_by_name(monkeypatch):
    monkeypatch.delenv("DISTROS", raising=False)
    assert [distribution.suite for distribution in distros.chosen()] == ["bookworm", "trixie"]
    monkeypatch.setenv("DISTROS", "trixie noble")
    assert [distribution.suite for distribution in distros.chosen()] == ["trixie", "noble"]
    monkeypatch.setenv("DISTROS", "trixie hamm")
    with pytest.raises(distros.Trouble, match="hamm is not known here; these are: bookworm, "):
        distros.chosen()


def test_nothing_is_removed_while_something_is_mounted_there():
    """/proc is always mounted."""
    with pytest.raises(distros.Trouble, match="is mounted: please unmount it first"):
        distros.remove(Path("/proc"))


def test_a_distribution_is_removed(tmp_path):
    (tmp_path / "old" / "etc").mkdir(parents=True)
    distros.remove(tmp_path / "old")
    assert not (tmp_path / "old").exists()
    distros.remove(tmp_path / "old")


APT = """#!/bin/sh
echo 'Debian|http://security/|stable-security|Debian-Security'
echo 'other|http://elsewhere/|stable|other'
echo 'Debian|http://mirror/debian/|stable|Debian'
"""


def test_packages_come_from_where_this_machine_takes_them(monkeypatch, tmp_path):
    (tmp_path / "apt-get").write_text(APT)
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("MIRROR_DEBIAN", raising=False)
    assert distros.mirror_of("Debian") == "http://mirror/debian/"
    assert distros.mirror_of("Ubuntu") == ""
    monkeypatch.setenv("MIRROR_DEBIAN", "http://mine/")
    assert distros.mirror_of("Debian") == "http://mine/"


def test_a_command_past_its_deadline_is_ended(tmp_path):
    begin = time.monotonic()
    too_long = pytest.raises(distros.Trouble, match="60 took too long")
    with open(tmp_path / "log", "w") as log, too_long:
        distros.run(["sleep", "60"], log, begin)
    assert time.monotonic() - begin < 30


def test_who_is_not_root_is_told(monkeypatch, capsys):
    monkeypatch.setattr(distros.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(distros, "need_debootstrap", lambda: pytest.fail("goes on"))
    monkeypatch.delenv("DISTROS", raising=False)
    assert distros.main() == 2
    assert capsys.readouterr().err == "check-distros: this makes chroots: please run it as root.\n"
