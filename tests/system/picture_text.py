# SPDX-License-Identifier: MIT
"""The text in a picture of okram's framebuffer, read by the glyphs of its fonts."""

import struct

import numpy
from PIL import Image

from okramlib import BUILD

COLUMNS_MAX, CELLS_MAX = 144, 144 * 50  # kernel/core/display/grid.h
SCALES = (1, 2, 3)


def _glyphs(path):
    """The first 256 of a PC Screen Font, each as an array of pixels."""
    psf = path.read_bytes()
    if psf[:2] == b"\x36\x04":  # version 1
        at, size, height, width = 4, psf[3], psf[3], 8
    else:
        at, _, _, size, height, width = struct.unpack_from("<6I", psf, 8)
    shape = (256, height, size // height)
    bits = numpy.frombuffer(psf, numpy.uint8, 256 * size, at).reshape(shape)
    return numpy.unpackbits(bits, axis=2)[:, :, :width]


def _characters(glyphs):
    """By the pixels of a cell, and by their opposite: a cell's two colours may be either way."""
    ascii_only = range(ord(" "), 0x7F)
    found = {(1 - glyphs[code]).tobytes(): chr(code) for code in ascii_only}
    return found | {glyphs[code].tobytes(): chr(code) for code in ascii_only}


def _read(pixels, glyphs, scale):
    """The rows, and how many cells hold a letter, if cells are that large."""
    high, wide = glyphs.shape[1] * scale, glyphs.shape[2] * scale
    columns = min(pixels.shape[1] // wide, COLUMNS_MAX)
    rows = min(pixels.shape[0] // high, CELLS_MAX // columns)
    top, left = (pixels.shape[0] - rows * high) // 2, (pixels.shape[1] - columns * wide) // 2
    characters = _characters(glyphs)
    text = []
    for y in range(top, top + rows * high, high):
        row = ""
        for x in range(left, left + columns * wide, wide):
            cell = pixels[y : y + high : scale, x : x + wide : scale]
            row += characters.get((cell != cell[0, 0]).astype(numpy.uint8).tobytes(), " ")
        text.append(row.rstrip())
    return sum(len(row.replace(" ", "")) for row in text), text


def read_text(path):
    """The rows of the picture, with blanks where there is no letter."""
    with Image.open(path) as picture:
        colours = numpy.asarray(picture.convert("RGB"), numpy.uint32)
    pixels = colours[..., 0] << 16 | colours[..., 1] << 8 | colours[..., 2]
    fonts = [_glyphs(font) for font in sorted((BUILD / "font").glob("*.psf"))]
    return max(_read(pixels, glyphs, scale) for glyphs in fonts for scale in SCALES)[1]
