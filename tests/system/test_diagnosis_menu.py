# SPDX-License-Identifier: MIT
"""The bad module found with the UEFI loader's menu: variables are kept over the starts, and the
modules change with what it asks for.

A start either follows a run to its end, or ends in the menu: the person switches the machine off
there, as it offers.
"""

import re

import pytest

from okramlib import spec
from okramlib.machine import Machine
from okramlib.run import run
from okramlib.units import MIB
from system import uefi_vars
from system.harness import follow
from system.sticks import stick  # noqa: F401
from system.test_diagnosis import FAST, RESTARTS_MAX, STUCK, Bench, device
from system.test_menu import Keys

SHORT = "range=32M-33M bandwidth=off spd=off"
FIRST = "tests=mats+"
MODULE = 160 * MIB  # enough for OVMF and okram with one alone
BEFORE_MENU = "Find the bad module"  # the loader's last line before it, or nearly
WAKE = ["spc", "spc"]  # one stops the count-down; on a busy host the first comes before the menu
OPEN = [*WAKE, "1"]


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
        arguments = []
        for i, (slot, serial) in enumerate(self.modules.items()):
            path = self._directory / f"slot{i}"
            path.write_bytes(device(i, slot, serial, self.mt_s if serial else 0))
            arguments += ["-smbios", f"file={path}"]
        return Machine(
            uefi=True,
            memory=sum(map(bool, self.modules.values())) * MODULE,
            cpus=1,
            vars=self.vars,
            menu=menu,
            cmdline=f"{SHORT} {cmdline}",
            extra=arguments,
            faults=spec.parse(STUCK) if faults else [],
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

    def kept(self):
        """The state's bytes in the variable, or None."""
        found = uefi_vars.own(self.vars).get("OkramDiagnosis")
        return bytes(found.data) if found else None

    def press(self, *keys):
        """A start where these keys are pressed on the page, which is left then for a test."""
        watcher = [*OPEN, *keys, "esc", "2"]
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
    assert "1 Find the bad module, step by step > 2 Start with the options below" in text
    bench.obey(step_of(text))
    for n in range(RESTARTS_MAX):
        found, text = bench.run()
        assert "> 1 Find the bad module: test what is fitted now" in text
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
    assert "Find the bad module: bad: the module of DIMM_B1 > 2 Start with" in text
    assert f"One module is bad: the module with serial number {bad}, at first in DIMM_B1." in text
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
