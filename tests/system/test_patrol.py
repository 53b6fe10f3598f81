# SPDX-License-Identifier: MIT
"""The guard's patrol: finds bad pages that come after the list was made, within its time."""

import struct
import subprocess

import pytest

from okramlib import BUILD, spec
from okramlib.qemu import END, Qemu
from okramlib.run import run
from okramlib.units import GIB, MIB, PAGE
from system import uefi_vars
from system.guard_boot import (
    BS,
    CONVENTIONAL,
    FILE,
    NV,
    UNUSABLE,
    Hardware,
    boot,
    guarded,
    make_list,
    make_stick,
    make_store,
    read_list,
)
from system.harness import TIMEOUT_S

SMALL = Hardware(module_bytes=128 * MIB, ram_bytes=128 * MIB)
UNFINISHED = 40  # bits of OkramPatrol: boot/guard/patrol/patrol_walk.h
LAP = 48


def place_of(machine):
    """(page, unfinished, lap) of OkramPatrol."""
    variable = uefi_vars.own(machine.vars)["OkramPatrol"]
    assert variable.attr == NV | BS
    (packed,) = struct.unpack("<Q", bytes(variable.data))
    return packed & (1 << UNFINISHED) - 1, packed >> UNFINISHED & 0xFF, packed >> LAP


def place(page, unfinished=0, lap=0):
    return NV | BS, struct.pack("<Q", page | unfinished << UNFINISHED | lap << LAP)


def listed(machine):
    return read_list(bytes(uefi_vars.own(machine.vars)["OkramGuard"].data))


def faulty(directory, address, options, on="uefi-stick-128M-1cpu", **settings):
    faults = spec.parse(f"stuck1@{address:#x}.3")
    return guarded(directory, options=options, on=on, faults=faults, **settings)


def check_promise(seen, seconds):
    patrol = seen.status["patrol"]
    print(patrol)
    assert patrol["microseconds"] <= seconds * 1_000_000
    return patrol


def test_bad_page_becomes_listed(tmp_path):
    """One boot, without any list: the page is unusable to what starts next, and kept."""
    address = 0x200123
    machine = faulty(tmp_path, address, "patrol=2")
    seen = boot(machine)
    patrol = check_promise(seen, 2)
    assert patrol["faults"] == 1 and patrol["why"] is None and patrol["bytes"] > 0
    assert seen.status["state"] == "masked" and seen.status["source"] == "variable"
    assert seen.status["pages"] == seen.status["masked"] == 1
    assert seen.of_type(UNUSABLE) == seen.masked == listed(machine) == {address // PAGE}
    assert uefi_vars.own(machine.vars)["OkramGuard"].attr == NV | BS
    assert place_of(machine)[1] == 0


@pytest.mark.slow
def test_all_memory_in_the_promised_boots(tmp_path):
    """As many boots as all free memory takes at their pace, from a place in the middle."""
    address, options = 0x200123, "patrol=1"
    machine = faulty(tmp_path, address, options)
    make_store(
        machine.vars,
        [("OkramPatrol", *place(0x2000)), ("OkramGuard", NV | BS, make_list([(0x300, 2)], SMALL))],
        options=options,
    )
    tested, boots, least = 0, 0, 128 * MIB
    while True:
        seen = boot(machine)
        patrol = check_promise(seen, 1)
        boots += 1
        if patrol["faults"]:
            break
        assert patrol["bytes"] > 0 and patrol["why"] is None
        tested += patrol["bytes"]
        least = min(least, patrol["bytes"])
        assert tested < patrol["of"]
    print(boots, "boots,", least, "bytes at least")
    assert boots <= patrol["of"] // least + 1
    pages = {0x300, 0x301, address // PAGE}
    assert seen.of_type(UNUSABLE) == seen.masked == listed(machine) == pages


@pytest.mark.slow
@pytest.mark.parametrize("writable", [True, False])
def test_list_in_the_file(tmp_path, writable):
    """It is extended there; on a read-only volume it is kept in the variable, which goes first."""
    address, old = 0x200123, make_list([(0x300, 2)], SMALL)
    machine = faulty(tmp_path, address, "patrol=3", files=[(FILE, old)], writable=writable)
    seen = boot(machine)
    pages = {0x300, 0x301, address // PAGE}
    assert check_promise(seen, 3)["faults"] == 1
    assert seen.of_type(UNUSABLE) == seen.masked == pages
    assert seen.status["source"] == ("file" if writable else "variable")
    command = ["mtype", "-i", machine.image, f"::/{FILE}"]
    in_file = subprocess.run(command, check=True, capture_output=True).stdout
    assert (read_list(in_file) == pages) if writable else (in_file == old)
    assert ("OkramGuard" in uefi_vars.own(machine.vars)) == (not writable)
    assert writable or listed(machine) == pages


@pytest.mark.slow
def test_above_4_gib(tmp_path):
    address = 4 * GIB + 0x301123
    machine = faulty(tmp_path, address, "patrol=4", on="guarded-3G")
    make_store(machine.vars, [("OkramPatrol", *place(4 * GIB // PAGE))], options="patrol=4")
    seen = boot(machine)
    assert check_promise(seen, 4)["faults"] == 1
    assert seen.of_type(UNUSABLE) == listed(machine) == {address // PAGE}


@pytest.mark.slow
def test_leaves_the_memory_map_alone(tmp_path):
    """What it has tested and given back is free as before."""
    maps = []
    for options in "", "patrol=2":
        directory = tmp_path / (options or "none")
        directory.mkdir()
        seen = boot(guarded(directory, options=options, on="guarded-256M"))
        maps.append(seen.of_type(CONVENTIONAL))
    assert seen.status["patrol"]["bytes"] > 4 * MIB
    assert len(maps[0] ^ maps[1]) * PAGE < MIB  # variables that the second one wrote
    assert not seen.of_type(UNUSABLE)


@pytest.mark.slow
@pytest.mark.parametrize("usb_keyboard", [False, True])
def test_ended_by_a_key(tmp_path, usb_keyboard):
    """The key is pressed when the patrol says that one ends it."""
    machine = guarded(tmp_path, options="patrol=60", on="guarded-2G", usb_keyboard=usb_keyboard)
    assert _boot_with_key(machine) < 30_000_000
    page, unfinished, lap = place_of(machine)
    assert page > 0 and (unfinished, lap) == (0, 0)


def _boot_with_key(machine):
    """The microseconds of the patrol."""
    pressed = False
    with Qemu(machine) as qemu:
        while (line := qemu.line(TIMEOUT_S)) is not END:
            assert line is not None
            if "any key ends it" in line and not pressed:
                qemu.press("a")
                pressed = True
            if line.startswith("guard status"):
                assert '"why":"a key was pressed"' in line
                return int(line.partition('"patrol"')[2].partition('"microseconds":')[2][:-2])
    raise AssertionError("the machine did not come so far")


@pytest.mark.slow
def test_machine_that_stops_in_the_patrol(tmp_path):
    """Two boots end in it; the third comes without."""
    machine = guarded(tmp_path, options="patrol=60", on="guarded-2G")
    for unfinished in 1, 2:
        with Qemu(machine) as qemu:
            while "any key ends it" not in (qemu.line(TIMEOUT_S) or ""):
                pass
            while place_of_or_none(machine) != unfinished:
                qemu.line(0.1)
    patrol = boot(machine).status["patrol"]
    assert patrol["bytes"] == 0 and "did not end" in patrol["why"]
    assert place_of(machine)[1] == 2


def place_of_or_none(machine):
    try:
        return place_of(machine)[1]
    except (KeyError, AssertionError):
        return None


@pytest.mark.slow
def test_okram_finds_nothing_after_it(tmp_path):
    """The next system is safe: okram itself, which finds the fault without the patrol."""
    for options, status in ("", "fail"), ("patrol=3", "pass"):
        directory = tmp_path / (options or "none")
        directory.mkdir()
        machine = faulty(directory, 0x200123, options, cmdline="tests=mats+ bandwidth=off")
        make_stick(machine.image, program=BUILD / "okram.efi")
        assert run(machine, timeout=TIMEOUT_S).last("result")["status"] == status


@pytest.mark.slow
def test_wrong_option(tmp_path):
    seen = boot(guarded(tmp_path, options="patrol=241"))
    assert seen.status["patrol"] is None
    assert any('unknown guard option "patrol=241"' in said for said in seen.said)


@pytest.mark.slow
def test_conf_file_and_stale_list(tmp_path):
    """guard.conf turns it on; where the list is another machine's, nothing is tested."""
    conf = [("EFI/okram/okram/guard.conf", b"patrol=1\r\n")]
    assert (
        boot(guarded(tmp_path, files=conf, on="uefi-stick-128M-1cpu")).status["patrol"]["bytes"] > 0
    )
    foreign = make_list([(0x300, 2)], Hardware(serials=("other",)))
    seen = boot(guarded(tmp_path, foreign, files=conf, on="uefi-stick-128M-1cpu"))
    assert seen.status["state"] == "stale" and seen.status["patrol"] is None
