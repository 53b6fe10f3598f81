# SPDX-License-Identifier: MIT
"""What people and other programs write, at random but seeded, through the readers in Python.

Nothing but the readers' own complaints may come out, soon, and fit for a terminal.
"""

import io
import json
import random
import re
import time

import pyarrow
import pytest

import saved_samples
from fuzz.mutations import changed
from okramlib import Trouble, faulty, memory_map, output, reading, spec, units
from okramlib.fleet import lines, rows, schema
from okramlib.fleet.found import Refused, Source
from tools import list_samples
from tools.map_samples import DMESG, IOMEM, LINUX_7, XEN
from tools.samples import GOOD
from tools.saved_samples import part_line

ROUNDS = 400
SECONDS_MAX = 5

# A line as tools/badram/input.h wants it.
FORM = re.compile(r"0x[0-9a-f]+[-,]0x[0-9a-f]+|=0x[0-9a-f]+")
ADDRESS_END = 1 << 46

LOGS = """\
0x5000000
83886080-83890176
badram=0x5000000,0xffffffffff000,0x1000,0xfffff000
GRUB_BADRAM="0x7ffd000,0xfffffffffffff000"
badram 0xdf6a8000,0xfffffffffffffff8
pCPU  Pass  Test  Failing Address        Expected          Found
  0     1     5   00001234567 (291MB)    ffffffff  fffffffe
  5     0    0123456789ab - 1165.0MB  ffffffff ffffffbf 00000040     1
2026-01-01 12:00:00 - [MEM ERROR - Data] Test: 3, CPU: 0, Address: 1B5F3DA48, Expected: 00000000
FAILURE: 0xffffffff != 0xfffffffb at physical address 0x3f5d1a28.
FAILURE: 0xff != 0xfb at offset 0x00001a28.
[   12.345678] FAULT 0x5000008 expected 0x0 found 0x8
[   12.345678] badram 1 pattern for 1 bad page, 4 KiB given up
[    0.000000] early_memtest: bad mem addr 0x0000000005000000 - 0x0000000005001000 reserved
"""

LISTS = "\n".join(text for text, _ in (*list_samples.LISTS.values(), *list_samples.LOST.values()))

RECORDS = "".join(json.dumps({"t": 0.5, **record}) + "\n" for record in GOOD)

SPECS = """\
stuck1@0x4a35128.3
invert@0x6123000.2>0x6127a10.5
alias@64M>65M
fade@0x5000000.1:2.5
holes@0x7000040+0x2000*6.1
"""


def each_changed(text, seed):
    """Texts to read; each must have been read before long."""
    for round_ in range(ROUNDS):
        made = changed(random.Random(f"{seed}-{round_}"), text)
        begin = time.monotonic()
        yield made
        assert time.monotonic() - begin < SECONDS_MAX, f"{seed}-{round_}: {made[:200]!r}"


def assert_fit_for_a_terminal(sentence):
    assert sentence and not re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", sentence), repr(
        sentence
    )


@pytest.mark.parametrize("source", ["logs", "records", "lists"])
@pytest.mark.parametrize("pages", [False, True], ids=["addresses", "pages"])
def test_bad_pages(source, pages):
    texts = {"logs": LOGS, "records": RECORDS, "lists": LISTS}
    for text in each_changed(texts[source], f"bad-{source}-{pages}"):
        bad = faulty.Faulty()
        for number, why in bad.read(text.splitlines(), pages):
            assert number >= 1
            assert_fit_for_a_terminal(why)
        for form in bad.forms():
            assert FORM.fullmatch(form)
            if form.startswith("="):
                continue
            first, mark, second = re.split("([-,])", form)
            assert int(first, 16) < ADDRESS_END and int(second, 16) < 1 << 64
            assert mark == "," or int(first, 16) < int(second, 16) <= ADDRESS_END


def test_records():
    for text in each_changed(RECORDS, "records"):
        try:
            got = reading._read(io.StringIO(text, newline="\n"), "a file")
        except Trouble as trouble:
            assert_fit_for_a_terminal(str(trouble))
            continue
        for sentence in (*got.problems, *got.notes):
            assert_fit_for_a_terminal(sentence)
        json.dumps(got.records, allow_nan=False).encode()
        assert all(record["type"] for record in got.records)


SENT = saved_samples.variables("done", RECORDS.encode(), 1000).values()
FLEET = {
    "lines": RECORDS,
    "kept": b"".join(SENT).decode(),
    "parts": "".join(part_line("a", number, data) for number, data in enumerate(SENT)),
}


@pytest.mark.parametrize("source", FLEET)
def test_fleet(source):
    """Whatever is taken for a report fits into the tables."""
    for text in each_changed(FLEET[source], f"fleet-{source}"):
        data = text.encode("utf-8", "surrogatepass")
        date = "2026-11-24T13:14:34"
        for found in lines.Reader(Source("a file", date)).read(io.BytesIO(data)):
            if isinstance(found, Refused):
                assert_fit_for_a_terminal(output.line(found.why))
                continue
            for table, made in rows.rows_of(found, date, "file").items():
                pyarrow.Table.from_pylist(made, schema.arrow(table))


@pytest.mark.parametrize(
    "text", [IOMEM, DMESG, DMESG + LINUX_7, XEN], ids=["iomem", "dmesg", "two", "xen"]
)
def test_memory_map(text):
    for made in each_changed(text, "map"):
        try:
            found = memory_map.parse_map(made, "map")
        except Trouble:
            continue
        for spans in (found.ram, found.pieces):
            assert all(base < end for base, end in spans)
            assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))
        assert found.entries >= len(found.ram) > 0


def test_fault_specs():
    for text in each_changed(SPECS, "specs"):
        for line in text.splitlines():
            try:
                faults = spec.parse(line)
            except Trouble:
                continue
            assert len(faults) <= spec.HOLES_MAX
            assert all(cell.addr >= 0 and 0 <= cell.bit <= 7 for f in faults for cell in f.cells)


def test_sizes():
    for text in each_changed("512M", "sizes"):
        try:
            assert units.parse_size(text) >= 0
        except ValueError:
            continue


def test_a_pattern_above_all_memory_is_skipped_alone():
    bad = faulty.Faulty()
    lines = ["badram=0x400000000000,0xfffffffff000", "0x5000"]
    assert list(bad.read(lines)) == [(1, "0x400000000000 is above 64 TiB")]
    assert list(bad.forms()) == ["0x5000-0x5001"]


@pytest.mark.parametrize(
    "again", ["[MEM ERROR ", "FAILURE: ", " bad mem addr ", " FAULT ", "1 ", " ", "-"]
)
def test_long_lines_take_no_time(again):
    begin = time.monotonic()
    assert list(faulty.Faulty().read([again * 20000 + "x"])) != []
    assert time.monotonic() - begin < SECONDS_MAX
