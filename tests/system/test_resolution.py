# SPDX-License-Identifier: MIT
"""The pages on framebuffers of several sizes, and on a panel that is mounted turned."""

import json
import re
import time

import pytest
from PIL import Image

from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system.harness import TIMEOUT_S, attach, from_image
from system.picture_text import read_text
from system.test_qr import FAULTS, await_code, end_of

TITLE = (0x10, 0x30, 0xA0)
FAIL = (0xB0, 0x10, 0x10)


def machine(width, height, cmdline=""):
    return from_image(
        "uefi-128M",
        cmdline=f"serial=jsonl exit=wait bandwidth=off tests=mats+ range=32M-48M {cmdline}",
        faults=FAULTS,
        extra=attach("screen", width=width, height=height),
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
    """The code may have a page of its own; then pages turn by themselves."""
    path = tmp_path / "screen.png"
    deadline = time.monotonic() + TIMEOUT_S
    colours = set()
    with Qemu(machine(width, height, f"rotate={rotate}")) as qemu:
        badram, _ = end_of(qemu)
        assert await_code(qemu, path, lambda text: True).splitlines()[0] == badram["line"]
        while FAIL not in colours and time.monotonic() < deadline:
            qemu.screenshot(path)
            with Image.open(path) as panel:
                assert panel.size == (width, height)
                picture = panel.convert("RGB").rotate(rotate, expand=True)  # as a person turns it
            colours = {colour_of(picture, 0.02, down / 100) for down in range(5, 25)}
            time.sleep(1)
    assert colour_of(picture, 0.5, 0.012) == TITLE
    assert FAIL in colours


def await_text(qemu, path, wanted):
    """The rows of the screen, once one has what is wanted."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        time.sleep(1)
        qemu.screenshot(path)
        rows = read_text(path)
        if any(wanted in row for row in rows):
            return rows
    raise AssertionError("\n".join([f"not on the screen: {wanted}", *rows]))


def rest(qemu):
    """The records to the result."""
    found = []
    while (line := qemu.line(TIMEOUT_S)) not in (None, END):
        if line.startswith('{"t":'):
            found.append(json.loads(line))
            if found[-1]["type"] == "result":
                return found
    raise AssertionError("the run has not ended")


def cells(text):
    return "".join(letter * int(n or 1) for n, letter in re.findall(r"(\d*)(.)", text))


@pytest.mark.slow
@pytest.mark.parametrize("width,height", [(1280, 800), (1920, 1080), (3840, 2160)])
def test_while_it_runs(width, height, tmp_path):
    """The picture of all RAM, named by the only module; its list; the picture's record at the end
    has the same cells."""
    machine_ = machine(width, height, "passes=0")
    machine_.extra += attach("module")
    with Qemu(machine_) as qemu:
        rows = await_text(qemu, tmp_path / "screen.png", " in 2 bad pages")
        text = "\n".join(rows)
        qemu.press_twice("q")
        records = rest(qemu)
    for wanted in ("All RAM: DIMM_A 0", "1 MiB each", "to do", "X bad", "Modules", "MT/s"):
        assert wanted in text, text
    assert re.search(r"DIMM_A 0 +128 MiB .* 3200", text), text
    (picture,) = [record for record in records if record["type"] == "picture"]
    assert picture["cell_bytes"] == MIB
    (node,) = picture["nodes"]
    found = cells(node["cells"])
    assert 120 < len(found) <= 128
    bad = {int(re.search("0x[0-9a-f]+", fault)[0], 16) // MIB for fault in FAULTS}
    assert found.count("X") == len(bad)
    assert found.count("t") + found.count("o") >= 10  # range= has 16 MiB
    assert found.count("-") > 90
