# SPDX-License-Identifier: MIT
"""The RAM of QEMU's q35 machine: its addresses for the guest, in its files, and for a plugin."""

from dataclasses import dataclass

from . import Trouble
from .units import GIB, MIB, format_size

_FOUR_GIB = 4 * GIB
_DIRECT_BASE = 0xFFFF800000000000  # of okram's direct map: kernel/cpu/arch/paging.h
_LOW_MAX = 0xB0000000  # q35: with this much RAM or more, all above 2 GiB moves above 4 GiB


@dataclass(frozen=True)
class RamLayout:
    """RAM is counted by offsets from 0; nodes follow each other in it, one file a node."""

    memory: int
    nodes: int = 1
    sizes: tuple[int, ...] = ()  # of each node, if they are not equal

    @property
    def low(self):
        """Bytes of RAM below 4 GiB."""
        return 2 * GIB if self.memory >= _LOW_MAX else self.memory

    @property
    def node_sizes(self):
        """As given, or equal shares in whole MiB: the last node gets the rest."""
        if self.sizes:
            return list(self.sizes)
        share = self.memory // self.nodes // MIB * MIB
        return [share] * (self.nodes - 1) + [self.memory - share * (self.nodes - 1)]

    @property
    def guest_ranges(self):
        """(guest-physical address, offset, size) of each piece the guest sees."""
        ranges = [(0, 0, self.low)]
        if self.memory > self.low:
            ranges.append((_FOUR_GIB, self.low, self.memory - self.low))
        return ranges

    def offset(self, addr):
        """The offset of a guest-physical address; Trouble if there is no RAM."""
        for base, offset, size in self.guest_ranges:
            if base <= addr < base + size:
                return offset + addr - base
        ram = " and ".join(f"{b:#x}-{b + size - 1:#x}" for b, _, size in self.guest_ranges)
        raise Trouble(
            f"--fault: address {addr:#x} is not in RAM, which is at {ram}"
            f" with {format_size(self.memory)}."
        )

    def address(self, offset):
        """The guest-physical address of an offset."""
        return offset if offset < self.low else _FOUR_GIB + offset - self.low

    @property
    def device_ranges(self):
        """(virtual address, size) of q35's devices below 4 GiB, in firmware, loaders and okram.

        Firmware and GRUB use memory by its physical addresses, okram by its direct map.
        """
        base = max(self.low, 2 * GIB)
        return [(start + base, _FOUR_GIB - base) for start in (0, _DIRECT_BASE)]

    def plugin_windows(self, qemu_version):
        """(plugin address, offset, size): what a plugin gets as physical address of RAM.

        From QEMU 8.2 on that is the guest-physical address. Before, it is the sum of the RAM
        block's offset, the offset in it and the block's place in the machine's memory: a block that
        is a node counts what lies before it twice.
        """
        if qemu_version >= (8, 2):
            return self.guest_ranges
        windows, offset = [], 0
        for size in self.node_sizes:
            windows.append((2 * offset, offset, size))
            offset += size
        return windows
