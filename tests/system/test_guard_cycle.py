# SPDX-License-Identifier: MIT
"""One computer, from bad pages to Linux without them: okram finds them, its menu installs the
guard, and Linux, however it is started then, has none of them."""

from dataclasses import replace

import pytest

from okramlib import BUILD
from okramlib.units import PAGE
from system import guard_boot
from system.harness import attach, follow
from system.linux import guest
from system.loaders import disk
from system.test_guard_menu import INSTALL, plain
from system.test_guard_ways import BY_STUB, SLOW_S, faulty_cells, scattered, unusable, used
from system.test_menu import Keys

FIND = "tests=mats+ bandwidth=off after=stay"
MENU = "menu=60 save=off bandwidth=off tests=address range=16M-17M"

BAD_PAGES = scattered(20)


class Computer:
    """With Linux on its disk, a stick with okram, and RAM with faulty cells."""

    def __init__(self, directory, way):
        self.way = way
        self.disk = disk.make(directory / "disk.img", way, guest.OPTIONS, guard=False)
        self.stick = guard_boot.make_stick(directory / "stick.img", program=BUILD / "okram.efi")
        self.vars = guard_boot.make_store(directory / "vars.fd", driver=False)
        self._machine = guest.split_machine(
            on="split-stick", vars=self.vars, faults=faulty_cells(BAD_PAGES)
        )

    def okram(self, cmdline, keys=()):
        settings = {"image": self.stick, "cmdline": cmdline, "menu": bool(keys)}
        extra = [*self._machine.extra, *attach("disk", path=self.disk)]
        machine = replace(self._machine, **settings, extra=extra)
        return follow(machine, watcher=Keys(*keys), timeout=SLOW_S)

    def linux(self):
        disk.choose(self.vars, self.way, guest.OPTIONS)
        return guest.start(replace(self._machine, image=self.disk), SLOW_S)


@pytest.mark.slow
@pytest.mark.parametrize("way", [*BY_STUB, "grub-2.06"])
def test_from_bad_pages_to_linux(way, tmp_path):
    computer = Computer(tmp_path, way)
    found = computer.okram(FIND).last("badram")
    assert found["bad_pages"] == len(BAD_PAGES)

    said = plain(computer.okram(MENU, INSTALL))
    assert f"install it for {len(BAD_PAGES)} bad pages" in said and "is installed." in said

    seen = computer.linux()
    assert unusable(seen, BAD_PAGES) == BAD_PAGES and used(seen, BAD_PAGES) == []
    assert seen.bad == set() and seen.swept_bytes > 0.9 * seen.total_bytes
    assert all(page % PAGE == 0 for page in BAD_PAGES)
