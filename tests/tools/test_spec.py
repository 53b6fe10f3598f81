# SPDX-License-Identifier: MIT
import re

import pytest

from okramlib import ROOT, Trouble
from okramlib.spec import DRAM_MAPS, SAMPLE, Cell, Fault, check_apart, parse

GOOD = {
    "stuck0@0x1000.0": [Fault("stuck0", Cell(0x1000, 0))],
    "stuck1@4096.7": [Fault("stuck1", Cell(4096, 7))],
    "rise@5M.1": [Fault("rise", Cell(5 << 20, 1))],
    "fall@0x1g.2": [Fault("fall", Cell(1 << 30, 2))],
    "invert@0x10.1>0x20.2": [Fault("invert", Cell(0x10, 1), Cell(0x20, 2))],
    "set0@0x10.1>0x10.2": [Fault("set0", Cell(0x10, 1), Cell(0x10, 2))],
    "set1@0x10.1>0x20.1": [Fault("set1", Cell(0x10, 1), Cell(0x20, 1))],
    "alias@0x1000>0x3000": [Fault("alias", Cell(0x1000, 0), Cell(0x3000, 0))],
    "fade@0x10.1:2.5": [Fault("fade", Cell(0x10, 1), seconds=2.5)],
    "lapse@0x10.1:7": [Fault("lapse", Cell(0x10, 1), every=7)],
    "lapse@0x10.1:7/6": [Fault("lapse", Cell(0x10, 1), every=7, stores=6)],
    "disturb@0x10.1": [Fault("disturb", Cell(0x10, 1))],
    "deceive@0x10.1": [Fault("deceive", Cell(0x10, 1))],
    "state@0x10.1>0x20.2": [Fault("state", Cell(0x10, 1), Cell(0x20, 2))],
    "invert-write@0x10.1>0x20.2": [Fault("invert-write", Cell(0x10, 1), Cell(0x20, 2))],
    "invert-read@0x10.1>0x20.2": [Fault("invert-read", Cell(0x10, 1), Cell(0x20, 2))],
    "fade@0x10.1:.02": [Fault("fade", Cell(0x10, 1), seconds=0.02)],
    "leak@0x1037.7:.5/100": [Fault("leak", Cell(0x1037, 7), seconds=0.5, holds="100")],
    "leak@0x1008.0:2/011": [Fault("leak", Cell(0x1008, 0), seconds=2, holds="011")],
    "ecc@0x10.1": [Fault("ecc", Cell(0x10, 1), one_in=1)],
    "ecc@0x10.1:3": [Fault("ecc", Cell(0x10, 1), one_in=3)],
    "chip@0x3000.7:1000": [Fault("chip", Cell(0x3000, 7), one_in=1000)],
    "chip-read@16K.0:1": [Fault("chip-read", Cell(0x4000, 0), one_in=1)],
    "rare@16M+8K:100": [Fault("rare", Cell(16 << 20, 0), words=("always", "0x2000", "100", "1"))],
    "rare@0x1000+4K:7/lanes/3": [
        Fault("rare", Cell(0x1000, 0), words=("lanes", "0x1000", "7", "3"))
    ],
    "couple@0x10.1>0x20.2:fl/x": [
        Fault("couple", Cell(0x10, 1), Cell(0x20, 2), last=("10", "2")),
    ],
    "couple@0x10.1>0x20.2:r/0/0x30.3=1": [
        Fault(
            "couple",
            *(Cell(0x10, 1), Cell(0x20, 2)),
            third=Cell(0x30, 3),
            last=("1", "0"),
            holds="1",
        )
    ],
    "alias@0x1000>0x4000*3": [
        Fault("alias", Cell(0x1000 * i, 0), Cell(0x3000 + 0x1000 * i, 0)) for i in (1, 2, 3)
    ],
    "bridge@0x3000:0-63": [Fault("bridge", Cell(0x3000, 0), last=("63",))],
    "lost-beat@0x3000.7:1": [Fault("lost-beat", Cell(0x3000, 7), one_in=1)],
    "shifted-beats@0x3000.1:50": [Fault("shifted-beats", Cell(0x3000, 1), one_in=50)],
    "misread@0x10.1:20": [Fault("misread", Cell(0x10, 1), one_in=20)],
    "one-cpu@0x10.1:1": [Fault("one-cpu", Cell(0x10, 1), last=("1",))],
    "all-cpus@0x10.1": [Fault("all-cpus", Cell(0x10, 1))],
    "holes@0x10+0x1000*3.6": [Fault("stuck1", Cell(0x10 + i * 0x1000, 6)) for i in range(3)],
    "holes@0x10+1*1.6": [Fault("stuck1", Cell(0x10, 6))],
}

# ALL stands for 32 ones.
DRAM = {
    "dram-row@skylake/channel=1,bank=3,row=0x10,pin=24": (
        "skylake 63 1 0 0 0 0 3 16 1 1 0 24 8 ALL 1 1 17"
    ),
    "dram-row@skylake/channel=1,bank=3,row=0x10,rows=4,pin=24": (
        "skylake 63 1 0 0 0 0 3 16 4 1 0 24 8 ALL 1 1 17"
    ),
    "dram-column@zen3/rank=1,row=512,column=64,beat=3,pin=9,value=0": (
        "zen3 63 0 0 0 1 0 0 512 512 0 64 9 1 3 1 0 513"
    ),
    "dram-pin@zen4": "zen4 15 0 0 0 0 0 0 0 ALL 1 0 0 1 ALL 1 1 1",
    "dram-chip@coffee-lake/rank=1,pin=60,pins=4,one=8,value=2": (
        "coffee-lake 15 0 0 0 1 0 0 0 ALL 1 0 60 4 ALL 8 2 1"
    ),
}

BAD = {
    "dram-row@pentium": "not one of the maps",
    "dram-row@skylake/": "not KEY=N",
    "dram-row@skylake/row": "not KEY=N",
    "dram-row@skylake/hat=1": "not KEY=N",
    "dram-row@skylake/row=x": "not a number",
    "dram-row@skylake/row=0x100000000": "too large",
    "dram-chip@zen4/pin=28": "some of 0-31",
    "dram-chip@skylake/pins=0": "some of 0-63",
    "dram-pin@skylake/value=3": "value must be",
    "dram-pin@skylake/one=0": "one at least 1",
    "": "must start with",
    "stuck0": "must start with",
    "stuck2@0x1000.0": "must start with",
    "stuck0@": "not an address and a bit",
    "stuck0@0x1000": "not an address and a bit",
    "stuck0@0x1000.8": "bit '8'",
    "stuck0@0x1000.-1": "bit '-1'",
    "stuck0@0x1000.": "bit ''",
    "stuck0@here.1": "'here' is not a number",
    "stuck0@-5.1": "'-5' is not a number",
    "stuck0@0x10.1>0x20.1": "'0x10.1>0x20' is not a number",
    "invert@0x10.1": "two places",
    "invert@0x10.1>0x20": "not an address and a bit",
    "invert@0x10.1>16.1": "its own victim",
    "alias@0x1000": "two places",
    "alias@0x1000>0x2001": "first byte of a 4 KiB page",
    "alias@0x1000>0x1000": "its own alias",
    "rare@0x1000+4K": "rare@PAGE+SIZE:N/WHEN",
    "rare@0x1000+4K:0": "rare@PAGE+SIZE:N/WHEN",
    "rare@0x1000+4K:1/never": "one of always, load, step",
    "rare@0x1001+4K:1": "first byte of a 4 KiB page",
    "rare@0x1000+0:1": "not whole pages",
    "alias@0x1000>0x3000*3": "its own alias",
    "alias@0x1000>0x3000*0": "COUNT must be",
    "alias@0x1000>0x3000*": "COUNT must be",
    "couple@0x10.1>0x20.2": "couple@AGGR",
    "couple@0x10.1>0x20.2:/1": "couple@AGGR",
    "couple@0x10.1>0x20.2:ra/1": "couple@AGGR",
    "couple@0x10.1>0x20.2:r/2": "couple@AGGR",
    "couple@0x10.1>0x20.2:r/1/0x30.1=2": "couple@AGGR",
    "couple@0x10.1>0x20.2:r/1/0x30=1": "not an address and a bit",
    "couple@0x10.1>0x10.1:r/1": "its own victim",
    "couple@0x10.1>0x20.1:r/1/0x20.1=0": "its own victim",
    "bridge@0x1000:1": "bridge@PAGE:LINE-LINE",
    "bridge@0x1000:1-1": "bridge@PAGE:LINE-LINE",
    "bridge@0x1000:1-64": "bridge@PAGE:LINE-LINE",
    "bridge@0x1008:1-2": "first byte of a 4 KiB page",
    "lost-beat@0x1000.1": "lost-beat@PAGE.BEAT:N",
    "lost-beat@0x1008.1:1": "first byte of a 4 KiB page",
    "shifted-beats@0x1000.8:1": "bit '8'",
    "shifted-beats@0x1000.0:1": "no beat before",
    "misread@0x10.1:0": "misread@ADDR.BIT:N",
    "one-cpu@0x10.1": "one-cpu@ADDR.BIT:CPU",
    "lapse@0x10.1": "lapse@ADDR.BIT:N",
    "lapse@0x10.1:0": "lapse@ADDR.BIT:N",
    "lapse@0x10.1:-1": "lapse@ADDR.BIT:N",
    "lapse@0x10.1:7/": "lapse@ADDR.BIT:N",
    "lapse@0x10.1:7/7": "M must be less than N",
    "state@0x10.1": "it needs two places",
    "disturb@0x10": "is not an address and a bit",
    "fade@0x10.1": "fade@ADDR.BIT:SECONDS",
    "fade@0x10.1:soon": "fade@ADDR.BIT:SECONDS",
    "fade@0x10.1:-1": "fade@ADDR.BIT:SECONDS",
    "leak@0x10.1:1": "leak@ADDR.BIT:SECONDS/LVR",
    "leak@0x10.1:soon/101": "leak@ADDR.BIT:SECONDS/LVR",
    "leak@0x10.1:1/10": "leak@ADDR.BIT:SECONDS/LVR",
    "leak@0x10.1:1/1011": "leak@ADDR.BIT:SECONDS/LVR",
    "leak@0x10.1:1/1x1": "leak@ADDR.BIT:SECONDS/LVR",
    "leak@0x10.8:1/101": "bit '8'",
    "leak@0x1007.1:1/101": "one neighbour",
    "leak@0x1038.1:1/101": "one neighbour",
    "ecc@0x10": "not an address and a bit",
    "ecc@0x10.1:": "N must be 1-",
    "ecc@0x10.1:0": "N must be 1-",
    "ecc@0x10.1:often": "N must be 1-",
    "chip@0x1000.0": "chip@PAGE.LANE:N",
    "chip@0x1000.0:0": "chip@PAGE.LANE:N",
    "chip@0x1000.0:4294967296": "chip@PAGE.LANE:N",
    "chip-read@0x1000.0:few": "chip-read@PAGE.LANE:N",
    "chip@0x1000.8:10": "bit '8'",
    "chip@0x1008.0:10": "first byte of a 4 KiB page",
    "holes@0x10.1": "holes@BASE",
    "holes@0x10+0x10*3": "holes@BASE",
    "holes@0x10+0x10*0.1": "COUNT",
    "holes@0x10+0x10*1048577.1": "COUNT",
    "holes@0x10+0*2.1": "STRIDE",
    "holes@0x10+0x10*2.9": "bit '9'",
}


@pytest.mark.parametrize("text", GOOD)
def test_good(text):
    assert parse(text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_bad(text):
    with pytest.raises(Trouble, match="^--fault ") as raised:
        parse(text)
    assert BAD[text] in str(raised.value)
    assert "\n" not in str(raised.value)


def test_sample_is_good():
    faults = [fault for text in SAMPLE for fault in parse(text)]
    check_apart(faults)
    assert all(cell.addr < 128 << 20 for fault in faults for cell in fault.cells)


@pytest.mark.parametrize("page", ["bridge@0x1000:1-2", "lost-beat@0x1000.1:5", "chip@0x1000.1:5"])
def test_pages_with_a_fault_of_the_whole(page):
    with pytest.raises(Trouble, match="part of another fault"):
        check_apart(parse(page) + parse("couple@0x8000.1>0x9000.1:r/1/0x1008.1=1"))


@pytest.mark.parametrize("other", ["stuck0@0x1fff.0", "alias@0x5000>0x3000", "set0@0x0.0>0x3004.1"])
def test_alias_pages_hold_nothing_else(other):
    with pytest.raises(Trouble, match="part of another fault"):
        check_apart(parse("alias@0x1000>0x3000") + parse(other))


def test_alias_beside_others():
    check_apart(parse("alias@0x1000>0x3000") + parse("stuck0@0x2000.0") + parse("stuck1@0x2000.1"))


@pytest.mark.parametrize("text", DRAM)
def test_places_in_dram(text):
    (fault,) = parse(text)
    fields = tuple(DRAM[text].replace("ALL", str((1 << 32) - 1)).split())
    assert fault == Fault("dram", None, words=fields) and fault.cells == ()


def test_the_plugin_has_these_maps():
    source = (ROOT / "tools" / "plugin" / "dram_maps.c").read_text()
    names = re.findall(r'\.name = "([^"]+)"', source)
    bits = re.findall(r"\.bus_bits = (\d+)", source)
    assert dict(zip(names, map(int, bits), strict=True)) == DRAM_MAPS
