# SPDX-License-Identifier: MIT
"""Writes the corpus that fuzzers begin with: corpus/<target>/seed-*, from tests/data and by hand.

Other files in corpus/ are inputs that once broke something. The forms of inputs are described at
the head of each target.

    make fuzz-seeds
"""

import json
import struct
from pathlib import Path

import saved_samples
from data import rebuild, spd
from data import tables as t
from tools import list_samples, map_samples
from tools.saved_samples import part_line

HERE = Path(__file__).parent
DATA = HERE.parent / "data"
CORPUS = HERE / "corpus"

MIB = 1 << 20
MEND_TABLE, MEND_RSDP, IS_RSDP = 1, 2, 4
SMBIOS_3, IN_BIOS, MEND_ENTRY = 1, 2, 4

# Where tests/data/qemu-q35 has its tables, in the file of all but the RSDP.
Q35 = 0x1FFE0040


def q35():
    files = {
        0xF59E0: "f59e0-rsdp.bin",
        0xF5A00: "f5a00-smbios.bin",
        Q35: "1ffe0040-acpi.bin",
    }
    return {phys: (DATA / "qemu-q35" / name).read_bytes() for phys, name in files.items()}


def acpi_tables(memory, found):
    """All tables in a piece of memory, by signature."""
    for signature in (b"APIC", b"SRAT", b"SLIT", b"HMAT", b"FACP"):
        at = memory.find(signature)
        if at >= 0:
            size = struct.unpack_from("<I", memory, at + 4)[0]
            found[signature.decode()] = memory[at : at + size]
    return found


def pieces(*parts):
    """fuzz_acpi.c: pieces of memory."""
    return b"".join(
        phys.to_bytes(6, "little") + struct.pack("<BH", flags, len(data)) + data
        for phys, flags, data in parts
    )


def rsdp(rsdt=0, xsdt=0):
    first = b"RSD PTR \0OKRAM " + bytes([2 if xsdt else 0]) + struct.pack("<I", rsdt)
    return first + struct.pack("<IQI", 36, xsdt, 0) if xsdt else first


def fadt(dsdt, size=244):
    body = bytearray(size - t.HEADER_BYTES)
    struct.pack_into("<I", body, 4, dsdt)
    struct.pack_into("<I", body, 64 - 36, 0x604)
    struct.pack_into("<I", body, 112 - 36, 1 << 10)
    body[116 - 36 : 128 - 36] = struct.pack("<BBBBQ", 1, 8, 0, 1, 0xCF9)[: max(0, size - 116)]
    return t.table(b"FACP", 6 if size > 116 else 1, bytes(body))


S5 = bytes.fromhex("08 5f53355f 12 06 04 0a05 0a05 00 00".replace(" ", ""))


def acpi_seeds():
    dsdt = t.table(b"DSDT", 2, S5)
    listed = {0x2000: rebuild.epyc_nps4()["slit"], 0x3000: t.madt([0, 1]), 0x4000: fadt(0x5000)}
    listed[0x6000] = t.srat(t.srat_cpu(0, 0), t.srat_memory(0, MIB - 1, 0))
    listed[0x7000] = rebuild.xeon_cxl()["hmat"]
    tables = [(phys, MEND_TABLE, data) for phys, data in listed.items()]
    tables.append((0x5000, MEND_TABLE, dsdt))
    xsdt = t.table(b"XSDT", 1, b"".join(struct.pack("<Q", phys) for phys in listed))
    rsdt = t.table(b"RSDT", 1, b"".join(struct.pack("<I", phys) for phys in listed))
    real = q35()
    yield (
        "q35",
        pieces(*((phys, IS_RSDP if phys == 0xF59E0 else 0, data) for phys, data in real.items())),
    )
    yield (
        "xsdt",
        pieces((0x1000, IS_RSDP | MEND_RSDP, rsdp(xsdt=0x8000)), (0x8000, 1, xsdt), *tables),
    )
    yield "rsdt-in-bios", pieces((0xE0010, MEND_RSDP, rsdp(0x8000)), (0x8000, 1, rsdt), *tables)
    yield (
        "rsdt-in-ebda",
        pieces((0x40E, 0, b"\xc0\x9f"), (0x9FC00, 2, rsdp(0x8000)), (0x8000, 1, rsdt), *tables),
    )
    disk = t.table(b"mBFT", 1, struct.pack("<IHBBII18x", 0x9F400, 30, 4, 6, 206 * MIB, 49 << 11))
    yield "memdisk", pieces((0x413, 0, b"\x7d\x02"), (0x9F440, MEND_TABLE, disk))


def table_seeds(kind):
    """Tables of one kind: QEMU's, rebuilt and broken ones."""
    real = acpi_tables(q35()[Q35], {})
    other = (DATA / "qemu-q35-hmat" / "1ffe239b-acpi.bin").read_bytes()
    real = acpi_tables(other, {}) | real if kind != "HMAT" else acpi_tables(other, {})
    yield "qemu", real[kind]
    small = 2500
    for name, data in rebuild.files().items():
        if name.endswith("." + kind.lower()) and len(data) < small:
            yield Path(name).stem, data


def fadt_seeds():
    yield "qemu", acpi_tables(q35()[Q35], {})["FACP"]
    for size in (116, 129, 244, 276):
        yield str(size), fadt(0x5000, size)


def hpet_seeds():
    memory = q35()[Q35]
    at = memory.find(b"HPET" + struct.pack("<I", 56))  # the DSDT has a device of this name
    yield "qemu", memory[at : at + 56]
    yield "ports", t.hpet(0x608, 1)
    yield "to-the-end", t.hpet(2**64 - 1024)
    yield "short", t.sealed(t.hpet(0xFED00000)[:-1])


def mcfg_seeds():
    memory = q35()[Q35]
    at = memory.find(b"MCFG" + struct.pack("<I", 60))
    yield "qemu", memory[at : at + 60]
    yield "segments", t.mcfg((0x80000000, 1, 0, 255), (0x90000000, 0, 0, 63), (0, 0, 64, 255))
    yield "at-the-end", t.mcfg((2**64 - 2**28, 0, 0, 255))
    yield "beyond-it", t.mcfg((2**64 - 2**28 + 1, 0, 0, 255))
    yield "none", t.mcfg()
    yield "short", t.sealed(t.mcfg()[:-1])


def spcr_seeds():
    yield "com2", t.spcr(t.register(0x2F8))
    yield "memory", t.spcr(t.register(0xFE030000, 0, 32, 3), 0, 0x12, 4, 48000000, 230400)
    yield "off", t.spcr(t.register(0))
    yield "pl011", t.spcr(t.register(0x9000000, 0, 32, 3), 7, 3)
    yield "past-the-end", t.spcr(t.register(2**64 - 4, 0))
    yield "short", t.sealed(t.spcr(t.register(0x3F8))[:79])


def dbg2_seeds():
    com1, memory = t.dbg2_port(t.register(0x3F8)), t.dbg2_port(t.register(0xFE030000, 0, 32, 3))
    yield "com1", t.dbg2(com1)
    yield "several", t.dbg2(t.dbg2_port(t.register(0), 0x8003, 1), memory, *[com1] * 5)
    yield "no-length", t.dbg2(com1, com1[:1] + bytes(2) + com1[3:])
    yield "too-many", t.sealed(t.dbg2(com1)[:40] + b"\xff" * 4 + com1)
    yield "register-past-the-end", t.dbg2(com1[:18] + b"\x1d\0" + com1[20:])


def s5_seeds():
    yield "plain", S5
    yield "root", S5[:1] + b"\\" + S5[1:]
    yield "long-package", b"\x08_S5_\x12\x47\x00\x04\x0b\x05\x00\x01"
    yield "qwords", b"\x08_S5_\x12\x14\x02\x0e" + bytes([7]) + bytes(7) + b"\x0e" + bytes(8)
    yield "qemu", acpi_dsdt_part()


def acpi_dsdt_part():
    """What stands around \\_S5 in QEMU's DSDT."""
    memory = q35()[Q35]
    at = memory.find(b"_S5_")
    return memory[at - 64 : at + 64]


def smbios(flags, phys, structures, entry=None):
    size = 24 if flags & SMBIOS_3 else 31
    return (
        struct.pack("<BQ", flags, phys)
        + (entry or bytes([0] * 7 + [3, 2] + [0] * (size - 9)))
        + structures
    )


def smbios_seeds():
    real = q35()[0xF5A00]
    slots = t.smbios_array(0x1000, 2) + t.smbios_device(0x1100, 0x1000, 0x4000)
    slots += t.smbios_device(0x1101, 0x1000, 0xFFFF, b"DIMM_B1 ") + t.smbios_range(
        0x1400, 0, 0xFFFFF, 0x1100
    )
    yield "qemu", struct.pack("<BQ", 0, 0xF5A20) + real[:31] + real[32:]
    yield "slots-2", smbios(MEND_ENTRY, 0x7F000000, slots + t.SMBIOS_END)
    yield "slots-3", smbios(MEND_ENTRY | SMBIOS_3 | IN_BIOS, 0x17F000000, slots + t.SMBIOS_END)
    yield "no-end", smbios(MEND_ENTRY | SMBIOS_3, 0x7F000000, slots[:-1])
    yield (
        "short-device",
        smbios(MEND_ENTRY, 0x7F000000, b"\x11\x05\x01\x00\x00\x00\x00" + t.SMBIOS_END),
    )


def regions(bits, *parts):
    return struct.pack("<BB", bits, 0) + b"".join(struct.pack("<BQQ", *part) for part in parts)


def memory_map_seeds():
    yield (
        "pc",
        regions(
            *(40, (1, 0, 0x9FC00), (2, 0x9FC00, 0x400), (2, 0xF0000, 0x10000)),
            *((1, MIB, 0x7FEE0000), (3, 0x7FFE0000, 0x20000), (1, 1 << 32, 1 << 30)),
        ),
    )
    yield (
        "overlap",
        regions(36, (1, 0, 1 << 30), (4, MIB, MIB), (5, MIB + 5, 7), (0x82, 2 * MIB, MIB)),
    )
    yield (
        "broken",
        regions(52, (1, 0, 0), (1, 2**64 - 1, 2), (0xFF, 0, 2**64 - 1), (1, 1 << 51, 1 << 52)),
    )


def efi_map(size, arena, *descriptors):
    body = b"".join(
        struct.pack("<IIQQQQ", kind, 0, phys, 0, n, attribute).ljust(size, b"\0")[:size]
        for kind, phys, n, attribute in descriptors
    )
    return struct.pack("<BII", size, *arena) + body


def efi_map_seeds():
    plain = [
        (7, 0, 0xA0, 0xF),
        (7, MIB, 0x7000, 0xF),
        (2, 0x7100000, 0x100, 0xF),
        (5, 0x7F00000, 16, 1 << 63),
    ]
    yield "ovmf", efi_map(48, (0x200, 0x100), *plain, (11, 0xFFE00000, 0x200, 1 << 63))
    yield "v1", efi_map(40, (0x7100, 0x10), *plain, (14, 1 << 32, 1 << 18, 1 << 15))
    yield "huge", efi_map(48, (0, 0), (7, 0, 2**52 + 1, 0), (7, 2**64 - 4096, 2, 0))
    yield "no-length", efi_map(48, (0, 1), *plain).replace(b"\x30", b"\0", 1)


def tag(kind, content):
    data = struct.pack("<II", kind, 8 + len(content)) + content
    return data + bytes(-len(data) % 8)


def multiboot2_seeds():
    ram = b"".join(
        struct.pack("<QQII", *e, 0)
        for e in ((0, 0x9FC00, 1), (MIB, 511 * MIB, 1), (1 << 32, MIB, 7))
    )
    rgb = struct.pack("<QIIIBBH6B", 0xFD000000, 4096, 1024, 768, 32, 1, 0, 16, 8, 8, 8, 0, 8)
    parts = [
        tag(1, b"tests=quick\0"),
        tag(2, b"GRUB 2.06-13\0"),
        tag(6, struct.pack("<II", 24, 0) + ram),
        tag(8, rgb),
    ]
    parts += [
        tag(14, rsdp(0x8000)),
        tag(15, rsdp(0x8000, 0x9000)),
        tag(13, b"\3\2" + bytes(6) + b"_SM3_" + bytes(19)),
    ]
    parts += [tag(12, struct.pack("<Q", 0x7F000018)), tag(0, b"")]
    for name, chosen in (("grub", parts), ("bios", parts[:5] + parts[-1:]), ("no-end", parts[:3])):
        body = b"".join(chosen)
        yield name, struct.pack("<II", 8 + len(body), 0) + body
    conf = [tag(0x6F6B726D, b"tests=quick\n"), *parts[:5], tag(0, b"")]
    yield "lkrn", struct.pack("<II", 8 + sum(map(len, conf)), 0) + b"".join(conf)
    yield (
        "entry-size-0",
        struct.pack("<II", 64, 0) + tag(6, struct.pack("<II", 0, 0) + ram) + tag(0, b""),
    )


def image_copies_seeds():
    """Two copies of two pages; the first one's checksums are mended by the target (flag 1)."""
    head = struct.pack("<QIIIII", 0x016D696D61726B6F, 2, 1, 3, 0x1000, 0).ljust(4096, b"\0")
    image = head + bytes(range(256)) * 16
    damaged = image[:5000] + b"\xff" + image[5001:]
    yield "sound", b"\1" + image + image
    yield "damaged", b"\1" + image + damaged
    yield "unmended", b"\0" + image + damaged
    yield "short", b"\1" + image[:300]


def linux_information_seeds():
    """As QEMU, iPXE and GRUB leave the zero page (boot.rst)."""

    def made(entries, line, loader=0xB0, vesa=False, conf=False):
        zero = bytearray(0xCD0)
        if vesa:
            zero[0x0F] = 0x23
            struct.pack_into("<HHHI", zero, 0x12, 1024, 768, 32, 0xFD000000)
            struct.pack_into("<H6B", zero, 0x24, 4096, 8, 16, 8, 8, 8, 0)
        zero[0x1E8], zero[0x210] = len(entries), loader
        for i, entry in enumerate(entries):
            struct.pack_into("<QQI", zero, 0x2D0 + 20 * i, *entry)
        flags = (line is not None) | conf << 1
        return struct.pack("<BII", flags, 8 * MIB, 9 * MIB) + zero + (line or b"")

    ram = [(0, 0x9FC00, 1), (0xF0000, 0x10000, 2), (MIB, 511 * MIB, 1), (1 << 32, MIB, 7)]
    yield "qemu", made(ram, b"tests=quick serial=jsonl")
    yield "grub", made(ram, b"BOOT_IMAGE=/okram.lkrn tests=quick BOOTIF=01-52", 0x72, vesa=True)
    yield "no-line", made(ram[2:3], None, 0x41)
    yield "no-map", made([], b"")
    yield "conf", made(ram, b"# all\ntests=quick\n\0\0", conf=True)
    yield "long-conf", made(ram, b"a " * 2100, conf=True)
    yield "full", made([(i * MIB, MIB, 1) for i in range(128)], b"a " * 2100)


def bmc_seeds():
    """fuzz_bmc.c: its status for ever, or 0; the answer and its length; what is changed."""

    def answer(*data, stuck=0):
        return bytes([stuck, len(data), *data])

    runs = [0x44, 1, 0, 0, 0x10, 0x0E, 0xE8, 0x03]  # what Get Watchdog Timer answers
    yield "watchdog-runs", answer(7 << 2, 0x25, 0, *runs)
    yield "watchdog-off", answer(7 << 2, 0x25, 0, 4, *runs[1:])
    yield "unknown-command", answer(7 << 2, 0x25, 0xC1)
    yield "another-command", answer(7 << 2, 0x24, 0, *runs)
    yield "long", answer(7 << 2, 0x25, 0, *range(40))
    yield "no-answer", answer()
    yield "error", answer(7 << 2, 0x25, 0) + b"\x40" * 20
    for status in (0x41, 0x01, 0x40, 0x81, 0xC0, 0x02, 0xFF):
        yield f"stuck-{status:02x}", answer(stuck=status)


def boot_file_seeds():
    """DHCP replies (RFC 2131, RFC 2132); the first byte is half the room for a name."""

    def reply(server=b"\xc0\0\2\1", file=b"", options=b""):
        head = b"\2\1\6\0" + bytes(16) + server + bytes(84) + file.ljust(128, b"\0")
        return b"\x80" + head + b"\x63\x82\x53\x63" + options

    def option(code, content):
        return bytes([code, len(content)]) + content

    url = b"http://192.0.2.1:8080/boot/okram.efi?mac=52"
    both = option(54, b"\xc0\0\2\7") + option(67, b"efi\\okram.efi")
    yield "field", reply(file=b"/boot/okram.efi", options=b"\xff")
    yield "options", reply(bytes(4), b"other.efi", b"\0" + option(53, b"\5") + both + b"\xff")
    yield "url", reply(options=option(67, url) + b"\xff")
    yield "cut", reply(options=option(67, b"okram.efi")[:-3])
    yield "no-room", b"\4" + reply(file=b"/a/long/path/okram.efi")[1:]


def load_options_seeds():
    wide = "okram.efi tests=quick serial=jsonl".encode("utf-16-le")
    yield "shell", b"\x80\1" + wide + b"\0\0"
    yield "cut", b"\x05\1" + wide
    yield "ascii", b"\x80\0tests=quick"
    yield "binary", b"\x80\1" + bytes(range(256))


OPTIONS = {
    "all": "tests=quick march={any(w0);up(r0,w1)} passes=2 time=90s range=1M-2M,4G-6G nodes=0,2-5 "
    "cpus=all patterns=64 ranges=auto lines=grub,xen bandwidth=full bandwidth.runs=3 serial=jsonl "
    "serial.port=com2 serial.baud=9600 serial.port=mmio:0xfe030000 serial.port=0x3e0 "
    "exit=qemu isa=sse2 seed=0x1234 fade=2m hammer=1h",
    "bits": "channel.bits=6/7,14 slot.order=A1+A2,B1,C1,D1 channel.bits=5 slot.order=,",
    "conf": "\ufeff# okram.conf\r\ntests=\"march-ss, fade\"\r\n'time=8h'  # all night\r\n",
    "guard": "patrol=4m quiet=on # of okram-guard.efi\r\npatrol=241 patrol= quiet=yes",
    "broken": "tests passes=99999999999999999999 range=5-4 nodes=1024 lines= time=1y x=y "
    '"a=b\nserial=\x01',
    "path": "BOOT_IMAGE=/boot/okram.elf /x/y.efi okram.efi tests=quick",
    "ranges": "range="
    + ",".join(f"{n}M-{n + 1}M" for n in range(0, 40, 2))
    + " range=0-0xffffffffffffffff",
}

MARCHES = {
    "c-minus": "{any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)}",
    "pause": " any ( w0 , w1 ) ; del ( 86400000 ) ; any ( r1 ) ",
    "no-write": "up(r0)",
    "other-value": "any(w0);up(r1)",
    "too-long": "any(" + "w0," * 16 + "w0)",
    "pause-too-long": "any(w0);del(99999999999999999999)",
    "cut": "{any(w0);up(r0,w1",
}

BADRAM_INPUTS = {
    "all": "0x1000\n0x2000-0x5000\n0x100000000,0xfffffffffffff000\n0x1fff000,0xfff000\n",
    "no-page": "0x1000\nhello\n",
    "far": "0x300000000000\n0x100000000-0x100100000\r\n",
    "everything": "0x0,0x0\n",
    "long-run": "0x0-0x400000000000\n",
}


BADRAM_CHECKS = {
    "hangs": "c0x5000000,0xfffffffffffff000\nm0x0-0x8000000\n",
    "fits": "c0x5000000,0xffffffffff000\nm0x0-0x8000000\n0x5000000\n0x6000000\n",
    "short-mask": "c0x1000,0xfffff000,0x2fff,0xfff\nm1M-16M\nE9\nT0xfec00000\n",
    "bios": "fbios\ny0x0-0x9f000\ny0x100000-0x8000000\nm1M-128M\nc0x4000,0xfffffffffc000\n0x4000\n",
    "many": "c0x0,0x1000\nm0x0-0x1000000\nr5\nfuefi\ny0x0-0x1000000\n0x3000-0x9000\n",
    "far": "c0x0,0x1000\n0x60fff000000\n",
    "no-bit": "c0x0,0x0\n0x1000,0xfffffffff000\n",
}


def fw_cfg_seeds():
    name = b"opt/okram/cmdline".ljust(56, b"\0")
    other = b"etc/acpi/tables".ljust(56, b"\0")
    entry = struct.pack(">IHH", 11, 0x20, 0) + name
    files = struct.pack(">I", 2) + struct.pack(">IHH", 64, 0x21, 0) + other + entry
    for title, room, directory in (
        ("found", 63, files),
        ("cut", 3, files),
        ("huge", 15, files.replace(struct.pack(">I", 11), b"\xff" * 4)),
        ("endless", 15, b"\xff" * 4 + entry[:20]),
    ):
        yield title, struct.pack("<BH", room, len(directory)) + directory + b"tests=quick"


def scancode_seeds():
    yield "set-1", bytes([0, 0x10, 0x90, 0xE0, 0x1C, 0xE0, 0x9C, 0xE1, 0x1D, 0x45])
    yield "set-2", bytes([1, 0x15, 0xF0, 0x15, 0xE0, 0xF0, 0x5A, 0xE0, 0x5A])
    yield "prefixes", bytes([1, 0xE0, 0xE0, 0xF0, 0xF0, 0xE0])


def boot_report_seeds():
    up, q = bytes(8), bytes([0, 0, 0x14, 0, 0, 0, 0, 0])
    yield "q", b"".join(b"\x08" + report for report in (up, q, q, up))
    yield "rolled-over", b"\x08\x00\x00" + bytes([1] * 6) + b"\x08\x02\x00" + bytes([0x28] * 6)
    yield "short", b"\x02\x00\x00\x03\x00\x00\x15\x00"


def usb_descriptors_seeds():
    hid, end = bytes.fromhex("092111010001223f00"), bytes.fromhex("07058103080a0a")
    head = bytes.fromhex("09022200010100a032")
    yield "keyboard", head + bytes.fromhex("090400000103010100") + hid + end
    mouse = bytes.fromhex("090400000103010200") + hid + end
    keyboard = bytes.fromhex("090401000103010100") + hid + end
    yield "composite", bytes.fromhex("09023b00020100a032") + mouse + keyboard
    hub = bytes.fromhex("09021900010100e000 090400000109000000 0705810301000c")
    yield "hub-configuration", hub
    yield "hub", bytes.fromhex("092904e9003264 00ff")
    yield "device", bytes.fromhex("1201000200000040")
    yield "endless", head + bytes.fromhex("0004 0104 0000")


USB_HONEST, USB_LIES, USB_ANY_REGISTERS = 0, 1, 3


def usb_seeds():
    """What the controller is, then what happens; 1: 20 ms pass, or a device does what it should."""
    begin = bytes([7, 2, 0x0F])  # 8 ports, 2 pages of scratch, devices at 4 ports
    calm = bytes([0x08] * 4 + [0x01, 0x02] * 30)
    yield "keyboards", bytes([USB_HONEST]) + begin + b"\x02\x02" + bytes(150)
    report = bytes([5, 1, 8, 0, 0, 0x14, 0, 0, 0, 0, 0, 1])
    yield "keys", bytes([USB_HONEST]) + begin + b"\x02\x02" + bytes(60) + report * 4
    yield "hubs", bytes([USB_HONEST | 8]) + begin + b"\x02\x01\x01\x01\x39\xff" * 20 + calm * 2
    replug = bytes([4, 0x01, 2, 4, 0x81, 2, 2, 4, 0x02, 1, 4, 0x82, 3])
    yield "replugged", bytes([USB_HONEST | 4]) + begin + replug * 8 + b"\x07" + calm
    stalls = b"\x02\x02\x08\x08\xf0\xf2\x04\x12\x01\x00\x02\xf4\x03\xf5\x07\x11\xf3\x06"
    yield "stalls", bytes([USB_HONEST]) + begin + stalls * 8
    hostile = b"\x02\x02\x00\x00\xf0\x05\xf2\x21\xf3\x01\xf4\x00\xff\xf8\x01\x00\x00\x00"
    yield "lies", bytes([USB_LIES]) + begin + hostile * 8
    event = b"\x06" + struct.pack("<QII", 1 << 24, 1 << 24, 34 << 10)
    transfer = b"\x06" + struct.pack("<QII", 0x1006000, 1 << 24, 32 << 10 | 1 << 24 | 1 << 16)
    yield "events", bytes([USB_LIES]) + begin + bytes(40) + (event + transfer + b"\x01") * 10
    yield "any-registers", bytes([USB_ANY_REGISTERS]) + begin + bytes(92) + hostile
    stick = bytes([USB_HONEST, 7, 2, 1]) + b"\x40" * 250
    yield "stick", stick + (b"\x07\x01" + bytes(40)) * 3
    wrong = b"\xf0", b"\xf1", b"\xf2\x09\x55\xaa", b"\xf3\x04", b"\xf4\x01", b"\xf5\x04\xff"
    for i, answer in enumerate(wrong):
        steps = b"".join(b"\x07\x01" + bytes(n) + answer + bytes(60) for n in (1, 2, 3, 13, 14, 15))
        yield f"stick-wrong-{i}", stick + steps


def run_file_seeds():
    """Changes: an area, a place in it, a byte; then reads: 255 fails."""
    yield "good", b"\0"
    yield "renamed", b"\1" + struct.pack("<BHB", 4, 0, ord("x"))
    yield "read-only", b"\1" + struct.pack("<BHB", 4, 11, 0x21)
    yield "scattered", b"\1" + struct.pack("<BHB", 2, 4 * 110, 9)
    yield "other-volume", b"\1" + struct.pack("<BHB", 0, 8, 65)
    yield "other-cluster-size", b"\1" + struct.pack("<BHB", 1, 13, 2)
    yield "unmarked", b"\1" + struct.pack("<BHB", 5, 100, 0)
    yield "newest", b"\1" + struct.pack("<BHB", 7, 500, ord("9"))
    yield "fails", b"\0" + bytes(12) + b"\xff"


VARIABLE_VOLUME = bytes.fromhex("8d2bf1ff96768b4ca9852747075b4f50")
VARIABLE_STORE = bytes.fromhex("782cf3aa7b949a43a1802e144ec37792")


def py_varstore_seeds():
    def variable(name, data, state=0x3F):
        text = name.encode("utf-16-le") + b"\0\0"
        head = struct.pack(
            "<HBxIQ16xIII16s", 0x55AA, state, 7, 0, 0, len(text), len(data), b"V" * 16
        )
        made = head + text + data
        return made + b"\xff" * (-len(made) % 4)

    def file(body, size=None):
        volume = bytes(16) + VARIABLE_VOLUME + struct.pack("<Q4sIH", 0x84000, b"_FVH", 0, 72)
        store = VARIABLE_STORE + struct.pack("<IBB6x", size or 28 + len(body), 0x5A, 0xFE)
        return volume.ljust(72, b"\0") + store + body

    two = variable("OkramReport0", b"text") + variable("OkramReport0", b"older", 0x3E)
    yield "two-states", file(two + variable("Boot0001", b"disk") + b"\xff" * 80)
    yield "cut", file(two, size=1000)[:-9]
    half = struct.pack("<HBxIQ16xIII16s", 0x55AA, 0xFF, 7, 0, 0, 0xFFFFFFFF, 9, b"")
    yield "half-written", file(half + two)


def py_partition_seeds():
    mbr = bytearray(512)
    struct.pack_into("<BBHBBHII", mbr, 446, 0x80, 0, 0, 0xEF, 0, 0, 2048, 65536)
    mbr[510:] = b"\x55\xaa"
    yield "mbr", b"\1" + bytes(mbr)
    for block in (512, 4096):
        disk = bytearray(4 * block)
        disk[block : block + 8] = b"EFI PART"
        struct.pack_into("<QII", disk, block + 72, 2, 4, 128)
        system = bytes.fromhex("28732ac11ff8d211ba4b00a0c93ec93b")
        struct.pack_into("<16s16sQQ", disk, 2 * block + 128, system, b"G" * 16, 34, 2047)
        yield f"gpt-{block}", b"\2" + bytes(disk)
    yield "no-such-number", b"\xff" + bytes(mbr)


def py_arrivals_seeds():
    """What nginx logs of iPXE's requests: a whole report, its parts in any order, and strangers."""
    sent = saved_samples.finished(part_bytes=300).values()
    lines = [part_line("52-54-00-12-34-56", i, data) for i, data in enumerate(sent)]
    yield "whole", "".join(lines).encode()
    yield "again", "".join(lines + lines[::-1]).encode()
    yield "cut", "".join(lines)[:-40].encode()
    yield "strangers", (part_line("a", 0, b"no report") + "GET / HTTP/1.1\n" + lines[0]).encode()


def py_console_seeds():
    """Logs of consoles as three programs write them."""
    for path in sorted((DATA / "consoles").glob("*.log")):
        yield path.stem, path.read_bytes()[:6000]


def py_faulty_seeds():
    """Lists that people have; the first byte says how numbers are meant (host_targets.py)."""
    for name, (text, _) in list_samples.LISTS.items():
        yield name.replace(" ", "-").replace(",", "").replace("'", ""), b"\0" + text.encode()
    for name, (text, _) in list_samples.LOST.items():
        yield "lost-" + name.replace(" ", "-").replace(",", ""), b"\0" + text.encode()
    yield "pages", b"\1" + b"0x5000 0x5001, 0500f\n5003-5009"
    yield "log", b"\0" + list_samples.OKRAM.encode()


def py_map_seeds():
    maps = map_samples
    yield "iomem", maps.IOMEM.encode()
    yield "two-boots", (maps.BEFORE + maps.LINUX_7 + maps.DMESG + maps.OLD).encode()
    yield "xen", (maps.OLD_XEN + maps.XEN + maps.DOM0).encode()


def py_compare_seeds():
    def run(mb_s, ns):
        machine = {"cpu": "QEMU", "cpus": 2, "nodes": 1, "ram_bytes": 1, "testable_bytes": 1}
        figures = {"mean": mb_s, "stddev": 3.5, "min": mb_s - 9, "max": mb_s + 9}
        bandwidth = {"cpu_node": 0, "mem_node": 0, "op": "read", "threads": 2, "runs": 5}
        records = [
            {"type": "start", "version": "0.1.0", "boot": "uefi", "loader": "", "cmdline": ""},
            {"type": "machine", **machine, "installed_bytes": None, "warnings": []},
            {"type": "cache", "level": 1, "size_bytes": 32768, "mb_s": mb_s, "ns": ns},
            {"type": "bandwidth", **bandwidth, "mb_s": figures},
        ]
        return "".join(json.dumps({"t": 0.5, **record}) + "\n" for record in records).encode()

    yield "two", run(8000.5, 1.25) + run(9000.5, 2.25)
    yield "same", run(8000.5, 1.25) * 2
    yield "zero", run(0.0, 0.0) + run(9000.5, 1.25)


def guard_install_seeds():
    new_list, found_list, backup, order, boot_order, bootx64, folders, end = (
        0x80, 0x81, 3, 4, 5, 0x40, 0xC0, 0xFF
    )  # fmt: skip
    by_driver, by_wrapper, remove, add, by_shim = 0, 3, 4, 5, 6
    sbat_level, shim = 9, 0xC1
    runs = bytes([5, 0, 9, 1, 200, 15])

    def made(things, done, flags=0, fails_at=0, image=b"\0\0"):
        parts = (bytes([what]) + struct.pack("<H", len(data)) + data for what, data in things)
        head = bytes([flags, fails_at]) + image + b"".join(parts)
        return head + bytes([end, 0, 0, *done])

    orders = [(order, b"\0\0\1\0"), (boot_order, b"\1\0\2\0"), (folders, b""), (bootx64, b"MZ!")]
    found = [(found_list, runs), *orders]
    yield "driver", made(found, [by_driver, remove])
    yield "wrapper", made(found, [by_wrapper, by_driver, remove, by_driver, remove])
    yield "files", made(found, [by_driver, remove, by_wrapper, remove], flags=8)
    yield "added", made(found, [by_driver, add, remove])
    for fails_at in (3, 7, 12):
        yield f"fails-{fails_at}", made(found, [by_wrapper, by_driver, remove], 8, fails_at)
    sbat = [
        (shim, b"sbat,1,u\nshim,4,UEFI shim\nshim.debian,1,D"),
        (sbat_level, b"sbat,1\nshim,4\n"),
    ]
    yield "shim", made(sbat + found, [by_shim, remove, by_shim, add], flags=1)
    yield "shim-file", made(sbat + found, [by_shim, add, remove, by_shim], flags=40)
    revoked = [(shim, b"shim,4"), (sbat_level, b"x,1\nshim,5")]
    yield "shim-revoked", made(revoked + found, [by_shim, by_driver, remove], flags=33)
    forged = (
        b'{"type":"guard-backup","version":1,"way":"driver","driver":"Driver0000","order":"0100",'
        b'"partition":"the-disk","files":["\\\\EFI\\\\BOOT\\\\BOOTX64.EFI"],"folders":["\\\\EFI"]}'
    )
    yield "forged", made([(backup, forged), (new_list, runs), *found], [remove, add])
    status = b'{"type":"guard","state":"masked","why":null,"masked":3,"held":1}\n'
    yield "status", made([(2, status), (0, b"OKRAMBAD"), (3, b"{")], [by_driver, remove, add], 1)
    yield "odd-order", made([(found_list, runs), (order, b"\0\0\1")], [by_driver], 2)


def usb_legacy_seeds():
    def space(size, words):
        made = bytearray(size)
        for at, word in words.items():
            struct.pack_into("<I", made, at, word)
        return bytes(made)

    nothing = bytes(4)
    ehci = {0x08: 0x6800, 0x68: 1 << 16 | 0x7000, 0x70: 1 << 16 | 1, 0x74: 1}
    xhci = {0x10: 0x20 << 16, 0x80: 1 << 16 | 0x400 | 2, 0x90: 1 << 16 | 1, 0x94: 1}
    yield "uhci", b"\x00" + nothing + space(0x104, {0xC0: 0x10})
    yield "ohci", b"\x10" + nothing + space(0x104, {4: 0x100})
    yield "ehci", b"\x20" + nothing + space(0x104, ehci)
    yield "xhci", b"\x30" + nothing + space(0x204, xhci)
    yield "circle", b"\x30" + nothing + space(0x204, {0x10: 0x20 << 16, 0x80: 0xFF02})
    yield "gone", b"\x30" + b"\xff" * 4


def mtrr_seeds():
    on, all_wb = 0xC00, 0x0606060606060606

    def registers(bits, variable, cap=0x50A, default=on, end=0):
        fixed = [all_wb] * 2 + [0] + [0x0505050505050505] * 8
        head = struct.pack("<BHHQ11Q", bits - 32, cap, default, end, *fixed)
        return head + b"".join(struct.pack("<QQ", *pair) for pair in variable)

    def ram(base, size, kind=6, bits=39):
        return base | kind, ((1 << bits) - size) | 0x800

    gib = 1 << 30
    pc = registers(39, [ram(0, 2 * gib), ram(gib, gib, 0), ram(4 * gib, 4 * gib)])
    yield "pc", struct.pack("<BBH", 3, 30, 600) + pc
    yield "low", struct.pack("<BBH", 0, 19, 1000) + pc + struct.pack("<Q", 1 << 32)
    holes = registers(39, [(6, 0x7FFF0F0800), (0, 0x7FFFF00800), (4, 0x5555555800)])
    yield "holes", struct.pack("<BBH", 0, 32, 1000) + holes
    yield "amd", struct.pack("<BBH", 9, 33, 900) + registers(48, [], end=8 * gib)
    yield "off", struct.pack("<BBH", 9, 32, 9) + registers(39, [], default=0)


def fingerprint_seeds():
    system = bytes([1, 0x1B, 0, 0, 1, 2, 0, 0]) + bytes(range(1, 17)) + b"\6\0\0" + b"A\0B\0\0"
    slots = t.smbios_array(0x1000, 2) + t.smbios_device(0x1100, 0x1000, 0x4000, b"DIMM_A1")
    two = slots + t.smbios_device(0x1101, 0x1000, 0x7FFF, b"DIMM_B1")
    first = system + slots + t.SMBIOS_END
    for name, other in (
        ("same", first),
        ("another-module", system + two + t.SMBIOS_END),
        ("no-system", slots),
        ("cut", first[:40]),
    ):
        yield name, struct.pack("<H", len(first)) + first + other


def pci_seeds():
    def function(device, number, words, size=0xFC):
        space = bytearray(size)
        for at, word in words.items():
            struct.pack_into("<I", space, at, word)
        return bytes([device, number, size]) + bytes(space)

    there = {0: 0x12348086, 4: 0x00100007, 0x34: 0x40, 0x40: 0x5005, 0x50: 0x0001, 0x54: 3}
    nic = there | {8: 0x02000000, 0x10: 0xFEBF0000}
    usb = there | {8: 0x0C033000, 0x0C: 1 << 23, 0x10: 4, 0x14: 1}
    uhci = there | {8: 0x0C030000, 0x10: 0xC041, 0xC0: 0x10}
    airport = nic | {0: 0x433114E4, 8: 0x02800000}
    registers = bytearray(0x100)
    struct.pack_into("<II", registers, 8, 0x6800, 0x100)
    head = bytes(4) + struct.pack("<H", len(registers)) + bytes(registers)
    yield "network", head + function(3, 0, nic) + function(4, 0, airport)
    yield "usb", head + function(5, 0, usb) + function(5, 7, uhci)
    circle = there | {0x40: 0x4009}
    yield "circle", bytes(6) + function(1, 0, circle) + function(31, 7, nic)
    yield "always", b"\x00\x00\x10\x80" + bytes(2) + function(0, 0, {0: 0x12348086, 8: 0x02000000})


def framebuffer_seeds():
    def made(width, height, pitch, bits, masks, turn=0, base=0x80000000, cells=b""):
        mode = struct.pack("<QIIIB3I", base, width, height, pitch, bits, *masks)
        return bytes([36, turn]) + mode + struct.pack("<QQB", 0x100000, 0x70000000, 1) + cells

    rgb, rgb16 = (0xFF0000, 0xFF00, 0xFF), (0xF800, 0x07E0, 0x1F)
    cells = b"\0\0A\x0f" + b"\x4f\x17B\xf0" + b"\x10\x05\xff\x10"
    yield "small", made(640, 400, 2560, 32, rgb, cells=cells)
    yield "24-bits", made(800, 600, 2404, 24, rgb, cells=cells)
    yield "16-bits", made(1024, 768, 2048, 16, rgb16, cells=cells)
    yield "upright", made(600, 1024, 2400, 32, rgb, turn=1, cells=cells)
    yield "upside-down", made(640, 480, 2600, 32, rgb, turn=2, cells=cells)
    yield "left", made(480, 800, 1920, 32, rgb, turn=3, cells=cells)
    yield "short-rows", made(640, 400, 2559, 32, rgb)
    yield "too-far", made(640, 400, 2560, 32, rgb, base=(1 << 36) - 4096)


def cover_seeds():
    ram = struct.pack("<8H", 0, 100, 1, 128, 0xFFFF, 128, 3, 7)
    yield "strides", b"\x3f\x76\x01" + ram + struct.pack("<HBBHBB", 5, 30, 8, 700, 20, 1)
    yield "one", b"\x00\x00\x01" + ram + struct.pack("<HBBHBB", 0, 0, 0, 2000, 0, 0)
    yield "random", b"\x07\x0b\x01" + ram + bytes((i * i * 37 + 11) & 0xFF for i in range(160))
    yield "none", b"\x3f\x76\x04" + ram
    yield (
        "all",
        b"\x3f\x76\x07" + ram + b"".join(struct.pack("<HBB", n * 256, 255, 1) for n in range(2)),
    )


def texts(by_name):
    return ((name, text.encode()) for name, text in by_name.items())


def conf_edit_seeds():
    for which, (name, text) in enumerate(texts(OPTIONS)):
        yield name, bytes([which % 4]) + struct.pack("<H", 2048) + text
    yield "full", b"\2" + struct.pack("<H", 40) + b"# full\ntests=quick nodes=0\n"


def guard_backup_seeds():
    head = '{"type":"guard-backup","version":1,"way":'
    paths = r'"files":["\\EFI\\okram\\okram-guardx64.efi"],"folders":["\\EFI"]}'
    where = '"partition":"0f0e0d0c-0b0a-4908-8706-050403020100",'
    yield "driver", f'{head}"driver","driver":"Driver0003","order":"0100",{where}{paths}\n'.encode()
    refind = paths.replace(r"okram\\", r"refind\\drivers_x64\\", 1)
    yield "refind", f'{head}"refind","driver":null,"order":null,{where}{refind}\n'.encode()
    list_file = r'"\\EFI\\okram\\okram\\guard.list"'
    blanks = '{"type": "guard-backup", "version": 1, "way": "driver", "files": [ %s ]}'
    yield "blanks", (blanks % list_file).encode()
    yield "inside", (head + r'"wrapper","x":"\"files\":[\"a\"]","y":{"order":"0"}}').encode()


def saved_seeds():
    def variables(flags, parts):
        return bytes([flags]) + b"".join(struct.pack("<H", len(data)) + data for data in parts)

    whole = list(saved_samples.finished(part_bytes=300).values())
    records = saved_samples.JSONL
    yield "started", variables(0, saved_samples.started().values())
    yield "whole", variables(0, whole)
    yield "missing", variables(0, [whole[0], b"", *whole[2:]])
    yield "damaged", variables(0, [*whole[:2], whole[2].replace(b"m", b"\0"), *whole[3:]])
    yield "mended", variables(7, [records[:700], records[700:]])
    yield "mended-running", variables(3, [records])
    yield "short", variables(0, [whole[0][:50]])
    shared = b'{"type":"fault","addr":"0x8","also":{"addr":["0x10","0x18"],"t":[1]}}\n'
    yield "shared", variables(7, [records[:700], shared * 2, shared.replace(b",", b" , ")])
    signed = whole[0].replace(b"}", b',"hmac":"' + b"0123456789abcdef" * 4 + b'"}', 1)
    yield "signed", variables(0, [signed, *whole[1:]])


def cedt_seeds():
    windows = t.cedt_window(2**36, 2**34), t.cedt_window(2**64 - 2**32, 2**32)
    host_bridge = bytes((0, 0, 32, 0)).ljust(32, b"\x07")
    yield "windows", t.cedt(host_bridge, *windows)
    yield "empty-window", t.cedt(t.cedt_window(2**36, 0), windows[0])
    yield "too-many", t.cedt(*(t.cedt_window(i << 36, 2**30) for i in range(66)))
    yield "zero-length", t.cedt(windows[0], bytes(4))


def hest_seeds():
    status = t.register(0x7F000000, 0, 64, 4)
    ack = t.register(0x7F000008, 0, 64, 4), 2**64 - 2, 1
    checks = [t.hest_machine_checks(kind, banks=2) for kind in (0, 1, 11)]
    sources = t.hest_generic(3, status), t.hest_generic(4, status, ack=ack)
    later = struct.pack("<HH", 12, 8) + bytes(4)
    yield "all", t.hest(*checks, *sources, later, t.hest_generic(5, status))
    yield (
        "ports",
        t.hest(
            t.hest_generic(1, t.register(0x80)),
            t.hest_generic(2, status, ack=(t.register(0xB2), 0, 7)),
        ),
    )
    yield "unknown-type", t.hest(sources[0], b"\x05" + bytes(63), sources[1])
    yield "cut", t.sealed(t.hest(*sources)[:-1])
    yield "too-many", t.sealed(t.hest(*sources)[:36] + b"\xff" * 4 + sources[0])
    nowhere = t.register(0, 0, 64)
    yield "tiny-block", t.hest(t.hest_generic(1, status, 19), t.hest_generic(2, nowhere))


def wdat_seeds():
    port, memory = t.register(0x66C), t.register(0xFED00000, 0, 32, 3)
    timer = t.wdat_timer(port, memory)
    yield "port-and-memory", timer
    yield "off", t.wdat(flags=0x80)
    yield "empty", t.wdat()
    yield "too-many", t.wdat(n=2**32 - 1)
    yield "no-period", t.wdat(period_ms=0)
    yield "cut", t.sealed(timer[:-1])
    steps = [t.wdat_entry(t.WDAT_STOP, t.WDAT_WRITE_VALUE, port, i, 1) for i in range(9)]
    yield "many-steps", t.wdat(*steps)
    yield "unknown", t.wdat(t.wdat_entry(99, 7, port, 0, 0), t.wdat_entry(8, 7, port, 0, 0))
    yield "port-too-high", t.wdat_timer(t.register(0x10000), memory)
    yield "no-address", t.wdat_timer(t.register(0), memory)


def memory_sections():
    place = {"node": 1, "card": 2, "module": 3, "bank": 4, "row": 5, "column": 6, "rank": 1}
    first = t.cper_memory(0x5000040, 2**52 - 1, what=2, **place)
    second = t.cper_memory_2(0x5000040, 2**52 - 4096, what=3, device=7, **place)
    yield "memory", t.error_section(t.CPER_MEMORY, t.CORRECTED, first, b"DIMM_A1")
    yield "memory-2", t.error_section(t.CPER_MEMORY_2, t.FATAL, second)
    yield "memory-old", t.error_section(t.CPER_MEMORY, t.CORRECTED, first[:73], revision=0x201)
    yield "memory-short", t.error_section(t.CPER_MEMORY, t.CORRECTED, first[:72])
    yield "pcie", t.error_section(t.CPER_PCIE, t.RECOVERABLE, bytes(208))


def error_block_seeds():
    sections = dict(memory_sections())
    for name, section in sections.items():
        yield name, t.error_block(section)
    yield "all", t.error_block(*sections.values(), raw=b"raw")
    yield "empty", bytes(20)
    yield "no-data", t.error_block(status=2)
    yield "ones", b"\xff" * 64
    yield "cut", t.error_block(sections["memory"])[:-1]
    yield "cut-in-a-section", t.error_block(sections["memory"][:70])
    yield "raw-within-data", struct.pack("<5I", 1, 20, 4, 64, 0) + bytes(64)


def bert_seeds():
    """The region's length in two bytes, the region at 7000h, then the table."""

    def region(data, table):
        return struct.pack("<H", len(data)) + data + table

    sections = dict(memory_sections())
    blocks = [t.error_block(section) for section in sections.values()]
    size = sum(map(len, blocks))
    yield "all", region(b"".join(blocks), t.bert(0x7000, size))
    yield "nothing", region(bytes(64), t.bert(0x7000, 64))
    yield "ones", region(b"\xff" * 64, t.bert(0x7000, 64))
    yield "elsewhere", region(blocks[0], t.bert(0x8000, 64))
    yield "no-region", region(b"", t.bert(0, 0))
    yield "past-the-end", region(b"", t.bert(2**64 - 8, 64))


def iommu_units_seeds():
    """A byte says which table it is."""
    yield "dmar", b"\0" + t.dmar(t.dmar_unit(0xFED90000, 0), t.dmar_unit(0xFED91000))
    yield (
        "dmar-reserved",
        b"\0" + t.dmar(t.dmar_unit(0xFED91000), t.dmar_reserved(0x7B000, 0x7FFFF)),
    )
    yield "dmar-no-address", b"\0" + t.dmar(t.dmar_unit(0), t.dmar_unit(2**64 - 4096))
    yield "dmar-zero-length", b"\0" + t.dmar(bytes(16))
    yield "ivrs", b"\1" + t.ivrs(t.ivrs_unit(0xFEB80000), t.ivrs_unit(0xFEB80000, 0x11, 40))
    yield "ivrs-past-the-end", b"\1" + t.sealed(t.ivrs(t.ivrs_unit(0xFEB80000))[:-1])


def guard_list(n_runs, n_pages, numbers, version=2):
    size = 128 if version == 2 else 80
    sizes = size, size + len(numbers)
    head = struct.pack("<8sIHHIIQ", b"OkramGrd", 0, version, *sizes, n_runs, n_pages)
    return head + bytes(range(size - len(head))) + numbers


def guard_list_seeds():
    """fuzz_guard_list.c: pieces of RAM, then a list; flag 1 has its CRC made right."""
    pieces = [(0, 0, 0x9F), (3, 0x100, 0x700), (1, 0x1000, 0x100), (2, 0x10000, 0x1000)]
    machine = b"".join(
        struct.pack("<BI", use, first) + n.to_bytes(3, "little") for use, first, n in pieces
    )
    two = b"\xa3\x02\x00\x81\x04\x81\x01"
    yield "two-runs", b"\1" + machine + guard_list(2, 131, two)
    yield "unmended", b"\0" + machine + guard_list(2, 131, two)
    yield "empty", b"\1" + machine + guard_list(0, 0, b"")
    yield "touching", b"\1" + machine + guard_list(2, 2, b"\5\0\0\0")
    yield "all", b"\1" + machine + guard_list(1, 1 << 40, b"\0" + b"\xff" * 5 + b"\x1f")
    yield "wrong-count", b"\1" + machine + guard_list(3, 131, two)
    yield "version-1", b"\1" + machine + guard_list(2, 131, two, 1)
    yield "version-3", b"\0" + machine + guard_list(2, 131, two, 3)


PIIX4, BLOCKS, IS_DDR4 = 1, 0x80, 0x40
FREE, DONE, NO_DEVICE = 0, 2, 4


def smbus_transactions(*answers):
    """fuzz_smbus.c: the status before and after each, and what the device answers."""
    return b"".join(
        bytes([FREE, DONE, *answer] if answer else [FREE, NO_DEVICE]) for answer in answers
    )


def smbus_words(image):
    return [image[at : at + 2] for at in range(0, len(image), 2)]


def smbus_seeds():
    """One module at the first address."""
    absent = [b""] * 7
    ddr3, ddr4, ddr5 = (spd.image(name) for name in ("ddr3-udimm", "ddr4-udimm", "ddr5-expo"))
    free = bytes([FREE])
    found = smbus_transactions(ddr3[:2], ddr3[2:3], *absent)
    yield "ddr3", bytes([PIIX4]) + free + found + free + smbus_transactions(*smbus_words(ddr3))
    found = smbus_transactions(ddr4[:2], ddr4[2:3], *absent, b"\0")
    pages = smbus_words(ddr4[:256]) + [b"\0"] + smbus_words(ddr4[256:]) + [b"\0"]
    yield "ddr4", bytes([PIIX4 | IS_DDR4]) + free + found + free + smbus_transactions(*pages)
    found = smbus_transactions(b"\x51\x18", *absent)
    pages = smbus_words(ddr5[:128])
    hub = bytes([PIIX4 | BLOCKS]) + free + found + free + smbus_transactions(b"\0", *pages)
    yield "ddr5-blocked", hub
    yield "busy", bytes([0]) + b"\x40" * 64
    yield "all-ones", b"\x02" + b"\xff" * 64
    yield "nothing", b""


def spd_seeds():
    for name in spd.MODULES:
        yield name, spd.image(name)
    yield "other-type", b"\x80\x08\x08" + bytes(125)


# Of two modules and two runs; with names: of one run, and offered.
DIAGNOSIS_WORD = "9090-01q1-36m1-8hm9-04g0-g200-zayj-a"
DIAGNOSIS_KEPT = {
    "first-run": "g0tf-31c3-pes4-03p3-rcx1-03c0-49pw-7jry-gpwd-d001-296d-kdz0-p40h-4k6s-pzgb-408j-"
    "9kcv-fr9h-0494-spdq-w4s0-1hc3-0r86-1gb0-08sn-bbcr-61g0-32r6-1ggc-30p4-0hka-ppsg-"
    "c300-65gc-310r-61cg-136n-ddk0-r600-1526",
    "offered": "g0tf-31c3-pes4-03p3-rcx1-03c0-4bpw-7jry-gpwd-d001-296d-kdz0-p40h-4k6s-pzgb-408j-"
    "9kcv-fr9h-0494-spdq-w4s0-1hc3-0r86-1gb0-08sn-bbcr-61g0-32r6-1ggc-30p4-0hka-ppsg-"
    "c300-65gc-310r-61cg-136n-ddk0-r600-9n46",
}


def with_suspects(word):
    """DIAGNOSIS_WORD in the version with suspects: the first module, measured; no checksum yet."""
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    bits = "".join(f"{digits.index(c):05b}" for c in word.replace("-", ""))
    bits = "101" + bits[3:73] + "011" + bits[73:125] + "0" * 22
    return "".join(digits[int(bits[i : i + 5], 2)] for i in range(0, len(bits), 5))


def diagnosis_seeds():
    """fuzz_diagnosis.c: flag 1 makes the checksum, 4: records."""
    yield "word", b"\x02" + DIAGNOSIS_WORD.encode()
    yield "word-mistyped", b"\x02" + DIAGNOSIS_WORD[:-1].encode() + b"z"
    yield "word-suspects-mended", b"\x21" + with_suspects(DIAGNOSIS_WORD).encode()
    for name, word in DIAGNOSIS_KEPT.items():
        yield name, b"\x00" + word.encode()
        yield f"{name}-mended", b"\x31" + word.replace("-", "").encode()
    for name, begun, tests in (
        ("record", "false", "march-c-"),
        ("record-begun", "true", ""),
        ("record-odd-tests", "true", "a nodes=0"),
        ("record-march", "true", 'march","march":"{any(w0);any(r0)}'),
    ):
        record = (
            f'{{"type":"diagnosis","begun":{begun},"tests":"{tests}","code":"{DIAGNOSIS_WORD}"}}'
        )
        yield name, b"\x04" + b'{"type":"start"}\n' + record.encode() + b"\n"


SEEDS = {
    "acpi": acpi_seeds(),
    "badram_check": texts(BADRAM_CHECKS),
    "badram_input": texts(BADRAM_INPUTS),
    "bert": bert_seeds(),
    "bmc": bmc_seeds(),
    "boot_file": boot_file_seeds(),
    "boot_report": boot_report_seeds(),
    "cedt": cedt_seeds(),
    "conf_edit": conf_edit_seeds(),
    "guard_backup": guard_backup_seeds(),
    "cover": cover_seeds(),
    "dbg2": dbg2_seeds(),
    "diagnosis": diagnosis_seeds(),
    "efi_map": efi_map_seeds(),
    "error_block": error_block_seeds(),
    "fadt": fadt_seeds(),
    "fw_cfg": fw_cfg_seeds(),
    "guard_list": guard_list_seeds(),
    "hest": hest_seeds(),
    "hmat": table_seeds("HMAT"),
    "hpet": hpet_seeds(),
    "image_copies": image_copies_seeds(),
    "iommu_units": iommu_units_seeds(),
    "linux_information": linux_information_seeds(),
    "load_options": load_options_seeds(),
    "madt": table_seeds("APIC"),
    "march": texts(MARCHES),
    "mcfg": mcfg_seeds(),
    "memory_map": memory_map_seeds(),
    "multiboot2": multiboot2_seeds(),
    "options": texts(OPTIONS),
    "py_varstore": py_varstore_seeds(),
    "py_partition": py_partition_seeds(),
    "py_arrivals": py_arrivals_seeds(),
    "py_compare": py_compare_seeds(),
    "py_console": py_console_seeds(),
    "py_faulty": py_faulty_seeds(),
    "py_map": py_map_seeds(),
    "s5": s5_seeds(),
    "saved": saved_seeds(),
    "scancode": scancode_seeds(),
    "slit": table_seeds("SLIT"),
    "smbios": smbios_seeds(),
    "smbus": smbus_seeds(),
    "spcr": spcr_seeds(),
    "spd": spd_seeds(),
    "srat": table_seeds("SRAT"),
    "usb": usb_seeds(),
    "usb_legacy": usb_legacy_seeds(),
    "run_file": run_file_seeds(),
    "mtrr": mtrr_seeds(),
    "wdat": wdat_seeds(),
    "fingerprint": fingerprint_seeds(),
    "pci": pci_seeds(),
    "framebuffer": framebuffer_seeds(),
    "guard_install": guard_install_seeds(),
    "usb_descriptors": usb_descriptors_seeds(),
}


def main():
    for target, seeds in SEEDS.items():
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for name, data in seeds:
            (CORPUS / target / f"seed-{name}").write_bytes(data)


if __name__ == "__main__":
    main()
