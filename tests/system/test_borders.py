# SPDX-License-Identifier: MIT
"""Faulty cells where memory begins and ends: on each side of every border of nodes, at the top of a
tebibyte, between thousands of pieces. Each is found, and so is the node that it is on."""

import pytest

from okramlib import spec
from okramlib.units import GIB, MIB, PAGE
from system.efi_stick import efi_stick
from system.harness import follow, is_covered, named

QUICK = "tests=mats+ bandwidth=off patterns=512 ranges=10000"
CELL = 0x123
BIT = 4
TIB = 1024 * GIB
MANY_S = 1800

slow = pytest.mark.slow
by_firmware = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def borders(layout):
    """Offsets at which a node begins, or memory above 4 GiB."""
    begins = [sum(layout.node_sizes[:node]) for node in range(1, layout.nodes)]
    return sorted({*begins, layout.low} - {layout.memory})


def pages_at_borders(layout):
    """Offsets of pages on each side, and of the last; firmware keeps the last below 4 GiB."""
    pages = {at for border in borders(layout) for at in (border - PAGE, border)}
    return sorted({*pages, layout.memory - PAGE} - {layout.low - PAGE})


def node_at(layout, offset):
    return next(n for n in range(layout.nodes) if offset < sum(layout.node_sizes[: n + 1]))


def with_faults(machine, offsets):
    cells = [
        f"stuck{n % 2}@{machine.layout.address(at) + CELL:#x}.{BIT}" for n, at in enumerate(offsets)
    ]
    machine.faults = [f for text in cells for f in spec.parse(text)]
    return machine


def check_pages(outcome, pages):
    """These are bad, and no other. A pattern may cover what firmware keeps: that costs nothing."""
    assert outcome.exit_code == 1
    assert outcome.last("result")["bad_pages"] == len(pages)
    assert {int(fault["addr"], 16) // PAGE * PAGE for fault in outcome.of_type("fault")} == set(
        pages
    )
    assert all(is_covered(outcome, page) for page in pages)
    assert outcome.last("badram")["sacrificed_pages"] == len(pages)


def check_borders(machine, timeout):
    layout = machine.layout
    offsets = pages_at_borders(layout)
    outcome = follow(with_faults(machine, offsets), timeout=timeout)
    check_pages(outcome, [layout.address(at) for at in offsets])
    nodes = {layout.address(at): node_at(layout, at) for at in offsets}
    told = {
        int(fault["addr"], 16) // PAGE * PAGE: fault["node"] for fault in outcome.of_type("fault")
    }
    assert told == nodes
    return outcome


def of_nodes(sizes, cpus, **options):
    """cpus: of each node; the last nodes have none if there are fewer."""
    node_cpus = [*cpus, *([0] * (len(sizes) - len(cpus)))]
    return named(
        "computed",
        memory=sum(sizes),
        nodes=len(sizes),
        node_memory=sizes,
        cpus=sum(cpus),
        node_cpus=node_cpus,
        **options,
    )


@slow
@by_firmware
def test_unequal_nodes(uefi):
    """1:7, and one without a CPU."""
    machine = of_nodes([16 * MIB, 112 * MIB, 32 * MIB], [1, 1], uefi=uefi, cmdline=QUICK)
    check_borders(machine, MANY_S)


@slow
def test_64_nodes():
    """Unequal, most of them without a CPU."""
    sizes = [(7 if n % 2 == 0 else 1) * MIB for n in range(64)]
    outcome = check_borders(of_nodes(sizes, [1, 1, 1, 1], cmdline=QUICK), MANY_S)
    assert outcome.last("machine")["nodes"] == 64


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=slow)], ids=["bios", "uefi"])
def test_a_tebibyte(uefi):
    """Its last page, what is on each side of the hole below 4 GiB, and nodes' borders."""
    # QEMU would move AMD's memory above 1 TiB.
    cpu = "max,vendor=GenuineIntel,phys-bits=46"
    sizes = [128 * GIB, 832 * GIB, 64 * GIB]
    machine = of_nodes(sizes, [1, 1], uefi=uefi, cpu=cpu, sparse=True)
    pages = (machine.layout.address(at) // MIB * MIB for at in pages_at_borders(machine.layout))
    ranges = ",".join(f"{page:#x}-{page + MIB:#x}" for page in sorted(set(pages)))
    machine.cmdline = f"{QUICK} range={ranges}"
    assert machine.memory == TIB
    check_borders(machine, MANY_S)


FIRST, PAIRS = 0x4000000, 950  # of tests/system/efi/many_regions.c; OVMF has 129 entries of its own


@slow
def test_2000_entries_in_the_memory_map(tmp_path):
    """From FIRST on every other page is usable: they are tested, and the others are not."""
    image = efi_stick(tmp_path / "stick.img", "many_regions")
    machine = named("uefi-stick-256M", image=image, cmdline=QUICK)
    usable = [FIRST + (2 * n + 1) * PAGE for n in (0, 1, PAIRS // 2, PAIRS - 2)]
    reserved = [FIRST + 2 * n * PAGE for n in (0, PAIRS - 1)]
    outcome = follow(with_faults(machine, usable + reserved), timeout=MANY_S)
    check_pages(outcome, usable)
    assert not [text for text in outcome.last("machine")["warnings"] if "memory map" in text]
    (node,) = outcome.of_type("node")
    assert {f"{FIRST + (2 * n + 1) * PAGE:#x}" for n in range(PAIRS)} <= {
        s for s, _ in node["spans"]
    }
