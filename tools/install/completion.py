#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the completion of the command okram for bash, of its own parser: `make host`."""

import argparse
import sys
from pathlib import Path

import shtab

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from okramlib import cli  # noqa: E402

_FOLDERS = ("DIR", "DATA")
_FILES = ("FILE", "DISK", "OUT", ("A", "B"))


def add_files(parser):
    """What shtab does not see: which arguments are names of files and of folders."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                add_files(inner)
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY
        elif action.metavar in _FILES or (action.dest == "file" and not action.option_strings):
            action.complete = shtab.FILE


def main():
    parser = cli.parser()
    add_files(parser)
    print(shtab.complete(parser, shell="bash"))


if __name__ == "__main__":
    main()
