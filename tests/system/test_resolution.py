# SPDX-License-Identifier: MIT
"""The page of results on framebuffers of several sizes, and on a panel that is mounted turned."""

import pytest
from PIL import Image

from okramlib import spec
from okramlib.machine import Machine
from okramlib.qemu import Qemu
from okramlib.units import MIB
from system.test_qr import FAULTS, await_code, end_of

TITLE = (0x10, 0x30, 0xA0)
FAIL = (0xB0, 0x10, 0x10)


def machine(width, height, cmdline=""):
    return Machine(
        uefi=True,
        memory=128 * MIB,
        cmdline=f"serial=jsonl exit=wait bandwidth=off tests=mats+ range=32M-48M {cmdline}",
        faults=[fault for text in FAULTS for fault in spec.parse(text)],
        extra=[
            *("-global", f"VGA.xres={width}", "-global", f"VGA.yres={height}"),
            *("-global", "VGA.vgamem_mb=64"),
            *("-global", "VGA.refresh_rate=30000"),  # EDID has no faster one for 4K
        ],
    )


def colour_of(picture, across, down):
    """At a part of the width and of the height."""
    return picture.getpixel((int(across * picture.width), int(down * picture.height)))


@pytest.mark.parametrize(
    "width,height,rotate",
    [
        (1920, 1080, 90),
        pytest.param(800, 600, 0, marks=pytest.mark.slow),
        pytest.param(1920, 1080, 0, marks=pytest.mark.slow),
        pytest.param(3840, 2160, 0, marks=pytest.mark.slow),
        pytest.param(1280, 800, 180, marks=pytest.mark.slow),
        pytest.param(1200, 1920, 270, marks=pytest.mark.slow),
    ],
)
def test_page_of_results(width, height, rotate, tmp_path):
    path = tmp_path / "screen.png"
    with Qemu(machine(width, height, f"rotate={rotate}")) as qemu:
        badram, _ = end_of(qemu)
        assert await_code(qemu, path, lambda text: True) == badram["line"]
    with Image.open(path) as panel:
        assert panel.size == (width, height)
        picture = panel.convert("RGB").rotate(rotate, expand=True)  # as a person turns the panel
    assert colour_of(picture, 0.5, 0.012) == TITLE
    assert FAIL in {colour_of(picture, 0.02, down / 100) for down in range(5, 25)}
