# SPDX-License-Identifier: MIT
"""What `okram guard` is made of: variables, partitions, load options, lists, the machine."""

import os
import random
import re
import struct
import subprocess
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest

from okramlib import ROOT, Trouble, guard
from okramlib.efivars import Variables, attributes_text
from okramlib.guard import esp, lists, load_option, partition
from okramlib.guard.here import Here, pages_in
from okramlib.guard.load_option import LoadOption, Partition
from okramlib.units import PAGE
from tools import guard_samples as samples
from tools.guard_samples import BAD, GPT_BLOCKS, GPT_GUID, GPT_START

GPT_PARTITION = Partition(1, GPT_START, GPT_BLOCKS, GPT_GUID.bytes_le, load_option.GPT)


@pytest.fixture
def box(tmp_path):
    return samples.make(tmp_path)


def test_the_forms_are_those_of_the_kernel():
    saved = (ROOT / "kernel" / "save" / "saved.h").read_text()
    guid = [int(n, 16) for n in re.findall(r"0x([0-9a-f]+)[,\s]", saved)[:11]]
    assert guid == [*guard.VENDOR.fields[:3], *guard.VENDOR.bytes[8:]]
    header = (ROOT / "kernel" / "guardlist" / "guard_list.h").read_text()
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
    option = LoadOption(
        "okram guard", GPT_PARTITION, "\\EFI\\a.efi", load_option.options_bytes("x")
    )
    assert load_option.decode(option.encode()) == option and option.options_text() == "x"
    assert load_option.options_bytes("") == b""
    for n in range(len(option.encode()) - len(option.options)):
        with pytest.raises(load_option.Invalid):
            load_option.decode(option.encode()[:n])


def test_damaged_load_options():
    chance = random.Random(4)
    whole = LoadOption("guard", GPT_PARTITION, "\\EFI\\a.efi").encode()
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            load_option.decode(bytes(damaged))
        except load_option.Invalid:
            continue


# --- the EFI system partition ---


def find(box, mountinfo, folder=None, uuid=None):
    proc = box.root / "proc"
    (proc / "self" / "mountinfo").write_text(mountinfo)
    given = SimpleNamespace(esp=folder, disk=None, part=None, proc=proc, sys=box.root / "sys")
    return esp.find(given, uuid)


def add_disk(box, device, content, number=1):
    """As Linux shows a partition; its disk is a file here."""
    disk = box.root / f"disk-{device}"
    disk.write_bytes(content)
    folder = box.root / "sys" / "devices" / device / "partition-of-it"
    folder.mkdir(parents=True)
    (folder / "partition").write_text(f"{number}\n")
    (folder.parent / "uevent").write_text(f"MAJOR=8\nDEVNAME={os.path.relpath(disk, '/dev')}\n")
    blocks = box.root / "sys" / "dev" / "block"
    blocks.mkdir(parents=True, exist_ok=True)
    (blocks / device).symlink_to(folder)


def mount(device, at, kind="vfat", root="/"):
    return f"29 1 {device} {root} {at} rw,relatime shared:2 - {kind} /dev/x rw,fmask=0022\n"


def test_found_by_its_type(box):
    """A boot partition of another type is mounted, too, and the folder's name has a blank."""
    other = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
    add_disk(box, "8:1", samples.gpt_disk())
    add_disk(box, "8:2", samples.gpt_disk(kind=other))
    mounts = mount("8:2", "/boot") + mount("8:3", "/", "ext4") + mount("8:1", "/the\\040esp")
    found = find(box, mounts)
    assert found.folder == Path("/the esp") and found.partition == GPT_PARTITION


def test_given_by_its_folder(box):
    add_disk(box, "8:1", samples.gpt_disk())
    assert find(box, mount("8:1", box.esp), box.esp).partition == GPT_PARTITION
    assert find(box, "", box.esp).partition is None


def test_none_or_several(box):
    with pytest.raises(Trouble, match="no EFI system partition is mounted"):
        find(box, mount("8:9", "/boot"))
    for device in ("8:1", "8:2"):
        add_disk(box, device, samples.gpt_disk())
    with pytest.raises(Trouble, match="by --esp: /boot, /efi"):
        find(box, mount("8:1", "/boot") + mount("8:2", "/efi"))


def test_the_one_of_the_installation(box):
    other = uuid.UUID(int=5)
    add_disk(box, "8:1", samples.gpt_disk())
    add_disk(box, "8:2", samples.gpt_disk().replace(GPT_GUID.bytes_le, other.bytes_le))
    mounts = mount("8:1", "/boot") + mount("8:2", "/efi")
    assert find(box, mounts, uuid=str(other)).folder == Path("/efi")
    with pytest.raises(Trouble, match=f"on the partition {other}, and {box.esp} is {GPT_GUID}"):
        find(box, mount("8:1", box.esp), box.esp, str(other))


def test_a_raid(box):
    """Its device is no partition: firmware's name of it cannot be told."""
    folder = box.root / "sys" / "dev" / "block" / "9:0"
    folder.mkdir(parents=True)
    assert find(box, mount("9:0", box.esp), box.esp).partition is None


def test_names_of_any_case(box):
    found = esp.Esp(box.esp)
    assert found.path("\\efi\\BOOT") == box.esp / "EFI" / "Boot"
    found.write("\\EFI\\boot\\a.efi", b"one")
    found.write("\\efi\\BOOT\\A.EFI", b"two")
    assert [p.name for p in (box.esp / "EFI" / "Boot").iterdir()] == ["a.efi"]
    assert found.read("\\EFI\\Boot\\a.efi") == b"two"


def test_a_file_that_reads_back_differently(box, monkeypatch):
    found = esp.Esp(box.esp)
    found.write("\\EFI\\Boot\\a", b"old")
    before = box.state()
    monkeypatch.setattr(Path, "read_bytes", lambda self: b"?")
    with pytest.raises(OSError, match="reads back differently"):
        found.write("\\EFI\\Boot\\a", b"new")
    monkeypatch.undo()
    assert box.state() == before


# --- lists and the machine ---


def test_the_machine_in_a_list(box):
    """As kernel/guardlist/guard_list.h has it."""
    data = box.list_of(BAD)
    head = struct.unpack_from("<8sIHHIIQq16sQQII", data)
    assert head[0] == lists.MAGIC and head[2:4] == (1, 80) and head[4] == len(data)
    assert head[5:7] == (2, 3)  # the last two pages are a run
    assert head[8] == samples.UUID
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


def test_pages_in():
    spans = [(0x1000, 0x3000), (0x5000, 0x5800), (0x9000, 0xA000)]
    assert list(pages_in([(0, 12)], spans)) == [1, 2, 5, 9]
    assert list(pages_in([(3, 2), (6, 3)], spans)) == []
    assert list(pages_in([(0, 12)], [])) == []


def test_many_scattered_pages(box):
    pages = [0x1000000 + i * 0x10000 for i in range(8000)]
    data = box.list_of(pages)
    found = lists.read(data)
    assert [page * PAGE for page in found.pages] == pages and len(data) < 2.1 * len(pages)


@pytest.mark.parametrize("text", ["0x1000", "0x2000-0x1000", "0-0x10000000000001", "x", ""])
def test_bad_ranges(box, text):
    with pytest.raises(Trouble, match="is no range of bad pages"):
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
