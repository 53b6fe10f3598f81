# SPDX-License-Identifier: MIT
"""Where tools/okram finds its Python modules: here, in build/venv, or there after the set-up."""

import os
import sys

import pytest

from okramlib import Trouble, environment


@pytest.fixture
def events(monkeypatch, tmp_path):
    """What need_modules() does, where it finds no module."""
    done = []
    monkeypatch.setattr(environment, "_VENV", tmp_path)
    monkeypatch.setattr(environment, "_MODULES", ("no_such_module", "no_such.module"))
    monkeypatch.setattr(environment, "_set_up", lambda: done.append("set-up"))
    monkeypatch.setattr(environment.os, "execv", lambda *_: done.append("restart"))
    return done


def install(tmp_path, more=""):
    required = environment._REQUIREMENTS.read_text()
    (tmp_path / "requirements.txt").write_text(required + more)


def test_modules_are_here(events, monkeypatch):
    monkeypatch.setattr(environment, "_MODULES", ("json", "xml.etree"))
    environment.need_modules()
    assert events == []


def test_modules_are_in_the_venv(events, tmp_path):
    install(tmp_path)
    environment.need_modules()
    assert events == ["restart"]


@pytest.mark.parametrize("old", [False, True], ids=["no venv", "one of other requirements"])
def test_the_venv_is_made(events, tmp_path, old):
    if old:
        install(tmp_path, "more==1.0\n")
    environment.need_modules()
    assert events == ["set-up", "restart"]


def test_a_venv_without_its_modules(events, tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(Trouble, match="build/venv is incomplete"):
        environment.need_modules()
    assert events == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["build", "build/program"])
def test_root_runs_only_what_is_built_by_root(tmp_path, monkeypatch, name):
    """In a checkout of root's, too."""
    program = tmp_path / "build" / "program"
    program.parent.mkdir()
    program.touch(0o755)
    made = []
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "BUILD", program.parent)
    monkeypatch.setattr(environment, "make", lambda *targets: made.append(targets))
    environment.need_built(program)
    assert made == [("build/program",)]
    os.chown(tmp_path / name, 12345, -1)
    with pytest.raises(Trouble, match=f"the user 12345 owns {tmp_path / name}"):
        environment.need_built(program)
    assert len(made) == (1 if name == "build" else 2)
