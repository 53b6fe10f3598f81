# SPDX-License-Identifier: MIT
"""A panic before okram is ready for one, and in the middle of one, is shown all the same."""

import time

import pytest
from PIL import Image

from system.harness import from_image, vga_text
from system.placement import IMAGE_VIRT, image, symbols
from system.stopped import stopping

TEXT = "stopped before a test had covered all memory"  # any of the image's that ends there
UD2 = b"\x0f\x0b"
SLOW = pytest.mark.slow
RED = (0xB0, 0x10, 0x10)
OPTIONS = "bandwidth=off exit=wait"  # so that the screen can be looked at


def panic_at(stops, place):
    """Sends the boot CPU from there to panic(); what it says on the serial port."""
    stops.call_at(
        symbols()[place], symbols()["panic"], IMAGE_VIRT + image().index(TEXT.encode() + b"\0")
    )
    return stops.rest(until=TEXT)


def panic_whose(step, stops):
    """The same while tests run; that step of the panic meets an exception."""
    where = symbols()
    stops.call_at(
        where["self_check_poll"], where["panic"], IMAGE_VIRT + image().index(TEXT.encode() + b"\0")
    )
    stops.run_until(where[step])
    stops.write(where[step], UD2)
    return stops.rest()


@pytest.mark.parametrize(
    "step", ["cover_emit_append", pytest.param("self_check_append", marks=SLOW)]
)
def test_panic_within_a_panic(step):
    """What can be said all the same is said, and the run ends."""
    with stopping(from_image("small", cmdline="bandwidth=off")) as stops:
        said = panic_whose(step, stops)
    assert TEXT in said and "cut short by another error" in said
    assert '"status":"error"' in said


@pytest.mark.parametrize("place", ["percpu_load", "log_counts_init"])
def test_panic_is_shown(place, tmp_path):
    """Before the boot CPU has its per-CPU data; while the fault log is being made."""
    with stopping(from_image("small-1cpu", cmdline=OPTIONS)) as stops:
        said = panic_at(stops, place)
        stops.await_screen(lambda: TEXT in " ".join(vga_text(stops.qemu, tmp_path / "vga")))
    assert TEXT in said and "badram=" not in said


@pytest.mark.parametrize(
    "place",
    ["percpu_load", pytest.param("memory_map_make", marks=SLOW)],
)
def test_panic_is_drawn(place, tmp_path):
    """By UEFI, on the screen that the loader has set up."""
    path = tmp_path / "screen.png"

    def is_red():
        stops.qemu.qmp.command("screendump", filename=str(path), format="png")
        with Image.open(path) as picture:
            return picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2)) == RED

    with stopping(from_image("uefi-128M-1cpu", cmdline=OPTIONS)) as stops:
        assert TEXT in panic_at(stops, place)
        stops.await_screen(is_red)


@pytest.mark.slow
def test_the_machine_comes_back():
    """Where a restart was asked for: after a minute in which it can be read."""
    with stopping(from_image("small-1cpu", cmdline="bandwidth=off exit=reboot")) as stops:
        panic_at(stops, "self_check_poll")
        begin = time.monotonic()
        assert stops.qemu.wait(120) == 0
        assert time.monotonic() - begin > 50
