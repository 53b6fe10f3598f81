# SPDX-License-Identifier: MIT
import pytest

from okramlib import Trouble
from okramlib.layout import RamLayout
from okramlib.units import GIB, MIB

LOW_MAX = 0xB0000000  # of q35


def test_small_memory_lies_at_0():
    layout = RamLayout(64 * MIB)
    assert layout.offset(0) == 0
    assert layout.offset(64 * MIB - 1) == 64 * MIB - 1
    with pytest.raises(Trouble, match="0x4000000 is not in RAM, which is at 0x0-0x3ffffff "):
        layout.offset(64 * MIB)


@pytest.mark.parametrize(
    "memory, low", [(LOW_MAX - MIB, LOW_MAX - MIB), (LOW_MAX, 2 * GIB), (5 * GIB, 2 * GIB)]
)
def test_low_memory(memory, low):
    assert RamLayout(memory).low == low


def test_memory_above_4_gib():
    layout = RamLayout(5 * GIB)
    assert layout.offset(2 * GIB - 1) == 2 * GIB - 1
    assert layout.offset(4 * GIB) == 2 * GIB
    assert layout.offset(7 * GIB - 1) == 5 * GIB - 1
    for outside in (2 * GIB, 4 * GIB - 1, 7 * GIB):
        with pytest.raises(Trouble, match="not in RAM"):
            layout.offset(outside)


def test_nodes_share_memory():
    assert RamLayout(512 * MIB, 2).node_sizes == [256 * MIB, 256 * MIB]
    assert RamLayout(100 * MIB, 3).node_sizes == [33 * MIB, 33 * MIB, 34 * MIB]


def test_plugin_addresses():
    old, new = (7, 2), (8, 2)
    assert RamLayout(GIB).plugin_windows(old) == [(0, 0, GIB)]
    assert RamLayout(5 * GIB).plugin_windows(old) == [(0, 0, 5 * GIB)]
    assert RamLayout(3 * GIB, 3).plugin_windows(old) == [
        (0, 0, GIB),
        (2 * GIB, GIB, GIB),
        (4 * GIB, 2 * GIB, GIB),
    ]
    assert RamLayout(5 * GIB, 2).plugin_windows(new) == [
        (0, 0, 2 * GIB),
        (4 * GIB, 2 * GIB, 3 * GIB),
    ]


@pytest.mark.parametrize("memory, base", [(64 * MIB, 2 * GIB), (LOW_MAX - MIB, LOW_MAX - MIB)])
def test_devices_lie_above_low_memory(memory, base):
    """By the addresses of firmware, and by those of okram's direct map."""
    size = 4 * GIB - base
    direct = 0xFFFF800000000000 + base
    assert RamLayout(memory).device_ranges == [(base, size), (direct, size)]
