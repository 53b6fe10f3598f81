# SPDX-License-Identifier: MIT
"""What `tools/okram` is made of. Run from a checkout: every path starts at its root."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"

EXIT_PASS = 0  # no hole found
EXIT_HOLES = 1
EXIT_ERROR = 2  # the machine, okram or this tool failed
EXIT_UNFINISHED = 3  # no hole found, but stopped before a whole pass, or not all was tested


class Trouble(Exception):
    """Something a person can put right, said in one sentence."""


def version():
    return (ROOT / "VERSION").read_text().strip()
