# SPDX-License-Identifier: MIT
"""Firmware handles ECC errors first: what it passes on is in the verdict, whatever it passes on."""

import re
import struct
import threading

import pytest

from data import tables as t
from okramlib import EXIT_BAD_PAGES, EXIT_CORRECTED, EXIT_PASS
from okramlib.run import Watcher, run
from okramlib.units import MIB, PAGE
from system import error_source as e
from system.harness import TIMEOUT_S, attach, check_found, follow, named, warnings_of

MEMORY = 64 * MIB
FAULTY = 0x2801240
EXACT = 0xFFFFFFFFFFFFF000
ENDLESS = "tests=quick bandwidth=off passes=0 time=100s"
ONE_PASS = "tests=quick bandwidth=off"
FIRST = t.hest_machine_checks(1)


class Firmware(Watcher):
    """Writes the reports, each once the one before was taken; waits some ticks, and presses q."""

    def __init__(self, ram, *blocks, number=0, patience=10, acked=False, at=None):
        self._ram, self._blocks, self._number, self._at = ram, list(blocks), number, at
        self._patience, self._acked = patience, acked
        self._may_begin = False
        self.source = None
        self.acks = []

    def record(self, record):
        self._may_begin |= record["type"] == "test"

    def line(self, text):
        self._may_begin |= "test  " in text

    def tick(self, qemu):
        if not self._may_begin:
            return
        self.source = self.source or e.Source(self._ram, self._number, self._at)
        if not self.source.is_empty:
            return
        if self._blocks:
            if self._acked:
                self.acks.append(self.source.ack)
                self.source.set_ack(0x100)
            self.source.report(self._blocks.pop(0))
            return
        self._patience -= 1
        if self._patience == 0:
            if self._acked:
                self.acks.append(self.source.ack)
            qemu.type("q")


def machine(tmp_path, backed, tables, pages, cmdline=ENDLESS, **options):
    extra = e.arguments(tmp_path, [t.madt(range(2)), *tables], pages) + backed
    return named("small", cmdline=cmdline, extra=extra, **options)


def reported(tmp_path, *blocks, hest=None, cmdline=ENDLESS, **options):
    with e.ram(MEMORY) as (ram, backed):
        tables = [hest or e.hest(1, checks=[FIRST])]
        given = machine(tmp_path, backed, tables, [e.page(0)], cmdline)
        watcher = Firmware(ram, *blocks, **options)
        outcome = follow(given, watcher=watcher)
        assert not watcher._blocks
    return given, outcome, watcher


def about(outcome, part):
    return [text for text in warnings_of(outcome) if part in text]


def test_corrected_with_an_address_is_a_bad_page(tmp_path):
    block = t.memory_error(addr=FAULTY, mask=EXACT, what=2, card=0, module=3, fru=b"DIMM_A4")
    given, outcome, _ = reported(tmp_path, block)
    (told,) = outcome.of_type("cper")
    assert told["source"] == 0 and told["severity"] == "corrected"
    assert told["addr"] == hex(FAULTY) and told["page"] == hex(FAULTY // PAGE * PAGE)
    assert (told["card"], told["module"], told["part"]) == (0, 3, "DIMM_A4")
    assert told["error"] == "single-bit ECC" and "node" not in told and "count" not in told
    check_found(outcome, given, [FAULTY])
    result = outcome.last("result")
    assert result["status"] == "fail" and outcome.exit_code == EXIT_BAD_PAGES
    assert result["ecc"] == {"corrected": 1, "uncorrected": 0, "with_page": 1}
    (first,) = about(outcome, "HEST: firmware handles hardware errors first")
    assert "(corrected machine checks)" in first and "in 1 status block;" in first


NARROW = t.register(0, 0, 32, 1)  # as on a third of servers


@pytest.mark.parametrize(
    "fields",
    [
        {"card": 1, "module": 2},
        pytest.param({"addr": FAULTY, "mask": EXACT << 1 & EXACT}, marks=pytest.mark.slow),
        pytest.param({"addr": 0x100_0000_0000}, marks=pytest.mark.slow),  # no RAM is there
    ],
)
def test_corrected_without_a_page(tmp_path, fields):
    block = t.memory_error(**fields)
    _, outcome, _ = reported(tmp_path, block, block, hest=e.hest(1, checks=[FIRST], status=NARROW))
    told = outcome.of_type("cper")
    assert "page" not in told[0] and told[-1]["count"] == 2
    assert told[0]["addr"] == (hex(fields["addr"]) if "addr" in fields else None)
    result = outcome.last("result")
    assert result["status"] == "corrected" and outcome.exit_code == EXIT_CORRECTED
    assert result["ecc"] == {"corrected": 2, "uncorrected": 0, "with_page": 0}
    assert result["bad_pages"] == 0


@pytest.mark.parametrize("severity", [t.RECOVERABLE, pytest.param(t.FATAL, marks=pytest.mark.slow)])
def test_uncorrected_without_an_address(tmp_path, severity):
    section = t.error_section(t.CPER_MEMORY_2, severity, t.cper_memory_2(node=1))
    _, outcome, _ = reported(tmp_path, t.error_block(section, severity=severity))
    (told,) = outcome.of_type("cper")
    assert told["severity"] == ("fatal" if severity == t.FATAL else "uncorrected")
    result = outcome.last("result")
    assert result["status"] == "fail" and result["bad_pages"] == 0
    assert outcome.exit_code == EXIT_BAD_PAGES
    assert result["ecc"] == {"corrected": 0, "uncorrected": 1, "with_page": 0}


def test_several_sections_and_what_is_not_of_memory(tmp_path):
    """PCI Express is told of, and counts for nothing; so does what only informs."""
    sections = [
        t.error_section(t.CPER_PCIE, t.RECOVERABLE, bytes(208)),
        t.error_section(t.CPER_MEMORY, t.INFORMATION, t.cper_memory(addr=FAULTY, what=12)),
    ]
    _, outcome, _ = reported(tmp_path, t.error_block(*sections, severity=t.RECOVERABLE))
    (told,) = outcome.of_type("cper")
    assert told["severity"] == "information" and "page" not in told
    (warning,) = about(outcome, "not of memory")
    assert "1 uncorrected, 0 corrected" in warning
    assert outcome.exit_code != EXIT_BAD_PAGES and outcome.last("result")["bad_pages"] == 0


def test_firmware_is_answered(tmp_path):
    """The acknowledge register keeps what is to be preserved; the notification does not matter."""
    hest = e.hest(1, acknowledged=True, notify=3)
    blocks = [t.memory_error(card=n) for n in range(2)]
    _, outcome, firmware = reported(tmp_path, *blocks, hest=hest, acked=True)
    assert len(outcome.of_type("cper")) == 2
    assert firmware.acks == [0, 0x101, 0x101]
    (first,) = about(outcome, "HEST: firmware handles hardware errors first")
    assert "(those of its own sources)" in first


def test_text_report(tmp_path):
    with e.ram(MEMORY) as (ram, backed):
        given = machine(tmp_path, backed, [e.hest(1)], [e.page(0)], ENDLESS + " serial=text")
        block = t.memory_error(addr=FAULTY, mask=EXACT, what=2, node=0, card=0, module=3)
        outcome = run(given, Firmware(ram, block), timeout=TIMEOUT_S)
    text = "\n".join(outcome.lines)
    assert re.search(
        r"ecc +firmware reports a corrected error of memory \(single-bit ECC\), address "
        rf"0x0*{FAULTY:x}, node 0, card 0, module 3; its page is bad",
        text,
    )
    assert re.search(r"ecc +1 error of memory corrected, 0 not corrected; the page of 1 is", text)
    assert "node 0, card 0, module 3: 1 corrected, 0 not corrected" in text


class Rewrites(Watcher):
    """Firmware that writes its report again and again. When okram has cleared it often enough to
    ignore it, and has then done two more tests, q is pressed."""

    CLEARED_MIN = 80  # twice ERROR_WATCH_SAME_MAX: on a busy host a report may be late

    def __init__(self, ram, block, pause_s):
        self._ram, self._block, self._pause_s = ram, block, pause_s
        self._may_begin = False
        self._n_cleared, self._tests_left = 0, 2
        self._stop = threading.Event()
        self._thread = None

    def record(self, record):
        if record["type"] == "test":
            self._may_begin = True
            self._tests_left -= self._n_cleared >= self.CLEARED_MIN

    def tick(self, qemu):
        if self._may_begin and not self._thread:
            source = e.Source(self._ram)
            self._thread = threading.Thread(target=self._write, args=(source,), daemon=True)
            self._thread.start()
        if self._tests_left <= 0:
            qemu.type("q")

    def _write(self, source):
        while not self._stop.wait(self._pause_s):
            self._n_cleared += source.is_empty
            source.report(self._block)

    def end(self):
        self._stop.set()
        if self._thread:
            self._thread.join()


@pytest.mark.parametrize(
    "pause_s",
    [
        0,  # before it is read back
        pytest.param(0.03, marks=pytest.mark.slow),  # before the next look
    ],
)
def test_a_block_that_is_never_empty_is_ignored(tmp_path, pause_s):
    """One line, and the run goes on; it is looked at ten times a second at most."""
    with e.ram(MEMORY) as (ram, backed):
        given = machine(tmp_path, backed, [e.hest(1)], [e.page(0)])
        firmware = Rewrites(ram, t.memory_error(card=1), pause_s)
        try:
            outcome = follow(given, watcher=firmware)
        finally:
            firmware.end()
    (warning,) = about(outcome, "error source 0 of the HEST")
    assert "it is ignored" in warning
    result = outcome.last("result")
    assert result["status"] == "corrected"
    assert 1 <= result["ecc"]["corrected"] <= 10 * result["seconds"]
    assert len(outcome.of_type("cper")) <= 4


def test_what_was_there_before_okram_is_told_and_counts_for_nothing(tmp_path):
    """In a status block, and in the BERT."""
    old = t.memory_error(addr=FAULTY, mask=EXACT, card=7)
    fatal = t.memory_error(t.FATAL, addr=FAULTY, fru=b"DIMM_B2")
    bert = e.own_tables.Linked(t.bert(0, 1024), [(40, PAGE + e.BLOCK_AT)])
    with e.ram(MEMORY) as (ram, backed):
        tables = [e.hest(1), bert]
        pages = [e.page(0, old), e.page(1, fatal)]
        outcome = follow(machine(tmp_path, backed, tables, pages, ONE_PASS))
        assert e.Source(ram, 0).is_empty and not e.Source(ram, 1).is_empty
    (before,) = about(outcome, "from before okram started")
    assert "1 of memory: corrected, address 0x2801240" in before
    (recorded,) = about(outcome, "BERT: firmware recorded 1 uncorrected and 0 corrected errors")
    assert "the first: fatal, address 0x2801240, DIMM_B2" in recorded
    assert not outcome.of_type("cper") and outcome.exit_code == EXIT_PASS


def absolute(register, block_bytes):
    """A HEST with an address that no firmware has given."""
    return t.hest(t.hest_generic(5, t.register(register, 0, 64, 4), block_bytes))


USABLE, HOLE = 32 * MIB, 0xC000_0000  # by QEMU's map of q35


@pytest.mark.parametrize(
    "hest, says",
    [
        (absolute(USABLE, 4096), "source 5 is at 0x2000000, which is not memory that firmware"),
        (
            absolute(HOLE, 4096),
            "HEST: firmware handles hardware errors first (those of its own "
            "sources) and passes none on",
        ),  # QEMU reads zeros
        (absolute(2**52, 4096), "HEST: 1 error source is not used"),
        pytest.param(absolute(0, 4096), "no usable address", marks=pytest.mark.slow),
        pytest.param(absolute(2**64 - 16, 64), "is not used", marks=pytest.mark.slow),
        pytest.param(
            t.sealed(absolute(USABLE, 4096)[:-1]), "unknown type or length", marks=pytest.mark.slow
        ),
    ],
)
def test_a_hest_that_points_nowhere(tmp_path, hest, says):
    path = tmp_path / "hest"
    path.write_bytes(hest)
    added = attach("acpi-table", source=f"file={path}")
    outcome = follow(named("small", cmdline=ONE_PASS, extra=added))
    (warning,) = about(outcome, says)
    assert outcome.exit_code == EXIT_PASS


@pytest.mark.parametrize(
    "block, says",
    [
        (b"\xff" * e.BLOCK_BYTES, "its content is not an error report"),
        pytest.param(
            struct.pack("<5I", 1, 0, 0, 4096, 0), "not an error report", marks=pytest.mark.slow
        ),
    ],
)
def test_what_is_not_a_report_is_left_as_it_is(tmp_path, block, says):
    with e.ram(MEMORY) as (ram, backed):
        pages = [e.page(0, block)]
        outcome = follow(machine(tmp_path, backed, [e.hest(1)], pages, ONE_PASS))
        source = e.Source(ram)
        assert ram[source.block : source.block + len(block)] == block
    (warning,) = about(outcome, says)
    assert outcome.exit_code == EXIT_PASS


class Moves(Firmware):
    """Says once that its block is elsewhere."""

    def __init__(self, ram, address):
        super().__init__(ram)
        self._address = address

    def tick(self, qemu):
        super().tick(qemu)
        if self.source and self._address is not None:
            at = self.source.block - e.BLOCK_AT + e.STATUS_AT
            struct.pack_into("<Q", self._ram, at, self._address)
            self._address = None


def test_a_block_that_goes_into_memory_under_test_is_given_up(tmp_path):
    with e.ram(MEMORY) as (ram, backed):
        given = machine(tmp_path, backed, [e.hest(1)], [e.page(0)])
        outcome = follow(given, watcher=Moves(ram, USABLE))
    (warning,) = about(outcome, "its address has changed to one that cannot be read")
    assert outcome.last("result")["bad_pages"] == 0


def test_sources_next_to_each_other(tmp_path):
    """Each is looked at; those that are gone do not hold up the others."""
    with e.ram(MEMORY) as (ram, backed):
        pages = [e.page(0, b"\xff" * 64), e.page(1)]
        given = machine(tmp_path, backed, [e.hest(2)], pages)
        outcome = follow(given, watcher=Firmware(ram, t.memory_error(card=1), number=1))
    (told,) = outcome.of_type("cper")
    assert told["source"] == 1
    assert outcome.exit_code == EXIT_CORRECTED


IN_TABLE = 64  # where the source's page is in a table of its own


def source_in_a_table(tmp_path, backed, page, register, cmdline):
    """UEFI puts tables into memory that acpimem=test has tested; the page may be in one."""
    own = t.table(b"OKRB", 1, bytes(IN_TABLE - t.HEADER_BYTES) + page)
    tables = [t.madt(range(2)), absolute(register, e.BLOCK_BYTES), own]
    extra = e.own_tables.arguments(tmp_path, tables) + backed
    return named("uefi-128M", cmdline=cmdline, extra=extra)


@pytest.mark.slow
def test_a_block_in_memory_of_acpi_tables_is_not_tested(tmp_path):
    """Where the table is, one boot says; in the next the HEST has its address."""
    with e.ram(128 * MIB) as (_, backed):
        cmdline = ONE_PASS + " support=on"
        outcome = follow(source_in_a_table(tmp_path, backed, e.page(0), USABLE, cmdline))
    tables = {table["signature"]: table for table in outcome.last("support")["tables"]}
    at = int(tables["OKRB"]["addr"], 16) + IN_TABLE
    page = bytearray(e.page(0))
    struct.pack_into("<Q", page, e.STATUS_AT, at + e.BLOCK_AT)
    with e.ram(128 * MIB) as (ram, backed):
        cmdline = ENDLESS + " acpimem=test"
        given = source_in_a_table(tmp_path, backed, bytes(page), at + e.STATUS_AT, cmdline)
        blocks = [t.memory_error(card=n) for n in range(3)]
        outcome = follow(given, watcher=Firmware(ram, *blocks, at=at, patience=30))
    assert [told["card"] for told in outcome.of_type("cper")] == [0, 1, 2]
    assert outcome.exit_code == EXIT_CORRECTED and not outcome.of_type("external")
    spared = [
        range(int(part["base"], 16), int(part["end"], 16))
        for part in outcome.last("result")["untested"]
        if part["why"] == "firmware reports hardware errors there"
    ]
    assert any(at in part for part in spared)
    assert not [p for p in outcome.last("result")["untested"] if p["why"] == "ACPI tables"]
