# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest

from okramlib import Trouble
from okramlib.bochs import (
    STUCK_VALUE,
    BochsMachine,
    configuration,
    debugger_commands,
    image_with_options,
)
from okramlib.machine import IMAGE
from okramlib.units import MIB


def changed(machine):
    """What of the image is replaced, from its first to its last difference."""
    before, after = IMAGE.read_bytes(), image_with_options(machine)
    assert len(before) == len(after)
    begin = after.index(b"multiboot2 /boot/okram.elf " + machine.cmdline.encode())
    return after[begin : begin + 200], after.count(b"exit=poweroff\n")


def test_options_are_in_the_images_only_menu():
    menu, n = changed(BochsMachine(cmdline="tests=address seed=7"))
    assert menu.startswith(b"multiboot2 /boot/okram.elf tests=address seed=7 exit=poweroff\n")
    assert b"\nmodule2 /boot/okram.copy\nboot\n\n" in menu and n == 1


def test_too_many_options():
    with pytest.raises(Trouble, match="too long"):
        image_with_options(BochsMachine(cmdline="tests=address " * 1000))


def test_another_image(tmp_path):
    (tmp_path / "image").write_bytes(b"no menu")
    with pytest.raises(Trouble, match="does not hold"):
        image_with_options(BochsMachine(image=tmp_path / "image"))


@pytest.mark.parametrize("disk, drive", [(False, "type=cdrom"), (True, "type=disk, mode=flat")])
def test_configuration(disk, drive):
    machine = BochsMachine(model="ryzen", cpus=4, memory=48 * MIB, disk=disk)
    lines = configuration(machine, Path("/x")).splitlines()
    assert any(line.startswith("cpu: model=ryzen, count=1:4:1,") for line in lines)
    assert "memory: guest=48, host=48" in lines
    assert any(line.startswith(f"ata0-master: {drive}") for line in lines)
    assert f"boot: {'disk' if disk else 'cdrom'}" in lines


def test_a_byte_is_set_after_each_write():
    assert debugger_commands(BochsMachine()) == "c\n"
    commands = debugger_commands(BochsMachine(stuck_byte=0x1400123)).splitlines()
    assert commands[:3] == ["watch w 0x1400123", "c", f"setpmem 0x1400123 1 {STUCK_VALUE}"]
    assert commands[-2:] == ["unwatch", "c"]
