# SPDX-License-Identifier: MIT
"""Under Secure Boot: signed okram's menu installs the signed guard, which firmware then starts."""

from dataclasses import replace

import pytest

from okramlib import BUILD
from okramlib.units import MIB
from system import guard_boot
from system.harness import from_image
from system.secure_boot import SMRAM, enroll_db, make_key, sign, sign_program
from system.test_guard_menu import END, HERE, MEMORY, OPEN, SECOND, Computer, masked

SMM = {"smm": True}  # newer Debian's firmware has Secure Boot only with it


@pytest.mark.slow
def test_installed_from_the_menu(tmp_path):
    key = make_key(tmp_path, "owner")
    computer = Computer(tmp_path, hardware=replace(HERE, ram_bytes=MEMORY - SMRAM))
    computer.stick = sign(key, tmp_path / "signed")
    enroll_db(computer.vars, computer.vars, key)
    text = computer.boot([*OPEN, *SECOND, *END], **SMM)  # the first row is by shim
    assert "The guard is installed. From the next start" in text
    assert computer.variables()["OkramGuard"][0] == 3  # no system can write it
    assert masked(computer.boot(["spc", "1"], **SMM))[1] == "3 bad pages masked"


@pytest.mark.slow
def test_load_options_of_anybody(tmp_path):
    """One run would mask 384 MiB between the two pages, and quiet= would hide it."""
    key = make_key(tmp_path, "owner")
    sign(key, tmp_path / "signed")
    program = tmp_path / "show_guard.efi"
    sign_program(key, BUILD / "efi" / "show_guard.efi", program)
    guard = tmp_path / "signed" / "okram-guard.efi"
    stick = guard_boot.make_stick(tmp_path / "stick.img", program=program, guard=guard)
    machine = from_image("uefi-smm-stick-1G-1cpu", image=stick)
    pages = [256 * MIB // 4096, 640 * MIB // 4096]
    hardware = guard_boot.Hardware(module_bytes=machine.memory, ram_bytes=machine.memory - SMRAM)
    data = guard_boot.make_list(guard_boot.runs_of(pages), hardware)
    variables = [("OkramGuard", guard_boot.NV | guard_boot.BS, data)]
    store = tmp_path / "vars.fd"
    guard_boot.make_store(
        store, variables, options="runs=1 quiet=on", template=machine.firmware_files[1]
    )
    enroll_db(store, store, key)
    seen = guard_boot.boot(replace(machine, vars=store))
    assert seen.of_type(guard_boot.UNUSABLE) == set(pages)
    assert "2 bad pages masked" in seen.said[0]
    assert seen.said[1] == "okram-guard: runs= and quiet= are ignored under Secure Boot."
