# SPDX-License-Identifier: MIT
"""Code of the guard that writes beyond an array on its stack ends, and firmware goes on."""

from okramlib.run import Watcher, run
from system.efi_stick import efi_stick
from system.harness import named

SAID = "okram-guard: internal error: stack smashing detected."


class UntilFirmware(Watcher):
    """Ends the machine when firmware has gone on."""

    def __init__(self):
        self.lines = []

    def line(self, line):
        self.lines.append(line.strip())

    def tick(self, qemu):
        if any("BdsDxe: failed to start" in line or "returned" in line for line in self.lines):
            qemu.qmp.command("quit")


def test_a_smashed_stack(tmp_path):
    image = efi_stick(tmp_path / "stick.img", "smash")
    watcher = UntilFirmware()
    run(named("uefi-stick-128M", image=image), timeout=120, watcher=watcher)
    (seeded,) = [n for n, line in enumerate(watcher.lines) if line.endswith("smash: 1 1 0")]
    said = watcher.lines[seeded + 1 :]
    assert said[:4] == ["smash: wrote", SAID, "smash: attempt 0", "smash: wrote"]
    assert said[4] == SAID and any("Aborted" in line for line in said[5:])
