# SPDX-License-Identifier: MIT
"""The start of the command: as root, nothing else of okram is loaded before it is known whose files
these are."""

import os
import sys

from . import EXIT_ERROR, IS_INSTALLED, trust


def start():
    """The exit code of the command."""
    if os.geteuid() == 0 and (why := trust.problem_of_okram([sys.argv[0], sys.executable])):
        instead = "" if IS_INSTALLED else ", whereas `make install` gives root a command of its own"
        print(
            f"okram: root runs only what root alone can change, and {why}{instead}.",
            file=sys.stderr,
        )
        return EXIT_ERROR
    sys.dont_write_bytecode = bool(sys.flags.dont_write_bytecode)  # as it was called
    from .cli import main

    return main()
