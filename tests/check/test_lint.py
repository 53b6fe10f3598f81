# SPDX-License-Identifier: MIT
"""ruff and shellcheck find nothing; ruff's rules are in pyproject.toml."""

import subprocess
import sys

import pytest

from check.sources import shell_scripts
from okramlib import ROOT

RUFF = [sys.executable, "-m", "ruff", "check", "--output-format=concise"]
SHELLCHECK = ["shellcheck", "--norc"]


def lint(command, **options):
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)
    return ran.returncode, ran.stdout + ran.stderr


def test_python():
    code, text = lint([*RUFF, "."])
    assert code == 0, text


def test_shell():
    scripts = [str(path.relative_to(ROOT)) for path in shell_scripts()]
    assert {".ci/run", "tools/setup", "tools/plugin/ask_version"} <= {*scripts}
    code, text = lint([*SHELLCHECK, *scripts])
    assert code == 0, text


@pytest.mark.parametrize(
    "command, source, finding",
    [
        ([*RUFF, "--no-cache", "-"], "import os\n", "F401"),
        ([*SHELLCHECK, "-"], "#!/bin/sh\nrm $1\n", "SC2086"),
    ],
)
def test_a_finding_is_reported(command, source, finding):
    code, text = lint(command, input=source)
    assert code == 1 and finding in text
