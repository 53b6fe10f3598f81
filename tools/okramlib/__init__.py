# SPDX-License-Identifier: MIT
"""The modules of the command okram: `tools/okram` in a checkout, or installed by `make install`, by
a package or by pip."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

# What is installed has its version and all that it takes along in its own folder's parent; what pip
# installs, in a folder below its own (packaging/wheel.py).
IS_WHEEL = (_PACKAGE / "data" / "VERSION").exists()
IS_INSTALLED = IS_WHEEL or (_PACKAGE.parent / "VERSION").exists()
_ROOT = _PACKAGE.parent if IS_INSTALLED else _PACKAGE.parents[1]
ROOT = _PACKAGE / "data" if IS_WHEEL else _ROOT
BUILD = ROOT if IS_INSTALLED else ROOT / "build"

EXIT_PASS = 0  # no bad page found
EXIT_BAD_PAGES = 1
EXIT_ERROR = 2  # internal error of okram, or of this tool
EXIT_UNFINISHED = 3  # no bad page found, but stopped before a whole pass or incomplete
EXIT_CORRECTED = 4  # no bad page found, but ECC corrected errors of memory
EXIT_LINES_LOST = 5  # a report or a list was used, but lines of it are missing or not understood


class Trouble(Exception):
    """An error that the user can fix, in one sentence."""


def version():
    return (ROOT / "VERSION").read_text().strip()
