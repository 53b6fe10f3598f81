# SPDX-License-Identifier: MIT
"""The report in UEFI variables: what a run leaves there, and firmware that does not let it."""

import json
import random
import struct
import time
from dataclasses import replace

import pytest

import saved_samples as samples
from okramlib import records, spec
from okramlib.machine import OVMF_VARS
from okramlib.qemu import END, Qemu
from okramlib.run import run
from okramlib.units import GIB, MIB, PAGE
from system import uefi_vars
from system.gdb import Gdb
from system.guard_boot import is_signed, read_list
from system.harness import TIMEOUT_S, follow, named, warnings_of
from system.picture_text import read_text
from system.placement import symbols
from system.runtime_service import (
    ALL_SERVICES,
    HANG,
    HANG_WITHOUT_INTERRUPTS,
    QUERY_VARIABLE_INFO,
    RESET_SYSTEM,
    RET,
    SET_VARIABLE,
    UD2,
    after,
    of_list,
    returns,
    stick,
    touching_boot_services_memory,
)
from system.stopped import stopping
from system.test_screen import check_picture

OPTIONS = "tests=mats+ bandwidth=off"
KEPT_UP = "the report is not kept in UEFI variables from now on"
VERDICT_ALONE = "the verdict is kept in UEFI variables, but not the rest of the report"

UEFI_LIMIT_S, SET_VARIABLE_LIMIT_S = 5, 60  # kernel/hw/machine/uefi_runtime.h


def machine(path, **options):
    return named("uefi-64M", **{"vars": path / "vars.fd", "cmdline": OPTIONS, **options})


def saved_records(jsonl):
    return [r for line in jsonl.splitlines() for r in records.separated(json.loads(line))]


def traced(outcome, what):
    return [record for record in outcome.of_type("trace") if record["what"] == what]


def check_traced(outcome):
    """Moves of okram, CPUs, calls of UEFI's runtime services."""
    cpus = traced(outcome, "cpu")
    assert [(r["cpu"], r["apic_id"], r["state"]) for r in cpus] == [
        (0, 0, "started"),
        (1, 1, "started"),
    ]
    out_of_range, away = traced(outcome, "move")
    assert (out_of_range["state"], out_of_range["to"]) == ("no place", None)
    assert away["state"] == "moved" and away["from"] == out_of_range["from"] != away["to"]
    assert 0 < away["bytes"] < 64 * MIB and 0 < away["seconds"] < 60

    calls = traced(outcome, "firmware")
    assert {r["cpu"] for r in calls} == {1}, "the last CPU calls"
    for begin, end in zip(calls[::2], calls[1::2], strict=True):
        assert (begin["state"], end["state"]) == ("called", "returned")
        assert begin["service"] == end["service"]
        assert begin.get("variable") == end.get("variable")
        assert end["seconds"] < 60
    written = [r for r in calls if r["service"] == "SetVariable" and r["state"] == "returned"]
    assert ("OkramReport00", "0x0") in [(r["variable"], r["status"]) for r in written]


def test_report_of_a_run(tmp_path):
    """The variables hold what the serial port had; trace= tells how; the result is drawn."""
    m = machine(tmp_path, faults="stuck0@0x2000123.4", cmdline=f"{OPTIONS} trace=on")
    outcome = follow(m, screenshot=tmp_path / "screen.png")
    check_picture(tmp_path / "screen.png")
    check_traced(outcome)
    state, jsonl = uefi_vars.read_report(tmp_path / "vars.fd")
    assert state.phase == uefi_vars.DONE
    assert state.verdict == outcome.last("result")["status"] == "fail"
    assert state.bad_pages == 1 and state.ram_bytes == outcome.last("machine")["ram_bytes"]
    assert state.cpus == 2 and state.test == "mats+" and "Q35" in state.board
    assert abs(state.started - time.time()) < 24 * 3600 and state.written >= state.started
    of_serial_port = [json.dumps(record) for record in outcome.records]
    kept = saved_records(jsonl)[1:]  # after the state
    assert all(json.dumps(record) in of_serial_port for record in kept)
    kinds = {"start", "identity", "machine", "pages", "test", "fault", "badram", "result"}
    assert kinds <= {r["type"] for r in kept}
    line = outcome.last("badram")["line"]
    assert line and [r["line"] for r in kept if r["type"] == "badram"] == [line]
    everything = uefi_vars.variables(tmp_path / "vars.fd")
    dumps = [name for vendor, name in everything if vendor == uefi_vars.PSTORE]
    assert dumps == [f"dump-type0-1-1-{state.started}-D"]
    dump = bytes(everything[uefi_vars.PSTORE, dumps[0]].data).decode()
    assert len(dump) <= 1024 and dump.startswith("okram#1 Part1\n") and line in dump
    assert (uefi_vars.GLOBAL, "BootNext") not in everything  # nobody has asked for it
    guard_list = uefi_vars.own(tmp_path / "vars.fd")["OkramGuardNew"]
    assert read_list(bytes(guard_list.data)) == {0x2000}
    assert is_signed(bytes(guard_list.data), uefi_vars.key(tmp_path / "vars.fd"))


def test_next_run(tmp_path):
    """The names are used again: the store holds one report, however many runs there were."""
    first = machine(tmp_path)
    follow(first)
    before = uefi_vars.read_report(first.vars)[0]
    outcome = follow(machine(tmp_path, on="uefi-64M-1cpu"))
    state, jsonl = uefi_vars.read_report(first.vars)
    assert state.started > before.written and state.cpu == 0 and state.cpus == 1
    assert saved_records(jsonl)[-1] == outcome.last("result")
    everything = uefi_vars.variables(first.vars)
    assert len([1 for vendor, _ in everything if vendor == uefi_vars.PSTORE]) == 1


BOOT_NEXT = [  # and whether it is set
    ("exit=qemu", False),
    ("exit=qemu after=stay", True),
    ("exit=reboot", False),
    ("exit=reboot after=stay", True),
    ("exit=poweroff", False),
    ("exit=wait", True),  # and the key x
    ("exit=wait after=stay", True),
    ("exit=wait after=next", False),
]
QUICK_BOOT_NEXT = ["exit=qemu after=stay", "exit=wait"]


@pytest.mark.parametrize(
    "options, is_set",
    [
        pytest.param(*case, marks=() if case[0] in QUICK_BOOT_NEXT else pytest.mark.slow)
        for case in BOOT_NEXT
    ],
)
def test_what_boots_next(tmp_path, options, is_set):
    """By key x okram comes again, else what the boot order says, unless asked; the order stays."""
    m = machine(tmp_path, cmdline=f"{OPTIONS} serial=jsonl {options}")
    with Qemu(m) as qemu:
        while (line := qemu.line(TIMEOUT_S)) and '"type":"result"' not in line:
            pass
        assert '"status":"pass"' in line
        if "wait" in options:
            qemu.press_twice("x")  # while the report is being kept, or after
        assert qemu.wait(TIMEOUT_S) == (1 if "qemu" in options else 0)
    assert uefi_vars.read_report(m.vars)[0].verdict == "pass"
    everything = uefi_vars.variables(m.vars)
    assert ((uefi_vars.GLOBAL, "BootNext") in everything) == is_set
    assert bytes(everything[uefi_vars.GLOBAL, "BootOrder"].data)[:2] == b"\1\0"


@pytest.mark.slow
def test_off(tmp_path):
    follow(machine(tmp_path, cmdline=f"{OPTIONS} save=off"))
    assert uefi_vars.own(tmp_path / "vars.fd") == {} and not uefi_vars.key(tmp_path / "vars.fd")


# What firmware does, and what the warning says of it.
NO_RETURN = f"SetVariable did not return within {SET_VARIABLE_LIMIT_S} s"
BAD = {
    "fails": (SET_VARIABLE, returns(1 << 63 | 7), "SetVariable failed (0x8000000000000007)"),
    "hangs": (SET_VARIABLE, HANG, NO_RETURN),
    "hangs without interrupts": (SET_VARIABLE, HANG_WITHOUT_INTERRUPTS, NO_RETURN),
    "only reading hangs": (
        QUERY_VARIABLE_INFO,
        HANG,
        f"QueryVariableInfo did not return within {UEFI_LIMIT_S} s",
    ),
    "out of resources": (SET_VARIABLE, returns(1 << 63 | 9), "failed (0x8000000000000009)"),
    "exception": (SET_VARIABLE, UD2, "SetVariable raised exception 6 (invalid opcode)"),
    "touches boot services' memory": (
        SET_VARIABLE,
        touching_boot_services_memory(),
        "SetVariable raised exception 14 (page fault)",
    ),
    "hangs at the verdict": (SET_VARIABLE, after(1, HANG), NO_RETURN),
    "exception at the verdict": (SET_VARIABLE, after(1, UD2), "exception 6 (invalid opcode)"),
    "hangs at the end": (SET_VARIABLE, after(2, HANG), NO_RETURN),
    "exception at the end": (SET_VARIABLE, after(2, UD2), "raised exception 6 (invalid opcode)"),
    "forgets": (
        SET_VARIABLE,
        returns(0),
        "SetVariable reports success, but what it wrote is not there",
    ),
}
QUICK = [
    ("only reading hangs", 2),
    ("exception", 1),
    ("exception at the end", 2),
    ("touches boot services' memory", 2),
]


@pytest.mark.parametrize(
    "how, cpus",
    [
        pytest.param(how, cpus, marks=[] if (how, cpus) in QUICK else pytest.mark.slow)
        for how in BAD
        for cpus in (1, 2)
        if cpus == 2 or "without interrupts" not in how  # there another CPU has to break it off
    ],
)
def test_bad_firmware(tmp_path, how, cpus):
    """The run ends right, with all its CPUs, and says so, at the end where it can: in the text."""
    offset, code, said = BAD[how]
    image = stick(tmp_path, offset, code)
    is_late = "at the" in how
    cmdline = f"{OPTIONS} serial=text" if is_late else OPTIONS
    m = machine(tmp_path, cpus=cpus, image=image, on="uefi-stick-64M", cmdline=cmdline)
    outcome = run(m, timeout=TIMEOUT_S)
    assert not outcome.trouble and outcome.bad_lines == [] and outcome.exit_code == 0
    if is_late:
        (end,) = [i for i, line in enumerate(outcome.lines) if "PASS: no fault found" in line]
        warnings = [line for line in outcome.lines if "warning " in line]
        assert all("UEFI" not in line for line in outcome.lines[:end] if "warning " in line)
    else:
        assert outcome.last("result")["status"] == "pass"
        warnings = warnings_of(outcome)
    about_uefi = [w for w in warnings if "UEFI" in w]
    lost = VERDICT_ALONE if "at the end" in how else KEPT_UP
    assert len(about_uefi) == 1 and said in about_uefi[0] and lost in about_uefi[0]
    assert not [w for w in warnings if "disabled" in w or "NMI" in w]
    if is_late:
        state, _ = uefi_vars.read_report(tmp_path / "vars.fd")
        kept = (uefi_vars.DONE, "pass") if "at the end" in how else (uefi_vars.STARTED, "")
        assert (state.phase, state.verdict) == kept
    else:
        assert "OkramReport00" not in uefi_vars.own(tmp_path / "vars.fd")


def test_a_list_that_firmware_refuses_is_not_named(tmp_path):
    """The first advice comes before the list is written, and sends people to the guard."""
    image = stick(tmp_path, SET_VARIABLE, of_list(returns(1 << 63 | 9)))
    faults = spec.parse("stuck0@0x2400123.4")
    outcome = run(
        machine(tmp_path, image=image, on="uefi-stick-64M", faults=faults), timeout=TIMEOUT_S
    )
    assert not outcome.trouble and outcome.last("result")["status"] == "fail"
    first, second = (advice["text"] for advice in outcome.of_type("advice"))
    assert 'choose "The guard" in okram\'s menu' in first and "suspend BitLocker" in first
    assert "Linux leaves the bad memory alone if you" in second
    assert second.endswith("the list that it needs is not kept: save=off was given, or the warnings"
                           " say why.")  # fmt: skip
    assert "OkramGuardNew" not in uefi_vars.own(tmp_path / "vars.fd")
    state, text = uefi_vars.read_report(tmp_path / "vars.fd")
    kept = [json.loads(line) for line in text.splitlines() if '"advice"' in line]
    assert state.phase == uefi_vars.DONE and kept[-1]["text"] == second


def test_others_test_while_firmware_hangs(tmp_path):
    """A faulty cell in what is the last CPU's share afterwards."""
    image = stick(tmp_path, QUERY_VARIABLE_INFO, HANG)
    cmdline = "bandwidth=off tests=mats+ range=32M-48M passes=0 time=9s"
    faults = spec.parse("stuck1@0x2f00000.3")
    m = machine(tmp_path, image=image, on="uefi-stick-64M", cmdline=cmdline, faults=faults)
    outcome = run(m, timeout=TIMEOUT_S)
    assert not outcome.trouble and outcome.last("result")["status"] == "fail"
    assert outcome.last("result")["bad_pages"] == 1
    faults = [(fault["t"], fault["cpu"]) for fault in outcome.of_type("fault")]
    assert faults[0][1] == 0 and faults[0][0] < UEFI_LIMIT_S
    by_cpu_1 = [t for t, cpu in faults if cpu == 1]  # CPU 0 may find it, too: it does others' steps
    assert by_cpu_1 and min(by_cpu_1) > UEFI_LIMIT_S


def test_what_firmware_gets_is_below_4_gib(tmp_path):
    """Also where okram is above, where it goes before the tests."""
    cmdline = f"{OPTIONS} range=0-2G"
    m = machine(tmp_path, on="uefi-3G-sparse", cmdline=cmdline)
    with stopping(m) as stops:
        stops.gdb.run_until(symbols()["firmware_call_enter"])
        call = stops.read(stops.register(Gdb.RDI), 6 * 8)
        arguments = struct.unpack("<6Q", call)[1:]
        where = stops.monitor("gva2gpa 0xffffffff80000000")  # the kernel
    assert int(where.split()[-1], 16) >= 4 * GIB, where
    pages = {at // PAGE for at in arguments}  # GetVariable's five are all addresses
    assert len(pages) == 1 and MIB // PAGE <= pages.pop() < 4 * GIB // PAGE


def test_forbidden(tmp_path):
    """EFI_RT_PROPERTIES_TABLE without SetVariable: nothing is called."""
    image = stick(tmp_path, SET_VARIABLE, UD2, services=ALL_SERVICES & ~0x40)
    outcome = run(machine(tmp_path, image=image, on="uefi-stick-64M"), timeout=TIMEOUT_S)
    assert outcome.exit_code == 0
    warnings = [w for w in warnings_of(outcome) if "UEFI" in w]
    assert len(warnings) == 1 and "does not allow variables to be written" in warnings[0]
    assert uefi_vars.own(tmp_path / "vars.fd") == {}


@pytest.mark.parametrize(
    "code", [UD2, *(pytest.param(code, marks=pytest.mark.slow) for code in (RET, HANG))]
)
def test_reset_system_does_not_power_off(tmp_path, code):
    """ACPI does then; after a hang, that is after 5 s of the machine's time."""
    image = stick(tmp_path, RESET_SYSTEM, code)
    cmdline = f"{OPTIONS} serial=jsonl exit=poweroff"
    with Qemu(machine(tmp_path, image=image, on="uefi-stick-64M", cmdline=cmdline)) as qemu:
        while (line := qemu.line(TIMEOUT_S)) and '"type":"result"' not in line:
            pass
        assert '"status":"pass"' in line
        assert qemu.wait(TIMEOUT_S) == 0
        assert qemu.line(1) is END


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, data", [("OkramReport00", b"somebody else's"), ("OkramReport03", b"\1\0\xff\x80")]
)
def test_foreign_variable(tmp_path, name, data):
    """It stays as it is, and if it is not the first part, a report is kept before it."""
    store = tmp_path / "vars.fd"
    uefi_vars.make_store(OVMF_VARS, store, {name: data})
    outcome = follow(machine(tmp_path))
    said = f"the UEFI variable {name} is not okram's: "
    is_first = name == "OkramReport00"
    assert any(said in warning for warning in warnings_of(outcome)) == is_first
    left = uefi_vars.own(store)
    assert bytes(left[name].data) == data
    if is_first:
        assert len(left) == 1
    else:
        assert uefi_vars.read_report(store)[0].verdict == "pass"


def kill_at(path, seconds):
    """A run whose power is cut so long after its start, and the state in its variables."""
    with Qemu(machine(path, cmdline=f"{OPTIONS} serial=jsonl exit=qemu")) as qemu:
        while (line := qemu.line(TIMEOUT_S)) and '"type":"start"' not in line:
            pass
        time.sleep(seconds)
    assert uefi_vars.free_bytes(path / "vars.fd") >= 5 * 1024
    seen = uefi_vars.after_power_cut(path / "vars.fd")
    return uefi_vars.read_report(seen)[0].phase if uefi_vars.own(seen) else None


@pytest.mark.parametrize("n", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_power_cut(tmp_path, n):
    """What is there is always valid: a state that did not finish, or one with its whole report."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    moments = random.Random(seed)
    print([kill_at(tmp_path, moments.uniform(0, 4)) for _ in range(n)])
    follow(machine(tmp_path))
    # What a cut has left half written stays in the store.
    seen = uefi_vars.after_power_cut(tmp_path / "vars.fd")
    assert uefi_vars.read_report(seen)[0].phase == uefi_vars.DONE


def leaves(free):
    """QueryVariableInfo: mov qword [r8], free; xor eax, eax; ret"""
    return b"\x49\xc7\x00" + struct.pack("<I", free) + b"\x31\xc0" + RET


def check_no_old_verdict(full, has_left):
    """An earlier run's PASS is gone after one whose FAIL finds no room, and the screen says so."""
    uefi_vars.make_store(OVMF_VARS, full.vars, samples.finished(verdict=samples.PASS))
    picture = full.vars.with_name("full.png")
    full = replace(full, faults=spec.parse("stuck0@0x2000123.4"))
    outcome = run(full, timeout=TIMEOUT_S, screenshot=picture)
    assert outcome.last("result")["status"] == "fail" and uefi_vars.own(full.vars) == {}
    gone = f"{has_left}the report is not kept there; the one of an earlier run is deleted"
    assert gone in warnings_of(outcome)
    # Its end may be behind the key s.
    assert f"warning: {has_left.rstrip()}" in " ".join(row.strip() for row in read_text(picture))


@pytest.mark.slow
@pytest.mark.parametrize(
    "free, parts, has_dump", [(10 * 1024, 2, 1), (8 * 1024, 1, 1), (7 * 1024, 1, 0), (5400, 0, 0)]
)
def test_full_store(tmp_path, free, parts, has_dump):
    """5 KiB and a variable stay free: the report is cut, to its verdict, or not kept at all.

    Of the others, one is for the dump. OVMF is slow with a full store.
    """
    image = stick(tmp_path, QUERY_VARIABLE_INFO, leaves(free))
    store = tmp_path / "vars.fd"
    # That of one pass would fit into two variables.
    cmdline = f"{OPTIONS} passes=6"
    m, picture = (
        machine(tmp_path, image=image, on="uefi-stick-64M", cmdline=cmdline),
        tmp_path / "end.png",
    )
    outcome = run(m, timeout=TIMEOUT_S, screenshot=picture)
    assert outcome.exit_code == 0 and outcome.last("result")["status"] == "pass"
    has_left = f"UEFI's store of variables has {free} bytes left: "
    if not parts:
        assert warnings_of(outcome).count(f"{has_left}the report is not kept there") == 1
        assert uefi_vars.own(store) == {}
        check_no_old_verdict(m, has_left)
        return
    shown = " ".join(row.strip() for row in read_text(picture))  # it comes after the result
    assert f"warning: {has_left}the report there is incomplete" in shown
    assert not [w for w in warnings_of(outcome) if has_left in w]
    state, jsonl = uefi_vars.read_report(store)
    assert (state.phase, state.n_parts) == (uefi_vars.DONE, parts)
    assert state.verdict == "pass"
    kept = saved_records(jsonl)
    assert [record["type"] for record in kept][:2] == ["state", "start"]
    of_serial_port = [json.dumps(record) for record in outcome.records]
    assert all(json.dumps(record) in of_serial_port for record in kept[1:])
    dumps = [1 for vendor, _ in uefi_vars.variables(store) if vendor == uefi_vars.PSTORE]
    assert len(dumps) == has_dump


@pytest.mark.slow
def test_the_guards_list_of_many_pages(tmp_path):
    """3,000 of them, in a variable of 6 KB; a run of all memory that finds none deletes it."""
    faults = spec.parse("holes@0x2000000+0x2000*3000.3")
    outcome = follow(machine(tmp_path, faults=faults, on="uefi-128M"), timeout=2 * TIMEOUT_S)
    assert outcome.last("result")["bad_pages"] == 3000
    data = bytes(uefi_vars.own(tmp_path / "vars.fd")["OkramGuardNew"].data)
    assert read_list(data) == {0x2000 + 2 * n for n in range(3000)}
    follow(machine(tmp_path, cmdline=f"{OPTIONS} range=16M-32M"))
    assert "OkramGuardNew" in uefi_vars.own(tmp_path / "vars.fd")
    follow(machine(tmp_path))
    assert "OkramGuardNew" not in uefi_vars.own(tmp_path / "vars.fd")
