# SPDX-License-Identifier: MIT
"""Bits turn over in okram's own memory, while it tests: no fault is lost.

The guest's RAM is a file, which this test maps, too, and writes to. Where okram lives changes from
test to test, and what it has left still lies there: its page tables tell which memory is in use.
"""

import itertools
import math
import mmap
import random
import re
import subprocess
from pathlib import Path

import pytest

from okramlib import BUILD
from okramlib.run import Watcher, run
from okramlib.units import PAGE
from system.gdb import Gdb
from system.harness import check_records, covered_pages, follow, named
from system.page_tables import IMAGE_VIRT, own_pages
from system.placement import LOG_COPIES, log_copies, symbols
from system.stopped import stopping

# Pages of each copy: the counts, the bits of all pages (less than 640 MiB), the first records.
COUNTS, BITS, RECORDS = range(3)

TESTS_AFTER = 3  # so that all memory has been gone over once, in any case
WARNINGS_MAX = 16  # of those that come late, in a result record: further ones are dropped

FAULTY_CELLS = [0x2801000, 0x2A10000, 0x3333000]
DAMAGED_AT = re.compile(r"(?:damaged at|changed in memory at) (0x[0-9a-f]+)")


class Tamperer(Watcher):
    """Turns bits over in the guest's memory, once the run has found its first bad pages.

    tamper(watcher) is called that many times, in different places of okram, if `moved`. TESTS_AFTER
    tests later the run is stopped.
    """

    def __init__(self, tamper, times=1, moved=False):
        self._tamper = tamper
        self._times = times
        self._moved = moved
        self._due = False
        self._tests_left = TESTS_AFTER
        self._ram = []
        self._tables = None  # where they were at the last time
        self._live = {}  # physical pages by virtual ones
        self.flipped = set()  # pages
        self.done = 0

    def record(self, record):
        self._due |= record["type"] == "badram"
        self._tests_left -= record["type"] == "test" and self.done == self._times

    def tick(self, qemu):
        if self.done < self._times and self._due:
            self._try(qemu)
        elif self._tests_left <= 0:
            self._tests_left = math.inf
            qemu.type("q")

    def _try(self, qemu):
        self._ram = self._ram or _map_ram(qemu)
        assert sum(map(len, self._ram)) == qemu.machine.memory
        qemu.qmp.command("stop")
        said = qemu.qmp.monitor("info registers")
        if _is_sweeping(_register(said, "RIP")):
            tables = _register(said, "CR3")
            if not (self._moved and tables == self._tables):
                _, self._live = own_pages(lambda at: self._read(at, PAGE), tables)
                self._tables = tables
                self._tamper(self)
                self.done += 1
        qemu.qmp.command("cont")

    def flip(self, addr, bits):
        ram, at = self._place(addr)
        ram[at] ^= bits
        self.flipped.add(addr // PAGE)

    def fill(self, addr, data):
        ram, at = self._place(addr)
        ram[at : at + len(data)] = data
        self.flipped.add(addr // PAGE)

    def log(self):
        """Where the pages of each copy of the log are."""
        return [
            [
                self._live[virt]
                for virt in itertools.takewhile(self._live.get, range(at, 2**64, PAGE))
            ]
            for at in log_copies(lambda virt: self._read(self._live[virt], PAGE))
        ]

    def of_image(self, offset):
        """Where a byte of the image is, and of its spare copy."""
        at = self._live[IMAGE_VIRT + offset // PAGE * PAGE]
        page = self._read(at, PAGE)
        (spare,) = (place for place in self._allocated() if self._read(place, PAGE) == page)
        return at + offset % PAGE, spare + offset % PAGE

    def _allocated(self):
        return [phys for virt, phys in self._live.items() if virt < IMAGE_VIRT]

    def _read(self, addr, size):
        ram, at = self._place(addr)
        return ram[at : at + size]

    def _place(self, addr):
        for ram in self._ram:
            if addr < len(ram):
                return ram, addr
            addr -= len(ram)
        raise AssertionError("no RAM is there")


def _register(said, name):
    return int(re.search(rf"\b{name}=([0-9a-f]+)", said)[1], 16)


def _is_sweeping(rip):
    """Not between tests: what changes while okram moves may never be seen, or seen elsewhere."""
    where = subprocess.run(
        ["addr2line", "-e", BUILD / "okram.elf", hex(rip)],
        check=True,
        capture_output=True,
        text=True,
    )
    return "kernel/core/march/sweep/" in where.stdout


def _map_ram(qemu):
    """Its files, one a node, have no names any more, but QEMU holds them open."""
    links = sorted(Path(f"/proc/{qemu._process.pid}/fd").iterdir(), key=lambda link: int(link.name))
    files = {str(link.readlink()): link for link in links if "okram-ram-" in str(link.readlink())}
    maps = []
    for link in files.values():
        with open(link, "r+b") as file:
            maps.append(mmap.mmap(file.fileno(), 0))
    return maps


def tampered(
    tamper,
    times=1,
    moved=False,
    faulty_cells=FAULTY_CELLS,
    cmdline="tests=quick passes=0 bandwidth=off",
    **options,
):
    """A run with stuck bits in these pages, whose memory is tampered with; and the pages found."""
    faults = [f"stuck1@{page + 0x238:#x}.1" for page in faulty_cells]
    machine = named("small", **{"cmdline": cmdline, **options}, faults=faults)
    watcher = Tamperer(tamper, times, moved)
    outcome = follow(machine, watcher=watcher)
    return outcome, watcher, covered_pages(outcome, machine) & ram_pages(outcome)


def ram_pages(outcome):
    """What the memory map calls RAM: a pattern may cover what is none, too."""
    spans = [span for node in outcome.of_type("node") for span in node["spans"]]
    return {
        page
        for base, end in spans
        for page in range(int(base, 16) // PAGE, -(-int(end, 16) // PAGE))
    }


def warnings(outcome):
    return [text for text in outcome.last("result")["warnings"] if "okram's" in text]


def told_pages(outcome):
    places = [at for text in warnings(outcome) for at in DAMAGED_AT.findall(text)]
    return {int(at, 16) // PAGE for at in places}


def check(outcome, watcher, found):
    """The faulty cells, and of the log's own memory what was reported, which is what was
    damaged."""
    told, faulty_cells = told_pages(outcome), {page // PAGE for page in FAULTY_CELLS}
    n_bad = outcome.last("result")["bad_pages"]
    assert told and told <= watcher.flipped
    assert faulty_cells | told <= found
    dropped = len(outcome.last("result")["warnings"]) == WARNINGS_MAX
    assert n_bad == len(faulty_cells | told) or dropped
    assert n_bad <= len(faulty_cells | watcher.flipped)
    if outcome.last("badram")["sacrificed_pages"] == n_bad:  # else good ones are covered, too
        assert found <= faulty_cells | watcher.flipped
    faulty = {int(fault["addr"], 16) // PAGE for fault in outcome.of_type("fault")}
    assert faulty == faulty_cells


def flips_in(copy, k, seed):
    """Turns over k different bits anywhere in a copy of the log."""
    chance = random.Random(seed)

    def tamper(watcher):
        places = watcher.log()[copy]
        assert len(places) > RECORDS
        for bit in chance.sample(range(len(places) * PAGE * 8), k):
            watcher.flip(places[bit // (PAGE * 8)] + bit // 8 % PAGE, 1 << bit % 8)

    return tamper


SLOW = pytest.mark.slow


@pytest.mark.parametrize("k", [pytest.param(1, marks=SLOW), pytest.param(10, marks=SLOW), 1000])
@pytest.mark.parametrize("copy", range(3), ids=LOG_COPIES)
def test_log_copy(copy, k):
    """In the first place, and again in the second one."""
    seeds = iter((k * 3 + copy, k * 5 + copy))
    outcome, watcher, found = tampered(
        lambda watcher: flips_in(copy, k, next(seeds))(watcher), times=2, moved=True
    )
    check(outcome, watcher, found)
    assert all(LOG_COPIES[copy] in text for text in warnings(outcome))


@SLOW
def test_log_again_and_again():
    """One copy after the other, while the same pages fail again and again."""
    turn = iter(range(12))

    def tamper(watcher):
        n = next(turn)
        flips_in(n % 3, 100, seed=n)(watcher)

    outcome, watcher, found = tampered(tamper, times=12)
    check(outcome, watcher, found)


@pytest.mark.parametrize("sound", [pytest.param(0, marks=SLOW), pytest.param(1, marks=SLOW), 2])
def test_two_copies(sound):
    """The bits of all pages, and the first records: they come back from the third."""

    def tamper(watcher):
        for copy, places in enumerate(watcher.log()):
            for place in places[BITS : RECORDS + 1] * (copy != sound):
                watcher.fill(place, bytes(PAGE))

    outcome, watcher, found = tampered(tamper, times=2, moved=True)
    check(outcome, watcher, found)
    assert told_pages(outcome) == watcher.flipped
    assert not any("it is uncertain" in text for text in warnings(outcome))


def test_beyond_repair():
    """All three copies are damaged: the report names the pages that may be missing."""

    def tamper(watcher):
        for places in watcher.log():
            watcher.fill(places[BITS], bytes(PAGE))

    outcome, watcher, found = tampered(tamper)
    said = [text for text in warnings(outcome) if "it is uncertain" in text]
    assert said and "from 0x0 to 0x" in said[0]
    assert {page // PAGE for page in FAULTY_CELLS} <= found  # they fail again, and are found again
    assert outcome.last("result")["bad_pages"] <= len(FAULTY_CELLS) + len(watcher.flipped)
    check_records(outcome, named("small"))


MACHINES = {
    "one node": {},
    "two nodes": {"on": "small-2nodes"},
    "UEFI": {"on": "uefi-128M"},
    "three nodes": {"on": "96M-3cpus-3nodes"},
}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, id=name, marks=[SLOW] * (name != "one node"))
        for name, options in MACHINES.items()
    ],
)
def test_places_are_apart(options):
    """The copies are on two nodes where there are two, else far apart; after each move, too."""
    seen = []
    offset = unused_places()["text"]

    def tamper(watcher):
        seen.append((watcher.log(), watcher.of_image(offset)))
        flips_in(2, 1, seed=len(seen))(watcher)

    outcome, _, _ = tampered(tamper, times=3, moved=True, **options)
    nodes = [
        [(int(base, 16), int(end, 16)) for base, end in node["spans"]]
        for node in outcome.of_type("node")
    ]
    memory = named("small", **options).memory
    assert len({copies[0][0] for copies, _ in seen}) > 1, "it has moved"
    for copies, image in seen:
        assert len({len(places) for places in copies}) == 1
        for one, other in itertools.combinations(copies, 2):
            check_apart(one, other, memory // 8)
        check_apart({image[0]}, {image[1]}, memory // 8)
        if len(nodes) > 1:
            of_copies = [{node_of(nodes, at) for at in places} for places in copies]
            assert not of_copies[0] & (of_copies[1] | of_copies[2])
            assert len(nodes) == 2 or not of_copies[1] & of_copies[2]
            assert node_of(nodes, image[0]) != node_of(nodes, image[1])
    assert outcome.exit_code == 1


def check_apart(places, others, distance):
    assert min(abs(at - other) for at in places for other in others) >= distance


def node_of(nodes, at):
    (node,) = (i for i, spans in enumerate(nodes) if any(b <= at < end for b, end in spans))
    return node


def image_symbols():
    """Names and offsets from the image's first byte."""
    return {name: addr - symbols()["image_start"] for name, addr in symbols().items()}


def flip_image(offset, copies, bits=(0x11,)):
    """Turns bits over in a page of the image (0), or in its spare copy (1), or both."""

    def tamper(watcher):
        places = watcher.of_image(offset)
        for copy in copies:
            for i, bit in enumerate(bits):
                watcher.flip(places[copy] + 8 * i, bit)

    return tamper


def unused_places():
    """What a run that ends by exit=qemu never uses, so that the damage itself does no harm."""
    symbols = image_symbols()
    text = symbols["machine_power_off"]
    return {"text": text, "rodata": symbols["image_text_end"] + 8}


@pytest.mark.parametrize(
    "where,copy",
    [
        pytest.param("text", 0, id="text"),
        pytest.param("rodata", 0, id="rodata", marks=SLOW),
        pytest.param("text", 1, id="spare copy of text", marks=SLOW),
        pytest.param("rodata", 1, id="spare copy of rodata", marks=SLOW),
    ],
)
def test_image(where, copy):
    """In the first place, and again in the second one."""
    tamper = flip_image(unused_places()[where], [copy], (0x11, 0x80))
    outcome, watcher, found = tampered(tamper, times=2, moved=True)
    check(outcome, watcher, found)
    assert len(warnings(outcome)) == 2
    for text in warnings(outcome):
        assert ("spare copy" if copy else "code or fixed data") in text
        assert "bits 0x11, 2 words" in text


@pytest.mark.parametrize("cpus", [pytest.param(1, marks=SLOW), 3])
def test_whole_image_before_a_move(cpus):
    """A bit of each page of the spare copy turns over: all are mended before anything else is done.
    (Later they would be, too, a few at a time; but by then okram may be elsewhere.)"""
    where, machine = symbols(), named("small", cpus=cpus, cmdline="tests=quick")
    with stopping(machine) as stops:
        stops.run_until(where["self_check_all"])
        copy, n_pages = (stops.number(where["self"] + at) for at in (0, 8))
        places = [copy + page * PAGE + page * 8 % PAGE for page in range(n_pages)]
        words = [stops.number(place) for place in places]
        for place, word in zip(places, words, strict=True):
            stops.write(place, (word ^ 1 << 21).to_bytes(8, "little"))
        stops.run_until(stops.number(stops.register(Gdb.RSP)))
        assert [stops.number(place) for place in places] == words


@pytest.mark.parametrize("cpus", [1, pytest.param(2, marks=SLOW)])
def test_code_that_has_changed_is_why(cpus):
    """Before okram can see to it, the boot CPU runs it: what ends the run is said to be memory."""
    place = symbols()["self_check_poll"]
    with stopping(named("small", cpus=cpus, cmdline="tests=quick bandwidth=off")) as stops:
        stops.run_until(place)
        (phys,) = re.findall(r"gpa: (0x[0-9a-f]+)", stops.monitor(f"gva2gpa {place:#x}"))
        stops.write(place, b"\x0f\x0b")  # UD2
        said = stops.rest()
    page = int(phys, 16) // PAGE * PAGE
    assert "exception 6 (invalid opcode)" in said
    why = "the reason is faulty memory there, or a CPU that wrote wrong data"
    assert re.search(
        rf"has changed in memory at {page:#x}\b.*{why}.*badram={page:#x},0xf+000", said
    )


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=SLOW)], ids=["at once", "moved"])
def test_image_beyond_repair(times):
    """Never run on: the sentence, and what had been found, these pages too."""
    turn = iter(range(times))
    offset = unused_places()["text"]

    def tamper(watcher):
        flip_image(offset, [0, 1] if next(turn) == times - 1 else [1])(watcher)

    faults = [f"stuck1@{page + 0x238:#x}.1" for page in FAULTY_CELLS]
    machine = named("small", cmdline="tests=quick passes=0 bandwidth=off", faults=faults)
    watcher = Tamperer(tamper, times, moved=True)
    outcome = run(machine, watcher, timeout=120)
    result = outcome.last("result")
    assert outcome.exit_code == 2 and result["status"] == "error"
    headline, why = result["error"].splitlines()[:2]
    reason = (
        "too much of the memory that okram itself needs is faulty or missing, or a CPU is faulty"
    )
    assert headline.endswith(reason)
    assert result["reason"] == "own-memory"
    assert "has changed, and so has its copy" in why
    (line,) = re.findall(r"badram=(\S+)", result["error"])
    patterns = [int(number, 16) for number in line.split(",")]
    for page in watcher.flipped | {page // PAGE for page in FAULTY_CELLS}:
        pairs = zip(patterns[::2], patterns[1::2], strict=True)
        assert any(page * PAGE & mask == addr for addr, mask in pairs)
