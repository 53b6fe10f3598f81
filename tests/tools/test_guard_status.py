# SPDX-License-Identifier: MIT
"""`okram guard status`: what the guard did, held against what Linux uses."""

import json
import struct

import pytest

from okramlib import guard
from okramlib.units import PAGE
from tools import guard_samples as samples
from tools.guard_samples import BAD

RESERVED, FREE = 1 << 32, 0


@pytest.fixture
def box(tmp_path):
    """With the guard installed, after a boot at which it masked all."""
    box = samples.make(tmp_path)
    box.install()
    masked(box, BAD)
    return box


def masked(box, addresses, **changes):
    box.set(guard.MASKED, box.list_of(addresses), attributes=6)
    box.set_status(masked=len(addresses), **changes)
    box.set_iomem(addresses)
    entries = [(a, a + PAGE - 1, "Unusable memory") for a in addresses]
    folder = box.root / "sys" / "firmware" / "memmap"
    samples.write_entries(folder, entries, ["start", "end", "type"], first=100)


def set_flags(box, flags):
    """Of all pages of these addresses; others are free."""
    with (box.root / "proc" / "kpageflags").open("wb") as file:
        for address, value in flags.items():
            file.seek(address // PAGE * 8)
            file.write(struct.pack("<Q", value))


def status(box):
    ran = box.run("status", "--json")
    assert ran.stderr == ""
    return ran.returncode, json.loads(ran.stdout)


def test_all_is_well(box):
    code, found = status(box)
    assert code == 0
    assert (found["installed"], found["listed"], found["masked"]) == ("driver", 3, 3)
    assert (found["unusable"], found["in_use"], found["unknown"]) == (3, [], [])
    assert found["guard"]["state"] == "masked"
    said = box.run("status").stdout
    assert "3 of 3 listed pages masked; list: variable, made 2026-11-22" in said
    assert "replace the module" not in said
    assert "firmware's memory map has 3 of 3 pages as unusable." in said
    assert said.splitlines()[-1] == "Linux uses no bad page of the list."


def test_linux_uses_a_page(box):
    """As where a boot loader hands over a map that is cut off."""
    box.set_iomem(BAD[:1])
    code, found = status(box)
    assert code == 1 and found["unknown"] == [f"{a:#x}" for a in BAD[1:]]
    set_flags(box, {BAD[1]: RESERVED, BAD[2]: FREE})
    code, found = status(box)
    assert code == 1 and found["unknown"] == [] and found["kept_aside"] == 1
    assert found["in_use"] == [f"{BAD[2]:#x}"]
    assert f"Linux may use 1 bad page: {BAD[2]:#x}" in box.run("status").stdout


def test_a_page_that_firmware_holds(box):
    """It is in the list, but not masked. The guard has it reserved for Linux."""
    masked(box, BAD[:2], held=1, reserved=1)
    set_flags(box, {BAD[2]: RESERVED})
    code, found = status(box)
    assert code == 0 and found["kept_aside"] == 1 and found["listed"] == 3
    said = box.run("status").stdout
    assert "1 held by firmware (1 reserved for Linux)" in said
    assert "\nWindows still uses the other: replace the module.\n" in said
    set_flags(box, {BAD[2]: FREE})
    assert status(box)[0] == 1


def test_many_pages_are_not_all_named(box):
    pages = [0x8000000 + i * 0x10000 for i in range(200)]
    box.set(guard.MASKED, box.list_of(pages), attributes=6)
    said = box.run("status").stdout
    assert "0x8070000 and 192 more" in said and "0x8080000" not in said


@pytest.mark.parametrize(
    "state, why, said",
    [
        ("stale", "the memory modules differ", "of another machine or of other modules"),
        ("invalid", "its CRC-32C is wrong", "it is damaged"),
        ("none", None, "has found no list"),
        ("stopped", "a key was pressed", "in part, or not at all"),
        ("asleep", None, "reports the state 'asleep'"),
    ],
)
def test_other_states(box, state, why, said):
    box.set_status(state=state, why=why, source=None, made=None, masked=0)
    (box.efivars / f"{guard.MASKED}-{guard.VENDOR}").unlink()
    box.set_iomem()
    ran = box.run("status")
    assert ran.returncode == 1 and said in ran.stdout
    assert why is None or f"its reason: {why}" in ran.stdout


def test_before_the_first_boot(tmp_path):
    box = samples.make(tmp_path)
    assert box.run("status").stdout == "not installed.\nthe guard has not run at this boot.\n"
    box.install()
    ran = box.run("status")
    assert ran.returncode == 1 and "its firmware ignores Driver####" in ran.stdout


def test_a_list_in_a_file(tmp_path):
    box = samples.make(tmp_path)
    box.install("--file")
    code, found = status(box)
    assert code == 1 and found["listed"] == 3 and len(found["unknown"]) == 3


def test_installed_by_the_menu(box):
    """Its list is for boot services only; a way of its own is shown by its name."""
    record = json.loads(box.get(guard.BACKUP)) | {"way": "wrapper", "driver": None, "files": []}
    box.set(guard.BACKUP, json.dumps(record).encode())
    (box.efivars / f"{guard.LIST}-{guard.VENDOR}").unlink()
    code, found = status(box)
    assert code == 0 and found["listed"] is None and found["installed"] == "wrapper"
    assert "started by firmware, as the first boot entry" in box.run("status").stdout


def test_patrol(box):
    box.set_status(patrol={"bytes": 5 << 20, "next": "0x1000", "faults": 0, "microseconds": 9})
    assert "5 MiB tested at this boot, 0 faults, next at 0x1000" in box.run("status").stdout


@pytest.mark.parametrize(
    "name, data, why",
    [
        (guard.STATUS, b"{", "OkramGuardStatus is damaged"),
        (guard.STATUS, b'{"type":"other"}', "OkramGuardStatus is damaged"),
        (guard.MASKED, b"OkramGrd", "OkramGuardMasked is not a valid list: it is shorter"),
        (guard.LIST, b"?" * 100, "OkramGuard is not a valid list"),
        (guard.BACKUP, b"?", "OkramGuardBackup is damaged"),
    ],
)
def test_damaged_variables(box, name, data, why):
    box.set(name, data)
    ran = box.run("status")
    assert ran.returncode == 2 and why in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_not_root(box):
    text = (box.root / "proc" / "iomem").read_text().splitlines()
    hidden = "\n".join("00000000-00000000 :" + line.partition(":")[2] for line in text)
    (box.root / "proc" / "iomem").write_text(hidden)
    ran = box.run("status")
    assert ran.returncode == 2 and "only root can read them" in ran.stderr


def test_pages_that_are_left_in_use(box):
    box.set_status(pages=42, masked=3, room=32, beyond=5, outside=2)
    said = box.run("status").stdout
    assert "32 left in use, because a system needs the memory to start" in said
    assert "5 left in use, because they are too scattered" in said
    assert "Windows and Linux still use the other 37: replace the module." in said
    box.set_status(pages=4, masked=3, held=1, kept=1)
    assert "Firmware still uses the other: replace the module." in box.run("status").stdout


def test_a_shim_that_was_revoked_since(tmp_path):
    """With Secure Boot on such a shim switches the machine off, before the guard could say so."""
    box = samples.make(tmp_path)
    box.install("--way", "shim")
    masked(box, BAD)
    assert json.loads(box.run("status", "--json").stdout)["shim_revoked"] is None
    for level, revoked in (b"sbat,1,1\nshim,4\n", False), (b"sbat,1,2\nshim,5\n", True):
        box.set("SbatLevelRT", level, guard.SHIM_VENDOR, 6)
        ran = box.run("status", "--json")
        assert json.loads(ran.stdout)["shim_revoked"] is revoked
        assert ran.returncode == revoked
        said = box.run("status").stdout
        assert ("with Secure Boot on, the next start switches" in said) == revoked
    assert "started by shim, as the first boot entry" in said
