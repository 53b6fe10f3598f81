# SPDX-License-Identifier: MIT
"""A USB stick in a file, made of the built image."""

import subprocess

import pytest

from okramlib import Trouble, stick
from okramlib.machine import IMAGE


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "my stick.img"
    assert stick.make(path, IMAGE)
    return path


def put(path, name, text):
    drive = ["-i", stick.drive(path)]
    subprocess.run(["mmd", "-D", "s", *drive, "::/okram"], capture_output=True)
    file = path.with_name(name)
    file.write_text(text)
    subprocess.run(["mcopy", *drive, file, f"::/okram/{name}"], check=True)


def test_it_is_the_image_and_has_no_reports_yet(path):
    assert path.read_bytes() == IMAGE.read_bytes()
    assert stick.reports(path) == []


def test_reports_are_listed_and_read(path):
    put(path, "2026-11-22-pc.txt", "as text\n")
    put(path, "2026-11-22-pc.jsonl", "{}\n")
    names = ["::/okram/2026-11-22-pc.jsonl", "::/okram/2026-11-22-pc.txt"]
    assert stick.reports(path) == names
    assert stick.content(path, names[1]) == b"as text\n"
    with pytest.raises(Trouble, match="pc.html on .* cannot be read"):
        stick.content(path, "::/okram/pc.html")


def test_the_summary_has_the_command_that_looks_into_it(path):
    assert stick.summary(path).startswith(f"{path}: 0 files of reports\n")
    put(path, "a.txt", "a\n")
    first, report, last = stick.summary(path).split("\n  ")
    assert first == f"{path}: 1 file of reports" and report == "::/okram/a.txt"
    command = last.removeprefix("to look into it: ")
    listed = subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True)
    assert "okram" in listed.stdout


def test_a_stick_that_is_there_stays(path):
    put(path, "a.txt", "a\n")
    assert not stick.make(path, IMAGE)
    assert stick.reports(path) == ["::/okram/a.txt"]


@pytest.mark.parametrize("size", [0, 100, 511, 512, 4096])
def test_what_is_no_stick(tmp_path, size):
    path = tmp_path / "zeros"
    path.write_bytes(bytes(size))
    with pytest.raises(Trouble, match="no FAT partition"):
        stick.drive(path)


def test_what_cannot_be_used():
    with pytest.raises(Trouble, match="/nowhere/stick cannot be written"):
        stick.make(type(IMAGE)("/nowhere/stick"), IMAGE)
    with pytest.raises(Trouble, match="/nowhere/stick cannot be read"):
        stick.drive("/nowhere/stick")
