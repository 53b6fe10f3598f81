# SPDX-License-Identifier: MIT
"""The EFI system partition: which of those mounted `okram guard` takes, and which only when it is
named."""

import os
import threading
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest

from okramlib import Trouble, trust
from okramlib.guard import esp, partition
from okramlib.guard.partition import Partition
from tools import guard_samples as samples
from tools.guard_samples import BAD_LINE, GPT_BLOCKS, GPT_GUID, GPT_START

GPT_PARTITION = Partition(1, GPT_START, GPT_BLOCKS, GPT_GUID.bytes_le, partition.GPT)
OTHER = uuid.UUID(int=5)
NONE = "no EFI system partition is mounted"


@pytest.fixture
def box(tmp_path, monkeypatch):
    """A machine whose root is who runs this."""
    monkeypatch.setattr(trust, "OWNERS", {0, os.geteuid()})
    return samples.make(tmp_path)


def find(box, mountinfo, folder=None, uuid=None):
    write_mounts(box, mountinfo)
    proc = box.root / "proc"
    given = SimpleNamespace(esp=folder, disk=None, part=None, proc=proc, sys=box.root / "sys")
    return esp.find(given, uuid)


def write_mounts(box, mountinfo):
    data = mountinfo if isinstance(mountinfo, bytes) else mountinfo.encode()
    (box.root / "proc" / "self" / "mountinfo").write_bytes(data)


def add_disk(box, device, content, number=1, bus="pci0000:00/ata1"):
    """As Linux shows a partition; its disk is a file here. Its folder."""
    disk = box.root / f"disk-{device}"
    disk.write_bytes(content)
    folder = box.root / "sys" / "devices" / bus / device / "partition-of-it"
    folder.mkdir(parents=True)
    (folder / "partition").write_text(f"{number}\n")
    (folder.parent / "uevent").write_text(f"MAJOR=8\nDEVNAME={os.path.relpath(disk, '/dev')}\n")
    (folder.parent / "removable").write_text("0\n")
    blocks = box.root / "sys" / "dev" / "block"
    blocks.mkdir(parents=True, exist_ok=True)
    (blocks / device).symlink_to(folder)
    return folder


def mount(device, at, kind="vfat", root="/"):
    at = str(at).replace(" ", "\\040")
    return f"29 1 {device} {root} {at} rw,relatime shared:2 - {kind} /dev/x rw,fmask=0022\n"


def folder(box, name, mode=0o755):
    path = box.root / name
    path.mkdir()
    path.chmod(mode)
    return path


def on_usb(box, device):
    at = add_disk(box, device, samples.gpt_disk(), bus="pci0000:00/usb1/1-2/host6")
    port = at.parents[2]
    (port / "subsystem").symlink_to(folder(box, "usb"))


def removable(box, device):
    at = add_disk(box, device, samples.gpt_disk())
    (at.parent / "removable").write_text("1\n")


def by_thunderbolt(box, device):
    at = add_disk(box, device, samples.gpt_disk(), bus="pci0000:00/0000:05:00.0/nvme")
    (at.parents[2] / "removable").write_text("removable\n")


def sd_card(box, device):
    at = add_disk(box, device, samples.mbr_disk())
    (at.parent / "device").mkdir()
    (at.parent / "device" / "type").write_text("SD\n")


def image(box, device):
    at = add_disk(box, device, samples.gpt_disk(), bus="virtual/block")
    (at.parent / "loop").mkdir()


STICKS = [
    (on_usb, "its disk is on USB"),
    (removable, "its disk is removable"),
    (by_thunderbolt, "its disk is removable"),
    (sd_card, "its disk is an SD card"),
    (image, "its disk is an image in a file"),
]


# --- which is taken ---


def test_found_by_its_type(box):
    """A boot partition of another type is mounted, too, and the folder's name has a blank."""
    other = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
    add_disk(box, "8:1", samples.gpt_disk())
    add_disk(box, "8:2", samples.gpt_disk(kind=other))
    at = folder(box, "the esp")
    found = find(box, mount("8:2", "/boot") + mount("8:3", "/", "ext4") + mount("8:1", at))
    assert (found.folder, found.partition, found.doubt) == (at, GPT_PARTITION, None)


def test_given_by_its_folder(box):
    add_disk(box, "8:1", samples.gpt_disk())
    found = find(box, mount("8:1", box.esp), box.esp)
    assert (found.partition, found.doubt) == (GPT_PARTITION, None)
    assert find(box, "", box.esp).partition is None


def test_none_or_several(box):
    with pytest.raises(Trouble, match=NONE):
        find(box, mount("8:9", "/boot"))
    boot, efi = folder(box, "boot"), folder(box, "efi")
    for device in ("8:1", "8:2"):
        add_disk(box, device, samples.gpt_disk())
    with pytest.raises(Trouble, match=f"by --esp: {boot}, {efi}"):
        find(box, mount("8:1", boot) + mount("8:2", efi))


def test_the_one_of_the_installation(box):
    boot, efi = folder(box, "boot"), folder(box, "efi")
    add_disk(box, "8:1", samples.gpt_disk())
    add_disk(box, "8:2", samples.gpt_disk().replace(GPT_GUID.bytes_le, OTHER.bytes_le))
    mounts = mount("8:1", boot) + mount("8:2", efi)
    assert find(box, mounts, uuid=str(OTHER)).folder == efi
    with pytest.raises(Trouble, match=f"on the partition {OTHER}, and {box.esp} is {GPT_GUID}"):
        find(box, mount("8:1", box.esp), box.esp, str(OTHER))


def test_a_raid(box):
    """Its device is not a partition: firmware's name of it is unknown."""
    (box.root / "sys" / "dev" / "block" / "9:0").mkdir(parents=True)
    assert find(box, mount("9:0", box.esp), box.esp).partition is None


def test_emmc_is_not_a_card(box):
    at = add_disk(box, "179:1", samples.gpt_disk())
    (at.parent / "device").mkdir()
    (at.parent / "device" / "type").write_text("MMC\n")
    assert find(box, mount("179:1", box.esp)).doubt is None


# --- which is taken only when it is named ---


@pytest.mark.parametrize("make, why", STICKS)
def test_a_stick(box, make, why):
    """The machine's own partition is not mounted."""
    make(box, "8:17")
    with pytest.raises(Trouble, match=f"{box.esp} is taken .* only if it is named by --esp: {why}"):
        find(box, mount("8:17", box.esp))
    found = find(box, mount("8:17", box.esp), box.esp)
    assert found.partition and found.doubt == why


@pytest.mark.parametrize("make, _", STICKS)
def test_a_stick_and_the_machines_own(box, make, _):
    make(box, "8:17")
    add_disk(box, "8:1", samples.gpt_disk())
    own = folder(box, "boot")
    assert find(box, mount("8:17", box.esp) + mount("8:1", own)).folder == own


def test_a_disk_is_not_a_folder(box, monkeypatch):
    """--disk and --part say where the partition is, not that its disk is the machine's own."""
    removable(box, "8:17")
    add_disk(box, "8:1", samples.gpt_disk())
    write_mounts(box, mount("8:1", box.esp))
    monkeypatch.setattr(esp, "device_number", lambda path: "8:17")
    given = {"disk": box.root / "disk-8:17", "part": 1}
    given |= {"proc": box.root / "proc", "sys": box.root / "sys"}
    with pytest.raises(Trouble, match="only if it is named by --esp: its disk is removable"):
        esp.find(SimpleNamespace(esp=None, **given))
    found = esp.find(SimpleNamespace(esp=box.esp, **given))
    assert (found.partition, found.doubt) == (GPT_PARTITION, "its disk is removable")


def test_a_stick_that_copies_the_installations_partition(box):
    on_usb(box, "8:17")
    with pytest.raises(Trouble, match="only if it is named by --esp: its disk is on USB"):
        find(box, mount("8:17", box.esp), uuid=str(GPT_GUID))


@pytest.mark.parametrize("name, mode", [(".", 0o775), (".", 0o757), ("..", 0o777)])
def test_a_folder_that_others_can_change(box, name, mode):
    """As a desktop mounts a stick for its user; or the folder above it is not root's alone."""
    add_disk(box, "8:1", samples.gpt_disk())
    os.chmod(box.esp / name, mode)
    why = f"others than root may write to {os.path.abspath(box.esp / name)}"
    with pytest.raises(Trouble, match=f"named by --esp: {why}"):
        find(box, mount("8:1", box.esp))
    assert find(box, mount("8:1", box.esp), box.esp).doubt == why


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("name", [".", ".."])
def test_a_folder_that_a_user_owns(box, name):
    add_disk(box, "8:1", samples.gpt_disk())
    os.chown(box.esp / name, 12345, -1)
    why = f"the user 12345 owns {os.path.abspath(box.esp / name)}"
    with pytest.raises(Trouble, match=f"named by --esp: {why}"):
        find(box, mount("8:1", box.esp))
    assert find(box, mount("8:1", box.esp), box.esp).doubt == why


def test_the_command_warns_or_refuses(box):
    """Nothing is written to a stick that nobody has named."""
    on_usb(box, "8:17")
    write_mounts(box, mount("8:17", box.esp))
    before = box.state()
    options = box.options()[6:]  # without --esp, --disk and --part
    for action, code in (("install", 2), ("test", 1)):
        more = ["--yes"] if action == "install" else []
        ran = samples.in_process(
            "guard", action, *map(str, options), "--list", "-", *more, input=BAD_LINE
        )
        assert ran.returncode == code and "only if it is named by --esp" in ran.stdout + ran.stderr
        assert box.state() == before
    named = [*map(str, options), "--esp", str(box.esp), "--list", "-", "--yes"]
    ran = samples.in_process("guard", "install", *named, input=BAD_LINE)
    warning = f"okram: warning: {box.esp} may not be this machine's own EFI system partition: its"
    assert ran.returncode == 0 and ran.stderr == f"{warning} disk is on USB.\n"
    removed = samples.in_process("guard", "remove", *map(str, options[:-4]), "--yes")
    assert removed.returncode == 2 and "only if it is named by --esp" in removed.stderr
    removed = samples.in_process(
        "guard", "remove", *map(str, options[:-4]), "--esp", str(box.esp), "--yes"
    )
    assert removed.returncode == 0 and removed.stderr.startswith("okram: warning: ")
    assert box.state() == before


# --- strange input ---


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"29 1 8:1 / - vfat /dev/x rw\n",
        b"29 - vfat \n",
        b"29 1 8:1 / /a\\000b rw - vfat /dev/x rw\n",
        b"29 1 8:1 / /\\777\\999 rw - vfat /dev/x rw\n",
        b"29 1 8:1 / /\xff\xfe rw - vfat /dev/x rw\n",
        b"29 1 ../../.. / /boot rw - vfat /dev/x rw\n",
        b"29 1 \xff:\x80 / /boot rw - vfat /dev/x rw\n",
        b"\0" * 100 + b"\n",
    ],
)
def test_strange_mounts(box, line):
    add_disk(box, "8:1", samples.gpt_disk())
    at = folder(box, "boot")
    good = mount("8:1", at).encode()
    assert find(box, line.replace(b"8:1", b"8:99") + good).folder == at
    with pytest.raises(Trouble, match="by --esp"):
        find(box, line)


def test_a_mount_of_bytes_that_are_no_text(box):
    add_disk(box, "8:1", samples.gpt_disk())
    at = os.fsencode(box.root) + b"/\xff\\134"
    os.mkdir(at.replace(b"\\134", b"\\"))
    found = find(box, b"29 1 8:1 / " + at + b" rw - vfat /dev/x rw\n")
    assert os.fsencode(found.folder) == at.replace(b"\\134", b"\\")


def test_a_link_in_a_circle(box):
    blocks = box.root / "sys" / "dev" / "block"
    blocks.mkdir(parents=True)
    (blocks / "8:1").symlink_to("8:1")
    with pytest.raises(Trouble, match=NONE):
        find(box, mount("8:1", box.esp))


def test_a_table_beyond_any_disk(tmp_path):
    """Its entries are said to begin at block 2^64 - 1."""
    path = tmp_path / "disk"
    data = bytearray(samples.gpt_disk())
    data[512 + 72 : 512 + 80] = b"\xff" * 8
    path.write_bytes(data)
    with pytest.raises(Trouble, match="has no partition 1"):
        partition.read(path, 1)


def test_what_is_no_disk(tmp_path):
    """Nobody waits for a pipe that nobody writes to."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said = []

    def read():
        with pytest.raises(Trouble) as caught:
            partition.read(pipe, 1)
        said.append(str(caught.value))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(10)
    assert said == [f"{pipe} is neither a disk nor an image of one."]
    for path in ("/dev/zero", tmp_path):
        with pytest.raises(Trouble, match="is neither a disk"):
            partition.read(path, 1)
    with pytest.raises(Trouble, match="cannot be read"):
        partition.read(tmp_path / "none", 1)


def test_numbers_of_devices(tmp_path):
    assert esp.device_number(tmp_path) is None and esp.device_number("/nowhere") is None
    assert esp.disk_problem(None, tmp_path) is None and esp.disk_problem("8:1", tmp_path) is None


# --- files on it ---


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


def test_what_is_no_file(box):
    os.mkfifo(box.esp / "pipe")
    with (box.esp / "large").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("\\pipe", "\\large", "\\EFI"):
        with pytest.raises(Trouble, match="it is not a file, or too large"):
            esp.Esp(box.esp).read(name)
