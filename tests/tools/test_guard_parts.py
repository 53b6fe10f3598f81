# SPDX-License-Identifier: MIT
"""What `okram guard` is made of: variables, partitions, load options, lists, the machine."""

import hmac
import os
import random
import re
import struct
import subprocess
from pathlib import Path

import pytest

from okramlib import ROOT, Trouble, guard
from okramlib.efivars import Variables, attributes_text
from okramlib.guard import lists, partition
from okramlib.guard.here import Here, runs_in
from okramlib.guard.partition import Partition, load_option, read_option
from okramlib.units import PAGE
from tools import guard_samples as samples
from tools.guard_samples import BAD, GPT_BLOCKS, GPT_GUID, GPT_START

GPT_PARTITION = Partition(1, GPT_START, GPT_BLOCKS, GPT_GUID.bytes_le, partition.GPT)


def test_the_forms_are_those_of_the_kernel():
    saved = (ROOT / "kernel/core/formats/saved/saved.h").read_text()
    guid = [int(n, 16) for n in re.findall(r"0x([0-9a-f]+)[,\s]", saved)[:11]]
    assert guid == [*guard.VENDOR.fields[:3], *guard.VENDOR.bytes[8:]]
    header = (ROOT / "kernel/core/formats/guardlist/guard_list.h").read_text()
    assert f'GUARD_LIST_MAGIC   "{lists.MAGIC.decode()}"' in header


def test_help():
    for action in ("install", "status", "remove", "test"):
        ran = samples.in_process("guard", action, "--help")
        assert ran.returncode == 0 and "%%" not in ran.stdout
        assert max(map(len, ran.stdout.splitlines())) <= 100


# --- variables ---


def test_immutable_variables(box):
    """Linux marks them, but for those that everybody knows."""
    box.set(guard.LIST, b"old")
    path = box.efivars / f"{guard.LIST}-{guard.VENDOR}"
    if subprocess.run(["chattr", "+i", path], capture_output=True).returncode:
        pytest.skip("the file system has no immutable files, or this user may make none")
    try:
        with pytest.raises(PermissionError):
            path.write_bytes(b"")
        found = Variables(box.efivars)
        found.write(guard.LIST, guard.VENDOR, 7, b"new")
        assert found.read(guard.LIST, guard.VENDOR) == (7, b"new")
        with pytest.raises(PermissionError):  # it is marked again
            path.write_bytes(b"")
        found.delete(guard.LIST, guard.VENDOR)
        assert not path.exists()
    finally:
        subprocess.run(["chattr", "-i", path], capture_output=True)


def test_a_variable_is_written_at_once(box, monkeypatch):
    """efivarfs takes each write for a whole variable."""
    written, real = [], os.write
    monkeypatch.setattr(os, "write", lambda f, data: written.append(data) or real(f, data))
    Variables(box.efivars).write("New", guard.VENDOR, 7, b"x" * 9000)
    assert written == [b"\7\0\0\0" + b"x" * 9000]


def test_a_variable_that_is_refused_leaves_no_file(box, monkeypatch):
    def refuse(file, data):
        raise OSError(28, "No space left on device")

    before = box.state()
    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(OSError, match="No space"):
        Variables(box.efivars).write("New", guard.VENDOR, 7, b"x")
    assert box.state() == before


def test_reading_variables(box):
    found = Variables(box.efivars)
    assert found.read("None", guard.VENDOR) is None
    (box.efivars / f"Empty-{guard.VENDOR}").write_bytes(b"")
    assert found.read("Empty", guard.VENDOR) is None
    assert found.names("Boot", guard.GLOBAL) == ["Boot0000", "BootOrder"]
    assert found.free_bytes() is None
    assert [attributes_text(n) for n in (7, 6, 3)] == ["NV+BS+RT", "BS+RT", "NV+BS"]


# --- partitions ---


@pytest.mark.parametrize("block", [512, 4096])
def test_gpt(tmp_path, block):
    disk = tmp_path / "disk"
    disk.write_bytes(samples.gpt_disk(block))
    found = partition.read(disk, 1)
    assert found == partition.Found(GPT_PARTITION, True)
    assert str(found.partition) == f"HD(1,GPT,{GPT_GUID},0x800,0x10000)"
    for number in (0, 2, 128, 129, -1):
        with pytest.raises(Trouble, match="has no partition"):
            partition.read(disk, number)


def test_mbr(tmp_path):
    disk = tmp_path / "disk"
    disk.write_bytes(samples.mbr_disk())
    found = partition.read(disk, 1)
    assert found.is_efi_system and str(found.partition) == "HD(1,MBR,0x12345678,0x3f,0x1000)"
    assert found.partition.uuid == "12345678-01"
    disk.write_bytes(samples.mbr_disk(kind=7))
    assert not partition.read(disk, 1).is_efi_system
    with pytest.raises(Trouble, match="has no partition 2"):
        partition.read(disk, 2)


def test_damaged_disks(tmp_path):
    chance, disk = random.Random(3), tmp_path / "disk"
    for whole in (samples.gpt_disk(), samples.mbr_disk()):
        for _ in range(200):
            damaged = bytearray(whole[: chance.randrange(len(whole) + 1)])
            for _ in range(min(len(damaged), chance.randrange(6))):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            disk.write_bytes(damaged)
            try:
                partition.read(disk, 1)
            except Trouble as trouble:
                assert "has no partition 1" in str(trouble)


# --- load options ---


def test_load_options():
    """Of any length and content: only the options are read."""
    option = load_option("okram guard", GPT_PARTITION, "\\EFI\\a.efi", "patrol=1 quiet=on")
    assert read_option(option).options == "patrol=1 quiet=on"
    assert read_option(load_option("okram guard", GPT_PARTITION, "\\EFI\\a.efi", "")).options == ""
    for n in range(len(option) - len("patrol=1 quiet=on\0") * 2 + 1):
        assert read_option(option[:n]).options == ""


# --- lists and the machine ---


def test_the_machine_in_a_list(box):
    """As kernel/core/formats/guardlist/guard_list.h has it."""
    data = box.list_of(BAD)
    head = struct.unpack_from("<8sIHHIIQq16sQQII16s32s", data)
    assert head[0] == lists.MAGIC and head[2:4] == (2, 128) and head[4] == len(data)
    assert head[5:7] == (2, 3)  # the last two pages are a run
    assert head[8] == hmac.digest(head[13], samples.UUID, "sha256")[:16]
    assert samples.UUID not in data and head[14] == bytes(32)  # only okram's kernel signs lists
    assert head[9] == 1 << 30 and head[10] == samples.RAM_BYTES and head[11] == 1


def test_without_smbios(box):
    for file in (box.root / "sys" / "firmware" / "dmi" / "tables").iterdir():
        file.unlink()
    data = box.list_of(BAD)
    assert not any(data[40:56]) and lists.read(data, box.here).differs is None


def test_without_firmware_map(box):
    """By /proc/iomem, which is nearly the same."""
    for folder in (box.root / "sys" / "firmware" / "memmap").iterdir():
        for file in folder.iterdir():
            file.unlink()
    assert box.here.unusable() is None
    assert 0 <= samples.RAM_BYTES - box.here.ram_bytes() <= samples.RUNTIME_BYTES


def test_unusable_memory_is_ram(box):
    """The size of RAM is the same when the guard has masked."""
    before = box.here.ram_bytes()
    folder = box.root / "sys" / "firmware" / "memmap"
    base, end = 0x100000, 0x3F000000
    rows = [
        (base, BAD[0] - 1, "System RAM"),
        (BAD[0], BAD[0] + PAGE - 1, "Unusable memory"),
        (BAD[0] + PAGE, end - 1, "System RAM"),
    ]
    samples.write_entries(folder, rows[:1], ["start", "end", "type"], first=1)
    samples.write_entries(folder, rows[1:], ["start", "end", "type"], first=50)
    assert box.here.ram_bytes() == before
    assert box.here.unusable() == [(BAD[0], BAD[0] + PAGE)]


def test_runs_in():
    spans = [(0x1000, 0x3000), (0x5000, 0x5800), (0x9000, 0xA000)]
    assert runs_in([(0, 12)], spans) == [(1, 2), (5, 1), (9, 1)]
    assert runs_in([(9, 1), (2, 4), (1, 2)], spans) == [(1, 2), (5, 1), (9, 1)]
    assert runs_in([(3, 2), (6, 3)], spans) == []
    assert runs_in([(0, 12)], []) == []
    assert runs_in([(0, 1 << 40)], [(1 << 50, (1 << 50) + 1)]) == [(1 << 38, 1)]


def test_many_scattered_pages(box):
    pages = [0x1000000 + i * 0x10000 for i in range(8000)]
    data = box.list_of(pages)
    found = lists.read(data)
    assert [first * PAGE for first, n in found.runs for _ in range(n)] == pages and len(
        data
    ) < 2.1 * len(pages)


@pytest.mark.parametrize("text", ["0x1000", "0x2000-0x1000", "0-0x10000000000001", "x", ""])
def test_bad_ranges(box, text):
    with pytest.raises(Trouble, match="is not a range of bad pages"):
        lists._make(text + "\n", box.here)


def test_ranges_that_do_not_ascend(box):
    with pytest.raises(Trouble, match="do not ascend"):
        lists._make("0x2000-0x3000\n0x1000-0x2000\n", box.here)


def test_not_root(box, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(Trouble, match="only root can read"):
        Here(box.root / "sys").smbios()
