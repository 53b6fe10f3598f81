# SPDX-License-Identifier: MIT
"""Lists of bad memory that people post, and the pages that they name."""

MEMTEST86_PLUS_7 = """\
pCPU  Pass  Test  Failing Address        Expected          Found
----  ----  ----  ---------------------  ----------------  ----------------
 22      0     3  000cac773148 (50.6GB)  0000000000000000  2000000020000000
  1      0     3  000c82264140 (50GB)    ffffffffffffffff  dfffffffdfffffff
"""
MEMTEST86_PLUS_5 = """\
Tst  Pass   Failing Address          Good       Bad     Err-Bits  Count CPU
---  ----  -----------------------  --------  --------  --------  ----- ----
  4     0   0001a2b3c4d8 -  418.7MB  ffffffff  fffeffff  00010000      1    0
"""
MEMTEST86_PLUS_8_PAGES = """\
Bad pages (excludes test 0 and test 7)
--------------------------------------
0x20,0x22..0x2a,0xc82264,
0x100000
"""
MEMTEST86_PLUS_8_MEMMAP = """\
Linux memmap (excludes test 0 and test 7)
-----------------------------------------
memmap=0x8$0x5000120,0x1008$0x5201000,
       0x10$0xc82264140
"""
MEMTEST86_PLUS_9 = """\
MTLOG ts=0.0 ev=start version=9.00.fdc7ffa arch=x64
MTLOG ts=6.4 ev=info board="addr=0x1000"
MTLOG ts=61.2 ev=error type=data test=3 cpu=1 addr=0xcac773148 expect=0x0 actual=0x20000000
MTLOG ts=61.3 ev=tick pass=0 pass_pct=1 test=3 test_pct=4 errors=7
"""
MEMTEST86 = """\
2023-01-31 10:42:45 - [MEM ERROR - Data] Test: 3, CPU: 0, Address: 45689A0F8, Expected: 00000000
"""
MEMTESTER = """\
memtester version 4.6.0 (64-bit)
pagesize is 4096
Loop 1/1:
  Stuck Address       : ok
  Random Value        : FAILURE: 0x01 != 0x00 at physical address 0x0000000012345678.
"""
LINUX = """\
[    0.1]   aaaaaaaaaaaaaaaa bad mem addr 0x0000000005000000 - 0x0000000005002000 reserved
"""
OKRAM = """\
[     0.004] okram 0.1.0, started by BIOS, GRUB 2.06
[     2.000] FAULT      0x000005000008  expected 0000000000000001  found 0000000000000000
[     5.000] badram     1 pattern for 1 bad page, 1 page (4 KiB) sacrificed, 1 range
badram=0x5000000,0xffffffffff000
"""


def at(row, column, text):
    return f"\x1b[{row};{column}H{text}"


def error_row(row, cpu, test, address):
    """As memtest86+ writes it: each word where it belongs."""
    words = (1, f" {cpu}"), (9, "0"), (15, f"{test}"), (18, f"{address} (50.6GB)")
    return "".join(at(row, *word) for word in (*words, (42, "0" * 16), (60, "20".ljust(16, "0"))))


HEAD = "".join(
    [
        "\x1b[?25l\x1b[2J\x1b[1;1H      Memtest86+ v7.20      | Intel(R) Core(TM)",
        at(2, 1, "CLK/Temp: 3600 MHz  45 C | Pass  1% "),
        at(5, 1, "L3 Cache: 8MB 50.1 GB/s | Testing: 0x1000000 - 0x2000000"),
        at(6, 1, "Memory  : 16GB 12.5 GB/s | Pattern: 0x0000000100000000"),
        at(12, 1, "pCPU  Pass  Test  Failing Address        Expected          Found"),
        at(13, 1, "----  ----  ----  ---------------------  ----------------  --------"),
    ]
)
# Two errors, then one scrolls; the clock goes on in between.
DRAWN = "".join(
    [
        HEAD,
        error_row(14, 22, 3, "000cac773148"),
        at(8, 1, "Time:  0:01:20"),
        error_row(15, 1, 3, "000c82264140"),
        at(8, 1, "Time:  0:01:21"),
        error_row(14, 1, 3, "000c82264140"),
        error_row(15, 2, 5, "00000009a148"),
        at(6, 1, "Memory  : 16GB 12.5 GB/s | Pattern: 0xfffffffeffffffff"),
    ]
)
# A row is half written when the clock is, and its address is cut.
DRAWN_IN_PARTS = "".join(
    [
        HEAD,
        error_row(14, 22, 3, "000cac773148")[:-60],
        at(8, 1, "Time:  0:01:20"),
        at(8, 1, "Time:  0:01:21"),
        error_row(14, 22, 3, "000cac773148"),
    ]
)
DRAWN_PATTERNS = "".join(
    [
        HEAD,
        at(12, 1, "BadRAM Patterns (excludes test 0 and test 7)".ljust(70)),
        at(13, 1, "-" * 70),
        at(14, 1, "badram=" + at(14, 8, "0x0000000005000000,0xfffffffffffff000,")),
        at(15, 8, "0x00000000fff00000,0xfffffffffff00000,"),
        at(16, 8, "0x0000000123456000,0xfffffffffffff000"),
    ]
)
DRAWN_PAGES = "".join(
    [
        HEAD,
        at(12, 1, "Bad pages (excludes test 0 and test 7)".ljust(70)),
        at(13, 1, "-" * 70),
        at(14, 1, "0x20,0x22..0x2a,"),
        at(8, 1, "Time:  0:01:20"),
        at(14, 1, "0x20,0x22..0x2b,"),
        at(15, 1, "0x100000"),
    ]
)
PATTERNS = """\
BadRAM Patterns
--------------------------------------------
badram=0x0000000005000000,0xfffffffffffff000,
       0x00000000fff00000,0xfffffffffff00000,
       0x0000000123456000,0xfffffffffffff000
"""
THREE = [
    "0x5000000,0xfffffffffffff000",
    "0xfff00000,0xfffffffffff00000",
    "0x123456000,0xfffffffffffff000",
]
SHORT_PATTERNS = """\
badram=0x05000000,0xfffff000,
       0x06000000,0xffffc000
"""
WINDOWS = """\

RAM Defects
-----------
identifier              {badmemory}
badmemorylist           0xb7
                        0xb8
                        0x5000

The operation completed successfully.
"""
GERMAN_WINDOWS = """\
RAM-Defekte
-----------
Bezeichner              {badmemory}
badmemorylist           0xb7
                        0xb8
0x5000000
"""
REPORT = """\
Test Start Time\t2021-08-31 11:02:15
Lowest Error Address\t0x9A0F8 (0MB)
Lowest Error Address: 0x9A0F8 (0MB)
Highest Error Address: 0x1DE1F08B8 (7649MB)
Bits in Error Mask: 0000000002000000
2021-08-31 12:49:45 - [Data Error] Test: 7, CPU: 3, Address: 9A0F8, Expected: 02000000, Actual: 0
"""
GRUB = """\
#GRUB_BADRAM="0x01234567,0xfefefefe,0x89abcdef,0xefefefef"
GRUB_TIMEOUT=5
GRUB_CMDLINE_LINUX="quiet memmap=4K\\\\\\$0x5000000,8K\\\\\\$0x6000000 memmap=64M\\\\\\$1G"
"""
REGIONS = ["0x5000000-0x5001000", "0x6000000-0x6002000", "0x40000000-0x44000000"]


def pages(*numbers):
    return [f"{n:#x}-{n + 0x1000:#x}" for n in numbers]


def addresses(*numbers):
    return [f"{n:#x}-{n + 1:#x}" for n in numbers]


LISTS = {
    "patterns": (PATTERNS, THREE),
    "pairs alone": (PATTERNS.replace("badram=", "       "), THREE),
    "short patterns": (SHORT_PATTERNS, ["0x5000000,0xfffff000", "0x6000000,0xffffc000"]),
    "drawn errors": (DRAWN, addresses(0xCAC773148, 0xC82264140, 0x9A148)),
    "drawn in parts": (DRAWN_IN_PARTS, addresses(0xCAC773148)),
    "drawn patterns": (DRAWN_PATTERNS, THREE),
    "drawn pages": (
        DRAWN_PAGES,
        [*pages(0x20000, 0x100000000), "0x22000-0x2b000", "0x22000-0x2c000"],
    ),
    "coloured": ("\x1b[31m0x5000000\x1b[0m", addresses(0x5000000)),
    "windows": (WINDOWS, pages(0xB7000, 0xB8000, 0x5000000)),
    "windows, then an address": (GERMAN_WINDOWS, [*pages(0xB7000, 0xB8000), *addresses(0x5000000)]),
    "memtest86 report": (REPORT, addresses(0x9A0F8, 0x1DE1F08B8, 0x9A0F8)),
    "memtest86 below 1 MiB": (MEMTEST86.replace("45689A0F8", "9A0F8"), addresses(0x9A0F8)),
    "grub": (GRUB, REGIONS),
    "a kernel's command line": (
        "[    0.0] Command line: memmap=4K$0x5000000,8K%0x6000000-1+2 memmap=64M!4G memmap=64M$1G",
        REGIONS,
    ),
    "hex by a letter": ("5000000\n500000a", addresses(0x5000000, 0x500000A)),
    "hex by a zero": ("05000000\n6000008", addresses(0x5000000, 0x6000008)),
    "hex by whole pages": ("5000000\n6001000", addresses(0x5000000, 0x6001000)),
    "hex by whole pages, ranges": ("5000000-5002000", ["0x5000000-0x5002000"]),
    "decimal by whole pages": ("83886080-83890176\n4096", ["0x5000000-0x5001000", "0x1000-0x1001"]),
    "decimal, else above all RAM": (
        "60000000000008\n60000000000016",
        addresses(60000000000008, 60000000000016),
    ),
    "the same page in both": ("10", addresses(10)),
    "xen, twice": (
        'GRUB_CMDLINE_XEN="badpage=0x5000-0x5001 badpage=0x7000"',
        ["0x5000000-0x5002000", *pages(0x7000000)],
    ),
    "two systems": ("memmap=4K$0x5000000 badpage=0x6000", pages(0x5000000, 0x6000000)),
    "no error yet": (
        "Lowest Error Address: 000000000000 (0MB)\nHighest Error Address: 0x0\n0x5000000",
        addresses(0x5000000),
    ),
}


LOST = {
    "either base": ("5000008", 1),
    "either base, whole pages in both": ("40960000", 1),
    "two bases": ("5000008\n4096", 2),
    "with and without": ("0x5000-6000", 1),
    "several": ("0x5000 0x6000", 1),
    "above 64 TiB": ("0x400000000000", 1),
    "a word of letters": ("facade", 1),
    "in a sentence": ("address 5000000h fails", 1),
    "stressapptest": ("Hardware Error: miscompare on CPU 2(0x4) at 0x7f6a(0x2b6e9f5e0:DIMM)", 1),
    "another region": ("memmap=4K$0x5000000,here", 1),
    "windows without 0x": ("badmemorylist b7", 1),
    "cut off": ('{"type": "fault", "addr": "0x50', 1),
    "an address that is cut": (at(3, 1, " 22      0     3  000cac77"), 2),
    "a number that is cut, on a screen": (at(3, 1, "0x20"), 2),
    "digits that are cut, on a screen": (at(3, 1, "     000cac773"), 2),
    "a mask that is cut, on a screen": (at(3, 1, "badram=0x0000000005000000,0xffffffff"), 2),
    "no list goes on": ("badram=0x5000000,0xfffffffffffff000\n0x6000,0x7000", 1),
    "no address": ("what\n2026-11-27 20:24 hello\nthe decade, 5 of 7", 0),
}
