# SPDX-License-Identifier: MIT
"""Firmware whose ExitBootServices fails: reported, without the services that must not be called."""

from okramlib.machine import Machine
from okramlib.run import run
from okramlib.units import MIB
from system.efi_stick import efi_stick


def test_exit_boot_services_fails(tmp_path):
    image = efi_stick(tmp_path / "stick.img", "failing_exit")
    outcome = run(Machine(uefi=True, memory=128 * MIB, usb=True, image=image), timeout=120)
    said = "\n".join(outcome.lines)
    assert "okram: ExitBootServices failed (0x8000000000000002). Nothing was tested" in said
    assert "after ExitBootServices: " not in said
    assert outcome.exit_code == 2
