# SPDX-License-Identifier: MIT
"""However Linux is started, it has none of the pages that the guard has masked.

The same machine each time: the guard as a driver, then one of the ways to boot. How many pages
reach Linux as unusable differs; the table is in docs/guard.md, "Which way for which system".
"""

import re
import time

import pytest

from okramlib import spec
from okramlib.qemu import END, Qemu
from okramlib.units import GIB, KIB, MIB, PAGE
from system import guard_boot
from system.linux import guest
from system.loaders import disk

# Where neither firmware nor Linux keeps anything of its own; on both sides of 4 GiB. Below are the
# 224 MiB in one piece that the guard never takes; above are pages that firmware holds.
LOW, HIGH = 246 * MIB, 4 * GIB + 16 * MIB
STRIDE = 64 * KIB

LINUX = [way for way in disk.WAYS if way != "xen"]
BY_STUB = [way for way in LINUX if way != "grub-2.06"]

# Of 20 bytes, on the page of Linux's boot protocol: without Linux's EFI stub no more get through.
MAP_ENTRIES = (0x1000 - 0x2D0) // 20

XEN_RANGE = re.compile(r"\(XEN\)  \[([0-9a-f]{16}), ([0-9a-f]{16})\] \((usable|unusable)\)")
XEN_RAM = re.compile(r"\(XEN\) System RAM: ")

SLOW_S = 1200  # with the plugin, or with thousands of map entries

slow = pytest.mark.slow


def scattered(count, low=LOW, high=HIGH):
    """One page every 64 KiB, half of them above 4 GiB."""
    half = (count + 1) // 2
    return [low + i * STRIDE for i in range(half)] + [
        high + i * STRIDE for i in range(count - half)
    ]


def faulty_cells(addresses):
    """One in each page, at another byte and bit each."""
    texts = [f"stuck{i % 2}@{a + i * 585 % PAGE:#x}.{i % 8}" for i, a in enumerate(addresses)]
    return [fault for text in texts for fault in spec.parse(text)]


def machine_for(way, addresses, directory, options, faults=(), on="split-stick", **settings):
    """One that is started that way, with these pages on the guard's list; none: no guard."""
    machine = guest.split_machine(
        on=on,
        vars=directory / "vars.fd",
        image=disk.make(directory / "disk.img", way, options),
        faults=list(faults),
        **settings,
    )
    hardware = guard_boot.Hardware(module_bytes=machine.memory, ram_bytes=machine.memory)
    runs = guard_boot.runs_of([address // PAGE for address in addresses])
    listed = guard_boot.make_list(runs, hardware) if addresses else None
    disk.variables(machine.vars, way, options, listed)
    return machine


def boot(way, addresses, directory, **settings):
    """Linux's memory map."""
    options = f"{guest.OPTIONS} sweep=off"
    return guest.start(machine_for(way, addresses, directory, options, **settings), SLOW_S)


def boot_and_sweep(way, addresses, directory, faulty):
    """The same, and what a sweep of all the memory finds that Linux has."""
    faults = faulty_cells(faulty)
    seen = guest.start(machine_for(way, addresses, directory, guest.OPTIONS, faults), SLOW_S)
    assert seen.swept_bytes
    return seen


def unusable(seen, addresses):
    return [a for a in addresses if any(a in part for part in seen.unusable)]


def used(seen, addresses):
    return [a for a in addresses if seen.has(a)]


def test_pages_are_unusable(tmp_path):
    addresses = scattered(100)
    seen = boot("stub", addresses, tmp_path)
    assert unusable(seen, addresses) == addresses and used(seen, addresses) == []


@slow
def test_without_the_guard(tmp_path):
    """The sweep finds faulty cells: the tests below can fail. With all 100 Linux panics."""
    faulty = scattered(100)[10::20]
    seen = boot_and_sweep("stub", [], tmp_path, faulty)
    assert seen.bad and seen.bad <= set(faulty) and not seen.unusable


@slow
@pytest.mark.parametrize("count", [1, 60])
@pytest.mark.parametrize("way", BY_STUB)
def test_linux_started_by_its_efi_stub(way, count, tmp_path):
    """All pages, and nothing else is missing."""
    addresses = scattered(count)
    seen = boot_and_sweep(way, addresses, tmp_path, addresses)
    assert unusable(seen, addresses) == addresses and used(seen, addresses) == []
    assert seen.bad == set() and seen.swept_bytes > 0.9 * seen.total_bytes
    between = range(HIGH, addresses[-1], STRIDE)
    assert all(seen.has(page + PAGE) for page in between)


@slow
@pytest.mark.parametrize("way", BY_STUB)
def test_2000_pages(way, tmp_path):
    """In at most 60 runs."""
    addresses = scattered(2000)
    seen = boot(way, addresses, tmp_path)
    assert unusable(seen, addresses) == addresses and used(seen, addresses) == []
    assert len(seen.unusable) <= 60 + 1


@slow
@pytest.mark.parametrize("way", BY_STUB)
def test_15000_pages(way, tmp_path):
    """They and the good pages between them are 920 MiB: less than half of RAM."""
    addresses = [HIGH + i * STRIDE for i in range(15000)]
    seen = boot(way, addresses, tmp_path, on="split-2560M")
    assert unusable(seen, addresses) == addresses and used(seen, addresses) == []
    assert seen.total_bytes > 1400 * MIB


@slow
@pytest.mark.parametrize("count", [2000, 15000])
def test_many_pages_by_grub_2_06(count, tmp_path):
    """Linux loses the memory after the last entry, but uses no bad page."""
    addresses = [HIGH + i * STRIDE for i in range(count)]
    seen = boot("grub-2.06", addresses, tmp_path, on="split-2560M")
    assert used(seen, addresses) == []
    assert len(seen.ram) + len(seen.unusable) <= MAP_ENTRIES


@slow
@pytest.mark.parametrize("count", [1, 60])
def test_linux_started_by_grub_2_06(count, tmp_path):
    """GRUB passes 168 entries: Linux does not have the memory after the last."""
    addresses = scattered(count)
    seen = boot_and_sweep("grub-2.06", addresses, tmp_path, addresses)
    assert used(seen, addresses) == [] and seen.bad == set()
    assert len(seen.ram) + len(seen.unusable) <= MAP_ENTRIES
    passed = unusable(seen, addresses)
    assert passed == addresses[: len(passed)] and len(passed) >= min(count, 50)


@slow
def test_xen(tmp_path):
    """No Linux: the hypervisor reads firmware's memory map by itself."""
    addresses = scattered(100)
    seen = guest.Seen()
    deadline = time.monotonic() + SLOW_S
    with Qemu(machine_for("xen", addresses, tmp_path, guest.OPTIONS)) as qemu:
        while not (seen.said and XEN_RAM.search(seen.said[-1])):
            line = qemu.line(1)
            assert line is not END and time.monotonic() < deadline, "\n".join(seen.said)
            seen.said += [line] if line else []
    for match in filter(None, map(XEN_RANGE.search, seen.said)):
        parts = {"usable": seen.ram, "unusable": seen.unusable}[match[3]]
        parts.append(range(int(match[1], 16), int(match[2], 16) + 1))
    assert unusable(seen, addresses) == addresses and used(seen, addresses) == []
