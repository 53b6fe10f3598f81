# SPDX-License-Identifier: MIT
"""One run of a tester on the machine with one fault, or with several, as rows of the results."""

import datetime
import hashlib
import os
import re
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from okramlib import Trouble
from okramlib.qemu import Qemu
from okramlib.qmp import NoAnswer
from okramlib.units import PAGE
from testers import faults
from testers.reader import Told

START_LIMIT_S = 180  # until it begins to test
IDLE_LIMIT_S = 60  # before that: in which it hardly uses a CPU
_IDLE_CPU_S = 9  # in these at most: QEMU's timers take 5 where Linux waits for ever
STOP_LIMIT_S = 120  # until it has ended, once it was asked to
WAITS_LIMIT_S = 1200  # in which a tester may show nothing new and hardly use a CPU: fade needs 970
_WAITS_CPU_S = 60  # in these at most: QEMU's timers take 20 to 40
WIDE_LIMIT_S = 120  # after its first fault, to find the other bad pages
WIDE_PAGES = 2  # as many as one fault of a decoder has; with more it goes on

_PROGRAM_DIGITS = 12  # of its SHA-256
_ENTRIES = 64  # bytes of a page table: its first entries, which are in use
_NOTHING = faults.Placed("", frozenset())

_LAST_LINES = 25  # of what it shows: a screen
_REST_LINES_MAX = 10_000  # it may go on for ever
_ENTRY_POLL_S = 0.005
_TICKS = os.sysconf("SC_CLK_TCK")

FOUND, PASSED, LIMIT, SILENT, FAILED = "found", "passed", "limit", "silent", "failed"
FIRST, WIDE, ALL = "first", "wide", "all"  # at which fault a run ends; WIDE: a while after it


@dataclass(frozen=True)
class Moment:
    """Since power-on."""

    seconds: float
    cpu_s: float  # of all of QEMU's threads: that does not depend on what else the host does
    stores: int  # of the witness


@dataclass
class Moments:
    now: Moment
    begun: Moment | None = None
    found: Moment | None = None  # the first fault
    named: dict[int, Moment] = field(default_factory=dict)  # page: when it was named first


class Clock:
    """Starts with the guest: QEMU has answered by then, and has allocated the guest's memory.

    entry_log: where QEMU writes whenever it translates the tester's first instruction.
    """

    def __init__(self, qemu, entry_log):
        self._qemu, self._begin, self._cpu_s = qemu, time.monotonic(), 0.0
        self._cpu_before_s = self._cpu()
        self._entered, self._is_begun = None, False
        threading.Thread(target=self._watch_entry, args=(entry_log,), daemon=True).start()

    def begun(self):
        """When the tester was entered, once it is known to have begun; its screen or its first
        record comes when much of its start is done. If that is not known: now."""
        self._is_begun = True
        return self._entered or self.now()

    def now(self):
        seconds, cpu_s = time.monotonic() - self._begin, self._cpu() - self._cpu_before_s
        return Moment(seconds, cpu_s, self._qemu.witness_stores())

    def _cpu(self):
        """Once QEMU has ended, what it was last."""
        try:
            fields = Path(f"/proc/{self._qemu.pid}/stat").read_text().rpartition(")")[2].split()
            self._cpu_s = max(self._cpu_s, sum(map(int, fields[11:13])) / _TICKS)
        except OSError:
            pass
        return self._cpu_s

    def _watch_entry(self, log):
        """The last time counts: GRUB has been there before."""
        n_bytes = 0
        try:
            while not self._is_begun:
                if log.stat().st_size > n_bytes:
                    n_bytes, entered = log.stat().st_size, self.now()
                    self._entered = self._entered if self._is_begun else entered
                time.sleep(_ENTRY_POLL_S)
        except OSError:
            pass  # QEMU and its files are gone


@dataclass(frozen=True)
class _Watched:
    """A run of a tester, ended."""

    tester: object
    told: Told
    moments: Moments
    end: str
    limit_s: float
    load: float  # of the host, as it began


def run_trial(tester, drawn, limit_s):
    """One fault's row. drawn: None for good memory. limit_s: of QEMU's CPUs, from where the
    tester begins. It ends with the first fault that the tester tells of."""
    placed = _place(drawn, tester) if drawn else _NOTHING
    ends_at = WIDE if tester.gives_badram and len(placed.pages) > WIDE_PAGES else FIRST
    watched = _watch(tester, [placed] if drawn else [], limit_s, ends_at)
    return _row(watched, drawn, placed, watched.moments.found, together=1)


def run_together(tester, group, limit_s):
    """Rows of several faults in one machine, each found when the tester names its page. It goes on
    to the end of the pass, or until all are named. Of those whose page it did not name there is a
    row only if all faults that it told are known by their pages: else these may be among them."""
    placed = [_place(drawn, tester) for drawn in group]
    watched = _watch(tester, placed, limit_s, ALL)
    told = watched.told
    known = told.has_named_all and told.pages <= frozenset().union(*(p.pages for p in placed))
    is_whole = watched.end in (PASSED, LIMIT) and (not told.has_found or known)
    rows = []
    for drawn, where in zip(group, placed, strict=True):
        named = [watched.moments.named[page] for page in where.pages & told.pages]
        if named or is_whole:
            found = min(named, key=lambda moment: moment.seconds) if named else None
            rows.append(_row(watched, drawn, where, found, together=len(group)))
    return rows


def _watch(tester, placed, limit_s, ends_at):
    made = [fault for where in placed for fault in faults.parse_all(where.text)]
    bad_pages = frozenset().union(*(where.pages for where in placed))
    told, load = Told(bad_pages=bad_pages), os.getloadavg()[0]
    moments = Moments(Moment(0, 0.0, 0))
    try:
        machine = tester.machine(made, ends_at)
        machine.nodes = max((where.nodes for where in placed), default=1)
        with (
            tempfile.NamedTemporaryFile(prefix="okram-entry-") as log,
            Qemu(_log_entry(machine, tester.entry(), log.name)) as qemu,
        ):
            clock = Clock(qemu, Path(log.name))
            moments.now = clock.now()
            until = [where.pages for where in placed] if ends_at == ALL else []
            end = _follow(tester, qemu, told, clock, moments, limit_s, ends_at, until)
    except (Trouble, OSError) as trouble:  # another tester may well run
        told.why, end = told.why or f"it was not started: {trouble}", FAILED
    return _Watched(tester, told, moments, end, limit_s, load)


def _log_entry(machine, entry, log):
    """entry: an address; None: it is not known."""
    if entry is None:
        return machine
    logged = ["-d", "in_asm", "-dfilter", f"{entry:#x}+1", "-D", log]
    return replace(machine, extra=[*machine.extra, *logged])


@cache
def tables_of(tester):
    """Where the page tables are that it uses as it begins to test, on good memory: the first of
    them, (address, bytes)."""
    told, end = Told(), time.monotonic() + START_LIMIT_S
    with Qemu(tester.machine([], FIRST)) as qemu:
        while not told.has_begun and time.monotonic() < end and qemu.wait(0) is None:
            tester.poll(qemu, told)
        said = qemu.qmp.command("human-monitor-command", **{"command-line": "info registers"})
    found = re.search(r"CR3=([0-9a-f]+)", said)
    return int(found[1], 16) // PAGE * PAGE, _ENTRIES


@cache
def program_of(tester):
    """What the rows of its present build have; "": it is not there."""
    try:
        return hashlib.sha256(tester.program.read_bytes()).hexdigest()[:_PROGRAM_DIGITS]
    except OSError:
        return ""


def _row(watched, drawn, placed, found, together):
    """found: when, if it was."""
    told = watched.told
    begun, last = watched.moments.begun or Moment(0, 0, 0), found or watched.moments.now
    is_found = found is not None
    return {
        "fault": drawn.number if drawn else 0,
        "kind": drawn.kind if drawn else "none",
        "place": drawn.place if drawn else "",
        "spec": placed.text,
        "tester": watched.tester.name,
        "version": told.version,
        "end": FOUND if is_found else watched.end,
        "page": _judge(told, placed, together) if is_found else None,
        "boot_s": round(begun.seconds, 1),
        "seconds": round(last.seconds - begun.seconds, 1),
        "cpu_s": round(last.cpu_s - begun.cpu_s, 1),
        "writes": last.stores - begun.stores,
        "bad_pages": len(placed.pages),
        "given_up": told.given_up if is_found and together == 1 else None,
        "together": together,
        "limit_s": round(watched.limit_s),
        "why": told.why if not is_found else "",
        "load": round(watched.load, 1),
        "date": datetime.date.today().isoformat(),
        "release": drawn.release if drawn else None,
        "preallocated": True,
        "program": program_of(watched.tester),
        "from_entry": True,
    }


def _place(drawn, tester):
    try:
        at = {faults.OWN: tester.own, faults.TABLES: lambda: tables_of(tester)}.get(drawn.place)
        return faults.place(drawn, at() if at else (0, 0))
    except (Trouble, OSError):  # it does not run on good memory: its row says why
        return _NOTHING


def _judge(told, placed, together):
    if told.addr is None:
        return "untold"
    is_right = told.addr // PAGE in told.bad_pages if together > 1 else placed.is_right(told.addr)
    return "right" if is_right else "wrong"


def _follow(tester, qemu, told, clock, moments, limit_s, ends_at, until):
    """until: what it may end with, pages of which one each was named."""
    stop_by, busy, shown = None, moments.now, []
    while True:
        try:
            tester.poll(qemu, told)
        except NoAnswer:
            pass  # a busy host says nothing about the tester; the limits below still hold
        except Trouble as trouble:
            told.why = told.why or f"QEMU: {trouble}"
        _note(told, clock, moments)
        now = moments.now.seconds
        if told.why or qemu.wait(0) is not None:
            return _ended(tester, qemu, told, clock, moments)
        if told.has_ended:
            return PASSED
        if moments.found and stop_by is None and ends_at != ALL:
            stop_by = now + (WIDE_LIMIT_S if ends_at == WIDE else 0)
        if stop_by is not None and now >= stop_by:
            if tester.stops_by and not told.has_ended:
                _stop(tester, qemu, told)
            return FOUND
        if until and all(pages & told.pages for pages in until):
            return FOUND
        last, idle_cpu_s = told.said[-_LAST_LINES:], _WAITS_CPU_S if moments.begun else _IDLE_CPU_S
        if moments.now.cpu_s > busy.cpu_s + idle_cpu_s or (moments.begun and last != shown):
            busy, shown = moments.now, last
        if not moments.begun and now > START_LIMIT_S:
            told.why = f"no sign of a test in {START_LIMIT_S} s"
            return SILENT
        if not moments.begun and now > busy.seconds + IDLE_LIMIT_S:
            told.why = "it halted before it began to test"
            return SILENT
        if moments.begun and moments.now.cpu_s - moments.begun.cpu_s > limit_s:
            return LIMIT
        if moments.begun and now > busy.seconds + WAITS_LIMIT_S:
            told.why = "it hangs, or waits longer than any test does"
            return LIMIT


def _note(told, clock, moments):
    moments.now = clock.now()
    if told.has_begun and not moments.begun:
        moments.begun = clock.begun()
    if told.has_found and not moments.found:
        moments.found = moments.now
    for page in told.pages:
        moments.named.setdefault(page, moments.now)


def _ended(tester, qemu, told, clock, moments):
    """QEMU has, or the tester says that it cannot go on."""
    _read_rest(tester, qemu, told)
    _note(told, clock, moments)
    if told.has_ended and not told.why:
        return PASSED
    told.why = told.why or "the machine was reset or switched off"
    return FAILED


def _stop(tester, qemu, told):
    qemu.type(tester.stops_by)
    deadline = time.monotonic() + STOP_LIMIT_S
    while not told.has_ended and time.monotonic() < deadline and qemu.wait(0) is None:
        tester.poll(qemu, told)
    _read_rest(tester, qemu, told)


def _read_rest(tester, qemu, told):
    """Lines that were printed and not read yet."""
    for _ in range(_REST_LINES_MAX):
        n_said = len(told.said)
        try:
            tester.poll(qemu, told)
        except Trouble:
            return
        if len(told.said) == n_said:
            return
