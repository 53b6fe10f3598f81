# SPDX-License-Identifier: MIT
"""Firmware that takes long to write UEFI variables, or wears out: the result comes first, and the
variables are rarely written."""

import os
import re
import signal
import struct
import time

import pytest

from okramlib import records, spec
from okramlib.qemu import END, Qemu
from okramlib.run import run
from system import uefi_vars
from system.gdb import Gdb
from system.harness import TIMEOUT_S, follow, from_image
from system.picture_text import read_text
from system.placement import symbols
from system.runtime_service import (
    QUERY_VARIABLE_INFO,
    SET_VARIABLE,
    UD2,
    after,
    always_slow,
    calls_of,
    listening,
    slow,
    stick,
    telling,
    waiting_once,
)
from system.stopped import stopping
from system.watchers import Once

OPTIONS = "tests=mats+ bandwidth=off"
FIRST, DUMP, GUARD_LIST = "OkramReport00", "dump-type0-", "OkramGuardNew"
STATES_MAX = 30  # kernel/core/formats/saved/saved_write.h
WRITTEN_AT = 8  # of saved_pace.written
HALF_AN_HOUR_S = 1800
SCREEN_S = 10


@pytest.fixture
def calls(tmp_path):
    return tmp_path / "calls"


@pytest.fixture
def machine(tmp_path, calls):
    def machine(code, cmdline=OPTIONS, extra=(), **options):
        return from_image(
            "uefi-stick-64M",
            vars=tmp_path / "vars.fd",
            image=stick(tmp_path, SET_VARIABLE, code),
            cmdline=cmdline,
            extra=[*listening(calls), *extra],
            **options,
        )

    return machine


def until_result(qemu):
    while (line := qemu.line(TIMEOUT_S)) is not END and '"type":"result"' not in line:
        pass
    return records.parse(line)


def await_text(qemu, path, text):
    """The rows of the framebuffer, once they show it."""
    deadline = time.monotonic() + SCREEN_S
    while True:
        qemu.screenshot(path)
        rows = read_text(path)
        if any(text in row for row in rows):
            return rows
        assert time.monotonic() < deadline, f"not on the screen: {text}\n" + "\n".join(rows)
        time.sleep(0.2)


def check_end(names):
    """The verdict; the whole report, its first part last; pstore's dump; BootNext only if asked."""
    verdict, *parts, first, dump = names
    assert verdict == FIRST and parts == [f"OkramReport{n:02X}" for n in range(1, len(parts) + 1)]
    assert first == FIRST and dump.startswith(DUMP)


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [2, 1])
def test_verdict_while_setvariable_takes_20_s(machine, calls, tmp_path, cpus):
    """With one CPU, that one is in firmware: keys wait. With two they are answered."""
    picture = tmp_path / "screen.png"
    cmdline = f"{OPTIONS} serial=jsonl exit=wait"
    faults = spec.parse("stuck0@0x2400123.4")
    m = machine(slow(4, seconds=20), cmdline, cpus=cpus, faults=faults)
    with Qemu(m) as qemu:
        assert until_result(qemu)["status"] == "fail"
        began = time.monotonic()
        rows = await_text(qemu, picture, "Keeping the report ...")
        assert any("FAIL: 1 bad page" in row for row in rows)
        assert any("badram=0x2400000,0xffffffffff000" in row for row in rows)
        if cpus == 1:
            assert any("Keys are answered when that" in row for row in rows)
        qemu.press("spc")
        if cpus == 2:
            await_text(qemu, picture, "read MB/s")
            qemu.press("spc")
            await_text(qemu, picture, "A restart (key x) waits")
        assert time.monotonic() - began < 18
        # The start, the fault and its page; the verdict is being written.
        assert calls_of(calls) == [FIRST, FIRST, GUARD_LIST, FIRST]
        qemu.press("x")
        assert qemu.wait(TIMEOUT_S) == 0
        assert time.monotonic() - began > 18
    state, _ = uefi_vars.read_report(m.vars)
    assert (state.phase, state.verdict) == (uefi_vars.DONE, "fail")
    assert calls_of(calls)[-1] == "BootNext"
    assert (uefi_vars.GLOBAL, "BootNext") in uefi_vars.variables(m.vars)


def test_calls_of_a_run_with_a_fault(machine, calls):
    """At the start, at the first fault, and at the end, whatever the number of tests.

    The list of bad pages, which has not grown since, is written once.
    """
    faults = spec.parse("stuck0@0x2400123.4")
    m = machine(telling(), f"{OPTIONS} range=32M-48M passes=8", faults=faults)
    outcome = follow(m)
    assert len(outcome.of_type("test")) == 8 and outcome.exit_code == 1
    names = calls_of(calls)
    assert names[:3] == [FIRST, FIRST, GUARD_LIST]
    check_end(names[3:])


def test_calls_of_a_run_of_many_hours(machine, calls):
    """Half an hour passes between any two tests. One write is kept for the first fault."""
    m = machine(telling(), f"{OPTIONS} range=32M-33M passes=40", on="uefi-stick-64M-1cpu")
    n = 0
    with stopping(m) as stops:
        due, end = symbols()["saved_is_due"], symbols()["verdict_emit"]
        while stops.stop_at([due, end]) == due:
            stops.write(stops.register(Gdb.RDI) + WRITTEN_AT, struct.pack("<d", -HALF_AN_HOUR_S))
            n += 1
        assert '"status":"pass"' in stops.rest()
    assert n > STATES_MAX + 5
    names = calls_of(calls)
    assert names[: STATES_MAX - 1] == [FIRST] * (STATES_MAX - 1)
    check_end(names[STATES_MAX - 1 :])


def freeze(qemu):
    """For 6 s; its clocks go on."""
    os.kill(qemu.pid, signal.SIGSTOP)
    time.sleep(6)
    os.kill(qemu.pid, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.parametrize(
    "service, offset, seconds, cpus",
    [
        ("QueryVariableInfo", QUERY_VARIABLE_INFO, 3, 2),
        ("SetVariable", SET_VARIABLE, 20, 2),
        ("SetVariable", SET_VARIABLE, 20, 1),
    ],
)
def test_all_cpus_stand_still(tmp_path, service, offset, seconds, cpus):
    """For 6 s, as in an SMI: longer than QueryVariableInfo may take, which is late as well."""
    m = from_image(
        "uefi-stick-64M",
        vars=tmp_path / "vars.fd",
        image=stick(tmp_path, offset, waiting_once(seconds)),
        cpus=cpus,
        cmdline=f"{OPTIONS} trace=firmware",
    )
    called = {"type": "trace", "state": "called", "service": service}
    outcome = follow(m, watcher=Once(called, freeze))
    first = next(r for r in outcome.of_type("trace") if r["service"] == service and "status" in r)
    assert first["state"] == "returned" and first["status"] == "0x0"
    assert first["seconds"] > 6
    assert not any("UEFI" in text for text in outcome.last("machine")["warnings"])
    assert uefi_vars.read_report(m.vars)[0].verdict == "pass"


@pytest.mark.slow
def test_a_report_cut_by_time(machine, calls):
    """With 45 s a call one part is all that is written in the time, and the machine goes on."""
    m = machine(always_slow(45), f"{OPTIONS} serial=text")
    outcome = run(m, timeout=2 * TIMEOUT_S)
    assert not outcome.trouble and outcome.exit_code == 0
    (said,) = [line for line in outcome.lines if "warning " in line]
    assert re.search(r"UEFI takes 4\d s to write a variable: .* is incomplete", said)
    first, last, dump = calls_of(calls)
    assert first == last == FIRST and dump.startswith(DUMP)
    state, _ = uefi_vars.read_report(m.vars)
    assert (state.phase, state.verdict, state.n_parts) == (uefi_vars.DONE, "pass", 1)


@pytest.mark.parametrize("serial", ["text", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_a_warning_after_the_result(machine, serial):
    """The last line of the text is the badram line still, and the last JSON record the result."""
    options = f"{OPTIONS} serial=text" if serial == "text" else OPTIONS
    faults = spec.parse("stuck0@0x2400123.4")
    outcome = run(machine(after(4, UD2), options, faults=faults), timeout=TIMEOUT_S)
    assert not outcome.trouble and outcome.exit_code == 1 and not outcome.bad_lines
    if serial == "jsonl":
        assert outcome.records[-1]["type"] == "result"
        return
    *before, warning, last = outcome.lines
    assert last == "badram=0x2400000,0xffffffffff000" and last in before
    assert "UEFI's SetVariable raised exception 6" in warning
