# SPDX-License-Identifier: MIT
"""ruff, shellcheck, clang-format, actionlint and zizmor find nothing.

Their rules are in pyproject.toml and .clang-format. clang-format's version is that of
tools/requirements.txt on every distribution: each version formats some lines otherwise.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from check.sources import shell_scripts, sources
from okramlib import ROOT

RUFF = [sys.executable, "-m", "ruff", "check", "--output-format=concise"]
SHELLCHECK = ["shellcheck", "--norc"]
CLANG_FORMAT = [str(Path(sys.executable).with_name("clang-format")), "--dry-run", "-Werror"]

WORKFLOWS = [".github/workflows/check.yml", ".github/workflows/release.yml"]
TOOLS = Path(sys.executable).parent
ACTIONLINT = [str(TOOLS / "jactionlint"), "--profile=correctness", "--no-online", "--oneline"]
ZIZMOR = [str(TOOLS / "zizmor"), "--offline", "--no-progress", "--quiet"]


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


def test_c():
    files = [str(path.relative_to(ROOT)) for path in sources() if path.suffix in {".c", ".h"}]
    assert {"kernel/main.c", "boot/load/bad_pages.h", "tests/fuzz/fuzz.c"} <= {*files}
    code, text = lint([*CLANG_FORMAT, *files])
    assert code == 0, f"make format would change:\n{text}"


def test_workflows():
    there = {str(path.relative_to(ROOT)) for path in (ROOT / ".github/workflows").iterdir()}
    assert there == {*WORKFLOWS}
    for linter in (ACTIONLINT, ZIZMOR):
        code, text = lint([*linter, *WORKFLOWS])
        assert code == 0, text


BAD_STEP = """on: push
permissions: {}
jobs:
  job:
    runs-on: ubuntu-24.04
    steps:
      - run: echo ${{ github.event.head_commit.message }} ${{ nothing.here }}
"""


@pytest.mark.parametrize(
    "command, source, finding",
    [
        ([*RUFF, "--no-cache", "-"], "import os\n", "F401"),
        ([*SHELLCHECK, "-"], "#!/bin/sh\nrm $1\n", "SC2086"),
        ([*CLANG_FORMAT, "--assume-filename=a.c"], "int  a;\n", "clang-format-violations"),
        ([*ACTIONLINT, "-"], BAD_STEP, "undefined variable"),
    ],
)
def test_a_finding_is_reported(command, source, finding):
    code, text = lint(command, input=source)
    assert code == 1 and finding in text


def test_zizmor_reports_a_finding():
    code, text = lint([*ZIZMOR, "-"], input=BAD_STEP)
    assert code != 0 and "template-injection" in text
