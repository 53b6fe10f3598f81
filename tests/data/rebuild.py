# SPDX-License-Identifier: MIT
"""Writes the tables of real machines, rebuilt by hand from what their owners made public, broken
tables, and the SPD of modules. README.md lists where each layout is from.

    make fuzz-seeds
"""

import struct
from pathlib import Path

from data import spd
from data import tables as t

HERE = Path(__file__).parent
GIB = 1 << 30


def epyc_nps4():
    """Two sockets, four nodes each. The ends of ranges are the machine's own."""
    starts = [n * 0x2000000000 + 0x40000000 for n in range(1, 8)]
    ends = [*(start - 1 for start in starts[1:]), 0xFCFEFFFFFF]
    entries = [t.srat_cpu(n * 16 + i, n) for n in range(8) for i in range(12)]
    entries += [t.srat_memory(0, 0x9FFFF, 0), t.srat_memory(0x100000, 0xBFFFFFFF, 0)]
    entries += [t.srat_memory(0x100000000, 0x203FFFFFFF, 0)]
    entries += [t.srat_memory(*span, n) for n, span in enumerate(zip(starts, ends), 1)]
    near = lambda a, b: 10 if a == b else 12 if a // 4 == b // 4 else 32  # noqa: E731
    return {
        "srat": t.srat(*entries),
        "slit": t.slit([[near(a, b) for b in range(8)] for a in range(8)]),
        "apic": t.madt([n * 16 + i for n in range(8) for i in range(12)]),
    }


def xeon_two_sockets():
    """APIC IDs that x2APIC entries name, though they are small."""
    cpus = {0: [*range(0xA), *range(0x10, 0x1A)], 1: [*range(0x20, 0x2A), *range(0x30, 0x3A)]}
    entries = [t.srat_x2apic(apic_id, n) for n in cpus for apic_id in cpus[n]]
    entries += [t.srat_memory(0, 0x7FFFFFFF, 0), t.srat_memory(0x100000000, 0x183FFFFFFF, 0)]
    entries += [t.srat_memory(0x1840000000, 0x303FFFFFFF, 1)]
    return {
        "srat": t.srat(*entries),
        "slit": t.slit([[10, 21], [21, 10]]),
        "apic": t.madt([], x2apic=cpus[0] + cpus[1]),
    }


def xeon_cxl():
    """CXL memory: domains 6 and 7 without CPUs, far above the sockets' own memory."""
    spans = [
        (0x0, 0x7FFFFFFF, 0, 1),
        (0x100000000, 0x207FFFFFFF, 0, 1),
        (0x60F80000000, 0x64F7FFFFFFF, 1, 1),
        (0x2080000000, 0x807FFFFFFF, 6, 3),
        (0x64F80000000, 0x6CF7FFFFFFF, 7, 3),
    ]
    entries = [t.srat_x2apic(n * 0x80 + i, n) for n in range(2) for i in range(4)]
    entries += [t.srat_memory(*span) for span in spans]
    latency = [[0x80, 0x90, 0x100, 0x180], [0x90, 0x80, 0x180, 0x100]]
    bandwidth = [[0x1200, 0x900, 0x200, 0x100], [0x900, 0x1200, 0x100, 0x200]]
    return {
        "srat": t.srat(*entries),
        "hmat": t.hmat(
            *(t.hmat_attached(i, m) for i, m in ((0, 0), (1, 1), (0, 6), (1, 7))),
            t.hmat_locality(0, 1000, (0, 1), (0, 1, 6, 7), latency),
            t.hmat_locality(3, 100, (0, 1), (0, 1, 6, 7), bandwidth),
        ),
    }


def eight_sockets():
    """Ranges that are mostly empty: memory could be plugged in. APIC IDs above 255."""
    starts = [0x10000000000, 0x80000000000, 0x90000000000, 0x100000000000, 0x110000000000]
    starts += [0x180000000000, 0x190000000000]
    entries = [t.srat_x2apic(n * 0x40 + i, n) for n in range(8) for i in range(0x38)]
    entries += [t.srat_memory(0, 0x7FFFFFFF, 0), t.srat_memory(0x100000000, 0xFFFFFFFFF, 0)]
    entries += [t.srat_memory(0xFF80000000, 0xFFFFFFFFFF, 0)]
    entries += [
        t.srat_memory(s, s + 0xFFFFFFFFFF, n, t.ENABLED | t.HOTPLUG)
        for n, s in enumerate(starts, 1)
    ]
    return {"srat": t.srat(*entries)}


def hyper_v():
    """A guest's table: places for memory up to 2^49, in no order of nodes."""
    spans = [
        (0x0, 0x3FFFFFFF, 0),
        (0x100000000, 0xFDFFFFFFF, 0),
        (0x10FE0000000, 0x138FFFFFFFF, 0),
        (0x13900000000, 0x1713FFFFFFF, 1),
        (0x17140000000, 0x1A97FFFFFFF, 2),
        (0x1A980000000, 0x1E1BFFFFFFF, 3),
        (0x1E1C0000000, 0x1E94FFFFFFF, 0),
    ]
    spans += [(1 << n, (5 << (n - 2)) - 1, 0) for n in range(41, 50)]
    entries = [t.srat_cpu(i, i // 24) for i in range(96)]
    entries += [t.srat_memory(*span, t.ENABLED | t.HOTPLUG) for span in spans]
    rows = [[10 if a == b else 20 for b in range(4)] for a in range(4)]
    return {"srat": t.srat(*entries), "slit": t.slit(rows)}


def vmware():
    """A node in two parts, with a hole where PCI's HyperTransport addresses lie."""
    spans = [
        (0x0, 0x9FFFF, 0),
        (0x100000, 0xBFFFFFFF, 0),
        (0x100000000, 0x55FFFFFFFF, 0),
        (0x5600000000, 0xAAFFFFFFFF, 1),
        (0xAB00000000, 0xFCFFFFFFFF, 2),
        (0x10000000000, 0x1033FFFFFFF, 2),
    ]
    entries = [t.srat_cpu(i, i // 2) for i in range(6)]
    return {"srat": t.srat(*entries, *(t.srat_memory(*span) for span in spans), revision=2)}


def empty_nodes():
    """Nodes that wait for memory of devices: enabled ranges of no length at address 0."""
    entries = [t.srat_cpu(i, 0) for i in range(4)]
    entries += [t.srat_memory(0, 0x9FFFF, 0), t.srat_memory(0x100000, 4 * GIB - 1, 0)]
    entries += [t.srat_memory(0, -1, n, t.ENABLED | t.HOTPLUG) for n in range(2, 10)]
    return {"srat": t.srat(*entries)}


MACHINES = {
    "epyc-nps4": epyc_nps4,
    "xeon-two-sockets": xeon_two_sockets,
    "xeon-cxl": xeon_cxl,
    "eight-sockets": eight_sockets,
    "hyper-v": hyper_v,
    "vmware": vmware,
    "empty-nodes": empty_nodes,
}


def cut(table, size, at=8):
    """The table with the length in one entry's head (1 byte at `at`) replaced."""
    body = bytearray(table)
    body[at] = size
    return t.sealed(body)


def broken():
    """What is wrong with each stands in README.md."""
    cpu, memory = t.srat_cpu(0, 0), t.srat_memory(0, 0x7FFFFFF, 0)
    hmat = t.hmat(t.hmat_locality(0, 1000, (0, 1), (0, 1), [[1, 2], [2, 1]]))
    return {
        "srat-to-the-end": t.srat(cpu, t.srat_memory(0x100000, 2**64 - 1, 1)),
        "srat-wraps": t.srat(cpu, memory, t.srat_memory(0x100000, 0x100000 - 2, 1)),
        "srat-zero-length-entry": cut(t.srat(cpu, memory), 0, 48 + 1),
        "srat-entry-past-the-end": cut(t.srat(cpu, memory), 41, 48 + 16 + 1),
        "srat-overlap": t.srat(cpu, memory, t.srat_memory(0x1000000, 0x9FFFFFF, 1)),
        "slit-zeros": t.slit([[0, 0], [0, 0]]),
        "slit-too-many": t.table(b"SLIT", 1, struct.pack("<Q", 2**33) + bytes(64)),
        "hmat-zero-length": t.sealed(hmat[:44] + bytes(4) + hmat[48:]),
        "apic-registers-in-ram": t.madt([0, 1], io_apics=((0x200000, 0),), local_apic=0x300000),
        "apic-id-beyond-x2apic": t.madt([0], x2apic=[0xFFFFFFF0]),
        "apic-256-is-0": t.madt([0], x2apic=[0x100]),
        "apic-twice": t.madt([0, 1, 1, 0, 0xFF]),
        "apic-without-boot-cpu": t.madt([1, 2]),
    }


def files():
    """All files by name, below tests/data."""
    made = {
        f"rebuilt/{name}.{kind}": data
        for name in MACHINES
        for kind, data in MACHINES[name]().items()
    }
    made |= spd.files()
    return made | {
        f"broken/{name}.{name.partition('-')[0]}": data for name, data in broken().items()
    }


def main():
    for name, data in files().items():
        (HERE / name).write_bytes(data)


if __name__ == "__main__":
    main()
