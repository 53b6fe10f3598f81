# SPDX-License-Identifier: MIT
"""Every input of the corpus through its target once, and (slow) every target under libFuzzer."""

import os
import subprocess

import pytest

from data import rebuild
from fuzz import fuzz, host_targets, seeds

INPUTS = [path for target in fuzz.C_TARGETS for path in sorted((fuzz.CORPUS / target).glob("*"))]
SECONDS = int(os.environ.get("FUZZ_SECONDS", 60))
REPLAY_TIMEOUT_S = 300  # replay.c has a limit for each file


def replay(target, *paths):
    return subprocess.run(
        [fuzz.FUZZ / "replay" / target, *paths],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=REPLAY_TIMEOUT_S,
    )


@pytest.mark.parametrize("target", fuzz.C_TARGETS)
def test_corpus(target, tmp_path):
    """And anything, and nothing."""
    for name, content in (("nothing", b""), ("ones", b"\xff" * 4096), ("zeros", bytes(4096))):
        (tmp_path / name).write_bytes(content)
    paths = [*(path for path in INPUTS if path.parent.name == target), *tmp_path.iterdir()]
    ran = replay(target, *paths)
    assert ran.returncode == 0, ran.stdout.splitlines()[-1:] + [ran.stderr]
    assert ran.stdout.splitlines() == [f"{path}: {path.stat().st_size} bytes" for path in paths]


@pytest.mark.parametrize("target", fuzz.PYTHON_TARGETS)
def test_python_corpus(target):
    inputs = sorted((fuzz.CORPUS / target).iterdir())
    assert inputs
    for content in (b"", b"\xff" * 4096, bytes(4096), *(path.read_bytes() for path in inputs)):
        host_targets.TARGETS[target](content)


def test_every_target_has_a_corpus():
    assert {path.parent.name for path in INPUTS} == set(fuzz.C_TARGETS)
    assert set(fuzz.TARGETS) == set(seeds.SEEDS)
    assert {path.name for path in fuzz.CORPUS.iterdir()} == set(fuzz.TARGETS)


def test_committed_files_are_those_that_are_made():
    made = {rebuild.HERE / name: data for name, data in rebuild.files().items()}
    for target, files in seeds.SEEDS.items():
        made |= {fuzz.CORPUS / target / f"seed-{name}": data for name, data in files}
    there = set(fuzz.CORPUS.glob("*/seed-*"))
    there |= {path for place in ("rebuilt", "broken") for path in (rebuild.HERE / place).iterdir()}
    assert there == set(made)
    assert [path for path, data in made.items() if path.read_bytes() != data] == []


def result(target, executions):
    files = [f"kernel/hw/usb/{name}.c" for name in "abcde"]
    files += [f"kernel/core/tables/acpi/{name}.c" for name in ("acpi", "srat")]
    files += ["kernel/hw/memory/page_list.c"]
    return fuzz.Result(target, executions, 30, "", 60, 9, 10, files)


def test_a_row_says_what_was_reached():
    places = "kernel/core/tables/acpi/{acpi,srat}, kernel/hw/memory/page_list, kernel/hw/usb"
    row = f"| usb | 7 | 60 | 30 | 9 of 10 | {places} |\n"
    assert fuzz.row(result("usb", 7)) == row


@pytest.mark.slow
@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_fuzzer(target):
    result = fuzz.fuzz(target, SECONDS)
    assert result.complaint == ""
    assert result.executions > 100
