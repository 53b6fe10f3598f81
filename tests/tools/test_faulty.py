# SPDX-License-Identifier: MIT
import json

import pytest

from okramlib import ROOT
from okramlib.faulty import Faulty, parse_patterns
from tools.command import okram
from tools.list_samples import (
    LINUX,
    LISTS,
    LOST,
    MEMTEST86,
    MEMTEST86_PLUS_5,
    MEMTEST86_PLUS_7,
    MEMTEST86_PLUS_8_MEMMAP,
    MEMTEST86_PLUS_8_PAGES,
    MEMTEST86_PLUS_9,
    MEMTESTER,
    OKRAM,
    addresses,
)
from tools.list_samples import (
    pages as whole_pages,
)


def read(text, pages=False):
    """The result, and what was skipped."""
    faulty = Faulty()
    return faulty, list(faulty.read(text.splitlines(), pages))


@pytest.mark.parametrize(
    "text, forms",
    [
        ("0x5000123", ["0x5000123-0x5000124"]),
        ("  83886080\t\r\n0X10", ["0x10-0x11", "0x5000000-0x5000001"]),
        ("0x5000000-0x5002000", ["0x5000000-0x5002000"]),
        (MEMTEST86_PLUS_7, ["0xcac773148-0xcac773149", "0xc82264140-0xc82264141"]),
        (MEMTEST86_PLUS_5, ["0x1a2b3c4d8-0x1a2b3c4d9"]),
        (
            MEMTEST86_PLUS_8_PAGES,
            [
                "0x20000-0x21000",
                "0xc82264000-0xc82265000",
                "0x100000000-0x100001000",
                "0x22000-0x2b000",
            ],
        ),
        ("0x22..0x2a", ["0x22000-0x2b000"]),
        (
            MEMTEST86_PLUS_8_MEMMAP,
            ["0x5000120-0x5000128", "0x5201000-0x5202008", "0xc82264140-0xc82264150"],
        ),
        (r"memmap=4K\\\$0x5000000,1M$512M", ["0x5000000-0x5001000", "0x20000000-0x20100000"]),
        ("memmap=4K%0x5000000-1+5", ["0x5000000-0x5001000"]),
        (MEMTEST86_PLUS_9, ["0xcac773148-0xcac773149"]),
        (MEMTEST86, ["0x45689a0f8-0x45689a0f9"]),
        (MEMTESTER, ["0x12345678-0x12345679"]),
        (LINUX, ["0x5000000-0x5002000"]),
        (OKRAM, ["0x5000008-0x5000009", "=0x1", "0x5000000,0xffffffffff000"]),
        ("badram=0x5000000,0xfffffffffffffff8", ["0x5000000,0xfffffffffffffff8"]),
        ('GRUB_BADRAM="0x1000,0xf000,0x2000,0xf000"', ["0x1000,0xf000", "0x2000,0xf000"]),
        ("# nothing\n\n  \n", []),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) and value.strip() else None,
)
def test_known_forms(text, forms):
    faulty, skipped = read(text)
    assert skipped == []
    assert list(faulty.forms()) == forms


@pytest.mark.parametrize("text, forms", LISTS.values(), ids=LISTS)
def test_lists_that_people_have(text, forms):
    faulty = Faulty()
    skipped = list(faulty.read(text.splitlines()))
    found = list(faulty.forms())
    assert sorted(set(found)) == sorted(set(forms))
    assert faulty.n_lost == 0 and [why for _, why in skipped if "0x" in why] == []


@pytest.mark.parametrize("text, n_lost", LOST.values(), ids=LOST)
def test_what_is_not_understood_is_named(text, n_lost):
    """And a good page is not taken for a bad one."""
    faulty = Faulty()
    skipped = list(faulty.read(f"0x1000\n{text}\n0x2000".splitlines(True)))
    assert faulty.n_lost == n_lost and len(skipped) >= n_lost
    allowed = {*addresses(0x1000, 0x2000), *whole_pages(0x5000000)}
    assert set(faulty.forms()) <= allowed | {"0x5000000,0xfffffffffffff000"}


@pytest.mark.parametrize("base, number", [(10, 5000008), (16, 0x5000008)])
def test_the_base_that_is_given(base, number):
    faulty = Faulty()
    assert list(faulty.read(["5000008"], base=base)) == []
    assert list(faulty.forms()) == addresses(number)
    assert [n for n, _ in Faulty().read(["500000a"], base=10)] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "0x5000 0x5001\t0x5003",
        "0x5000, 0x5001, 0x5003,",
        "5000 5001 5003\n0500f",
        "5000\n5001\n5003\n0f",
    ],
)
def test_page_numbers_with_spaces(text):
    forms = list(read(text, pages=True)[0].forms())
    assert forms[:3] == whole_pages(0x5000000, 0x5001000, 0x5003000)


def test_each_line_that_okram_makes_is_read_again():
    bad = "0x5000000-0x5003000\n0x7000000\n"
    for name in NAMES:
        line = okram("badram", "--to", name, input=bad).stdout
        ran = okram("badram", "--to", "ranges", input=line)
        ranges = "0x5000000-0x5003000\n0x7000000-0x7001000\n"
        assert (ran.returncode, ran.stdout) == (0, ranges), name


NAMES = ["grub", "grub-default", "cutmem", "memmap", "memmap-dollar", "windows", "xen"]
NAMES += ["freebsd", "refind", "pages", "ranges"]


@pytest.mark.parametrize(
    "name, forms",
    [
        ("memtest86plus-6.10", addresses(0x2A35128, 0x3F00040)),
        (
            "memtest86plus-6.10-badram",
            [f"{n:#x},0xfffffffffffffff8" for n in (0x1800048, 0x2000040, 0x2A35128, 0x3F00040)],
        ),
    ],
)
def test_a_serial_console_as_it_came(name, forms):
    """Some rows of it are half written; in the other mode each line goes on in the next."""
    log = (ROOT / "tests/data/consoles" / f"{name}.raw").read_text()
    faulty = Faulty()
    assert list(faulty.read(log.splitlines(True))) == [] and faulty.n_lost == 0
    assert set(faulty.forms()) == set(forms)


def test_pairs_and_an_address_in_one_list():
    """Neither takes the place of the other."""
    pairs = "badram=0x5000000,0xfffffffffffff000\n"
    for text in (f"{pairs}0x6000000", f"0x6000000\n{pairs}", f"{OKRAM}{pairs}0x6000000"):
        faulty, skipped = read(text)
        assert skipped == [] and "=0x0" not in faulty.forms()
        ran = okram("badram", "--to", "ranges", input=text)
        assert ran.stdout.split() == ["0x5000000-0x5001000", "0x6000000-0x6001000"]


LINUX_ERRORS = """\
[  12.345] EDAC MC0: 1 CE memory read error on any memory (channel:1 page:0x12345 offset:0x680)
[  12.346] mce: [Hardware Error]: Machine check events logged
[  12.347] Memory failure: 0x22345: recovery action for dirty page: Recovered
[  12.348] {1}[Hardware Error]:   physical_address: 0x0000000032345678
"""


def test_errors_that_linux_logs():
    """What has no place, or another form, is named: its line begins like one of okram's log."""
    faulty, skipped = read(LINUX_ERRORS)
    assert sorted(faulty.forms()) == sorted(
        [*whole_pages(0x12345000, 0x22345000), *addresses(0x32345678)]
    )
    assert [number for number, _ in skipped] == [2] and faulty.n_lost == 0
    other = "[  12.4] mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 5: 8c00 ADDR 12345680\n"
    none = LINUX_ERRORS.replace("0x12345 ", "0x0 ").splitlines()[0]
    assert read(other)[0].n_lost == 1 and list(read(none)[0].forms()) == []


def test_two_reports():
    """Of a report of okram its patterns count where it lists fewer pages than are bad."""
    other = "badram=0x9000000,0xffffffffff000\n"
    assert "0x9000000-0x9001000" in okram("badram", "--to", "ranges", input=OKRAM + other).stdout


@pytest.mark.parametrize("number", ["12345", "345", "12345678", "0123"])
def test_digits_in_a_row_are_no_other_number(number):
    """Their base is not known by what they are."""
    assert read(f"{number}\n5000008\n", pages=True)[0].n_lost == (0 if number[0] == "0" else 2)


def test_page_numbers():
    assert list(read("0x5000\n3-5", pages=True)[0].forms()) == [
        "0x5000000-0x5001000",
        "0x3000-0x5000",
    ]


@pytest.mark.parametrize(
    "line, why",
    [
        ("hello", "'hello' names no bad page"),
        ("5000zz", "names no bad page"),
        ("-1", "names no bad page"),
        ("0x", "names no bad page"),
        ("0x400000000000", "0x400000000000 is above 64 TiB"),
        ("0x2000-0x1000", "ends before it begins"),
        ("0x1000-0x1000", "ends before it begins"),
        ("badram=0x1000", "pairs of address and mask"),
        ("badram=0x1000,stuck", "'stuck' is not a number"),
        ('{"type": "fault"}', 'fault: "t" is a required property'),
        ('{"type": "fault", "t"', "cut off"),
        ("  Random Value : FAILURE: 0x1 != 0x0 at offset 0x0000000000345678.", "memtester with -p"),
        ("0x5000,0x5001", "may be pages or addresses: --pages says pages"),
        ("memmap=4K$0x400000000000", "is above 64 TiB"),
        ("memmap=0$0x1000", "ends before it begins"),
        ("MTLOG ts=1.0 ev=error type=data addr=0x1ffffffffffff", "is above 64 TiB"),
        ("x" * 1000, "xxx' names no bad page"),
    ],
)
def test_bad_lines_are_named_and_skipped(line, why):
    faulty, skipped = read(f"0x1000\n{line}\n0x2000")
    assert len(list(faulty.forms())) == 2
    assert [number for number, _ in skipped] == [2]
    assert why in skipped[0][1] and len(skipped[0][1]) < 120


def test_the_last_address_is_64_tib():
    assert list(read("0x3fffffffffff")[0].forms()) == ["0x3fffffffffff-0x400000000000"]


def record(**fields):
    return json.dumps({"t": 1, **fields})


FAULT = {"expected": "0x0", "found": "0x1", "test": "address", "pass": 1, "cpu": 0, "node": 0}


def badram(bad_pages):
    patterns = [["0x5000000", "0xfffffffffe000"]]
    return record(
        type="badram",
        bad_pages=bad_pages,
        patterns=patterns,
        sacrificed_pages=2,
        ranges=1,
        line="badram=0x5000000,0xfffffffffe000",
    )


def test_a_report_of_okram():
    spans = [["0x0", "0xa0000"], ["0x100000", "0x8000000"]]
    node = record(type="node", node=0, cpus=[0], ram_bytes=1, spans=spans)
    faults = [record(type="fault", addr=addr, **FAULT) for addr in ("0x5000008", "0x5000010")]
    mce = [
        record(type="mce", cpu=0, bank=1, status="0x1", corrected=True, **fields)
        for fields in ({"addr": "0x6000000", "page": "0x6000000"}, {"addr": "0x70"}, {"addr": None})
    ]
    search = {"cpu": 0, "bank": 1, "searched_bytes": 8192, "tries": 30, "seconds": 1}
    pages = [
        record(type="ecc_page", page=page, result=result, left_bytes=4096, **search)
        for page, result in (("0x6001000", "found"), (None, "not again"))
    ]
    cper = [
        record(type="cper", source=1, severity="corrected", **fields)
        for fields in ({"addr": "0x8000000", "page": "0x8000000"}, {"addr": "0x90"})
    ]
    pages_named = ["0x6000000-0x6000001", "0x6001000-0x6001001"]
    faulty, skipped = read("\n".join([node, *faults, *mce, *pages, *cper, badram(2)]))
    assert skipped == []
    assert faulty.ram == [(0, 0xA0000), (0x100000, 0x8000000)]
    assert list(faulty.forms()) == [
        *("0x5000008-0x5000009", "0x5000010-0x5000011"),
        *(*pages_named, "0x8000000-0x8000001"),
        *("=0x2", "0x5000000,0xfffffffffe000"),
    ]


@pytest.mark.parametrize("bad_pages", [1, 2])
def test_pages_that_a_report_has_no_room_for_are_those_of_its_patterns(bad_pages):
    fault = record(type="fault", addr="0x5000008", **FAULT)
    forms = ["0x5000008-0x5000009", f"={bad_pages:#x}", "0x5000000,0xfffffffffe000"]
    text = f"{fault}\n{badram(1)}\n{badram(bad_pages)}"
    assert list(read(text)[0].forms()) == forms
    log = OKRAM.replace("for 1 bad page,", f"for {bad_pages} bad pages,")
    log = log.replace("0x5000000,0xffffffffff000", "0x5000000,0xfffffffffe000")
    assert list(read(log)[0].forms()) == forms
    ran = okram("badram", "--to", "pages", input=text)
    assert ran.stdout.split() == ["0x5000000", "0x5001000"][:bad_pages]


def test_faults_that_share_a_line_and_all_bad_pages():
    """A kept report: what the record `pages` names needs no fault, and no pattern."""
    also = {"addr": ["0x5001008", "0x5002008"]}
    fault = record(type="fault", addr="0x5000008", also=also, **FAULT)
    faults = [f"{base:#x}-{base + 1:#x}" for base in (0x5000008, 0x5001008, 0x5002008)]
    runs = [["0x5000000", "0x5003000"], ["0x8000000", "0x8001000"]]
    pages = record(type="pages", pages=4, runs=runs)
    faulty, skipped = read(f"{fault}\n{pages}")
    assert skipped == []
    assert list(faulty.forms()) == [*faults, "0x8000000-0x8001000", "0x5000000-0x5003000"]
    patterns = [["0x5000000", "0xfffff0fffc000"]]
    line = record(
        type="badram",
        bad_pages=4,
        patterns=patterns,
        sacrificed_pages=64,
        ranges=16,
        line="badram=0x5000000,0xfffff0fffc000",
    )
    ran = okram("badram", "--to", "pages", input=f"{pages}\n{line}")
    assert ran.stdout.split() == ["0x5000000", "0x5001000", "0x5002000", "0x8000000"]


def test_a_machine_check_whose_address_is_not_given():
    fields = {"addr": None, "page": "0x6000000"}
    mce = record(type="mce", cpu=0, bank=1, status="0x1", corrected=True, **fields)
    assert list(read(mce)[0].forms()) == ["0x6000000-0x6000001"]


@pytest.mark.parametrize(
    "text",
    [
        "0x5000000,0xfffffffffffff000",
        "badram=0x5000000,0xfffffffffffff000",
        "badram 5000000,fffffffffffff000",
        ' GRUB_BADRAM="0x5000000,0xfffffffffffff000" ',
        "GRUB_BADRAM='0x5000000 0xfffffffffffff000'",
    ],
)
def test_parse_patterns(text):
    assert parse_patterns(text) == [(0x5000000, 0xFFFFFFFFFFFFF000)]
