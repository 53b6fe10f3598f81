# SPDX-License-Identifier: MIT
"""Machine checks, as QEMU's monitor makes them."""

import itertools
import json
import re

import pytest

from okramlib import EXIT_BAD_PAGES, EXIT_CORRECTED, EXIT_PASS, Trouble, spec
from okramlib.run import Watcher, run
from okramlib.units import PAGE
from system.harness import TIMEOUT_S, attach, check_found, follow, named
from system.placement import symbols
from system.stopped import stopping

# IA32_MCi_STATUS, IA32_MCi_MISC, IA32_MCG_STATUS (Intel SDM vol. 3B, 15.3).
VALID, UNCORRECTED, ENABLED, MISC, ADDR = 1 << 63, 1 << 61, 1 << 60, 1 << 59, 1 << 58
CONTEXT_CORRUPT, SIGNALLED, ACTION = 1 << 57, 1 << 56, 1 << 55
MEMORY_READ, SCRUB, DATA_LOAD, CACHE_READ = 0x90, 0xC0, 0x134, 0x135
PHYSICAL = 2 << 6 | 6
RIPV, EIPV, IN_PROGRESS = 1, 2, 4

PLACED = VALID | ENABLED | MISC | ADDR
CORRECTED = PLACED | MEMORY_READ
OPTIONAL = PLACED | UNCORRECTED | SIGNALLED | SCRUB
REQUIRED = PLACED | UNCORRECTED | SIGNALLED | ACTION | DATA_LOAD
FATAL = PLACED | UNCORRECTED | CONTEXT_CORRUPT | DATA_LOAD

FAULTY_CELL = 0x2801240
# QEMU's own model of "max" is one that newer versions of QEMU broadcast nothing for.
INTEL = "max,vendor=GenuineIntel,family=6,model=94"
SLOW = pytest.mark.slow
ENDLESS = "tests=quick bandwidth=off passes=0 time=100s"


def mce(
    cpu, status, addr=FAULTY_CELL, bank=5, mcg=RIPV | IN_PROGRESS, misc=PHYSICAL, broadcast=False
):
    """The monitor's command."""
    option = "-b " if broadcast else ""
    return f"mce {option}{cpu} {bank} {status:#x} {mcg:#x} {addr:#x} {misc:#x}"


class Inject(Watcher):
    """Gives the monitor these commands, one by one after the first test; then presses q.

    Each command waits until a record of this type came for the one before; or all come at once.
    """

    def __init__(self, *commands, await_type="mce"):
        self._commands = list(commands)
        self._await = await_type
        self._ready = False
        self.said = []

    def record(self, record):
        self._ready |= record["type"] in ("test", self._await) and (
            not self.said or record["type"] == self._await
        )

    def tick(self, qemu):
        if not self._ready:
            return
        self._ready = not self._await
        if not self._commands:
            qemu.type("q")
            self._ready = False
        now = 1 if self._await else len(self._commands)
        for command in self._commands[:now]:
            self._say(qemu, command)
        del self._commands[:now]

    def _say(self, qemu, command):
        try:
            self.said.append(qemu.qmp.monitor(command))
        except Trouble as trouble:
            self.said.append(str(trouble))


def machine(**options):
    return named("small-4cpus", **{"cmdline": ENDLESS, **options})


def survive(given, *commands):
    watcher = Inject(*commands)
    outcome = follow(given, watcher=watcher)
    assert watcher.said == [""] * len(commands)
    return outcome


def check_told(record, cpu, status, addr=FAULTY_CELL, bank=5):
    assert (record["cpu"], record["bank"]) == (cpu, bank)
    assert int(record["status"], 16) == status
    assert record["addr"] == (None if addr is None else hex(addr))


@pytest.mark.parametrize(
    "vendor, cpu",
    [
        ("AuthenticAMD", 0),
        pytest.param("AuthenticAMD", 3, marks=SLOW),
        pytest.param("GenuineIntel", 0, marks=SLOW),
        ("GenuineIntel", 3),
    ],
)
def test_corrected_error_is_polled_and_its_page_is_bad(vendor, cpu):
    given = machine(cpu=f"max,vendor={vendor}")
    outcome = survive(given, mce(cpu, CORRECTED))
    (told,) = outcome.of_type("mce")
    check_told(told, cpu, CORRECTED)
    assert told["corrected"] and told["page"] == hex(FAULTY_CELL // PAGE * PAGE)
    check_found(outcome, given, [FAULTY_CELL])
    assert not outcome.of_type("fault")


def test_amd_north_bridge():
    """AMD's own layout: no address mode; bank 4 names DRAM by its extended error code."""
    status = VALID | ENABLED | ADDR | 8 << 16 | 0x0813
    given = machine(cpu="max,vendor=AuthenticAMD")
    outcome = survive(given, mce(2, status, bank=4, misc=0))
    check_told(outcome.last("mce"), 2, status, bank=4)
    check_found(outcome, given, [FAULTY_CELL])


NO_PAGE = VALID | ENABLED | MEMORY_READ | 1  # channel 1
UNCORRECTED_NO_PAGE = NO_PAGE | UNCORRECTED
CACHE = PLACED | CACHE_READ  # corrected in the CPU's own cache
UNCORRECTED_CACHE = VALID | ENABLED | UNCORRECTED | CACHE_READ
FAULT = "stuck0@0x2000123.4"


@pytest.mark.parametrize(
    "statuses, fault, verdict, ecc",
    [
        ([NO_PAGE] * 5, None, "corrected", (5, 0, 0)),
        ([NO_PAGE, CORRECTED], None, "fail", (2, 0, 1)),
        pytest.param([NO_PAGE], FAULT, "fail", (1, 0, 0), marks=SLOW),
        ([UNCORRECTED_NO_PAGE], None, "fail", (0, 1, 0)),
        pytest.param([UNCORRECTED_NO_PAGE], FAULT, "fail", (0, 1, 0), marks=SLOW),
        pytest.param([NO_PAGE, UNCORRECTED_NO_PAGE], None, "fail", (1, 1, 0), marks=SLOW),
        pytest.param([OPTIONAL], None, "fail", (0, 1, 1), marks=SLOW),
        ([CACHE, UNCORRECTED_CACHE], None, "pass", (0, 0, 0)),
    ],
)
def test_ecc_in_the_verdict(statuses, fault, verdict, ecc):
    faults = spec.parse(fault) if fault else []
    given = machine(on="small", faults=faults)
    watcher = OneByOne(*(mce(1, status) for status in statuses))
    outcome = follow(given, watcher=watcher)
    result = outcome.last("result")
    assert watcher.said == [""] * len(statuses)
    assert result["status"] == verdict
    assert result["ecc"] == dict(zip(("corrected", "uncorrected", "with_page"), ecc, strict=True))
    assert result["bad_pages"] == ecc[2] + bool(fault)
    assert (outcome.exit_code, outcome.qemu_exit) == {
        "pass": (EXIT_PASS, 1),
        "fail": (EXIT_BAD_PAGES, 3),
        "corrected": (EXIT_CORRECTED, 9),
    }[verdict]
    told = outcome.of_type("mce")
    without_page = [record for record in told if record.get("memory") and "page" not in record]
    assert bool(without_page) == (sum(ecc[:2]) > ecc[2])
    assert all(record["channel"] == "node 0, bank 5, channel 1" for record in without_page)
    not_of_memory = [text for text in result.get("warnings", ()) if "not of memory" in text]
    assert len(not_of_memory) == (UNCORRECTED_CACHE in statuses)


def test_corrected_errors_before_a_whole_pass():
    """More than being stopped, for what is known already."""
    outcome = survive(machine(cmdline="tests=standard bandwidth=off"), mce(1, NO_PAGE))
    result = outcome.last("result")
    assert result["status"] == "corrected" and result["passes"] == 0


class OneByOne(Inject):
    """The commands at intervals longer than okram's polls; q when a pass is whole.

    Repeats of an error have no record each.
    """

    def __init__(self, *commands):
        super().__init__(*commands)
        self._ticks = self._pass = 0

    def record(self, record):
        super().record(record)
        self._pass = max(self._pass, record.get("pass", 0))

    def tick(self, qemu):
        self._ticks += 1
        if not self._ready or self._ticks % 5:
            return
        if self._commands:
            self._say(qemu, self._commands.pop(0))
        elif self._pass > 1:
            qemu.type("q")


@pytest.mark.slow
def test_repeats_are_counted_and_not_each_told():
    places = [FAULTY_CELL] * 30 + [FAULTY_CELL + 8 * PAGE]
    watcher = Repeats([mce(1, CORRECTED, addr=addr) for addr in places])
    given = machine(on="small")
    outcome = follow(given, watcher=watcher)
    told = outcome.of_type("mce")
    here = [record for record in told if int(record["addr"], 16) == FAULTY_CELL]
    assert 1 < len(here) <= 4 and here[-1]["count"] == 30
    (other,) = [record for record in told if record not in here]
    assert other["addr"] == hex(places[-1]) and "count" not in other
    check_found(outcome, given, set(places))


class Repeats(Watcher):
    """A command every few polls of okram's."""

    def __init__(self, commands):
        self._commands = commands
        self._ready = False
        self._ticks = 0

    def record(self, record):
        self._ready |= record["type"] == "test"

    def tick(self, qemu):
        if not self._ready:
            return
        self._ticks += 1
        if self._ticks % 5 == 0 and self._commands:
            qemu.qmp.monitor(self._commands.pop(0))
        elif self._ticks % 5 == 0:
            qemu.type("q")
            self._ready = False


@pytest.mark.parametrize(
    "status, cpu",
    [
        pytest.param(OPTIONAL, 0, marks=SLOW),
        (OPTIONAL, 2),
        (REQUIRED, 0),
        pytest.param(REQUIRED, 2, marks=SLOW),
    ],
)
def test_uncorrected_error_that_the_cpu_survives(status, cpu):
    given = machine()
    outcome = survive(given, mce(cpu, status))
    (told,) = outcome.of_type("mce")
    check_told(told, cpu, status)
    assert not told["corrected"]
    check_found(outcome, given, [FAULTY_CELL])
    assert "warnings" not in outcome.last("result")


def test_uncorrected_error_while_another_part_is_tested():
    """What okram has left is tested by itself: all other memory is free to be written to, too."""
    with stopping(machine(on="small-1cpu", cmdline="tests=quick bandwidth=off")) as stops:
        for name in ("share_vacated", "sweep_element"):
            stops.gdb.run_until(symbols()[name])
        assert not stops.monitor(mce(0, REQUIRED))
        records = [json.loads(line) for line in stops.rest().splitlines() if line.startswith("{")]
    told = {record["type"]: record for record in records}
    check_told(told["mce"], 0, REQUIRED)
    assert told["result"]["status"] == "fail" and told["result"]["bad_pages"] == 1


@pytest.mark.parametrize("cpu", [0, 1])
def test_uncorrected_error_while_okram_moves(cpu):
    """Its copy is made and compared: what is noted in the old place now is not in the new one."""
    with stopping(machine(on="small", cmdline="tests=quick bandwidth=off")) as stops:
        stops.gdb.run_until(symbols()["move_copy.equal"])
        assert not stops.monitor(mce(cpu, UNCORRECTED_NO_PAGE))
        records = [json.loads(line) for line in stops.rest().splitlines() if line.startswith("{")]
    told = {record["type"]: record for record in records}
    check_told(told["mce"], cpu, UNCORRECTED_NO_PAGE, addr=None)
    assert told["result"]["ecc"]["uncorrected"] == 1


def test_broadcast():
    """The others see a machine check that says nothing of memory, and go on as well."""
    given = machine(cpu=INTEL)
    outcome = survive(given, mce(1, OPTIONAL, broadcast=True))
    told = {record["cpu"]: record for record in outcome.of_type("mce")}
    check_told(told[1], 1, OPTIONAL)
    assert sorted(told) == [0, 1, 2, 3]
    assert all(told[cpu]["bank"] == 1 and told[cpu]["addr"] is None for cpu in (0, 2, 3))
    check_found(outcome, given, [FAULTY_CELL])


def test_action_required_where_the_cpu_cannot_go_on_costs_that_cpu():
    given = machine()
    outcome = survive(given, mce(2, REQUIRED, mcg=EIPV | IN_PROGRESS))
    check_told(outcome.last("mce"), 2, REQUIRED)
    (warning,) = outcome.last("result")["warnings"]
    assert re.search(r"cpu 2 .*exception 18 \(machine check\)", warning)
    check_found(outcome, given, [FAULTY_CELL])


PCC, NO_RIPV = (FATAL, RIPV | IN_PROGRESS), (OPTIONAL, IN_PROGRESS)
QUICK_FATAL = {(PCC, 2, False), (NO_RIPV, 0, True)}
FATALS = [
    pytest.param(*why, *rest, marks=[] if (why, *rest) in QUICK_FATAL else SLOW)
    for why, *rest in itertools.product([PCC, NO_RIPV], [0, 2], [False, True])
]


@pytest.mark.parametrize("status, mcg, cpu, broadcast", FATALS)
def test_fatal_error_is_the_last_that_is_told(cpu, status, mcg, broadcast):
    watcher = Inject(mce(cpu, status, mcg=mcg, broadcast=broadcast))
    outcome = run(machine(cpu=INTEL if broadcast else "max"), watcher, timeout=TIMEOUT_S)
    # QEMU may be gone before it can answer.
    assert not watcher.said[0] or watcher.said[0].startswith("QEMU")
    assert outcome.exit_code == 2 and outcome.qemu_exit == 5
    told = [record for record in outcome.of_type("mce") if record["cpu"] == cpu]
    check_told(told[-1], cpu, status)
    result = outcome.last("result")
    assert result["status"] == "error" and result["bad_pages"] == 1
    assert outcome.records[-1] is result
    assert f"exception 18 (machine check), error code 0x0, on cpu {cpu}" in result["error"]
    assert f"badram={FAULTY_CELL // PAGE * PAGE:#x},0xffffffffff000" in result["error"]


def test_text_report_tells_of_ecc():
    given = machine(cmdline=ENDLESS + " serial=text")
    watcher = TextInject(mce(1, CORRECTED))
    outcome = run(given, watcher, timeout=TIMEOUT_S)
    text = "\n".join(outcome.lines)
    assert re.search(
        rf"corrected machine check on CPU 1, bank 5, .*{FAULTY_CELL:x}, .*; its page is bad", text
    )
    assert f"badram={FAULTY_CELL // PAGE * PAGE:#x},0xffffffffff000" in outcome.lines


class TextInject(Watcher):
    def __init__(self, command):
        self._command = command
        self._tested = self._told = False

    def line(self, text):
        self._tested |= "test  " in text
        self._told |= "machine check" in text

    def tick(self, qemu):
        if self._tested and self._command:
            qemu.qmp.monitor(self._command)
            self._command = None
        if self._told:
            qemu.type("q")


class BeforeStart(Watcher):
    """Gives the commands to a machine that has not yet started, and starts it."""

    def __init__(self, *commands):
        self._commands = commands

    def tick(self, qemu):
        for command in self._commands:
            assert qemu.qmp.monitor(command) == ""
        if self._commands:
            qemu.qmp.command("cont")
        self._commands = ()


def test_what_was_in_the_banks_before_is_told_once_and_counts_for_nothing():
    watcher = BeforeStart(mce(0, CORRECTED), mce(1, CORRECTED, bank=7))
    given = machine(on="small", cmdline="tests=quick bandwidth=off", extra=attach("stopped"))
    outcome = follow(given, watcher=watcher)
    said = [text for text in outcome.last("machine")["warnings"] if "machine check" in text]
    assert len(said) == 2 and all("from before okram started" in text for text in said)
    assert f"cpu 0, bank 5, status {CORRECTED:#x}, address {FAULTY_CELL:#x}" in said[0]
    assert "cpu 1, bank 7" in said[1]
    assert not outcome.of_type("mce") and outcome.exit_code == 0


def test_red_zone_survives():
    """The psABI's 128 bytes below the stack pointer: libqrcodegen's code may use them."""
    given = machine(on="small-1cpu", cmdline="tests=mats+ range=32M-33M bandwidth=off")
    content = bytes(range(128, 256))
    with stopping(given) as stops:
        where = symbols()
        at, end = where["console_poll_key"], where["machine_check_end"]
        assert stops.stays_below_stack(at, mce(0, OPTIONAL), end, content)
