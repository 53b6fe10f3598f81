# SPDX-License-Identifier: MIT
"""The machine that all testers get: two CPUs, 256 MiB on both sides of 4 GiB."""

from okramlib.layout import RamLayout
from okramlib.machine import Machine

from .faults import HIGH_BYTES, LOW_BYTES, WITNESS


class _Layout(RamLayout):
    low = LOW_BYTES


class _Machine(Machine):
    @property
    def layout(self):
        return _Layout(self.memory, self.nodes)


# memtest86+ copies a multiple of the last cache many times before it tests: with 16 MiB that takes
# a minute here. Without "erms" Linux clears memory by words: a byte costs as much.
_CPU = "max,l3-cache=off,-erms"


def machine(faults=(), **options):
    """Without faults the witness alone counts, by the same plugin."""
    return _Machine(
        memory=LOW_BYTES + HIGH_BYTES,
        cpus=2,
        faults=list(faults),
        witness=WITNESS,
        cpu=_CPU,
        extra=["-machine", f"max-ram-below-4g={LOW_BYTES}"],
        **options,
    )
