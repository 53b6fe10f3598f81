# SPDX-License-Identifier: MIT
"""From power-on to the files on the stick, on a machine that has nothing but USB and UEFI."""

import re
import shutil
import time

import pytest
from virt.firmware.varstore.edk2 import Edk2VarStore

from okramlib import records, saved, spec, stick, varstore
from okramlib.machine import IMAGE
from okramlib.qemu import END, Qemu
from qr_reader import read_codes
from system.harness import from_image
from system.linux.guest import has_pstore, pstore
from system.sticks import page_of

BASE, STRIDE, COLUMN = 0x6000040, 0x2000, 6
# The menu's choice stands before these: they say what it does not.
OPTIONS = "menu=60 serial=jsonl bandwidth=off"
RANGE = "range=94M-98M"

PSTORE_NAME = "dump-type0-"

DEADLINE_S = 600
LOOKS = 60
QUIET_S = 1  # between keys; firmware asks the keyboard a few times a second

# What OVMF's console puts between words on the serial port.
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


class Cycle:
    """A machine whose resets do not end QEMU: a stick, a USB keyboard behind a hub, no i8042."""

    def __init__(self, directory, cmdline, **options):
        self.stick = directory / "stick.img"
        self.variables = directory / "vars.fd"
        shutil.copyfile(IMAGE, self.stick)
        self.machine = from_image(
            "tablet",
            **{
                "image": self.stick,
                "vars": self.variables,
                "cmdline": f"{OPTIONS} {cmdline}",
                **options,
            },
        )
        self.said = ""  # without escape sequences, on one line
        self.records = []

    def __enter__(self):
        self._qemu = Qemu(self.machine)
        self._qemu.__enter__()
        self._qemu.qmp.command("set-action", reboot="reset")
        return self

    def __exit__(self, *error):
        self._qemu.__exit__(*error)

    def wait_for(self, text, of="the loader"):
        """Until that is said, or a record of that type is there."""
        deadline = time.monotonic() + DEADLINE_S
        while text not in self.said and not self._has(text):
            line = self._qemu.line(0.2)
            assert line is not END, f"QEMU ended before {of} said {text!r}: {self.said[-3000:]}"
            if line is not None:
                self._take(line)
            assert time.monotonic() < deadline, f"{of} never said {text!r}: {self.said[-3000:]}"

    def press(self, *keys):
        for key in keys:
            self.listen(QUIET_S)
            self._qemu.press(key)

    def listen(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if (line := self._qemu.line(left)) not in (None, END):
                self._take(line)

    def restart(self):
        """By the key that the screen names."""
        self.said = ""
        self._qemu.press_twice("x")

    def screenshot(self, name):
        path = self.stick.with_name(name)
        self._qemu.screenshot(path)
        return path

    def last(self, kind):
        return [record for record in self.records if record["type"] == kind][-1]

    def _has(self, kind):
        return any(record["type"] == kind for record in self.records)

    def _take(self, line):
        try:
            self.records.append(records.parse(line[line.find('{"t":') :]))
        except records.InvalidRecord:
            raise
        except records.BadLine:
            self.said += ESCAPE.sub("", line) + " "


def run_to_the_end(cycle, *keys):
    """The menu by keys, the test, the verdict. The badram line, "" without bad pages."""
    cycle.wait_for("starting")
    cycle.press("spc", *keys)
    cycle.wait_for("result", of="the kernel")
    for _ in range(LOOKS):
        if any(name.startswith(PSTORE_NAME) for name in names_of_variables(cycle)):
            break  # it is the last of them
        cycle.listen(QUIET_S)
    return cycle.last("badram")["line"]


def names_of_variables(cycle):
    """By an independent tool."""
    return [str(name) for name in Edk2VarStore(str(cycle.variables)).get_varlist()]


def line_on_screen(cycle):
    """From the QR code of the first page with one: pages turn by themselves."""
    for _ in range(LOOKS):
        if codes := read_codes(cycle.screenshot("end.png")):
            return codes[0]
        cycle.listen(QUIET_S)
    raise AssertionError("no QR code on the screen: see end.png")


def check_variables(cycle, line, verdict):
    names = names_of_variables(cycle)
    assert "OkramReport00" in names
    assert sum(name.startswith(PSTORE_NAME) for name in names) == 1
    kept = saved.decode(varstore.read(cycle.variables, saved.NAME))
    assert kept.problems == [] and kept.head["state"] == "done"
    result = records.parse(kept.jsonl.splitlines()[-1])
    assert result == cycle.last("result") and result["status"] == verdict.lower()
    state = records.parse(kept.jsonl.splitlines()[0])
    assert (state["type"], state["bad_pages"]) == ("state", result["bad_pages"])
    assert line_in(kept.jsonl) == line


def line_in(jsonl):
    parsed = [records.parse(text) for text in jsonl.splitlines()]
    (badram,) = [record for record in parsed if record["type"] == "badram"]
    return badram["line"]


def see_the_report(cycle, headline):
    """Restarts; the loader shows the report and writes it to the stick."""
    cycle.restart()
    cycle.wait_for("The report was written to")
    assert f"okram: last report: {headline}" in cycle.said
    cycle.press("spc", "0")
    cycle.listen(QUIET_S)
    cycle.screenshot("report.png")


def check_files(cycle, line, verdict):
    """The two files, and the line of the run's JSON in them."""
    names = [name for name in stick.reports(cycle.stick) if "/run-" not in name]
    assert len({name.rpartition(".")[0] for name in names}) == 1, names
    found = {name.rpartition(".")[2]: stick.content(cycle.stick, name) for name in names}
    assert sorted(found) == ["html", "jsonl"]
    jsonl = found["jsonl"].decode()
    assert line_in(jsonl) == line
    first, *_, last = map(records.parse, jsonl.splitlines())
    assert (first["type"], last["type"], last["status"]) == ("state", "result", verdict.lower())
    assert found["html"] == page_of(found["jsonl"])


def check_cleared(cycle):
    kept = saved.decode(varstore.read(cycle.variables, saved.NAME))
    assert kept == saved.Saved()


@pytest.mark.slow
def test_standard_test_finds_bad_pages(tmp_path):
    """At the end a Linux on the same variables, which has no tool of okram's."""
    faults = spec.parse(f"holes@{BASE:#x}+{STRIDE:#x}*{COLUMN}.1")
    with Cycle(tmp_path, RANGE, faults=faults) as cycle:
        line = run_to_the_end(cycle, "down", "ret")
        assert cycle.last("result")["status"] == "fail"
        assert cycle.last("result")["bad_pages"] == COLUMN
        assert line_on_screen(cycle) == line
        check_variables(cycle, line, "FAIL")
        see_the_report(cycle, f"FAIL, {COLUMN} bad pages")
    check_files(cycle, line, "FAIL")
    check_cleared(cycle)
    if has_pstore():
        (dump,) = pstore(cycle.variables, tmp_path).values()
        assert line in dump.decode().splitlines()


@pytest.mark.slow
def test_quick_test_without_bad_pages(tmp_path):
    with Cycle(tmp_path, RANGE) as cycle:
        line = run_to_the_end(cycle, "3")
        assert cycle.last("result")["status"] == "pass" and line == ""
        check_variables(cycle, line, "PASS")
        see_the_report(cycle, "PARTIAL")
    check_files(cycle, line, "PASS")
    check_cleared(cycle)
