# SPDX-License-Identifier: MIT
"""What a build depends on in addition to its sources: the version, the flags and the date."""

import subprocess

import pytest

from okramlib import ROOT

# One object of each kind that names the version, and a plain one.
OBJECTS = [
    "kernel/kernel/run/facts/machine_emit.o",
    "uefi/boot/uefi/main.o",
    "host/kernel/core/lib/string.o",
]


@pytest.fixture
def make(tmp_path):
    def make(*arguments):
        command = ["make", "-s", f"BUILD={tmp_path}", *arguments]
        subprocess.run([*command, *(str(tmp_path / o) for o in OBJECTS)], cwd=ROOT, check=True)
        return {o: (tmp_path / o).stat().st_mtime_ns for o in OBJECTS}

    return make


def test_nothing_changed(make):
    assert make() == make()


def test_a_later_commit_has_a_later_image(tmp_path):
    """Otherwise the same commit would not give the same bytes."""
    image = tmp_path / "okram.iso"
    for epoch, date in ((1700000000, b"20231114"), (1800000000, b"20270115")):
        command = ["make", "-s", f"ISO={tmp_path}", f"IMAGE={image}", f"SOURCE_DATE_EPOCH={epoch}"]
        subprocess.run([*command, str(image)], cwd=ROOT, check=True, capture_output=True)
        with image.open("rb") as file:
            assert date in file.read(40 * 1024)  # in the volume's descriptor


def test_makes_side_by_side(tmp_path):
    """As the tests of tools/okram run them."""
    command = ["make", "-s", f"BUILD={tmp_path}", str(tmp_path / "settings")]
    for _ in range(4):
        makes = [subprocess.Popen(command, cwd=ROOT) for _ in range(8)]
        assert [make.wait(60) for make in makes] == [0] * 8
    assert [path.name for path in tmp_path.iterdir()] == ["settings"]


@pytest.mark.parametrize("change", ["VERSION=9.8.7", "WARN=-Wall"])
def test_a_change_rebuilds(make, change, tmp_path):
    before, after = make(), make(change)

    assert [o for o in OBJECTS if before[o] == after[o]] == []
    if change.startswith("VERSION"):
        assert b"9.8.7" in (tmp_path / OBJECTS[0]).read_bytes()
