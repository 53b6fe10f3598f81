# SPDX-License-Identifier: MIT
"""CONTRIBUTING.md's examples fit the tree, compile, and pass the unit tests that they name."""

import shutil
import subprocess

import pytest

from check import examples
from okramlib import ROOT

TEXT = (ROOT / examples.DOCUMENT).read_text()
CHANGES = examples.examples(TEXT)

OBJECTS = ["core/tables/acpi/waet", "hw/machine/tables", "show/sections/nodes"]
PROGRAMS = ["sweep/test_tests", "bootcfg/test_lines", "screen/test_screen_pages"]


@pytest.fixture
def tree(tmp_path):
    """A copy of the tree, as far as it is known to git or new."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


def make_all(tree):
    for changes in CHANGES.values():
        for change in changes:
            examples.apply(change, tree)


def test_every_kind_of_addition_has_an_example():
    assert [name.removeprefix("How to add ") for name in CHANGES] == [
        "a memory test",
        "a bootloader's line",
        "a firmware table",
        "a screen page",
    ]


def test_each_file_is_named_in_the_text():
    prose = examples._BLOCK.sub("", TEXT)
    for changes in CHANGES.values():
        for change in changes:
            assert f"`{change.path}`" in prose, f"{change.path} is changed, but not listed"


def test_the_examples_fit_the_tree(tree):
    make_all(tree)
    assert "note_waet(&root);" in (tree / "kernel/hw/machine/tables.c").read_text()
    with pytest.raises(examples.NoPlace):
        make_all(tree)


@pytest.mark.slow
def test_the_examples_compile_and_pass(tree):
    make_all(tree)
    programs = [f"build/unit/{program}" for program in PROGRAMS]
    objects = [f"build/kernel/kernel/{name}.o" for name in OBJECTS]
    command = ["make", "-s", "--no-print-directory", "-j2", *objects, *programs]
    ran = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for program in programs:
        ran = subprocess.run([tree / program], cwd=tree, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
