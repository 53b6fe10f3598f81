# SPDX-License-Identifier: MIT
"""Code of the guard that writes beyond an array on its stack ends, and firmware goes on."""

from okramlib.run import run
from system.efi_stick import efi_stick
from system.harness import named
from system.watchers import Said

SAID = "okram-guard: internal error: stack smashing detected."


def test_a_smashed_stack(tmp_path):
    image = efi_stick(tmp_path / "stick.img", "smash")
    watcher = Said("BdsDxe: failed to start|returned")  # firmware has gone on
    outcome = run(named("uefi-stick-128M", image=image), timeout=120, watcher=watcher)
    lines = [line.strip() for line in outcome.lines]
    (seeded,) = [n for n, line in enumerate(lines) if line.endswith("smash: 1 1 0")]
    said = lines[seeded + 1 :]
    assert said[:4] == ["smash: wrote", SAID, "smash: attempt 0", "smash: wrote"]
    assert said[4] == SAID and any("Aborted" in line for line in said[5:])
