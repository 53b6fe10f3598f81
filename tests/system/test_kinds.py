# SPDX-License-Identifier: MIT
"""The kind that okram names for faults in terms of DRAM: docs/kinds.md.

The maps are of 16 and 32 GiB; here only the first rows have memory. okram's and firmware's own
memory is in good ones.
"""

import pytest

from system.harness import follow, named

RANGE = "range=64M-120M"

# Where rows begin at 64 MiB: each is 256 KiB of addresses.
ROW = 300


def stuck(*places):
    return [f"stuck{value}@{addr:#x}.{bit}" for addr, bit, value in places]


CELLS = {
    "cell-0": ("cell", stuck((0x5A35128, 3, 1))),
    "cell-1": ("cell", stuck((0x5001F40, 6, 0))),
    "cell-2": ("cell", ["rise@0x5a00088.0"]),
    "cell-3": ("cell", ["fall@0x7000ff8.7"]),
    "cells-0": ("cells", stuck((0x4A35128, 3, 1), (0x5201F40, 6, 0))),
    "cells-1": ("cells", stuck((0x4A35128, 3, 1), (0x4A35129, 6, 0), (0x7123450, 1, 1))),
    "cells-2": ("cells", stuck(*((0x4A35128 + i * 0x1234568, i, i & 1) for i in range(2)))),
}
ROWS = {
    f"row-{name}": (
        "row",
        [f"dram-row@{name}/row={ROW + i},rows={rows},bank=1,pin={pin},value={i % 3}"],
    )
    for i, (name, pin, rows) in enumerate(
        (
            ("sandy-bridge", 24, 1),
            ("skylake", 0, 4),
            ("coffee-lake", 56, 1),
            ("zen3", 8, 2),
            ("zen4", 16, 1),
        )
    )
}
COLUMNS = {
    f"column-{name}": (
        "column",
        [f"dram-column@{name}/row={ROW},rows=150,bank=2,column={64 * i},beat={i},pin={7 * i}"],
    )
    for i, name in enumerate(("sandy-bridge", "skylake", "coffee-lake", "zen3", "raptor-lake"))
}
PINS = {
    f"pin-{name}": ("pin", [f"dram-pin@{name}/row={ROW},rows=8,pin={pin},value={pin % 2}"])
    for name, pin in (("sandy-bridge", 41), ("skylake", 8), ("zen3", 63), ("zen4", 30))
}
CHIPS = {
    f"chip-{name}": ("chip", [f"dram-chip@{name}/row={ROW},rows=8,pin={pin},value=2,pins={pins}"])
    for name, pin, pins in (("sandy-bridge", 16, 8), ("coffee-lake", 12, 4), ("raptor-lake", 8, 8))
}
# A row's address bit is 0: by Skylake's map address bit 25 is that alone.
LINES = {
    f"line-{n}": (
        "address-line",
        [f"alias@{0x6000000 + i * 4096:#x}>{0x4000000 + i * 4096:#x}" for i in range(n)],
    )
    for n in (8, 100)
}
RETENTION = {
    "retention-0": ("retention", ["fade@0x5a00088.0:1.5"]),
    "retention-1": (
        "retention",
        [f"fade@{0x4A35128 + i * 0x723458:#x}.{i}:1.2" for i in range(4)],
    ),
}
# The next row by Coffee Lake's map, with the bank's bit; and the next bit.
COUPLING = {
    "coupling-0": ("coupling", ["invert@0x6080000.2>0x60c4000.2"]),
    "coupling-1": ("coupling", ["set1@0x6123000.2>0x6127a10.5"]),
}
FAULTS = CELLS | ROWS | COLUMNS | PINS | CHIPS | LINES | RETENTION | COUPLING
IN_CHECK = ("row-zen3",)


def level_of(kind):
    return "standard" if kind in ("retention", "coupling", "cell", "cells") else "quick"


def boot(faults, *options):
    machine = named("128M", cmdline=" ".join(["bandwidth=off", RANGE, *options]), faults=faults)
    return follow(machine)


def check(name):
    kind, faults = FAULTS[name]
    found = boot(faults, f"tests={level_of(kind)}").last("kind")
    assert found["kind"] == kind, found


def test_there_are_thirty():
    assert len(FAULTS) == 30


@pytest.mark.parametrize("name", IN_CHECK)
def test_kind(name):
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in IN_CHECK])
def test_more_kinds(name):
    check(name)


@pytest.mark.slow
def test_bits_by_hand():
    """By Skylake's channel: of a row of one channel all faults are in that one."""
    channel = "channel.bits=8,9,12,13,18,19 slot.order=DIMM_A1,DIMM_B1"
    outcome = boot(["dram-row@skylake/channel=1,row=300,pin=8"], "tests=quick", channel)
    assert {fault["channel"] for fault in outcome.of_type("fault")} == {"channel 1 (DIMM_B1)"}
    words = outcome.last("kind")["channels"]
    assert words.startswith("channel 0 (DIMM_A1): 0, channel 1 (DIMM_B1): ")
    assert words.endswith(" faulty words, computed with your bits")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("channel.bits=3", "expected up to 3 lists of address bits"),
        ("slot.order=A,B", "slot.order= is ignored because channel.bits= is missing"),
        ("channel.bits=6 slot.order=A", "one entry for each of the 2 channels"),
        ("channel.bits=6 slot.order=A,,B", "expected the names of the slots"),
    ],
)
def test_bits_that_are_wrong(options, why):
    outcome = boot([], "tests=address-up range=64M-65M", options)
    assert any(why in warning for warning in outcome.last("machine")["warnings"])
