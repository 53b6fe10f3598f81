# SPDX-License-Identifier: MIT
"""The report knows its machine: which run of which machine, which pages are bad, which modules."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from okramlib import ROOT, reading, records, spec
from okramlib.units import PAGE
from system import uefi_vars
from system.harness import attach, follow, named
from system.own_tables import smbios
from system.test_diagnosis import device

SHORT = "tests=mats+ bandwidth=off range=32M-33M"
UUID = "00112233-4455-6677-8899-aabbccddeeff"
SYSTEM = "manufacturer=ACME,product=X1,version=V2,serial=S-SYSTEM"
BOARD = "manufacturer=Default string,product=B1,version=To Be Filled By O.E.M.,serial=S-BOARD"
SMBIOS = [
    *attach("smbios-text", text=f"type=1,uuid={UUID},{SYSTEM}"),
    *attach("smbios-text", text=f"type=2,{BOARD}"),
]
NAMES = (
    {"maker": "ACME", "product": "X1", "version": "V2"},
    {
        "maker": None,
        "product": "B1",
        "version": None,
    },
)
MACS = ["52:54:00:ab:cd:01", "52:54:00:ab:cd:02"]
# OVMF starts the drivers of what it may boot from.
CARDS = [
    *attach("card", model="virtio-net-pci", id="a", options=f"bootindex=8,mac={MACS[0]}"),
    *attach("card", model="e1000e", id="b", options=f"bootindex=9,mac={MACS[1]}"),
]


def machine(cmdline="", **options):
    return named("small-1cpu", cmdline=f"{SHORT} {cmdline}", **options)


def identity_of(outcome):
    (found,) = outcome.of_type("identity")
    return found


def is_today(date):
    return abs(uefi_vars.seconds_of(date) - time.time()) < 24 * 3600


def test_which_machine_and_which_run(tmp_path):
    """By BIOS as by default, by UEFI with all numbers; runs with the same seed= have none in
    common."""
    bios = follow(machine("seed=5", extra=SMBIOS))
    found = identity_of(bios)
    assert bios.records.index(found) == 1 and is_today(found["date"])
    assert (found["system"], found["board"]) == NAMES and found["uuid"] == UUID
    assert "macs" not in found and not any("S-SYSTEM" in line for line in bios.lines)
    store = tmp_path / "vars.fd"
    uefi = follow(
        machine("seed=5 identity=full", on="uefi-128M-1cpu", vars=store, extra=SMBIOS + CARDS)
    )
    full = identity_of(uefi)
    assert full["run"] != found["run"] and full["uuid"] == UUID
    assert full["system"] == NAMES[0] | {"serial": "S-SYSTEM"}
    assert full["board"] == NAMES[1] | {"serial": "S-BOARD"}
    assert sorted(full["macs"]) == MACS
    state, jsonl = uefi_vars.read_report(store)
    assert uefi_vars.seconds_of(full["date"]) == state.started
    assert full in map(records.parse, jsonl.splitlines())


@pytest.mark.slow
def test_as_little_as_is_asked_for():
    """By a BIOS, which does not tell cards' addresses; no identity at all; a wrong word."""
    full = follow(machine("identity=full", extra=SMBIOS + CARDS))
    assert identity_of(full)["macs"] == []
    off = follow(machine("identity=off", extra=SMBIOS))
    assert not off.of_type("identity") and not any(UUID in line for line in off.lines)
    wrong = follow(machine("identity=all"))
    assert wrong.last("machine")["warnings"].count(
        "option identity=all is ignored: expected off, board or full"
    )
    assert identity_of(wrong)["uuid"] is None and "serial" not in identity_of(wrong)["system"]


@pytest.mark.slow
def test_runs_that_begin_at_the_same_time():
    """The date, the machine and the CPU, which has no random numbers, are the same."""
    clock = attach("clock", date="2026-11-24T13:14:34")
    m = machine("seed=1", cpu="qemu64", extra=[*SMBIOS, *clock])
    found = [identity_of(follow(m)) for _ in range(3)]
    assert {one["date"][:16] for one in found} == {"2026-11-24T13:14"}
    assert len({one["run"] for one in found}) == 3


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_clock_of_the_last_century(uefi):
    """Its register of the century is in QEMU's FADT."""
    clock = attach("clock", date="1999-06-07T13:14:34")
    found = identity_of(follow(machine(uefi=uefi, extra=clock)))
    assert found["date"][:16] == "1999-06-07T13:14"


def test_bad_pages_exactly():
    """More than a record holds, with longer runs among them; harness.py compares their sums."""
    cells = spec.parse("holes@0x2000040+0x2000*300.3") + spec.parse("holes@0x2003040+0x6000*20.3")
    m = machine(faults=cells)
    outcome = follow(replace(m, cmdline="tests=mats+ bandwidth=off range=32M-36M"))
    pages = {cell.addr // PAGE for fault in cells for cell in fault.cells}
    told = set()
    for record in outcome.of_type("pages"):
        runs = [(int(base, 16) // PAGE, int(end, 16) // PAGE) for base, end in record["runs"]]
        told |= {page for base, end in runs for page in range(base, end)}
    assert told == pages
    assert [len(record["runs"]) for record in outcome.of_type("pages")] == [250, 30]


def okram_report(store):
    command = [sys.executable, ROOT / "tools" / "okram", "report", "--efivars", store]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_server_in_its_variables(tmp_path):
    """32 modules and 100 faults, as `okram report --efivars` reads them."""
    serials = [f"SN{0x12345678 * (i + 1) % 2**32:08X}" for i in range(32)]
    slots = [device(i, f"CPU{i // 16}_DIMM_{i % 16}", sn, 4800) for i, sn in enumerate(serials)]
    store = tmp_path / "vars.fd"
    m = machine("spd=off", on="uefi-128M-1cpu", vars=store, extra=SMBIOS + smbios(tmp_path, slots))
    m.faults = spec.parse("holes@0x2000040+0x2000*100.3")
    outcome = follow(m)
    state, jsonl = uefi_vars.read_report(store)
    assert len(jsonl) < 16 * 1024 and state.bad_pages == 100
    ran = okram_report(store)
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    assert all(f"CPU{i // 16}_DIMM_{i % 16}" in ran.stdout for i in range(32))
    assert all(serial in ran.stdout for serial in serials) and f"UUID {UUID}" in ran.stdout
    kept = reading.read_text(jsonl, "the variables").records
    of_type = {kind: [r for r in kept if r["type"] == kind] for kind in ("module", "fault")}
    assert of_type["module"] == outcome.of_type("module") and len(of_type["module"]) == 32
    assert of_type["fault"] == outcome.of_type("fault")[:100]
    (pages,) = (r for r in kept if r["type"] == "pages")
    assert pages["more"] and pages["runs"] == outcome.last("pages")["runs"][:64]
