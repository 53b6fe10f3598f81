# SPDX-License-Identifier: MIT
"""CONTRIBUTING.md's examples fit the tree, compile, and pass the unit tests that they name."""

import subprocess
import sys

import pytest

from check import examples
from okramlib import ROOT

TEXT = (ROOT / examples.DOCUMENT).read_text()
CHANGES = examples.examples(TEXT)

OBJECTS = ["run/measure/bandwidth", "hw/machine/tables", "show/screen/screen_details"]
OBJECTS += ["core/tables/acpi/waet"]
PROGRAMS = ["options/test_options", "sweep/test_tests", "screen/test_screen_details"]


def make_all(tree):
    for changes in CHANGES.values():
        for change in changes:
            examples.apply(change, tree)


def test_every_kind_of_addition_has_an_example():
    assert [name.removeprefix("How to add ") for name in CHANGES] == [
        "an option",
        "a memory test",
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
        ran = subprocess.run(
            [tree / program], cwd=tree, capture_output=True, text=True, errors="replace"
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_without_a_build(tree):
    """What reads the build says how to make it; the rest of tests/check runs."""

    def check(name):
        command = [sys.executable, "-m", "pytest", "-q", f"tests/check/{name}"]
        ran = subprocess.run(command, cwd=tree, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    code, text = check("test_pe.py")
    assert code == pytest.ExitCode.USAGE_ERROR and "run make first" in text and "\0" not in text
    assert len(text.splitlines()) < 10
    assert check("test_spdx.py")[0] == 0
