# SPDX-License-Identifier: MIT
"""Firmware tables in bytes: ACPI 6.5 (5.2.12, 5.2.16, 5.2.17, 5.2.28, 18.3), UEFI 2.10 (appendix
N), HPET 1.0a, SPCR 1.10, DBG2 1.3, SMBIOS 3.7, Microsoft's WDAT."""

import struct
import uuid

ENABLED = 1
HOTPLUG = 2
HEADER_BYTES = 36
SUM_AT = 9


def sealed(table):
    """The table with the length and the checksum that its header must hold."""
    table = bytearray(table)
    struct.pack_into("<I", table, 4, len(table))
    table[SUM_AT] = 0
    table[SUM_AT] = -sum(table) & 0xFF
    return bytes(table)


def table(signature, revision, body):
    header = struct.pack(
        "<4sIBB6s8sI4sI", signature, 0, revision, 0, b"OKRAM ", b"REBUILT ", 1, b"OKRM", 1
    )
    return sealed(header + body)


def madt(cpus, x2apic=(), io_apics=((0xFEC00000, 0),), local_apic=0xFEE00000):
    """cpus, x2apic: APIC IDs; io_apics: (address, first interrupt)."""
    body = struct.pack("<II", local_apic, 1)
    for number, apic_id in enumerate(cpus):
        body += struct.pack("<BBBBI", 0, 8, number & 0xFF, apic_id, ENABLED)
    for number, apic_id in enumerate(x2apic):
        body += struct.pack("<BBHIII", 9, 16, 0, apic_id, ENABLED, number)
    for number, (address, first) in enumerate(io_apics):
        body += struct.pack("<BBBBII", 1, 12, number, 0, address, first)
    return table(b"APIC", 5, body)


def srat_cpu(apic_id, domain, flags=ENABLED):
    high = domain >> 8
    return struct.pack(
        "<BBBBIB3sI", 0, 16, domain & 0xFF, apic_id, flags, 0, high.to_bytes(3, "little"), 0
    )


def srat_x2apic(apic_id, domain, flags=ENABLED):
    return struct.pack("<BBHIIIII", 2, 24, 0, domain, apic_id, flags, 0, 0)


def srat_memory(base, end, domain, flags=ENABLED):
    """end: of the last byte, as Linux prints ranges."""
    return struct.pack("<BBIHQQIIQ", 1, 40, domain, 0, base, (end + 1 - base) % 2**64, 0, flags, 0)


def srat(*entries, revision=3):
    return table(b"SRAT", revision, struct.pack("<IQ", 1, 0) + b"".join(entries))


def slit(rows):
    return table(b"SLIT", 1, struct.pack("<Q", len(rows)) + b"".join(map(bytes, rows)))


def hmat_attached(initiator, memory):
    return struct.pack("<HHIHHII20x", 0, 0, 40, 1, 0, initiator, memory)


def hmat_locality(kind, unit, initiators, targets, rows):
    """kind: 0 access latency, 3 access bandwidth; unit: ps or MB/s."""
    lists = b"".join(struct.pack("<I", domain) for domain in (*initiators, *targets))
    values = b"".join(struct.pack("<H", value) for row in rows for value in row)
    size = 32 + len(lists) + len(values)
    head = struct.pack(
        "<HHIBBBBIIIQ", 1, 0, size, 0, kind, 0, 0, len(initiators), len(targets), 0, unit
    )
    return head + lists + values


def hmat_cache(domain, size_bytes, level=1, line_bytes=64):
    return struct.pack(
        "<HHIIIQIHH", 2, 0, 32, domain, 0, size_bytes, 1 | level << 4 | line_bytes << 16, 0, 0
    )


def hmat(*structures):
    return table(b"HMAT", 2, struct.pack("<I", 0) + b"".join(structures))


def hpet(address, space=0):
    """space: 0 memory, 1 I/O ports."""
    base = struct.pack("<BBBBQ", space, 64, 0, 0, address)
    return table(b"HPET", 1, struct.pack("<I", 0x8086A201) + base + struct.pack("<BHB", 0, 100, 0))


def mcfg(*spaces):
    """spaces: (address, segment, first bus, last bus) of each."""
    entries = b"".join(struct.pack("<QHBBI", *space, 0) for space in spaces)
    return table(b"MCFG", 1, bytes(8) + entries)


def register(address, space=1, bits=8, access=1):
    """A generic address; space: 0 memory, 1 I/O ports."""
    return struct.pack("<BBBBQ", space, bits, 0, access, address)


def spcr(base, baud=7, kind=0, revision=2, clock_hz=0, precise_baud=0):
    """base: of register(); kind: 0 a 16550; baud: 7 is 115200, 3 is 9600."""
    body = struct.pack("<B3x", kind) + base + struct.pack("<BBI", 0, 4, 0)
    body += struct.pack("<BBBBBBHHBBBIB", baud, 0, 1, 0, 3, 0, 0xFFFF, 0xFFFF, 0, 0, 0, 0, 0)
    return table(b"SPCR", revision, body + struct.pack("<IIHH", clock_hz, precise_baud, 0, 0))


def dbg2_port(base, kind=0x8000, subtype=0):
    """A debug port of one address of register(), named "."."""
    head = struct.pack("<BHBHHHHHHHHH", 0, 40, 1, 2, 38, 0, 0, kind, subtype, 0, 22, 34)
    return head + base + struct.pack("<I2s", 8, b".\0")


def dbg2(*ports):
    return table(b"DBG2", 0, struct.pack("<II", 44, len(ports)) + b"".join(ports))


def dmar_unit(registers, flags=1):
    """VT-d 4.1, 8.3; flags 1: of all devices that no other unit has."""
    return struct.pack("<HHBBHQ", 0, 16, flags, 0, 0, registers)


def dmar_reserved(base, end):
    """Memory that a device uses (8.4), without the device."""
    return struct.pack("<HHHHQQ", 1, 24, 0, 0, base, end)


def dmar(*structures):
    return table(b"DMAR", 1, struct.pack("<BB10x", 38, 1) + b"".join(structures))


def ivrs_unit(registers, kind=0x10, size=24):
    """AMD 48882, 5.2.2; kinds 11h and 40h have 40 bytes."""
    head = struct.pack("<BBHHHQHHI", kind, 0, size, 2, 0x40, registers, 0, 0, 0)
    return head.ljust(size, b"\0")


def ivrs(*blocks):
    return table(b"IVRS", 2, struct.pack("<I8x", 0x203040) + b"".join(blocks))


def cedt_window(base, size):
    """CXL 3.1, 9.18.1.3, of one host bridge."""
    return struct.pack("<BBHIQQBBHIHHI", 1, 0, 40, 0, base, size, 0, 0, 0, 0, 6, 0, 7)


def cedt(*structures):
    return table(b"CEDT", 1, b"".join(structures))


def hest_machine_checks(kind, flags=1, banks=1, enabled=1):
    """kind: 0 exceptions, 1 corrected, 11 deferred; flags 1: firmware is first (18.3.2)."""
    head = struct.pack("<HHHBBII", kind, kind, 0, flags, enabled, 1, 1)
    if kind == 0:
        head += struct.pack("<QQB7x", 0, 0, banks)
    else:
        head += bytes(28) + struct.pack("<B3x", banks)
    return head + bytes(28 * banks)


def hest_generic(number, status, block_bytes=4096, notify=0, enabled=1, ack=None):
    """status: of register(); ack: its register and what of it is kept and written (type 10)."""
    head = struct.pack("<HHHBBIII", 10 if ack else 9, number, 0xFFFF, 0, enabled, 1, 1, 0)
    head += status + struct.pack("<BBHIIIIII", notify, 28, 0, 1000, 0, 0, 0, 0, 0)
    head += struct.pack("<I", block_bytes)
    return head + (ack[0] + struct.pack("<QQ", *ack[1:]) if ack else b"")


def hest(*sources):
    return table(b"HEST", 1, struct.pack("<I", len(sources)) + b"".join(sources))


WDAT_COUNTDOWN, WDAT_RUNNING, WDAT_STOP = 4, 8, 11  # actions that okram does
WDAT_READ_VALUE, WDAT_READ_COUNTDOWN, WDAT_WRITE_VALUE, WDAT_PRESERVE = 0, 1, 2, 0x80


def wdat_entry(action, instruction, register, value, mask):
    """register: of register(); value and mask before they are shifted by its offset."""
    return struct.pack("<BBH", action, instruction, 0) + register + struct.pack("<II", value, mask)


def wdat(*entries, flags=1, period_ms=1000, count=(1, 1023), n=None):
    """The watchdog action table of Microsoft's Hardware Watchdog Timers Design Specification."""
    head = struct.pack("<IHBBB3x", 32, 0xFF, 0xFF, 0xFF, 0xFF)
    head += struct.pack("<IIIB3x", period_ms, count[1], count[0], flags)
    number = len(entries) if n is None else n
    return table(b"WDAT", 1, head + struct.pack("<I", number) + b"".join(entries))


def wdat_timer(control, count, running=1, mask=1):
    """A whole table: a register whose masked bits say that it runs, and are cleared to stop it; and
    a register that counts seconds."""
    return wdat(
        wdat_entry(WDAT_RUNNING, WDAT_READ_VALUE, control, running, mask),
        wdat_entry(WDAT_COUNTDOWN, WDAT_READ_COUNTDOWN, count, 0, 0xFF),
        wdat_entry(WDAT_STOP, WDAT_WRITE_VALUE | WDAT_PRESERVE, control, 0, mask),
    )


def bert(region, region_bytes=4096):
    return table(b"BERT", 1, struct.pack("<IQ", region_bytes, region))


RECOVERABLE, FATAL, CORRECTED, INFORMATION = range(4)  # severities of UEFI 2.10, N.2.1
CPER_MEMORY = uuid.UUID("a5bc1114-6f64-4ede-b863-3e83ed7c83b1").bytes_le
CPER_MEMORY_2 = uuid.UUID("61ec04fc-48e6-d813-25c9-8daa44750b12").bytes_le
CPER_PCIE = uuid.UUID("d995e954-bbc1-430f-ad91-b44dcb3c6f35").bytes_le
_MEMORY_FIELDS = ("node", "card", "module", "bank", "device", "row", "column")  # bits 3 to 9


def cper_memory(addr=None, mask=None, what=None, rank=None, **fields):
    """N.2.5: only what is given is valid."""
    valid = (addr is not None) << 1 | (mask is not None) << 2 | (what is not None) << 14
    valid |= (rank is not None) << 15
    valid |= sum(1 << 3 + i for i, name in enumerate(_MEMORY_FIELDS) if name in fields)
    values = [fields.get(name, 0) for name in _MEMORY_FIELDS]
    head = struct.pack("<QQQQ8H", valid, 0, addr or 0, mask or 0, *values, 0)
    return head + struct.pack("<QQQBBHHH", 0, 0, 0, what or 0, 0, rank or 0, 0, 0)


def cper_memory_2(addr=None, mask=None, what=None, rank=None, **fields):
    """N.2.6."""
    valid = (addr is not None) << 1 | (mask is not None) << 2 | (what is not None) << 13
    valid |= (rank is not None) << 10
    valid |= sum(1 << 3 + i for i, name in enumerate(_MEMORY_FIELDS) if name in fields)
    values = [fields.get(name, 0) for name in _MEMORY_FIELDS]
    head = struct.pack("<QQQQ4H", valid, 0, addr or 0, mask or 0, *values[:4])
    head += struct.pack("<5I", *values[4:], rank or 0, 0)
    return head + struct.pack("<BBBBQQQII", 0, what or 0, 0, 0, 0, 0, 0, 0, 0)


def error_section(kind, severity, data, fru=b"", revision=0x300):
    """A generic error data entry (18.3.2.7.1)."""
    valid = bool(fru) << 1
    head = struct.pack("<16sIHBBI", kind, severity, revision, valid, 0, len(data))
    head += struct.pack("<16s20s", b"", fru)
    return head + (bytes(8) if revision >= 0x300 else b"") + data


def error_block(*sections, status=None, severity=CORRECTED, raw=b""):
    """A generic error status block; status: 1 uncorrected, 2 corrected, the number in bits 4-13."""
    data = b"".join(sections)
    if status is None:
        status = (2 if severity == CORRECTED else 1) | len(sections) << 4
    raw_at = 20 + len(data) if raw else 0
    return struct.pack("<IIIII", status, raw_at, len(raw), len(data), severity) + data + raw


def memory_error(severity=CORRECTED, fru=b"", **fields):
    """A block with one error of memory."""
    section = error_section(CPER_MEMORY, severity, cper_memory(**fields), fru)
    return error_block(section, severity=severity)


def smbios_structure(kind, handle, fields, *strings):
    body = struct.pack("<BBH", kind, 4 + len(fields), handle) + fields
    return body + (b"".join(string + b"\0" for string in strings) or b"\0") + b"\0"


def smbios_array(handle, n_devices, ecc=3):
    """System memory on the mainboard (type 16)."""
    return smbios_structure(
        16, handle, struct.pack("<BBBIHH", 3, 3, ecc, 0x80000000, 0xFFFE, n_devices)
    )


def smbios_device(
    handle, array, size, locator=b"DIMM_A1", bank=b"P0 CHANNEL A", speed=3200, form=9
):
    """A slot (type 17, as of SMBIOS 2.8); size: in MiB, or as the field has it; form: table 76."""
    fields = struct.pack(
        "<HHHHHBBBBBHH", array, 0xFFFE, 72, 64, size, form, 0, 1, 2, 0x1A, 0x80, speed
    )
    fields += struct.pack("<BBBBBIHHHH", 0, 0, 0, 0, 2, 0, speed, 1200, 1200, 1200)
    return smbios_structure(17, handle, fields, locator, bank)


def smbios_range(handle, start_kib, end_kib, device):
    """Which addresses a slot has (type 20)."""
    return smbios_structure(
        20, handle, struct.pack("<IIHHBBB", start_kib, end_kib, device, 0, 1, 0, 0)
    )


SMBIOS_END = smbios_structure(127, 0xFEFF, b"")
