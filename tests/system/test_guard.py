# SPDX-License-Identifier: MIT
"""The guard, started by firmware as a driver: what it masks, and what it leaves alone.

The witness is firmware's own memory map, printed by a program that firmware boots afterwards.
"""

import random
import re
import struct
import uuid
from dataclasses import replace

import pytest

from crc32c import crc32c
from okramlib import spec
from okramlib.units import GIB, MIB, PAGE
from system.guard_boot import (
    BS,
    CONVENTIONAL,
    FILE,
    NV,
    RT,
    UNUSABLE,
    Hardware,
    boot,
    guarded,
    make_list,
    make_stick,
    make_store,
    runs_of,
)
from system.harness import attach
from system.linux.guest import boot as boot_linux
from system.linux.guest import split_machine
from system.test_linux import HIGH

PAGES = [0x8000, 0x8005, 0x8006, 0xA000]  # of 512 MiB; not firmware's
BOARD = uuid.UUID("12345678-9abc-def0-1122-334455667788")
SMBIOS = attach("uuid", uuid=BOARD) + attach("smbios-text", text="type=17,serial=S1")
HARDWARE = Hardware(board=BOARD, serials=("S1",))


def masks(seen, pages, origin="variable"):
    """Exactly these pages, by the map, the status and the list of what is masked."""
    assert seen.of_type(UNUSABLE) == set(pages) == seen.masked
    assert seen.status["state"] == "masked" and seen.status["source"] == origin
    assert seen.status["masked"] == len(set(pages)) <= seen.status["pages"]
    assert re.search(rf": {len(set(pages))}( of \d+)? bad pages? masked \(", seen.said[0])
    assert len(seen.said) == 1


def masks_nothing(seen, state, why):
    assert seen.of_type(UNUSABLE) == set() and not seen.masked
    assert seen.status["state"] == state and why in (seen.status["why"] or "")
    assert seen.status["masked"] == 0
    assert re.search(r": (0|0 of \d+|no) bad pages? masked", seen.said[0])


def boot_listed(directory, pages, hardware=HARDWARE, extra=SMBIOS, **settings):
    data = make_list(runs_of(pages), hardware)
    return boot(guarded(directory, data, extra=list(extra), **settings))


def test_masks_the_listed_pages(tmp_path):
    seen = boot_listed(tmp_path, PAGES)
    masks(seen, PAGES)
    assert seen.status_attributes == BS | RT
    assert seen.status["made"] == "2026-11-22" and seen.status["held"] == 0
    assert seen.said == ["okram-guard: 4 bad pages masked (list in the variable, made 2026-11-22)."]


@pytest.mark.slow
def test_above_4_gib_and_below(tmp_path):
    pages = [0x8000, 0x2_0000, 0x10_0000 + 0x1000, 0x10_0000 + 0x1001]
    hardware = Hardware(module_bytes=3 * GIB, ram_bytes=3 * GIB)
    seen = boot_listed(tmp_path, pages, hardware, extra=[], on="guarded-3G")
    masks(seen, pages)


@pytest.mark.slow
def test_from_a_file(tmp_path):
    files = [(FILE, make_list(runs_of(PAGES)))]
    masks(boot(guarded(tmp_path, files=files)), PAGES, "file")


@pytest.mark.slow
def test_the_variable_comes_before_the_file(tmp_path):
    files = [(FILE, make_list([(0x9000, 1)]))]
    masks(boot(guarded(tmp_path, make_list(runs_of(PAGES)), files=files)), PAGES)


@pytest.mark.slow
def test_a_good_file_replaces_a_stale_variable(tmp_path):
    files = [(FILE, make_list(runs_of(PAGES)))]
    stale = make_list([(0x9000, 1)], Hardware(serials=("other",)))
    masks(boot(guarded(tmp_path, stale, files=files)), PAGES, "file")


@pytest.mark.slow
def test_without_a_list(tmp_path):
    seen = boot(guarded(tmp_path))
    masks_nothing(seen, "none", "no list")
    assert seen.status["source"] is None and seen.masked is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "listed, why",
    [
        (Hardware(board=uuid.UUID(int=5), serials=("S1",)), "the computer"),
        (Hardware(board=BOARD, serials=("S2",)), "the memory modules"),
        (Hardware(board=BOARD, serials=("S1",), module_bytes=256 * MIB), "the memory modules"),
        (Hardware(board=BOARD, serials=("S1",), ram_bytes=500 * MIB), "the size of RAM"),
    ],
    ids=["uuid", "serial", "module", "ram"],
)
def test_other_hardware(tmp_path, listed, why):
    seen = boot_listed(tmp_path, PAGES, listed)
    masks_nothing(seen, "stale", f"{why} changed since it was made")
    assert "test again" in seen.said[0] and seen.status["made"] == "2026-11-22"


@pytest.mark.slow
def test_a_broken_list(tmp_path):
    data = bytearray(make_list(runs_of(PAGES)))
    data[-1] ^= 1
    masks_nothing(boot(guarded(tmp_path, bytes(data))), "invalid", "its CRC-32C is wrong")


@pytest.mark.slow
def test_pages_that_cannot_be_masked(tmp_path):
    """Firmware's own, flash and what is beyond RAM; a run in use is taken page by page."""
    free = boot(guarded(tmp_path))
    kinds = {kind: free.of_type(kind) for kind in (CONVENTIONAL, 4, 6)}
    held = sorted(kinds[4])[:2]
    kept = sorted(kinds[6])[:1]
    edge = next(p for p in sorted(kinds[CONVENTIONAL]) if p > 0x1000 and p + 1 in kinds[4])
    listed = [*held, *kept, *range(edge - 4, edge + 2), 0xFFFF0, 1 << 30]
    seen = boot_listed(tmp_path, listed, Hardware(), extra=[])
    taken = seen.of_type(UNUSABLE)
    assert taken <= set(listed) and set(range(edge - 4, edge)) <= taken
    assert seen.status["outside"] == 2
    assert seen.status["masked"] == len(taken) and seen.masked == taken
    assert seen.status["held"] == len(listed) - 2 - len(taken) > 0
    reserved = {page for at, n in seen.reserved for page in range(at // PAGE, (at + n) // PAGE)}
    assert reserved == set(listed) - taken - set(kept) - {0xFFFF0, 1 << 30}
    assert seen.status["reserved"] == len(reserved)


@pytest.mark.slow
@pytest.mark.parametrize(
    "run", [(0, 1 << 40), (0x4000, 0x38000)], ids=["every address", "more than half"]
)
def test_a_list_of_nearly_all_memory(tmp_path, run):
    hardware = Hardware(module_bytes=GIB, ram_bytes=GIB)
    seen = boot(guarded(tmp_path, make_list([run], hardware), on="guarded-1G"))
    assert seen.of_type(UNUSABLE) == set()
    assert seen.status["state"] == "stopped" and "more than half" in seen.status["why"]


def map_of(seen):
    return sorted(seen.memory_map, key=lambda entry: entry[1])


@pytest.mark.slow
def test_the_same_map_at_each_boot(tmp_path):
    """20 boots of one machine; the store and what firmware keeps in it as the last boot left it."""
    pages = [0x6000 + 37 * i for i in range(300)]
    machine = guarded(tmp_path, make_list(runs_of(pages)), options="runs=300")
    first = boot(machine)
    masks(first, pages)
    maps = [map_of(boot(machine)) for _ in range(20)]
    assert all(found == maps[0] for found in maps)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 100, 2000, 15000])
def test_many_pages(tmp_path, n):
    """A page in each 64 KiB; the longest list is in the file."""
    pages = [0x10000 + 16 * i for i in range(n)]
    data = make_list(runs_of(pages), Hardware(module_bytes=2 * GIB, ram_bytes=2 * GIB))
    files, data = ([(FILE, data)], None) if n > 2000 else ([], data)
    machine = guarded(tmp_path, data, files=files, options="runs=20000", on="guarded-2G")
    masks(boot(machine), pages, "file" if files else "variable")


@pytest.mark.slow
def test_more_pages_than_linux_has_room_for(tmp_path):
    """Some of the good pages between are masked, too: as many as it takes for 60 runs."""
    pages = [0x10000 + 16 * i for i in range(2000)]
    data = make_list(runs_of(pages), Hardware(module_bytes=2 * GIB, ram_bytes=2 * GIB))
    seen = boot(guarded(tmp_path, data, on="guarded-2G"))
    unusable = seen.of_type(UNUSABLE)
    assert set(pages) < unusable == seen.masked
    assert len(runs_of(sorted(unusable))) == 60
    assert seen.status["masked"] == 2000 and seen.status["between"] == 1940 * 15
    assert "2000 bad pages masked (" in seen.said[0]
    assert "; 29100 good pages between them masked, too" in seen.said[0]


@pytest.mark.slow
def test_removed(tmp_path):
    """Without Driver0000 the map is as if the guard had never been there."""
    data = make_list(runs_of(PAGES))
    masks(boot(guarded(tmp_path, data)), PAGES)
    machine = guarded(tmp_path, data)
    make_store(machine.vars, driver=False)
    make_stick(machine.image)
    seen = boot(machine)
    assert seen.status is None and seen.masked is None and seen.of_type(UNUSABLE) == set()


LOW = 250 * MIB  # above what the guard leaves in one piece
FREED_LATE = 0x14F0  # of boot services; OVMF has bytes of ff there, to which stuck1 does nothing


def linux_machine(directory, listed):
    """With faults in two pages above and below 4 GiB, and in one that firmware holds."""
    pages = [LOW // PAGE + 3, HIGH // PAGE + 7, FREED_LATE]
    faults = [f for page in pages for f in spec.parse(f"stuck1@{page * PAGE + 64:#x}.3")]
    machine = split_machine(on="split-uefi", faults=faults)
    hardware = Hardware(module_bytes=machine.memory, ram_bytes=machine.memory)
    data = make_list(runs_of(pages if listed else []), hardware)
    store = make_store(directory / "vars.fd", [("OkramGuard", NV | BS, data)])
    stick = make_stick(directory / "stick.img")
    extra = attach("disk", path=f"{stick},readonly=on")
    return pages, replace(machine, vars=store, extra=[*machine.extra, *extra])


@pytest.mark.slow
def test_linux_by_grub(tmp_path):
    """It has none of the masked pages, and leaves alone the one that firmware held."""
    pages, machine = linux_machine(tmp_path, listed=False)
    without = boot_linux(machine, tmp_path)
    assert without.bad == {page * PAGE for page in pages}
    pages, machine = linux_machine(tmp_path, listed=True)
    seen = boot_linux(machine, tmp_path, kernel_options="efi=debug")
    assert seen.bad == set()
    assert [seen.has(page * PAGE) for page in pages] == [False, False, True]
    assert seen.swept_bytes > 0.9 * seen.total_bytes


def random_list(rng):
    """Of any bytes, of few changes to a good one, or of runs anywhere."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 3000))
    runs, at = [], 0
    for _ in range(rng.randrange(40)):
        at += rng.randrange(1, 1 << rng.randrange(1, 24))
        n = rng.randrange(1, 1 << rng.randrange(1, 12))
        runs.append((at, n))
        at += n
    data = bytearray(make_list(runs))
    if kind == 1:
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    if kind == 2:
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(12, len(data))] = rng.randrange(256)
        struct.pack_into("<I", data, 8, crc32c(bytes(data[12:])))
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_random_lists(tmp_path, seed):
    """The boot goes on, and what is masked was listed and free."""
    data = random_list(random.Random(seed))
    seen = boot(guarded(tmp_path, data))
    taken = seen.of_type(UNUSABLE)
    assert taken == (seen.masked or set())
    assert seen.status["state"] in ("masked", "stale", "invalid", "stopped")
    assert not taken or seen.status["state"] == "masked"
    assert len(taken) == seen.status["masked"] and 0 not in taken
