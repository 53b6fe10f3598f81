# SPDX-License-Identifier: MIT
"""What is shown at each login until the next start: a file for pam_motd(8)."""

import contextlib

_FILE = "okram"


def tell(arguments, lines):
    """It is not worth a failure."""
    folder = arguments.run / "motd.d"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        (folder / _FILE).write_text("".join(f"{line}\n" for line in lines))


def forget(arguments):
    with contextlib.suppress(OSError):
        (arguments.run / "motd.d" / _FILE).unlink()
