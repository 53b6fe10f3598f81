# SPDX-License-Identifier: MIT
"""What the QR codes in a picture say, by zbarimg (Debian: zbar-tools)."""

import subprocess

NOTHING_FOUND = 4


def read_codes(picture):
    """The texts of the codes in a picture, of which a screen shows one at a time."""
    command = ["zbarimg", "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", picture]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode in (0, NOTHING_FOUND), ran.stderr
    # zbarimg ends each code's text by a line feed; a screen shows one code at a time.
    return [ran.stdout[:-1]] if ran.stdout else []
