# SPDX-License-Identifier: MIT
"""A framebuffer that firmware puts into memory under test."""

import json

from okramlib.units import GIB, MIB
from system.harness import from_image
from system.placement import symbols
from system.stopped import stopping

_BASE_AT = 56  # of boot_info.framebuffer.base in boot/boot_info.h


def test_framebuffer_in_ram_is_not_used():
    """OVMF's, at 2 or 3 GiB, moved to 64 MiB: no page may be called bad for it."""
    machine = from_image("uefi-128M-1cpu", cmdline="tests=mats+ bandwidth=off")
    with stopping(machine) as stops:
        where = symbols()
        base = where["boot_info"] + _BASE_AT
        stops.run_until(where["kernel_main"])
        assert 2 * GIB <= stops.number(base) < 4 * GIB
        stops.write(base, (64 * MIB).to_bytes(8, "little"))
        lines = stops.rest().splitlines()
    records = [json.loads(line) for line in lines if line.startswith('{"t":')]
    (machine,) = (r for r in records if r["type"] == "machine")
    assert records[-1]["status"] == "pass"
    (said,) = (w for w in machine["warnings"] if "framebuffer" in w)
    assert said.startswith("the framebuffer at 0x4000000-0x4")
    assert said.endswith("is in memory under test: it is not used, and the screen shows nothing")
