# SPDX-License-Identifier: MIT
"""One run of a tester on the machine with one fault, as a row of the results."""

import datetime
import os
import time
from dataclasses import dataclass

from okramlib import Trouble, spec
from okramlib.qemu import Qemu
from testers import faults
from testers.reader import Told

START_LIMIT_S = 180  # until it begins to test
STOP_LIMIT_S = 60  # until it has ended, once it was asked to
WIDE_LIMIT_S = 120  # after its first fault, to find the other bad pages
WIDE_PAGES = 2  # as many as one fault of a decoder has; with more it goes on

FOUND, PASSED, LIMIT, SILENT, FAILED = "found", "passed", "limit", "silent", "failed"


@dataclass
class Times:
    """Seconds since power-on, and stores of the witness."""

    begun: float | None = None
    found: float | None = None
    stores_begun: int = 0
    stores_found: int = 0


def run_trial(tester, drawn, limit_s):
    """drawn: None for good memory. limit_s: seconds from where the tester begins to test."""
    placed = _place(drawn, tester) if drawn else faults.Placed("", frozenset())
    made = spec.parse(placed.text) if placed.text else []
    is_wide = len(placed.pages) > WIDE_PAGES
    told, times = Told(), Times()
    load = os.getloadavg()[0]
    begin = time.monotonic()
    with Qemu(tester.machine(made, is_wide)) as qemu:
        end = _follow(tester, qemu, told, times, limit_s, is_wide)
        stores = qemu.witness_stores()
    seconds = time.monotonic() - begin
    is_found = times.found is not None
    return {
        "fault": drawn.number if drawn else 0,
        "kind": drawn.kind if drawn else "none",
        "place": drawn.place if drawn else "",
        "spec": placed.text,
        "tester": tester.name,
        "version": told.version,
        "end": FOUND if is_found else end,
        "page": _judge(told, placed) if is_found else None,
        "boot_s": _round(times.begun),
        "seconds": _round((times.found if is_found else seconds) - (times.begun or 0)),
        "sweeps": (times.stores_found if is_found else stores) - times.stores_begun,
        "bad_pages": len(placed.pages),
        "given_up": told.given_up if is_found else None,
        "limit_s": round(limit_s),
        "why": told.why if not is_found else "",
        "load": round(load, 1),
        "date": datetime.date.today().isoformat(),
    }


def _place(drawn, tester):
    return faults.place(drawn, tester.own() if drawn.place == faults.OWN else (0, 0))


def _judge(told, placed):
    if told.addr is None:
        return "untold"
    return "right" if placed.is_right(told.addr) else "wrong"


def _round(seconds):
    return None if seconds is None else round(seconds, 1)


def _follow(tester, qemu, told, times, limit_s, is_wide):
    begin = time.monotonic()
    stop_by = None
    while True:
        try:
            tester.poll(qemu, told)
        except Trouble as trouble:
            told.why = told.why or f"QEMU: {trouble}"
        now = time.monotonic() - begin
        _note(qemu, told, times, now)
        if told.why or qemu.wait(0) is not None:
            return _ended(tester, qemu, told, times, now, begin)
        if told.has_ended:
            return PASSED
        if times.found is not None and stop_by is None:
            stop_by = now + (WIDE_LIMIT_S if is_wide else 0)
        if stop_by is not None and now >= stop_by:
            if tester.stops_by and not told.has_ended:
                _stop(tester, qemu, told)
            return FOUND
        if times.begun is None and now > START_LIMIT_S:
            told.why = f"no sign of a test in {START_LIMIT_S} s"
            return SILENT
        if times.begun is not None and now - times.begun > limit_s:
            return LIMIT


def _note(qemu, told, times, now):
    if told.has_begun and times.begun is None:
        times.begun, times.stores_begun = now, qemu.witness_stores()
    if told.has_found and times.found is None:
        times.found, times.stores_found = now, qemu.witness_stores()


def _ended(tester, qemu, told, times, now, begin):
    """QEMU has, or the tester says that it cannot go on: its last lines may still be unread."""
    for _ in range(1000):
        before = len(told.said)
        try:
            tester.poll(qemu, told)
        except Trouble:
            break
        if len(told.said) == before:
            break
    _note(qemu, told, times, now)
    if told.has_ended and not told.why:
        return PASSED
    told.why = told.why or "the machine was reset or switched off"
    return FAILED


def _stop(tester, qemu, told):
    qemu.type(tester.stops_by)
    deadline = time.monotonic() + STOP_LIMIT_S
    while not told.has_ended and time.monotonic() < deadline and qemu.wait(0) is None:
        tester.poll(qemu, told)
    while qemu.wait(0) is not None and not told.has_ended and isinstance(qemu.line(0), str):
        pass
