# SPDX-License-Identifier: MIT
"""What the QR codes in a picture say, by zbarimg (Debian: zbar-tools)."""

import re
import subprocess

from PIL import Image, ImageDraw

NOTHING_FOUND = 4


def read_codes(picture):
    """The texts of the codes in a picture, of which a screen shows one at a time."""
    command = ["zbarimg", "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", picture]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode in (0, NOTHING_FOUND), ran.stderr
    # zbarimg ends each code's text by a line feed; a screen shows one code at a time.
    return [ran.stdout[:-1]] if ran.stdout else []


def read_page(html, folder):
    """The texts of the codes in a page, which okram's loader draws as lines: "M4 4.5h7m2 0h1"."""
    texts = []
    for i, svg in enumerate(re.findall(r'<svg [^>]*"QR code">.*?</svg>', html, re.DOTALL)):
        size = int(re.search(r'viewBox="0 0 (\d+)', svg)[1])
        picture = Image.new("1", (size, size), 1)
        draw = ImageDraw.Draw(picture)
        x = y = 0
        for command, n, row in re.findall(r"([Mmh])(\d+)(?: (\d+))?", svg.rpartition("d=")[2]):
            if command == "h":
                draw.line((x, y, x + int(n) - 1, y), 0)
            y = int(row) if command == "M" else y
            x = int(n) if command == "M" else x + int(n)
        path = folder / f"code-{i}.png"
        picture.resize((8 * size, 8 * size)).save(path)
        texts += read_codes(path)
    return texts
