# SPDX-License-Identifier: MIT
"""The report of a failed system test has okram's output in it (tests/system/hooks.py)."""

import os
import subprocess
import sys

from okramlib import ROOT

# Two runs with a fake QEMU, and a test that fails after them.
FAILS = """
import json
import okramlib.run
from okramlib import Trouble
from okramlib.machine import Machine
from system.harness import follow
from tools.samples import GOOD
from tools.test_follow import RESULT, START, FakeQemu

RUNS = [
    FakeQemu([START, {**RESULT, "warnings": ["the kettle is cold"]}], 3),
    FakeQemu(["GRUB lost its way"], -6),
]

def test_fails(monkeypatch):
    monkeypatch.setattr(okramlib.run, "Qemu", lambda machine: RUNS.pop(0)(machine))
    okramlib.run.run(Machine())
    follow(Machine())

def test_violates(monkeypatch):
    qemu = FakeQemu([START, {**RESULT, "bad_pages": "none"}, RESULT], 3)
    monkeypatch.setattr(okramlib.run, "Qemu", qemu)
    okramlib.run.run(Machine())

def test_passes():
    okramlib.run.Outcome(trouble="not in any report")
"""


def test_a_failed_test_shows_its_runs(tmp_path):
    test = tmp_path / "test_sample.py"
    test.write_text(FAILS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "system.hooks", "-c", os.devnull]
    ran = subprocess.run(
        [*command, "--rootdir", tmp_path, "-p", "no:cacheprovider", test],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'tools'}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "2 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    for text in (
        "output of okram, run 1 of 2",
        "status: fail",
        "warning: the kettle is cold",
        "output of okram, run 2 of 2",
        "No result: QEMU was ended by signal 6 (could not)",
        "serial port: GRUB lost its way",
        'invalid record: result: bad_pages is "none": it is not of type "integer": {"t":3.0',
        "assert not 'No result: QEMU",  # the harness's own assertion, taken apart
    ):
        assert text in ran.stdout, ran.stdout
    assert "not in any report" not in ran.stdout
