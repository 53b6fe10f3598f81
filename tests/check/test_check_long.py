# SPDX-License-Identifier: MIT
"""Each row of check_long.toml names a test that exists."""

import subprocess
import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def listed():
    """Names of tests as pytest gives them, without parameters where all are meant."""
    for file, tests in tomllib.loads((TESTS / "check_long.toml").read_text()).items():
        for test, chosen in tests.items():
            names = [""] if chosen is True else [f"[{parameters}]" for parameters in chosen]
            yield from (f"tests/{file}::{test}{name}" for name in names)


def test_each_row_is_a_test():
    files = tomllib.loads((TESTS / "check_long.toml").read_text())
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    command += [f"tests/{file}" for file in files]
    ran = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    tests = set(ran.stdout.splitlines())
    functions = {test.partition("[")[0] for test in tests}
    assert len(tests) > 500, ran.stdout + ran.stderr
    assert [name for name in listed() if name not in tests | functions] == []
