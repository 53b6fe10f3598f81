# SPDX-License-Identifier: MIT
"""codespell finds no common misspelling in documents, and in what sources say and comment."""

import subprocess
import sys

import pytest

from okramlib import ROOT

# Words that are right here.
KNOWN = {
    "abd": "a string of tests/unit/lib",
    "hangin": "a class of faults in tests/system",
    "ist": "interrupt stack table",
    "nd": "a constraint of inline assembly",
    "requestor": "as UEFI's CPER spells it",
    "sme": "AMD's Secure Memory Encryption",
    "ttest": "scipy's function",
    "ue": "an uncorrected error, in messages of Linux' EDAC",
    "whats": "the plural of a name in error_block.c",
}
PARTS = ("*.md", "docs", "kernel", "boot", "tools", "iso", "tests")
# Made by tools, texts of others, or wrong on purpose: the words that a parser has to refuse.
SKIPPED = (
    "*/iso/licenses/*",
    "*/requirements*.txt",
    "*.svg",
    "*.png",
    "*/corpus/*",
    "*/tests/data/*",
    "*/vendor/*",
)
WRONG_ON_PURPOSE = ("*/unit/options/test_options.c", "*/check/test_spelling.py")


def codespell(*paths):
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "codespell_lib", f"--ignore-words-list={','.join(KNOWN)}"),
            f"--skip={','.join(SKIPPED + WRONG_ON_PURPOSE)}",
            *paths,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize("part", PARTS)
def test_spelling(part):
    paths = sorted(str(path) for path in ROOT.glob(part))
    assert paths
    code, text = codespell(*paths)
    assert code == 0, text


def test_a_misspelling_is_seen(tmp_path):
    (tmp_path / "a.md").write_text("It is not neccessary, with SME.\n")
    code, text = codespell(str(tmp_path / "a.md"))
    assert code != 0 and "neccessary" in text and "SME" not in text
