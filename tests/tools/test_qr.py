# SPDX-License-Identifier: MIT
"""The QR code of the screen, read from pictures by a decoder that is not okram's: zbarimg."""

import subprocess

import pytest
from PIL import Image

from okramlib import BUILD, ROOT
from qr_reader import read_codes
from system.test_screen import pictures

SHOW = BUILD / "unit" / "screen" / "show_screen"
SIZES = ["640x480", "800x600", "1280x800", "1920x1080", "3840x2160"]

HALVES = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}  # 1: light


@pytest.fixture(scope="module", autouse=True)
def built():
    subprocess.run(["make", "-s", SHOW.relative_to(ROOT)], cwd=ROOT, check=True)


def show(*arguments):
    return subprocess.run([SHOW, *arguments], check=True, capture_output=True).stdout


def on_framebuffer(scene, size, keys, folder):
    picture = folder / "screen.ppm"
    picture.write_bytes(show(scene, size, keys))
    return read_codes(picture)


def on_terminal(scene, folder):
    """The last picture of a terminal, a character as two squares of 8 pixels."""
    rows = list(pictures(show(scene, "ansi", "c").decode()))[-1]
    picture = Image.new("1", (80, 50))
    for y, row in enumerate(rows[:23]):
        left, right = row[:47], row[47:]
        assert not set(right) & set("▀▄█")
        for x, character in enumerate(left):
            for half, light in enumerate(HALVES.get(character, (1, 1))):  # the title: light
                picture.putpixel((x, 2 * y + half), light)
    path = folder / "terminal.png"
    picture.resize((80 * 8, 50 * 8)).save(path)
    return read_codes(path)


def line_of(patterns):
    """As tests/unit/screen/scenes.c makes it."""
    pairs = [f"{0x123456000 + i * 0x1001000:#x},0xffffffffff000" for i in range(patterns)]
    return "badram=" + ",".join(pairs)


MODULES = ["DIMM_A1 16 GiB DDR4", "DIMM_A2 16 GiB DDR4"]


REPORT = [
    "status: fail",
    "bad pages: 64",
    "faults: 900",
    "tested: 31 GiB",
    "seconds: 4000",
    "okram 0.1.0, BIOS",
    "AMD EPYC 7763 64-Core Processor",
    "8 CPUs, 31.3 GiB of RAM",
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", ["", "c"], ids=["result", "page"])
def test_line(size, keys, tmp_path):
    (code,) = on_framebuffer("fail", size, keys, tmp_path)
    assert code.splitlines() == [line_of(2), *MODULES]


@pytest.mark.parametrize("size", SIZES)
def test_report_where_there_is_no_line_or_a_long_one(size, tmp_path):
    (report,) = on_framebuffer("clean-pass", size, "", tmp_path)
    assert report.startswith("status: pass\n")
    (report,) = on_framebuffer("long-line", size, "c", tmp_path)
    assert report.splitlines() == REPORT


def test_on_a_terminal(tmp_path):
    """Of a report what has room."""
    (code,) = on_terminal("fail", tmp_path)
    assert code.splitlines() == [line_of(2), *MODULES[:1]]
    (report,) = on_terminal("long-line", tmp_path)
    assert report.splitlines() == REPORT[:5]
