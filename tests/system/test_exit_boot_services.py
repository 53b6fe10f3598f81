# SPDX-License-Identifier: MIT
"""Firmware that okram cannot leave: reported, without the services that must not be called; and
where firmware goes on, so do its devices."""

import pytest

from okramlib.run import run
from system.efi_stick import efi_stick
from system.harness import attach, follow, from_image
from system.watchers import Said


def test_exit_boot_services_fails(tmp_path):
    image = efi_stick(tmp_path / "stick.img", "failing_exit")
    outcome = run(from_image("uefi-stick-128M", image=image), timeout=120)
    said = "\n".join(outcome.lines)
    assert "okram: ExitBootServices failed (0x8000000000000002). Nothing was tested" in said
    assert "after ExitBootServices: " not in said
    assert outcome.exit_code == 2


@pytest.mark.slow
def test_network_is_stopped_last():
    """Once the kernel is loaded; each card is named before, for its driver may hang."""
    machine = from_image("uefi-stick-128M-1cpu", extra=attach("e1000e"))
    machine.cmdline = "tests=mats+ range=32M-33M bandwidth=off"
    said = [line for line in follow(machine).lines if "okram: " in line]
    steps = ["the kernel is at", "stopping the network card at 0000:00:03.0.", "leaving firmware"]
    assert len(said) == 3 and all(step in line for step, line in zip(steps, said, strict=True))


def test_no_memory_map(tmp_path):
    """okram returns, and firmware has its keyboard and its network as before."""
    image = efi_stick(tmp_path / "stick.img", "failing_map")
    extra = attach("e1000e")
    machine = from_image("uefi-stick-128M", image=image, extra=extra)
    outcome = run(machine, timeout=240, watcher=Said("^end$"))
    said = [line.strip() for line in outcome.lines]
    assert any("okram: GetMemoryMap failed" in line for line in said)
    before, after = said.index("before okram"), said.index("after okram")
    devices = said[before + 1 : before + 3]
    assert sorted(devices) == ["network: on", "usb: on"]
    assert said[after + 1 : after + 3] == devices and "end" in said
