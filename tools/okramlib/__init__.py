# SPDX-License-Identifier: MIT
"""The modules of `tools/okram`. They run from a checkout: all paths start at its root."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"

EXIT_PASS = 0  # no bad page found
EXIT_BAD_PAGES = 1
EXIT_ERROR = 2  # internal error of okram, or of this tool
EXIT_UNFINISHED = 3  # no bad page found, but stopped before a whole pass or incomplete
EXIT_CORRECTED = 4  # no bad page found, but ECC corrected errors of memory


class Trouble(Exception):
    """An error that the user can fix, in one sentence."""


def version():
    return (ROOT / "VERSION").read_text().strip()
