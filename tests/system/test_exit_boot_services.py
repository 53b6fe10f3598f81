# SPDX-License-Identifier: MIT
"""Firmware that okram cannot leave: reported, without the services that must not be called; and
where firmware goes on, so do its devices."""

from okramlib.machine import Machine
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system.efi_stick import efi_stick


def test_exit_boot_services_fails(tmp_path):
    image = efi_stick(tmp_path / "stick.img", "failing_exit")
    outcome = run(Machine(uefi=True, memory=128 * MIB, usb=True, image=image), timeout=120)
    said = "\n".join(outcome.lines)
    assert "okram: ExitBootServices failed (0x8000000000000002). Nothing was tested" in said
    assert "after ExitBootServices: " not in said
    assert outcome.exit_code == 2


class UntilEnd(Watcher):
    def __init__(self):
        self.lines = []

    def line(self, line):
        self.lines.append(line.strip())

    def tick(self, qemu):
        if "end" in self.lines:
            qemu.qmp.command("quit")


def test_no_memory_map(tmp_path):
    """okram returns, and firmware has its keyboard and its network as before."""
    image = efi_stick(tmp_path / "stick.img", "failing_map")
    extra = ["-device", "e1000e"]
    machine = Machine(uefi=True, memory=128 * MIB, usb=True, image=image, extra=extra)
    watcher = UntilEnd()
    run(machine, timeout=240, watcher=watcher)
    said = watcher.lines
    assert any("okram: GetMemoryMap failed" in line for line in said)
    before, after = said.index("before okram"), said.index("after okram")
    devices = said[before + 1 : before + 3]
    assert sorted(devices) == ["network: on", "usb: on"]
    assert said[after + 1 : after + 3] == devices and "end" in said
