# SPDX-License-Identifier: MIT
"""Under Secure Boot: signed okram's menu installs the signed guard, which firmware then starts."""

from dataclasses import replace

import pytest

from system.secure_boot import SMRAM, enroll_db, make_key, sign
from system.test_guard_menu import HERE, INSTALL, MEMORY, Computer, masked

SMM = {"smm": True}  # newer Debian's firmware has Secure Boot only with it


@pytest.mark.slow
def test_installed_from_the_menu(tmp_path):
    key = make_key(tmp_path, "owner")
    computer = Computer(tmp_path, hardware=replace(HERE, ram_bytes=MEMORY - SMRAM))
    computer.stick = sign(key, tmp_path / "signed")
    enroll_db(computer.vars, computer.vars, key)
    assert "The guard is installed. From the next start" in computer.boot(INSTALL, **SMM)
    assert computer.variables()["OkramGuard"][0] == 3  # no system can write it
    assert masked(computer.boot(["spc", "1"], **SMM))[1] == "3 bad pages masked"
