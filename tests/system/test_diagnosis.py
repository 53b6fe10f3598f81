# SPDX-License-Identifier: MIT
"""Which module is bad: started by BIOS again and again, with the options that the last run showed
and the modules where it asked for them, until it ends.

The person in front of the machine knows what okram's sentences say, and nothing else.
"""

import re
import struct

import pytest

from data.tables import smbios_structure
from okramlib.units import MIB
from system.harness import follow, named, warnings_of
from system.own_tables import smbios

SHORT = "range=32M-33M bandwidth=off"
STUCK = "stuck1@0x2001237.3"
SLOTS = ("DIMM_A1", "DIMM_B1")
FAST, SLOW = 3600, 3200
RESTARTS_MAX = 9

OUT = re.compile(r"take out the module in (\w+)")
PUT_SERIAL = re.compile(r"put the module with serial (\w+) into (\w+)")
PUT_PLACE = re.compile(r"put the module that (is|was) in (\w+)(?: in the first run)? into (\w+)")
SETTINGS = re.compile(r"Switch (off XMP|XMP or EXPO on)")


def device(number, slot, serial, mt_s):
    """A slot (type 17 of SMBIOS 2.8), empty where there is no serial number."""
    size = 64 if serial else 0
    fields = struct.pack("<HHHHHBB", 0x1000, 0xFFFE, 64, 64, size, 9, 0)
    fields += struct.pack("<BBBHH", 1, 0, 0x1A, 0x80, mt_s)
    fields += struct.pack("<BBBBBIHHHH", 0, 2 if serial else 0, 0, 0, 1, 0, mt_s, 0, 0, 0)
    strings = [text.encode() for text in (slot, serial) if text]
    return smbios_structure(17, 0x1100 + number, fields, *strings)


class Bench:
    """A machine with modules, by slot; and when it is faulty, by that and its speed."""

    def __init__(self, directory, is_faulty, modules=("1A2B3C4D", "5E6F7A8B"), mt_s=0):
        self._directory = directory
        self._is_faulty = is_faulty
        self.modules = dict(zip(SLOTS, modules, strict=True))
        self._first = dict(self.modules)
        self.mt_s = mt_s

    def inventory(self):
        """The modules that are fitted, as SMBIOS lists them."""
        slots = enumerate(self.modules.items())
        listed = [device(i, at, number, self.mt_s if number else 0) for i, (at, number) in slots]
        return smbios(self._directory, listed)

    def start(self, words, **options):
        n = sum(map(bool, self.modules.values()))
        machine = named(
            "computed-1cpu",
            memory=n * 64 * MIB,
            cmdline=f"{SHORT} spd=off {words}",
            extra=self.inventory(),
            faults=STUCK if self._is_faulty(self.modules, self.mt_s) else [],
        )
        return follow(machine, **options)

    def obey(self, sentence):
        """Does what it says."""
        if found := SETTINGS.search(sentence):
            self.mt_s = SLOW if found[1] == "off XMP" else FAST
        before = dict(self.modules)
        self.modules |= dict.fromkeys(OUT.findall(sentence))
        puts = PUT_SERIAL.findall(sentence)
        for where, place, slot in PUT_PLACE.findall(sentence):
            puts.append(((before if where == "is" else self._first)[place], slot))
        for serial, _ in puts:  # out of where it is, if it is in
            self.modules |= {at: None for at, one in self.modules.items() if one == serial}
        for serial, slot in puts:
            assert serial and self.modules[slot] is None
            self.modules[slot] = serial


def search(bench, tests="tests=mats+"):
    """The records of type diagnosis, from the first run to the end."""
    found = [bench.start(tests).last("diagnosis")]
    while not found[-1]["end"]:
        assert len(found) <= RESTARTS_MAX
        assert found[-1]["words"].endswith(f"diagnosis={found[-1]['code']}")
        bench.obey(found[-1]["next"])
        outcome = bench.start(found[-1]["words"])
        found.append(outcome.last("diagnosis"))
        assert not any("asked for" in warning for warning in warnings_of(outcome))
        assert found[-1]["runs"] == len(found) and found[-1]["begun"]
        if not found[-1]["failed"]:
            assert found[-1]["passes"] == found[-2]["next_passes"]
    return found


def test_the_bad_module_is_named(tmp_path):
    bad = "5E6F7A8B"
    found = search(Bench(tmp_path, lambda modules, _: bad in modules.values()))
    first, last = found[0], found[-1]
    assert (first["begun"], first["runs"], first["kind"]) == (False, 1, "cells")
    assert first["tests"] == "mats+" and first["words"].startswith("tests=mats+ passes=")
    assert (first["passes"], first["failed"], first["always"]) == (1, 1, True)
    assert first["next_passes"] < 10
    assert (last["end"], last["next"], last["words"]) == ("module", "", "")
    assert last["headline"] == "BAD MODULE FOUND" and "headline" not in first
    assert {record["headline"] for record in found[1:-1]} == {"NEXT STEP"}
    assert last["found"].startswith(f"The bad module is the one with serial number {bad}")
    counted = [(record["passes"], record["failed"]) for record in found if record["failed"]]
    passes, faulty = (sum(numbers) for numbers in zip(*counted, strict=True))
    assert f"faults came in {faulty} of {passes} passes in {len(counted)} runs" in last["reasons"]
    assert 3 <= len(found) <= 6


@pytest.mark.slow
def test_a_persons_march_is_repeated(tmp_path):
    march = "{any(w0);up(r0,w1);down(r1)}"
    bench = Bench(tmp_path, lambda *_: True)
    first = bench.start(f"tests=march,mats+ 'march={march}'").last("diagnosis")
    assert (first["tests"], first["march"]) == ("march,mats+", march)
    outcome = bench.start(first["words"])
    assert [test["test"] for test in outcome.of_type("test")][:2] == ["march", "mats+"]
    assert (outcome.last("diagnosis")["runs"], outcome.last("diagnosis")["march"]) == (2, march)


@pytest.mark.slow
def test_settings_are_named(tmp_path):
    found = search(Bench(tmp_path, lambda _, mt_s: mt_s == FAST, mt_s=FAST))
    assert any(record["next"].startswith("Switch off XMP or EXPO") for record in found)
    assert found[-1]["end"] == "settings"


@pytest.mark.slow
def test_a_slot_is_named(tmp_path):
    found = search(Bench(tmp_path, lambda modules, _: modules["DIMM_B1"] is not None))
    assert found[-1]["end"] == "slot" and "DIMM_B1" in found[-1]["found"]


@pytest.mark.slow
def test_the_controller_looks_like_all_modules(tmp_path):
    found = search(Bench(tmp_path, lambda *_: True))
    assert found[-1]["end"] in ("all", "undecided", "controller")


@pytest.mark.slow
def test_too_many_modules(tmp_path):
    """Each alone is good in each slot, both together are not: the board or the CPU."""
    found = search(Bench(tmp_path, lambda modules, _: all(modules.values())))
    assert found[-1]["end"] == "crowd", found[-1]
    assert found[-1]["found"] and found[-1]["reasons"]


@pytest.mark.slow
def test_a_fault_that_does_not_come_again(tmp_path):
    starts = iter([True])
    found = search(Bench(tmp_path, lambda *_: next(starts, False)))
    assert found[-1]["end"] == "not-reproduced", found[-1]
    assert found[-1]["failed"] == 0 and found[-1]["found"] and found[-1]["reasons"]


@pytest.mark.slow
def test_same_serial_numbers(tmp_path):
    bench = Bench(tmp_path, lambda *_: True, modules=("00000000", "00000000"))
    first = bench.start("tests=mats+").last("diagnosis")
    assert "Mark them." in first["next"]


@pytest.mark.slow
def test_bad_words_and_what_was_not_asked_for(tmp_path):
    """A mistyped word is named, and the run is a first one; the right word says that nothing was
    changed; one after which the machine did not start is noted."""
    bench = Bench(tmp_path, lambda *_: True)
    words = bench.start("tests=mats+").last("diagnosis")["words"]
    mistyped = words[:-2] + ("x" if words[-2] != "x" else "y") + words[-1]
    outcome = bench.start(mistyped)
    assert any(
        "is ignored, and the search starts again: it is too short or too long, or a character" in w
        for w in warnings_of(outcome)
    ), warnings_of(outcome)
    assert not outcome.last("diagnosis")["begun"]
    outcome = bench.start(words)
    assert "Nothing has been changed since the last run." in warnings_of(outcome)
    assert outcome.last("diagnosis")["runs"] == 2
    assert outcome.last("diagnosis")["failed"] == outcome.last("diagnosis")["passes"] == 3
    outcome = bench.start(f"{words}!")
    assert any("does not start with these modules" in w for w in warnings_of(outcome))
    assert outcome.last("diagnosis")["runs"] == 3


@pytest.mark.slow
def test_a_pass_has_none(tmp_path):
    outcome = Bench(tmp_path, lambda *_: False).start("tests=mats+")
    assert not outcome.of_type("diagnosis")
