# SPDX-License-Identifier: MIT
"""Boots with firmware tables that are broken: each boot ends with a complete report.

The tables of tests/data/broken, and sound ones in which a seeded chance has changed a few bytes.
That they reach okram as they are is seen in the guest's memory.
"""

import random
import struct

import pytest

from data import rebuild
from data import tables as t
from okramlib import EXIT_PASS, EXIT_UNFINISHED
from okramlib.qemu import qemu_version
from okramlib.run import run
from okramlib.units import MIB
from system import own_tables
from system.harness import attach, check_records, named
from system.watchers import Once

CMDLINE = "tests=quick bandwidth=off"
CPUS, MEMORY = 4, 128 * MIB
SEEDS = range(18)
TIMEOUT_S = 120

# Where SeaBIOS puts tables: the end of RAM, and the BIOS area.
PLACES = ((MEMORY - MIB, MIB), (0xF0000, 0x10000))

SOUND = {
    "apic": t.madt(range(CPUS)),
    "srat": t.srat(
        *(t.srat_cpu(i, i // 2) for i in range(CPUS)),
        *(t.srat_memory(i * MEMORY // 2, (i + 1) * MEMORY // 2 - 1, i) for i in range(2)),
    ),
    "slit": t.slit([[10, 21], [21, 10]]),
    "hmat": t.hmat(
        *(t.hmat_attached(i, i) for i in range(2)),
        t.hmat_locality(0, 1000, (0, 1), (0, 1), [[80, 130], [130, 80]]),
        t.hmat_locality(3, 100, (0, 1), (0, 1), [[1200, 600], [600, 1200]]),
        t.hmat_cache(1, MIB),
    ),
    # What they name is the BIOS's code.
    "hest": t.hest(
        *(t.hest_machine_checks(kind, banks=2) for kind in (0, 1, 11)),
        t.hest_generic(1, t.register(0xF0000, 0, 64, 4)),
        t.hest_generic(2, t.register(0xF0000, 0, 64, 4), ack=(t.register(0xF0008, 0), 0, 1)),
    ),
    "bert": t.bert(0xF0000),
}
SLOTS = t.smbios_device(0x1100, 0x1000, 128) + t.smbios_device(0x1101, 0x1000, 0, b"DIMM_B1")

BROKEN = [name for name in rebuild.files() if name.startswith("broken/")]
SEEDED = [f"{kind}-{seed}" for seed in SEEDS for kind in (*SOUND, "smbios")]

# The rest takes minutes. What once broke something is among these.
IN_EVERY_CHECK = {
    "broken/srat-to-the-end.srat",
    "broken/apic-registers-in-ram.apic",
    "broken/apic-id-beyond-x2apic.apic",
    "broken/apic-256-is-0.apic",
    "broken/slit-too-many.slit",
    "broken/hmat-zero-length.hmat",
    *(f"{kind}-0" for kind in (*SOUND, "smbios")),
    "smbios-1",
}


# QEMU's TCG has x2APIC from 9.0 on: a CPU with an ID beyond xAPIC is called, and is not there.
BEYOND_XAPIC = "did not start in time" if qemu_version() >= (9, 0) else "needs x2APIC"

# CPUs that okram then finds, and what it says of the table.
TOLD = {
    "apic-registers-in-ram": (2, "I/O APIC at 0x200000"),
    "apic-id-beyond-x2apic": (1, BEYOND_XAPIC),
    "apic-256-is-0": (1, BEYOND_XAPIC),
    "apic-twice": (2, "duplicate APIC ID"),
    "apic-without-boot-cpu": (3, "the boot CPU (APIC ID 0) is not listed"),
    "srat-wraps": (CPUS, "SRAT: malformed entries"),
    "srat-zero-length-entry": (CPUS, "SRAT: an entry has an impossible length"),
    "srat-entry-past-the-end": (CPUS, "SRAT: an entry has an impossible length"),
    "srat-overlap": (CPUS, "SRAT: overlapping memory ranges"),
    "slit-zeros": (CPUS, "SLIT: invalid distances"),
    "slit-too-many": (CPUS, "SLIT: 8589934592 localities do not fit"),
    "hmat-zero-length": (CPUS, "HMAT: a structure has an impossible length"),
    "srat-to-the-end": (CPUS, "assigns no node to"),
}


def cases(names):
    return [
        pytest.param(name, marks=() if name in IN_EVERY_CHECK else pytest.mark.slow)
        for name in names
    ]


def changed(rng, table, first):
    """A few bytes from `first` on replaced, lost, or there twice."""
    table = bytearray(table)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(first, len(table))
        match rng.randrange(5):
            case 0:
                table[at] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF))
            case 1:
                table[at] ^= 1 << rng.randrange(8)
            case 2:
                table[at : at + 8] = rng.randbytes(8)
            case 3:
                del table[at + 1 : at + 1 + rng.randrange(1, 24)]
            case 4:
                table[at:at] = table[at : at + rng.randrange(1, 48)]
    return bytes(table)


def broken_acpi(rng, table):
    """Sealed again, for else its reader is not reached; or with a wrong length, or a wrong sum."""
    table = changed(rng, table, 8)
    fate = rng.randrange(8)
    if fate == 0:
        return table
    table = t.sealed(table)
    if fate == 1:
        length = rng.choice((0, 35, len(table) + rng.randrange(1, 99), 2**24 + 1, 2**32 - 1))
        table = table[:4] + struct.pack("<I", length) + table[8:]
    return table


def is_in_memory(qemu, wanted, directory):
    for base, size in PLACES:
        path = directory / f"{base:x}"
        qemu.qmp.command("pmemsave", val=base, size=size, filename=str(path))
        if wanted in path.read_bytes():
            return True
    return False


def boot(directory, extra, wanted):
    machine = named("128M-4cpus", cmdline=CMDLINE, extra=extra)
    found = []
    watcher = Once("machine", lambda qemu: found.append(is_in_memory(qemu, wanted, directory)))
    outcome = run(machine, watcher, timeout=TIMEOUT_S)
    assert outcome.trouble == ""
    check_records(outcome, machine)
    # a broken SMBIOS may list a module that the machine does not have: that memory was not tested
    is_incomplete = "unseen" in outcome.last("result")
    assert outcome.exit_code == (EXIT_UNFINISHED if is_incomplete else EXIT_PASS)
    assert found == [True]
    return outcome


def boot_with(directory, tables, wanted):
    return boot(directory, own_tables.arguments(directory, list(tables.values())), wanted)


def check_machine(outcome):
    """Whatever the tables say: no CPU that is not there, and no other memory than the map's."""
    told, nodes = outcome.last("machine"), outcome.of_type("node")
    assert 1 <= told["cpus"] <= CPUS
    listed = sorted(cpu for node in nodes for cpu in node["cpus"])
    assert len(listed) == told["cpus"] == len(set(listed))
    assert sum(node["ram_bytes"] for node in nodes) == told["ram_bytes"]
    assert MEMORY - 2 * MIB < told["ram_bytes"] <= MEMORY


def test_sound_tables_are_used(tmp_path):
    """All that the others change is read, and nothing of it is complained of."""
    outcome = boot_with(tmp_path, SOUND, SOUND["srat"])
    told = outcome.last("machine")
    assert (told["cpus"], told["nodes"]) == (CPUS, 2)
    assert [node["cpus"] for node in outcome.of_type("node")] == [[0, 1], [2, 3]]
    assert not [text for text in told["warnings"] if "ACPI" in text or "AT:" in text]


def test_sound_slots_are_used(tmp_path):
    path = tmp_path / "slots"
    path.write_bytes(SLOTS)
    outcome = boot(tmp_path, attach("smbios", path=path), SLOTS)
    assert outcome.last("machine")["installed_bytes"] == MEMORY


@pytest.mark.parametrize("name", cases(BROKEN))
def test_broken_table(tmp_path, name):
    table = rebuild.files()[name]
    outcome = boot_with(tmp_path, SOUND | {name.rpartition(".")[2]: table}, table)
    check_machine(outcome)
    told = outcome.last("machine")
    cpus, warning = TOLD[name.removeprefix("broken/").rpartition(".")[0]]
    assert told["cpus"] == cpus
    assert any(warning in text for text in told["warnings"]), told["warnings"]


@pytest.mark.parametrize("name", cases(SEEDED))
def test_changed_table(tmp_path, name):
    kind, seed = name.split("-")
    rng = random.Random(name)
    if kind == "smbios":
        slots = changed(rng, SLOTS, 1)
        path = tmp_path / "slots"
        path.write_bytes(slots)
        outcome = boot(tmp_path, attach("smbios", path=path), slots)
    else:
        table = broken_acpi(rng, SOUND[kind])
        outcome = boot_with(tmp_path, SOUND | {kind: table}, table)
    check_machine(outcome)
