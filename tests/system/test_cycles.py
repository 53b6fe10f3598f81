# SPDX-License-Identifier: MIT
"""cycles=: a run after each of several starts, and how many of them had errors."""

import shutil

import pytest

from okramlib import records
from okramlib.machine import IMAGE
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system.harness import follow, from_image, named, warnings_of
from system.own_tables import smbios
from system.test_diagnosis import device

BASE, SIZE = 32 * MIB, 16 * MIB
RANGE = f"range={BASE:#x}-{BASE + SIZE:#x} bandwidth=off spd=off"
RARE = [f"lapse@{BASE + 0x10010:#x}.3:5"]  # in two of five starts: 2 stores in each run
LINES_MAX_S = 900


def of_run(options, faults=(), **settings):
    machine = named("computed", memory=64 * MIB, cmdline=f"{RANGE} {options}", faults=faults)
    return follow(machine, **settings)


def test_bios_says_that_there_is_no_restart():
    outcome = of_run("tests=address-up cycles=20")
    found = outcome.last("cycles")
    (warning,) = [text for text in warnings_of(outcome) if "cannot be kept" in text]
    assert "19 starts that are left" in warning and f"cycles={found['word']}" in warning
    again = of_run(f"tests=address-up cycles={found['word']}").last("cycles")
    assert (again["starts"], again["with_errors"], again["wanted"]) == (2, 0, 20)


class Starts:
    """A machine by UEFI whose resets do not end QEMU: the records of each of its starts."""

    def __init__(self, directory, options, faults=(), extra=()):
        self.stick, self.vars = directory / "stick.img", directory / "vars.fd"
        if not self.stick.exists():
            shutil.copyfile(IMAGE, self.stick)
        self.machine = from_image(
            "tablet",
            image=self.stick,
            vars=self.vars,
            faults=faults,
            extra=extra,
            cmdline=f"serial=jsonl exit=qemu {RANGE} {options}",
        )
        self.said, self.found = "", []

    def follow(self, hook=None):
        with Qemu(self.machine) as qemu:
            qemu.qmp.command("set-action", reboot="reset")
            while (line := qemu.line(LINES_MAX_S)) is not END:
                assert line is not None, f"silent: {self.said[-2000:]}"
                self._take(line)
                if hook and hook(self, qemu):
                    break
        return self

    def _take(self, line):
        try:
            self.found.append(records.parse(line[line.find('{"t":') :]))
        except records.BadLine:
            self.said += line + " "

    def counts(self):
        return [r for r in self.found if r["type"] == "cycles"]

    def warnings(self):
        found = [r for r in self.found if r["type"] in ("machine", "result")]
        return [warning for r in found for warning in r.get("warnings", ())]


def check_all(starts, wanted):
    counts = starts.counts()
    assert [c["starts"] for c in counts] == list(range(1, wanted + 1)), starts.said[-2000:]
    assert counts[-1]["lost"] == counts[-1]["late"] == counts[-1]["dropped"] == 0
    return counts[-1]


def test_three_starts(tmp_path):
    last = check_all(Starts(tmp_path, "tests=random cycles=3", RARE).follow(), 3)
    assert last["errors"] >= last["with_errors"] and last["moved_mb"] > 3 * 4 * SIZE * 0.9e-6


@pytest.mark.slow
def test_twenty_starts(tmp_path):
    last = check_all(Starts(tmp_path, "tests=random cycles=20", RARE).follow(), 20)
    assert 0 < last["with_errors"] < 20
    assert last["low"] < last["with_errors"] / 20 < last["high"]


def cut(starts, _):
    """In the second start."""
    return starts.found and starts.found[-1]["type"] == "machine" and starts.counts()


@pytest.mark.slow
def test_a_start_that_is_cut_short_is_counted(tmp_path):
    options = "tests=random cycles=3"
    Starts(tmp_path, options).follow(cut)
    again = Starts(tmp_path, options).follow()
    counts = again.counts()
    assert "gave no result" in again.said
    assert [(c["starts"], c["lost"]) for c in counts] == [(2, 1)]


@pytest.mark.slow
def test_other_memory_begins_anew(tmp_path):
    def inventory(serial):
        return smbios(tmp_path, [device(0, "DIMM_A1", serial, 3200)])

    Starts(tmp_path, "tests=random cycles=3", extra=inventory("1A2B3C4D")).follow(cut)
    other = Starts(tmp_path, "tests=random cycles=3", extra=inventory("5E6F7A8B")).follow()
    assert any("not that of the starts before" in warning for warning in other.warnings())
    assert [c["starts"] for c in other.counts()] == [1, 2, 3]
    assert other.counts()[-1]["dropped"] == 2
