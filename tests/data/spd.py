# SPDX-License-Identifier: MIT
"""SPD images of memory modules: JEDEC 21-C, annex K (DDR3) and L (DDR4), JESD400-5 (DDR5), with XMP
and EXPO. MODULES has those that the tests read, made up but such as are sold."""

import struct

KIB = 1 << 10
XMP_MAGIC = b"\x0c\x4a"

# Makers as JEDEC's list (JEP106) has them: bank from 1, code without parity.
KINGSTON = (2, 0x18)
SAMSUNG = (1, 0x4E)
HYNIX = (1, 0x2D)
MICRON = (1, 0x2C)
CORSAIR = (3, 0x1E)
GSKILL = (5, 0x4D)

DDR4_MBIT = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 12288, 24576)
DDR5_GBIT = (0, 4, 8, 12, 16, 24, 32, 48, 64)
DDR3_FORMS = {"RDIMM": 1, "UDIMM": 2, "SO-DIMM": 3, "LRDIMM": 11}
DDR4_FORMS = {"RDIMM": 1, "UDIMM": 2, "SO-DIMM": 3, "LRDIMM": 4}
DDR5_FORMS = {"RDIMM": 1, "UDIMM": 2, "SO-DIMM": 3, "CUDIMM": 5}


def crc16(data):
    """Annex K, bytes 126 and 127: polynomial 0x1021, which begins with 0."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1
    return crc


def odd_parity(value):
    return value | (0 if value.bit_count() % 2 else 0x80)


def maker(bank, code):
    return bytes([odd_parity(bank - 1), odd_parity(code)])


def bcd(number):
    return number // 10 << 4 | number % 10


def log2(value):
    assert value & value - 1 == 0
    return value.bit_length() - 1


def row_bits(module, column_bits, bank_bits):
    """Of a chip; one of 24 Gbit does not use a quarter of its addresses."""
    rows = module["mbit"] << 20 >> log2(module["width"]) + column_bits + bank_bits
    return (rows - 1).bit_length()


def split_ps(ps, unit=125):
    """Medium units, the next above, and a signed correction in picoseconds."""
    medium = -(-ps // unit)
    return medium, (ps - medium * unit) & 0xFF


def put(image, at, data):
    image[at : at + len(data)] = data


def put_crc(image, first, size, at):
    struct.pack_into("<H", image, at, crc16(image[first : first + size]))


def put_made(image, at, module, part_bytes, dram_at):
    """Maker, place, date, serial number and part number, in this order in all types."""
    year, week = module["date"]
    part = module["part"].encode().ljust(part_bytes)
    put(image, at, maker(*module["maker"]) + b"\1" + bytes([bcd(year % 100), bcd(week)]))
    put(image, at + 5, struct.pack(">I", module["serial"]))
    put(image, at + 9 if dram_at != 148 else 128, part)
    put(image, dram_at, maker(*module["dram_maker"]))


def ddr3(module):
    image = bytearray(256)
    medium, fine = split_ps(module["tck"])
    put(image, 0, bytes([0x92, 0x13, 0x0B, DDR3_FORMS[module["form"]]]))
    image[4] = DDR4_MBIT.index(module["mbit"])
    columns = 11 if module["width"] == 4 else 10
    image[5] = row_bits(module, columns, 3) - 12 << 3 | columns - 9
    image[7] = module["ranks"] - 1 << 3 | log2(module["width"]) - 2
    image[8] = log2(module["bus"]) - 3 | (8 if module["ecc"] else 0)
    put(image, 9, b"\x11\x01\x08")
    image[12], image[34] = medium, fine
    put(image, 14, b"\xfc\x00\x69\x78\x69\x30\x69\x11\x18\x81\x00\x05\x3c\x3c\x00\xf0")
    put_made(image, 117, module, 18, 148)
    put_crc(image, 0, 117, 126)
    if "xmp" in module:
        put_xmp1(image, module["xmp"], *module.get("xmp_base", (1, 8)))
    return bytes(image)


def put_xmp1(image, profiles, dividend, divisor):
    """Version 1.3, which has fine cycle times; times in units of dividend/divisor ns."""
    put(image, 176, XMP_MAGIC + bytes([(1 << len(profiles)) - 1, 0x13]))
    put(image, 180, bytes([dividend, divisor] * 2 + [0x11]))

    def units(ps):
        return -(-ps * divisor // (1000 * dividend))

    for number, (tck, cl, rcd, rp, ras) in enumerate(profiles):
        at = 185 + 35 * number
        medium = units(tck)
        image[at + 1 : at + 3] = medium, units(cl * tck)
        image[at + 6 : at + 8] = units(rp * tck), units(rcd * tck)
        image[at + 9 : at + 11] = divmod(units(ras * tck), 256)
        image[at + 26] = (tck - (medium * 1000 * dividend + divisor // 2) // divisor) & 0xFF


def ddr4(module):
    image = bytearray(512)
    medium, fine = split_ps(module["tck"])
    put(image, 0, bytes([0x23, 0x11, 0x0C, DDR4_FORMS[module["form"]]]))
    groups = 1 if module["width"] == 16 else 2
    image[4] = groups << 6 | DDR4_MBIT.index(module["mbit"])
    image[5] = row_bits(module, 10, groups + 2) - 12 << 3 | 1
    dies = module.get("dies", 1)
    image[6] = 0x80 | dies - 1 << 4 | 2 if dies > 1 else 0
    image[12] = module["ranks"] - 1 << 3 | log2(module["width"]) - 2
    image[13] = log2(module["bus"]) - 3 | (8 if module["ecc"] else 0)
    image[14] = 0x80 if module.get("sensor") else 0
    image[18], image[125] = medium, fine
    image[19] = 13
    put(image, 20, b"\xf8\x0f\x00\x00\x6e\x6e\x6e\x11\x00\x6e")
    put_crc(image, 0, 126, 126)
    put_crc(image, 128, 126, 254)
    put_made(image, 320, module, 20, 350)
    if "xmp" in module:
        put(image, 384, XMP_MAGIC + bytes([(1 << len(module["xmp"])) - 1, 0x20]))
        for number, (tck, *clocks, ras) in enumerate(module["xmp"]):
            at = 393 + 47 * number
            image[at + 3], image[at + 38] = split_ps(tck)
            for i, n in enumerate(clocks):  # CL, tRCD, tRP
                image[at + 8 + i], image[at + 37 - i] = split_ps(n * tck)
            image[at + 11 : at + 13] = divmod(split_ps(ras * tck)[0], 256)
    return bytes(image)


def ddr5(module):
    image = bytearray(1024)
    put(image, 0, bytes([0x30, 0x10, 0x12, DDR5_FORMS[module["form"]]]))
    image[4] = {1: 0, 2: 2, 4: 3, 8: 4}[module.get("dies", 1)] << 5 | DDR5_GBIT.index(
        module["mbit"] // KIB
    )
    columns, groups = (11 if module["width"] == 4 else 10), (2 if module["width"] == 16 else 3)
    image[5] = columns - 10 << 5 | row_bits(module, columns, groups + 2) - 16
    image[6] = log2(module["width"]) - 2 << 5
    image[7] = groups << 5 | 2
    struct.pack_into("<HH", image, 20, module["tck"], 1010)
    struct.pack_into("<4H", image, 30, 16000, 16000, 16000, 32000)
    image[192] = 0x10
    image[234] = module["ranks"] - 1 << 3
    image[235] = 1 << 5 | {0: 0, 8: 1, 16: 2}[module["ecc"]] << 3 | log2(module["bus"] // 2) - 3
    put_crc(image, 0, 510, 510)
    put_made(image, 512, module, 30, 552)
    if "xmp" in module:
        put_xmp3(image, module["xmp"])
    if "expo" in module:
        put_expo(image, module["expo"])
    return bytes(image)


def put_xmp3(image, profiles):
    put(image, 640, XMP_MAGIC + bytes([0x30, (1 << len(profiles)) - 1]))
    put_crc(image, 640, 62, 702)
    for number, (tck, *clocks) in enumerate(profiles):
        at = 704 + 64 * number
        struct.pack_into("<H", image, at + 5, tck)
        struct.pack_into("<4H", image, at + 13, *(n * tck for n in clocks))
        put_crc(image, at, 62, at + 62)


def put_expo(image, profiles):
    put(image, 832, b"EXPO\x10" + bytes([sum(3 << 4 * i for i in range(len(profiles)))]))
    for number, (tck, *clocks) in enumerate(profiles):
        struct.pack_into("<5H", image, 842 + 40 * number + 4, tck, *(n * tck for n in clocks))
    put_crc(image, 832, 126, 958)


MAKE = {"DDR3": ddr3, "DDR4": ddr4, "DDR5": ddr5}

COMMON = {"form": "UDIMM", "ranks": 1, "width": 8, "bus": 64, "ecc": 0, "date": (2019, 12)}

# Cycle time in picoseconds, then CL, tRCD, tRP and tRAS in clocks.
XMP_1866 = ((1071, 9, 11, 9, 27), (938, 11, 13, 13, 31))
XMP_2400 = ((833, 10, 12, 12, 31),)
XMP_3200 = ((625, 16, 18, 18, 36), (667, 15, 17, 17, 35))
XMP_6400 = ((312, 32, 39, 39, 102), (333, 30, 36, 36, 96))
XMP_6000 = ((333, 36, 38, 38, 80), (357, 40, 40, 40, 80))
EXPO_6000 = ((333, 36, 38, 38, 76), (357, 36, 38, 38, 80))

MODULES = {
    "ddr3-udimm": COMMON
    | {"type": "DDR3", "mbit": 4096, "tck": 1250, "maker": KINGSTON, "dram_maker": HYNIX}
    | {"part": "KHX1866C9D3/4G", "serial": 0x1A2B3C4D, "date": (2013, 7), "xmp": XMP_1866},
    "ddr3-xmp-12ths": COMMON
    | {"type": "DDR3", "mbit": 4096, "tck": 1500, "maker": GSKILL, "dram_maker": SAMSUNG}
    | {"part": "F3-2400C10-8GTX", "serial": 0x77, "ranks": 2, "xmp": XMP_2400, "xmp_base": (1, 12)},
    "ddr3-rdimm": COMMON
    | {"type": "DDR3", "form": "RDIMM", "mbit": 4096, "tck": 1500, "width": 4, "ranks": 2}
    | {"ecc": 8, "maker": SAMSUNG, "dram_maker": SAMSUNG, "part": "M393B2G70BH0-YH9"}
    | {"serial": 0x80C1D2E3, "date": (2012, 53)},
    "ddr4-udimm": COMMON
    | {"type": "DDR4", "mbit": 8192, "tck": 750, "maker": CORSAIR, "dram_maker": SAMSUNG}
    | {"part": "CMK16GX4M2B3200C16", "serial": 0x00000001, "xmp": XMP_3200},
    "ddr4-sodimm": COMMON
    | {"type": "DDR4", "form": "SO-DIMM", "mbit": 8192, "tck": 625, "width": 16}
    | {"maker": HYNIX, "dram_maker": HYNIX, "part": "HMA851S6DJR6N-XN", "serial": 0x2F3E4D5C}
    | {"date": (2021, 1)},
    "ddr4-rdimm-3ds": COMMON
    | {"type": "DDR4", "form": "RDIMM", "mbit": 8192, "tck": 682, "width": 4, "ranks": 2}
    | {"dies": 4, "ecc": 8, "sensor": True, "maker": SAMSUNG, "dram_maker": SAMSUNG}
    | {"part": "M393AAK40B42-CYF", "serial": 0x03B1A7F2},
    "ddr5-udimm": COMMON
    | {"type": "DDR5", "mbit": 16384, "tck": 357, "maker": GSKILL, "dram_maker": HYNIX}
    | {"part": "F5-6400J3239G16G", "serial": 0xC0FFEE01, "date": (2023, 40), "xmp": XMP_6400},
    "ddr5-expo": COMMON
    | {"type": "DDR5", "mbit": 16384, "tck": 416, "maker": KINGSTON, "dram_maker": MICRON}
    | {"part": "KF560C36BBE-16", "serial": 0x5A5A0102, "ranks": 2, "date": (2022, 52)}
    | {"xmp": XMP_6000, "expo": EXPO_6000},
    "ddr5-rdimm": COMMON
    | {"type": "DDR5", "form": "RDIMM", "mbit": 16384, "tck": 416, "width": 4, "ranks": 2}
    | {"ecc": 16, "maker": MICRON, "dram_maker": MICRON, "part": "MTC40F2046S1RC48BA1"}
    | {"serial": 0x3A4B5C6D, "date": (2022, 30)},
    "ddr5-24gbit": COMMON
    | {"type": "DDR5", "form": "SO-DIMM", "mbit": 24576, "tck": 357, "maker": MICRON}
    | {"dram_maker": MICRON, "part": "MTC8C1084S1SC56BG1", "serial": 0x46F0AA01, "date": (2024, 2)},
}


def size(module):
    """In bytes, of the module's data bits."""
    chips = module["bus"] // module["width"] * module["ranks"]
    return module["mbit"] * module.get("dies", 1) * chips << 17


def image(name):
    return MAKE[MODULES[name]["type"]](MODULES[name])


def files():
    return {f"rebuilt/{name}.spd": image(name) for name in MODULES}
