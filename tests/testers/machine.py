# SPDX-License-Identifier: MIT
"""The machine that all testers get: two CPUs, 256 MiB on both sides of 4 GiB."""

from okramlib.layout import RamLayout
from okramlib.machine import Machine
from okramlib.units import GIB

from .faults import HIGH_BYTES, LOW_BYTES, WITNESS

# q35's devices from here to 4 GiB. The virtual addresses below, from 2 GiB on, are not those of
# devices alone, as they are in okram: memtest86+ has memory above 4 GiB there.
_DEVICES = 0xB0000000


class _Layout(RamLayout):
    low = LOW_BYTES

    @property
    def device_ranges(self):
        moved = _DEVICES - 2 * GIB
        return [(base + moved, size - moved) for base, size in super().device_ranges]


class _Machine(Machine):
    @property
    def layout(self):
        return _Layout(self.memory, self.nodes)


# memtest86+ copies a multiple of the last cache many times before it tests: with 16 MiB that takes
# a minute here. Without "erms" Linux clears memory by words: a byte costs as much.
_CPU = "max,l3-cache=off,-erms"


def machine(faults=(), extra=(), **options):
    """extra: QEMU's options. Without faults the witness alone counts, by the same plugin. The host
    allocates the guest's memory before the guest starts: a tester's first sweep does not wait for
    the host's page faults, which no real machine has."""
    return _Machine(
        memory=LOW_BYTES + HIGH_BYTES,
        cpus=2,
        faults=list(faults),
        witness=WITNESS,
        cpu=_CPU,
        extra=["-machine", f"max-ram-below-4g={LOW_BYTES}", "-mem-prealloc", *extra],
        **options,
    )
