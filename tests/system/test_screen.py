# SPDX-License-Identifier: MIT
"""The screen shows something, with a serial port and without."""

import re
import time

import pytest
from PIL import Image

from okramlib import Trouble
from okramlib.qemu import END, Qemu
from okramlib.run import Watcher, run
from system.harness import TIMEOUT_S, follow, named, vga_text


def check_picture(path):
    """A picture with text in it: several colours, and enough of what is not background."""
    with Image.open(path) as picture:
        colours = picture.convert("RGB").getcolors(1 << 20)
    colours.sort(reverse=True)
    pixels = sum(count for count, _ in colours)
    assert pixels >= 640 * 400
    assert len(colours) >= 3
    assert pixels - colours[0][0] >= pixels / 100


def test_screenshot_of_the_end(tmp_path):
    """By UEFI: test_save.py."""
    machine = named("128M", cmdline="tests=quick bandwidth=off")
    follow(machine, screenshot=tmp_path / "screen.png")
    check_picture(tmp_path / "screen.png")


@pytest.mark.parametrize("serial", ["text", "ui"])
def test_screenshot_of_the_end_without_json_lines(serial, tmp_path):
    cmdline = f"serial={serial} tests=mats+ range=32M-33M bandwidth=off"
    machine = named("small", cmdline=cmdline)
    outcome = run(machine, screenshot=tmp_path / "screen.png", timeout=60)
    assert (outcome.exit_code, outcome.trouble) == (0, "")
    check_picture(tmp_path / "screen.png")


class Onlooker(Watcher):
    """Takes pictures all the time; the last one stays."""

    def __init__(self, path):
        self._path = path
        self._next = path.with_suffix(".next")
        self._due = 0

    def tick(self, qemu):
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + 0.5
        try:
            qemu.screenshot(self._next)
        except Trouble:
            return  # QEMU has just ended: the picture before stays
        self._next.replace(self._path)


@pytest.mark.parametrize(
    "uefi", [pytest.param(False, marks=pytest.mark.slow), True], ids=["bios", "uefi"]
)
def test_without_serial_port(uefi, tmp_path):
    machine = named("128M", uefi=uefi, serial=False, cmdline="bandwidth=off")
    outcome = run(machine, Onlooker(tmp_path / "screen.png"), timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and not outcome.trouble
    check_picture(tmp_path / "screen.png")


class Reader:
    """Reads the VGA text screen of a machine and presses its keys."""

    def __init__(self, qemu, path):
        self._qemu = qemu
        self._path = path

    def until(self, text, row=None):
        """The rows, once one of them (or that one) holds the text."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            rows = vga_text(self._qemu, self._path)
            if any(text in found for found in (rows if row is None else rows[row : row + 1])):
                return rows
            time.sleep(0.2)
        raise AssertionError(f"not on the screen: {text}\n" + "\n".join(rows))

    def press(self, key, text, row=None):
        self._qemu.press(key)
        return self.until(text, row)


def figures(rows, title):
    """The matrix under this title, which begins a row."""
    top = next(i for i, row in enumerate(rows) if row.startswith(f" {title}"))
    return [[int(x) for x in row.split()[:3]] for row in rows[top + 2 : top + 4]]


def test_page_of_what_was_measured(tmp_path):
    """By the keyboard, while the test runs and at its end."""
    machine = named("192M-2nodes", cmdline="passes=0 exit=wait")
    with Qemu(machine) as qemu:
        screen = Reader(qemu, tmp_path / "vga")
        screen.until("b  bandwidth", row=24)
        screen.until("march-")  # all is measured
        rows = screen.press("b", "bandwidth", row=0)
        assert rows[23].startswith(" Memory test: ") and "no fault so far" in rows[23]
        assert any("Caches and memory" in row for row in rows)
        (_, local, remote), (node, far, own) = figures(rows, "read, MB/s")
        assert node == 1 and min(local, remote, far, own) > 0

        main = screen.press("b", "memory test", row=0)
        figures_of_nodes = [row.split() for row in main if re.match(r" +[01] +[01] ", row)]
        shown = [(int(row[4]), int(row[5])) for row in figures_of_nodes]
        assert shown == [(local, far), (own, remote)]

        screen.press("q", "Press q again to stop", row=24)
        screen.press("q", "x restart", row=24)
        screen.press("b", "bandwidth", row=0)
        screen.press("b", "x restart", row=24)


def pictures(said):
    """What a terminal shows that is told this, each time before its cursor is moved."""
    rows = [[" "] * 80 for _ in range(24)]
    row = column = 0
    for move, _, character in re.findall(r"\x1b\[([0-9;]*)H|(\x1b\[[0-9;?]*[a-zA-Z])|(.)", said):
        if character and column < 80:
            rows[row][column] = character
            column += 1
        elif move:
            yield ["".join(cells) for cells in rows]
            row, column = (int(number) - 1 for number in move.split(";"))
    yield ["".join(cells) for cells in rows]


def test_pages_on_a_terminal(tmp_path):
    machine = named("128M", cmdline="passes=0 serial=ui exit=qemu")
    with Qemu(machine) as qemu:
        screen = Reader(qemu, tmp_path / "vga")
        screen.until("b  bandwidth", row=24)
        qemu.type("b")
        screen.until("bandwidth", row=0)
        qemu.type("qq")
        said = ""
        while (line := qemu.line(TIMEOUT_S)) is not END:
            assert line is not None
            said += line
    shown = list(pictures(said))
    assert any("bandwidth" in rows[0] and "b  back" in rows[23] for rows in shown)
    assert "memory test" in shown[-1][0] and "x restart" in shown[-1][23]


def test_refusal_is_on_the_screen(tmp_path):
    """A CPU without long mode; nothing but the screen is there to say so."""
    said = ""
    deadline = time.monotonic() + 60
    with Qemu(named("small-1cpu-qemu32", serial=False)) as qemu:
        while "Nothing was tested" not in said and time.monotonic() < deadline:
            time.sleep(0.2)
            said = "".join(vga_text(qemu, tmp_path / "vga"))
    assert "okram needs a 64-bit CPU" in said and "Nothing was tested" in said
