# SPDX-License-Identifier: MIT
"""The bad module found with the UEFI loader's menu: variables are kept over the starts, and the
modules change with what it asks for.

A start either follows a run to its end, or ends in the menu: the person switches the machine off
there, as it offers.
"""

import re
import shutil

import pytest
from virt.firmware.varstore import edk2

from okramlib.machine import IMAGE
from okramlib.run import run
from okramlib.units import MIB
from system import uefi_vars
from system.harness import follow, from_image
from system.sticks import on
from system.test_diagnosis import FAST, RESTARTS_MAX, STUCK, Bench
from system.test_menu import Keys

SHORT = "range=32M-33M bandwidth=off spd=off"
FIRST = "tests=mats+"
MODULE = 160 * MIB  # enough for OVMF and okram with one alone
BEFORE_MENU = "bad module"  # the loader's last line before it, or nearly
WAKE = ["spc"] * 4  # one stops the count-down; on a busy host the first come before the menu
OPEN = [*WAKE, "f"]


def stick_at(directory):
    """A copy of the image that can be written to."""
    shutil.copyfile(IMAGE, directory / "stick.img")
    return directory / "stick.img"


def plain(lines):
    """What the console showed, without the terminal's sequences."""
    return " ".join(re.sub(r"\x1b\[[0-9;=]*[a-zA-Z]", " ", " ".join(lines)).split())


class MenuBench(Bench):
    """That machine with UEFI, whose variables stay."""

    def __init__(self, directory, is_faulty, pictures=None, **options):
        super().__init__(directory, is_faulty, **options)
        self.vars = directory / "vars.fd"
        self.media = {}
        self._pictures = pictures
        self._n_pictures = 0

    def machine(self, cmdline, menu, faults):
        return from_image(
            "computed-uefi-1cpu",
            memory=sum(map(bool, self.modules.values())) * MODULE,
            vars=self.vars,
            menu=menu,
            cmdline=f"{SHORT} {cmdline}",
            extra=self.inventory(),
            faults=STUCK if faults else [],
            **self.media,
        )

    def run(self, cmdline="", menu=True, keys=()):
        """A start that tests: the record, and what the loader showed."""
        faults = self._is_faulty(self.modules, self.mt_s)
        machine = self.machine(f"menu={40 if keys else 3} {cmdline}", menu, faults)
        outcome = follow(machine, watcher=Keys(*keys, after=BEFORE_MENU) if keys else None)
        return outcome.last("diagnosis"), plain(outcome.lines)

    def look(self, *keys, cmdline="menu=60"):
        """A start that ends in the menu by these keys: what it showed."""
        machine = self.machine(cmdline, True, False)
        watcher = Keys(*keys, after=BEFORE_MENU, pictures=self._picture_folder())
        outcome = run(machine, watcher=watcher, timeout=240)
        assert not outcome.of_type("start"), "a test was started"
        return plain(outcome.lines)

    def _picture_folder(self):
        if not self._pictures:
            return None
        self._n_pictures += 1
        folder = self._pictures / f"{self._n_pictures:02}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def change(self, data):
        """The variable has other bytes."""
        store = edk2.Edk2VarStore(str(self.vars))
        listed = store.get_varlist()
        listed["OkramDiagnosis"].data = data
        store.write_varstore(str(self.vars), listed)

    def start_text(self):
        """What the loader writes at a start without a key."""
        return follow(self.machine("menu=1 tests=mats+ save=off", True, False)).lines

    def boots_next(self):
        """What firmware is told to start next: its number, or None."""
        found = uefi_vars.variables(self.vars).get((uefi_vars.GLOBAL, "BootNext"))
        return found and bytes(found.data)

    def kept(self):
        """The state's word in the variable, or None."""
        found = uefi_vars.own(self.vars).get("OkramDiagnosis")
        return bytes(found.data) if found else None

    def slot_of(self, serial):
        """Where that module is; None: it is out."""
        return next((slot for slot, one in self.modules.items() if one == serial), None)

    def press(self, *keys):
        """A start where these keys are pressed on the page, which is left then for a test."""
        watcher = [*OPEN, *keys, "esc", "1"]
        _, text = self.run("tests=mats+ save=off", keys=watcher)
        return text


def step_of(text):
    """What the page says is to be done."""
    return re.findall(r"find the bad module (.*?) The test: up to", text)[-1]


def search(bench, to_end=True):
    """From the first run to the last, by what okram says; the last record and console."""
    found, _ = bench.run(FIRST, menu=False)
    assert not found["begun"] and not found["end"]
    text = bench.look(*OPEN, "1")
    assert "f Find the bad module, step by step > 1 Start" in text
    bench.obey(step_of(text))
    for n in range(RESTARTS_MAX):
        found, text = bench.run()
        assert "> f Find the bad module: test what is fitted now" in text
        assert found["begun"] and found["runs"] == n + 2
        if found["end"] or not to_end:
            return found
        bench.obey(found["next"])
    raise AssertionError("no end")


def test_the_bad_module_is_named_and_forgotten(tmp_path):
    """By the count-down alone; the last page says which, until it is told to forget it."""
    bad = "5E6F7A8B"
    bench = MenuBench(tmp_path, lambda modules, _: bad in modules.values())
    found = search(bench)
    assert found["end"] == "module"
    assert bench.kept()
    text = bench.press("1")
    slot = bench.slot_of(bad)
    where = f"now in {slot}" if slot else r"taken out of DIMM_[AB]1"
    assert re.search(f"f BAD MODULE FOUND: serial {bad}, {where} > 1 Start", text), text
    assert f"The bad module is the one with serial number {bad}, {where[:3]}" in text
    assert "With it in, faults came in " in text and ", without it in 0 of " in text
    assert "The search for the bad module is forgotten." in text
    assert bench.kept() is None


CAUSES = {
    "slot": ("slot", 0, lambda modules, _: modules["DIMM_B1"] is not None),
    "settings": ("settings", FAST, lambda _, mt_s: mt_s == FAST),
    "controller": ("all", 0, lambda *_: True),
}


@pytest.mark.slow
@pytest.mark.parametrize("cause", CAUSES)
def test_other_causes(tmp_path, cause):
    end, mt_s, is_faulty = CAUSES[cause]
    found = search(MenuBench(tmp_path, is_faulty, mt_s=mt_s))
    assert found["end"] == end


def begun(path, **options):
    """Where the first step has been asked for."""
    bench = MenuBench(path, lambda *_: True, **options)
    bench.run(FIRST, menu=False)
    return bench, bench.look(*OPEN, "1")


def test_the_offer_and_the_first_step(tmp_path):
    """It is there again after a start at which nobody took it, and the report went to the stick."""
    bench = MenuBench(tmp_path, lambda *_: True)
    bench.media = on(stick_at(tmp_path))
    bench.run(FIRST, menu=False)
    assert "its UEFI variables were deleted" in plain(bench.start_text())
    text = bench.look(*OPEN, "1")
    assert "f Find the bad module, step by step > 1 Start" in text
    assert "Switch the machine off, take out the module in DIMM_" in step_of(text)
    assert bench.kept()
    assert len(bench.boots_next()) == 2  # what okram was started from


@pytest.mark.slow
def test_what_did_not_start(tmp_path):
    """With two slots nothing else can be tried."""
    bench, _ = begun(tmp_path)
    text = bench.press("2")
    assert "2 The computer does not start with these modules" in text
    assert "DIMM_A1: did not start" in text
    assert "It cannot be decided by what can be tried here." in text


@pytest.mark.slow
def test_it_is_left_half_way(tmp_path):
    """The variable goes, and the menu is as before."""
    bench = MenuBench(tmp_path, lambda *_: True)
    bench.media = on(stick_at(tmp_path))
    bench.run(FIRST, menu=False)
    bench.look(*OPEN, "1")
    text = bench.press("4")
    assert "4 Forget the search" in text and "The search for the bad module is forgotten." in text
    assert bench.kept() is None
    assert "Find the bad module" not in plain(bench.start_text())


@pytest.mark.slow
def test_damage(tmp_path):
    """It is named, and the search starts again: the report is on the stick, and not read again."""
    bench = MenuBench(tmp_path, lambda *_: True)
    bench.media = on(stick_at(tmp_path))
    bench.run(FIRST, menu=False)
    bench.look(*OPEN, "1")
    kept = bytearray(bench.kept())
    kept[7] = ord("0" if kept[7] != ord("0") else "1")  # of a module's number
    bench.change(bytes(kept))
    text = bench.press()
    assert "OkramDiagnosis cannot be used: its checksum is wrong" in text
    assert "So the search starts again: run a test" in text


@pytest.mark.slow
def test_into_firmwares_setup(tmp_path):
    """For settings: firmware is told to show its setup at the next start."""
    bench = MenuBench(tmp_path, lambda _, mt_s: mt_s == FAST, mt_s=FAST)
    found, _ = bench.run(FIRST, menu=False)
    bench.look(*OPEN, "1")
    while "Switch off XMP" not in found["next"]:
        bench.obey(found["next"])
        found, _ = bench.run()
    text = bench.look(*OPEN, "1")
    assert "Switch off XMP or EXPO" in text and "1 Restart into BIOS setup" in text
    setting = uefi_vars.variables(bench.vars)[uefi_vars.GLOBAL, "OsIndications"]
    assert (setting.attr, bytes(setting.data)) == (7, b"\1" + bytes(7))
    assert len(bench.boots_next()) == 2
