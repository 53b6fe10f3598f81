# SPDX-License-Identifier: MIT
"""The QR codes of the screen, read from pictures by a decoder that is not okram's: zbarimg."""

import re
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


def on_framebuffer(scene, size, number, folder):
    picture = folder / "screen.ppm"
    picture.write_bytes(show(scene, size, f"c{number}" if number else "0"))
    return read_codes(picture)


def on_terminal(scene, number, folder):
    """The last picture of a terminal, a character as two squares of 8 pixels."""
    rows = list(pictures(show(scene, "ansi", f"c{number}").decode()))[-1]
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


@pytest.mark.parametrize("size", SIZES)
def test_line_and_report(size, tmp_path):
    assert on_framebuffer("fail", size, 1, tmp_path) == [line_of(2)]
    (report,) = on_framebuffer("fail", size, 2, tmp_path)
    assert report.splitlines() == [
        "okram 0.1.0, BIOS",
        "AMD EPYC 7763 64-Core Processor",
        "8 CPUs, 31.3 GiB of RAM",
        "status: fail",
        "tested: 31 GiB",
        "bad pages: 2",
        "faults: 900",
        "seconds: 4000",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_code_on_the_page_of_results(size, tmp_path):
    assert on_framebuffer("fail", size, 0, tmp_path) == [line_of(2)]
    (report,) = on_framebuffer("clean-pass", size, 0, tmp_path)
    assert "\nstatus: pass\n" in report


@pytest.mark.parametrize("size", ["640x480", "1280x800"])
def test_parts_of_a_long_line(size, tmp_path):
    parts = [on_framebuffer("long-line", size, number, tmp_path) for number in range(1, 6)]
    assert all(len(codes) == 1 for codes in parts)
    assert "".join(text for (text,) in parts) == line_of(64)


def test_parts_on_a_terminal(tmp_path):
    parts = [on_terminal("long-line", number, tmp_path) for number in range(1, 23)]
    assert all(len(codes) == 1 for codes in parts)
    assert "".join(text for (text,) in parts) == line_of(64)


def test_report_on_a_terminal(tmp_path):
    parts = [on_terminal("clean-pass", number, tmp_path)[0] for number in (1, 2)]
    assert re.search(r"^status: pass\n(.*\n)*seconds: 4000$", "".join(parts), re.MULTILINE)
