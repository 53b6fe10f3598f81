# SPDX-License-Identifier: MIT
"""`okram guard install` and `test`: what they write, refuse, and undo."""

import errno
import json
import os
from pathlib import Path

import pytest
from virt.firmware.efi import bootentry, devpath

from okramlib import efivars, guard
from okramlib.guard import esp, lists
from okramlib.units import MIB, PAGE
from tools import guard_samples as samples
from tools.guard_samples import BAD, BAD_LINE, GPT_BLOCKS, GPT_GUID, GPT_START, order

DRIVER = "EFI/okram/okram-guardx64.efi"
LIST_FILE = "EFI/okram/okram/guard.list"


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad"
    path.write_text(BAD_LINE)
    return ["--list", path]


def pages(data):
    return [page * PAGE for first, n in lists.read(data).runs for page in range(first, first + n)]


def test_only_shown(box, bad):
    before = box.state()
    ran = box.run("install", *bad)
    assert ran.returncode == 0 and ran.stderr == ""
    assert "Nothing is written: --yes does it." in ran.stdout
    shown = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("  write ")]
    variables = ["OkramGuardBackup", "OkramGuard", "Driver0000", "DriverOrder"]
    assert shown == [variables[0], "\\EFI\\okram\\okram-guardx64.efi:", *variables[1:]]
    assert "where firmware refuses that:\n          write   OkramGuardBackup" in ran.stdout
    assert box.state() == before


def test_installed(box):
    ran = box.install()
    assert ran.returncode == 0 and ran.stderr == ""
    assert (box.esp / DRIVER).read_bytes() == box.driver.read_bytes()
    assert pages(box.get(guard.LIST)) == BAD
    assert box.get("DriverOrder", guard.GLOBAL) == order(0)
    assert json.loads(box.get(guard.BACKUP)) == {
        "type": "guard-backup",
        "version": 1,
        "driver": "Driver0000",
        "order": None,
        "way": "driver",
        "partition": str(GPT_GUID),
        "files": ["\\EFI\\okram\\okram-guardx64.efi"],
        "folders": ["\\EFI\\okram"],
    }
    assert not (box.esp / LIST_FILE).exists()
    attributes = {path.read_bytes()[:4] for path in box.efivars.glob("OkramGuard*")}
    assert attributes == {b"\7\0\0\0"}


def test_the_load_option_is_what_others_make(box):
    box.install("--options", "patrol=20 quiet=on")
    entry = bootentry.BootEntry(data=box.get("Driver0000", guard.GLOBAL))
    drive, file = devpath.DevicePathElem(), devpath.DevicePathElem()
    drive.set_gpt(1, GPT_START, GPT_BLOCKS, str(GPT_GUID))
    file.set_filepath("\\EFI\\okram\\okram-guardx64.efi")
    assert [bytes(node) for node in entry.devicepath] == [bytes(drive), bytes(file)]
    assert (entry.attr, str(entry.title)) == (1, "okram guard")
    assert bytes(entry.optdata) == "patrol=20 quiet=on\0".encode("utf-16-le")


def test_again_writes_nothing(box):
    box.install("--options", "quiet=on")
    before = box.state()
    ran = box.install()
    assert ran.returncode == 0 and "there is nothing to do" in ran.stdout
    assert box.state() == before


def test_other_options_and_another_driver(box):
    box.install("--options", "quiet=on")
    backup = box.get(guard.BACKUP)
    box.driver.write_bytes(samples.driver(body=b"two"))
    box.install("--options", "")
    assert (box.esp / DRIVER).read_bytes().endswith(b"two")
    assert not bootentry.BootEntry(data=box.get("Driver0000", guard.GLOBAL)).optdata
    assert box.get(guard.BACKUP) == backup


def test_beside_other_drivers(box):
    box.set("Driver0000", samples.OTHER_DRIVER, guard.GLOBAL)
    box.set("Driver0002", samples.OTHER_DRIVER, guard.GLOBAL)
    box.set("DriverOrder", order(2, 0, 1), guard.GLOBAL)
    box.install()
    assert box.get("DriverOrder", guard.GLOBAL) == order(3, 2, 0, 1)
    backup = json.loads(box.get(guard.BACKUP))
    assert backup["order"] == order(2, 0, 1).hex() and backup["driver"] == "Driver0003"
    assert box.get("Driver0000", guard.GLOBAL) == samples.OTHER_DRIVER


def test_pages_are_added(box):
    """What the guard masks, okram does not see at its next run."""
    box.install()
    ran = box.install("--list", "-", input="0x9000000\n")
    assert "; 3 pages of it from the existing list" in ran.stdout
    assert pages(box.get(guard.LIST)) == [*BAD, 0x9000000]
    box.install("--list", "-", "--replace", input="0x9000000\n")
    assert pages(box.get(guard.LIST)) == [0x9000000]


def test_pages_of_other_modules_are_not_added(box):
    box.install()
    samples.write_smbios(box, b"serial-2")
    box.install("--list", "-", input="0x9000000\n")
    assert pages(box.get(guard.LIST)) == [0x9000000]


def test_found_by_okram(box):
    box.set(guard.FOUND, box.list_of(BAD))
    assert box.run("install", "--yes").returncode == 0
    assert box.get(guard.LIST) == box.get(guard.FOUND)


def test_a_list_as_a_file(box, tmp_path):
    path = tmp_path / "list"
    path.write_bytes(box.list_of(BAD))
    assert box.install("--list", path).returncode == 0
    assert box.get(guard.LIST) == path.read_bytes()


def test_json_lines_and_pages(box):
    fault = {"t": 1, "type": "fault", "addr": "0x5000123", "expected": "0x0", "found": "0x1"}
    fault |= {"test": "address", "pass": 1, "cpu": 0, "node": 0}
    box.install("--list", "-", input=json.dumps(fault) + "\n")
    assert pages(box.get(guard.LIST)) == [0x5000000]
    box.install("--list", "-", "--pages", "--replace", input="0x9000-0x9003\n")
    assert pages(box.get(guard.LIST)) == [0x9000000, 0x9001000, 0x9002000]


def test_what_is_no_ram_is_not_listed(box):
    ran = box.install("--list", "-", input=f"{samples.NOT_RAM:#x}\n0x5000000\n")
    assert "1 bad page is not in RAM" in ran.stderr
    assert pages(box.get(guard.LIST)) == [0x5000000]


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda b: samples.write_smbios(b, b"serial-2"), "(not the same: the memory modules)"),
        (lambda b: b.set(guard.FOUND, b.get(guard.FOUND)[:-1] + b"\x7f"), "its CRC-32C is wrong"),
        (lambda b: b.set(guard.FOUND, b"nothing"), "OkramGuardNew is not a valid list"),
        (
            lambda b: (b.efivars / f"{guard.FOUND}-{guard.VENDOR}").unlink(),
            "no bad pages are known",
        ),
        (lambda b: b.driver.write_bytes(b"MZ"), "is not a UEFI program"),
        (lambda b: b.driver.write_bytes(samples.driver(machine=0x14C)), "is not for x86-64"),
        (lambda b: b.driver.write_bytes(samples.driver(subsystem=10)), "is not a UEFI driver"),
        (lambda b: b.driver.unlink(), "okram-guard.efi cannot be read"),
        (lambda b: b.set("DriverOrder", b"\0", guard.GLOBAL), "DriverOrder is damaged"),
        (lambda b: b.set("SecureBoot", b"\1", guard.GLOBAL, 6), "is not signed, and Secure Boot"),
        (lambda b: b.set(guard.BACKUP, b"{}"), "OkramGuardBackup is damaged"),
        (lambda b: (b.root / "disk").write_bytes(bytes(9000)), "has no partition 1"),
        (lambda b: (b.root / "sys/firmware/efi/fw_platform_size").write_text("32"), "is 32-bit"),
    ],
)
def test_refused(box, change, why):
    box.set(guard.FOUND, box.list_of(BAD))
    change(box)
    before = box.state()
    ran = box.run("install", "--yes")
    assert ran.returncode == 2 and why in ran.stderr
    assert len(ran.stderr.splitlines()) == 1 and box.state() == before
    tested = box.run("test")
    assert tested.returncode in (1, 2) and why in tested.stdout + tested.stderr
    assert box.state() == before


def test_an_unsigned_driver_is_called_so(box):
    """Once Secure Boot is on again, there is no guard."""
    box.set(guard.FOUND, box.list_of(BAD))
    said = box.run("test").stdout
    assert "not signed: once Secure Boot is on, it starts only by --way shim." in said


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["--options", "patrol=long"], "'patrol=long' is not"),
        (["--list", "/nowhere"], "/nowhere cannot be read"),
        (["--list", "/dev/null"], "there is no bad page to list"),
        (["--efivars", "/nowhere"], "holds no UEFI variables"),
        (["--esp", "/nowhere"], "there is no such folder"),
        (["--way", "systemd"], "has no \\EFI\\systemd"),
        (["--way", "refind"], "has no \\EFI\\refind"),
        (["--way", "grub"], "invalid choice"),
        (["--options", "patrol=241"], "up to 240"),
    ],
)
def test_bad_calls(box, arguments, why):
    before = box.state()
    ran = box.install(*arguments)
    assert ran.returncode == 2 and why in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr and box.state() == before


def test_an_order_that_is_full(box):
    box.set("DriverOrder", order(*range(1, 513)), guard.GLOBAL)
    assert box.install().returncode == 0
    assert len(box.get(guard.BACKUP)) < 4096
    box.run("remove", "--yes")
    box.set("DriverOrder", order(*range(513)), guard.GLOBAL)
    ran = box.install()
    assert ran.returncode == 2 and "DriverOrder is full: it has 513 entries" in ran.stderr


def test_all_driver_numbers_in_use(box, monkeypatch):
    names = [f"Driver{number:04x}" for number in range(1 << 16)]
    monkeypatch.setattr(efivars.Variables, "names", lambda *_: names)
    ran = box.install()
    assert ran.returncode == 2 and "all numbers of Driver#### are in use" in ran.stderr


def test_as_the_first_boot_entry(box):
    before = box.state()
    assert box.install("--way", "wrapper", "--options", "quiet=on").returncode == 0
    assert box.get("BootOrder", guard.GLOBAL) == order(1, 0)
    entry = bootentry.BootEntry(data=box.get("Boot0001", guard.GLOBAL))
    assert bytes(entry.optdata) == "quiet=on\0".encode("utf-16-le")
    assert "okram-guard-start.efi" in str(entry.devicepath)
    image = (box.esp / "EFI/okram/okram-guard-start.efi").read_bytes()
    pe = int.from_bytes(image[0x3C:0x40], "little")
    assert image[pe + 92 : pe + 94] == b"\x0a\0"  # subsystem: an application
    record = json.loads(box.get(guard.BACKUP))
    assert (record["way"], record["driver"], record["order"]) == ("wrapper", "Boot0001", "0000")
    assert box.get("DriverOrder", guard.GLOBAL) is None
    assert "there is nothing to do" in box.install().stdout
    assert box.run("remove", "--yes").returncode == 0
    assert box.state() == before


@pytest.mark.parametrize("secure", [b"\0", b"\1"])
def test_by_shim(box, secure):
    """Under Secure Boot okram's menu takes the list from the variable of the last run."""
    box.set("SecureBoot", secure, guard.GLOBAL, 6)
    found = box.list_of(BAD)
    box.set(guard.FOUND, found)
    before = box.state()
    ran = box.install("--way", "shim", "--options", "patrol=20 quiet=on")
    assert ran.returncode == 0 and "press: Enter; any key; then choose Enroll hash" in ran.stdout
    assert box.get("BootOrder", guard.GLOBAL) == order(1, 0)
    entry = bootentry.BootEntry(data=box.get("Boot0001", guard.GLOBAL))
    assert bytes(entry.optdata) == "okram-guardx64.efi patrol=20 quiet=on\0".encode("utf-16-le")
    assert "\\EFI\\okram\\shimx64.efi" in str(entry.devicepath)
    folder = box.esp / "EFI/okram"
    assert (folder / "okram-guardx64.efi").read_bytes() == box.driver.read_bytes()  # no copy
    assert (folder / "shimx64.efi").read_bytes() == samples.shim()
    assert (folder / "mmx64.efi").read_bytes() == samples.shim(b"")
    assert (box.get(guard.LIST) is None) == (secure == b"\1")
    again = box.install().stdout
    assert secure == b"\1" or "there is nothing to do" in again  # else the list has another date
    assert box.install("--options", "").returncode == 0
    entry = bootentry.BootEntry(data=box.get("Boot0001", guard.GLOBAL))
    assert bytes(entry.optdata) == "okram-guardx64.efi\0".encode("utf-16-le")
    assert box.run("remove", "--yes").returncode == 0
    box.set(guard.FOUND, found)  # which okram's menu may still need
    assert box.state() == before


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda s: (s / "shimx64.efi.signed").unlink(), "has no shim (shimx64.efi.signed, "),
        (lambda s: (s / "mmx64.efi.signed").unlink(), "has no MokManager (mmx64.efi.signed, "),
        (lambda s: (s / "mmx64.efi.signed").write_bytes(b"MZ"), "is not a UEFI program"),
        (lambda s: put_shim(s, samples.shim(certificate_bytes=0)), "is not a signed shim"),
        (lambda s: put_shim(s, samples.shim(b"okram,1\n")), "is not a signed shim"),
        (lambda s: put_shim(s, samples.driver(certificate_bytes=8)), "is not a signed shim"),
        (lambda s: put_shim(s, samples.shim(b"shim,3\n")), "machine accepts (shim): under Secure"),
        (lambda s: put_shim(s, samples.shim(b"shim,x\n")), "machine accepts (shim): under Secure"),
    ],
)
def test_no_shim_that_could_start(box, change, why):
    box.set("SbatLevelRT", b"sbat,1,2024010900\nshim,4\ngrub,3\n", guard.SHIM_VENDOR, 6)
    assert box.run("test", "--way", "shim", "--list", "-", input=BAD_LINE).returncode == 0
    change(box.shims)
    before = box.state()
    ran = box.install("--way", "shim")
    assert ran.returncode == 2 and why in ran.stderr
    assert box.state() == before


def put_shim(folder, data):
    (folder / "shimx64.efi.signed").write_bytes(data)


@pytest.mark.parametrize("data", [samples.shim()[:n] for n in range(0, len(samples.shim()), 7)])
def test_a_shim_that_is_cut(box, data):
    put_shim(box.shims, data)
    assert box.install("--way", "shim").returncode in (0, 2)


def test_a_stick_has_shim(box):
    (box.shims / "shimx64.efi.signed").rename(box.shims / "BOOTX64.EFI")
    (box.shims / "mmx64.efi.signed").rename(box.shims / "mmx64.efi")
    assert box.install("--way", "shim").returncode == 0


@pytest.mark.parametrize("way", ["wrapper", "shim"])
def test_no_boot_entry_to_go_on_to(box, way):
    (box.efivars / f"BootOrder-{guard.GLOBAL}").unlink()
    ran = box.install("--way", way)
    assert ran.returncode == 2 and "BootOrder is empty" in ran.stderr


def test_every_step_that_fails_is_undone(box, bad, monkeypatch):
    """Each write in turn: all is as it was."""
    box.set("DriverOrder", order(7), guard.GLOBAL)
    before = box.state()
    real = {esp.Esp: esp.Esp.write, efivars.Variables: efivars.Variables.write}
    left = 0

    def failing(owner):
        def write(self, *arguments):
            nonlocal left
            left -= 1
            if left < 0 and fails:
                fails.clear()
                raise OSError(errno.EACCES, "Permission denied")
            return real[owner](self, *arguments)

        return write

    for owner in real:
        monkeypatch.setattr(owner, "write", failing(owner))
    for n_good in range(5):
        left, fails = n_good, [True]
        ran = box.run("install", "--yes", *bad)
        assert ran.returncode == 2 and "Permission denied. " in ran.stderr
        assert ("all is as it was" if n_good else "Nothing is changed") in ran.stderr
        assert box.state() == before
    left, fails = 5, []
    assert (ran := box.run("install", "--yes", *bad)).returncode == 0
    assert box.state() != before


def cut_power(monkeypatch, n_good):
    """After so many changes of the disk or of variables none is made any more."""
    left = n_good

    def cut(real):
        def change(*arguments, **options):
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.EIO, "the power is off")
            return real(*arguments, **options)

        return change

    for owner, names in ((os, ("fsync", "replace", "write")), (Path, ("mkdir", "unlink", "rmdir"))):
        for name in names:
            monkeypatch.setattr(owner, name, cut(getattr(owner, name)))
    return lambda: left < 0


@pytest.mark.parametrize("way", ["driver", "systemd", "refind", "wrapper", "shim"])
def test_a_power_cut(box, bad, way, monkeypatch):
    """Whenever it comes, others' entries are as they were, and removal gives back all."""
    box.set("DriverOrder", order(7), guard.GLOBAL)
    for name in ("systemd", "refind"):
        (box.esp / "EFI" / name).mkdir()
    before = box.state()
    for n_good in range(100):
        with monkeypatch.context() as patched:
            is_cut = cut_power(patched, n_good)
            box.run("install", "--yes", "--way", way, "--file", *bad)
        for path in box.efivars.iterdir():  # a file without a variable is gone after a restart
            if not path.stat().st_size:
                path.unlink()
        assert box.get("DriverOrder", guard.GLOBAL)[-2:] == order(7)
        assert box.get("BootOrder", guard.GLOBAL)[-2:] == order(0)
        if box.get(guard.BACKUP):
            assert box.run("remove", "--yes").returncode == 0
        assert box.state() == before
        if not is_cut():
            break
    assert 5 < n_good < 99


def test_a_step_that_cannot_be_undone_is_named(box, bad, monkeypatch):
    real = efivars.Variables.write

    def write(self, name, *arguments):
        if name == "DriverOrder":
            raise OSError(errno.EACCES, "Permission denied")
        real(self, name, *arguments)

    def delete(self, name, vendor):
        if name == guard.LIST:
            raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(efivars.Variables, "write", write)
    monkeypatch.setattr(efivars.Variables, "delete", delete)
    assert (ran := box.run("install", "--yes", *bad)).returncode == 2
    assert "All else was undone, but not OkramGuard." in ran.stderr


def refuse_lists(monkeypatch, error=errno.ENOSPC, most=0):
    """As firmware does where the variable is too long for it."""
    real = efivars.Variables.write

    def write(self, name, vendor, attributes, data):
        if name == guard.LIST and len(data) > most:
            raise OSError(error, os.strerror(error))
        real(self, name, vendor, attributes, data)

    monkeypatch.setattr(efivars.Variables, "write", write)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EINVAL])
def test_a_list_too_long_for_a_variable_is_a_file(box, bad, monkeypatch, error):
    refuse_lists(monkeypatch, error)
    assert (ran := box.run("install", "--yes", *bad)).returncode == 0
    assert "OkramGuard: firmware refuses it" in ran.stdout
    assert box.get(guard.LIST) is None
    assert pages((box.esp / LIST_FILE).read_bytes()) == BAD
    assert json.loads(box.get(guard.BACKUP))["files"][1] == "\\EFI\\okram\\okram\\guard.list"
    assert (ran := box.run("install", "--yes", *bad)).returncode == 0
    assert "there is nothing to do" in ran.stdout


def test_a_list_that_grows_too_long_for_its_variable(box, bad, monkeypatch):
    """The variable would go first: it is deleted."""
    box.install("--list", "-", input="0x9000000\n")
    refuse_lists(monkeypatch, most=len(box.get(guard.LIST)))
    assert box.run("install", "--yes", *bad).returncode == 0
    assert box.get(guard.LIST) is None
    assert pages((box.esp / LIST_FILE).read_bytes()) == [*BAD, 0x9000000]


def test_a_file_is_asked_for(box):
    box.install()
    box.install("--file")
    assert box.get(guard.LIST) is None
    assert pages((box.esp / LIST_FILE).read_bytes()) == BAD


def test_a_variable_that_reads_back_differently(box, bad, monkeypatch):
    before, real = box.state(), efivars.Variables.write

    def write(self, name, vendor, attributes, data):
        damaged = data[:-1] + b"?" if name == guard.BACKUP else data
        real(self, name, vendor, attributes, damaged)

    monkeypatch.setattr(efivars.Variables, "write", write)
    assert (ran := box.run("install", "--yes", *bad)).returncode == 2
    assert "OkramGuardBackup (NV+BS+RT): it reads back differently" in ran.stderr
    assert box.state() == before


def test_full_and_read_only_partitions(box, bad, monkeypatch):
    before = box.state()
    monkeypatch.setattr(esp.Esp, "free_bytes", lambda self: 4096)
    assert (ran := box.run("install", "--yes", *bad)).returncode == 2
    assert "is full: 4 KiB are free" in ran.stderr
    monkeypatch.setattr(esp.Esp, "is_read_only", lambda self: True)
    assert (ran := box.run("install", "--yes", *bad)).returncode == 2
    assert "is mounted read-only" in ran.stderr
    assert box.state() == before


@pytest.mark.parametrize("free, code, said", [
    (100, 2, "room for only 100 bytes"),
    (1100, 0, "too few for the list"),
    (2000, 0, "enough for the list"),
])  # fmt: skip
def test_room_for_variables(box, bad, monkeypatch, free, code, said):
    monkeypatch.setattr(efivars.Variables, "free_bytes", lambda self: free)
    ran = box.run("install", *bad)
    assert ran.returncode == code and said in ran.stdout + ran.stderr


def test_secure_boot(box):
    """Linux can write no list that the guard takes: okram's menu does."""
    box.set("SecureBoot", b"\1", guard.GLOBAL, 6)
    box.driver.write_bytes(samples.driver(certificate_bytes=8))
    ran = box.install()
    assert ran.returncode == 0 and "start okram, and choose to add the bad pages" in ran.stdout
    box.install("--file")  # nor would it take a file
    assert box.get(guard.LIST) is None and not (box.esp / LIST_FILE).exists()
    assert pages(box.get(guard.FOUND)) == BAD
    assert box.get("DriverOrder", guard.GLOBAL) == order(0)


def test_a_list_that_the_menu_wrote(box):
    """It is for boot services only. The pages that it masks stay in the list."""
    box.install()
    (box.efivars / f"{guard.LIST}-{guard.VENDOR}").unlink()
    box.set(guard.MASKED, box.list_of(BAD), attributes=6)
    ran = box.install("--list", "-", input="0x9000000\n")
    assert ran.returncode == 0 and "choose to add the bad pages of the last run" in ran.stdout
    assert box.get(guard.LIST) is None
    assert pages(box.get(guard.FOUND)) == [*BAD, 0x9000000]


def test_a_list_that_nobody_knows_the_origin_of(box):
    """The guard has one in a variable that Linux does not see, and no backup is there."""
    box.set_status()
    assert box.install().returncode == 0
    assert box.get(guard.LIST) is None and pages(box.get(guard.FOUND)) == BAD


@pytest.mark.parametrize(
    "addresses, left",
    [
        (range(0x10000, 0xA0000, PAGE), "32 bad pages"),  # Linux starts in 32 of them
        (range(0x100000 + 33 * PAGE, 0x3F000000, 8 * MIB), "50 bad pages"),  # too many runs
        (BAD, None),
    ],
    ids=["low memory", "scattered", "harmless"],
)
def test_pages_that_will_stay_in_use(box, tmp_path, addresses, left):
    name = tmp_path / "guard.list"
    name.write_bytes(box.list_of(addresses))
    ran = box.run("test", "--list", name)
    sentence = f"the guard will leave {left} of it in use, so that a system can start"
    assert ran.returncode == 0 and (sentence in ran.stdout) == (left is not None)
    assert left or "will leave" not in ran.stdout


def test_more_than_half_of_ram(box):
    ran = box.install("--list", "-", input="0x1000000-0x30000000\n")
    assert ran.returncode == 2 and "more than half of 1" in ran.stderr


@pytest.mark.parametrize(
    "way, folder",
    [("systemd", "EFI/systemd/drivers"), ("refind", "EFI/refind/drivers_x64")],
)
def test_by_a_boot_manager(box, way, folder):
    (box.esp / folder).parent.mkdir()
    before = box.state()
    assert box.install("--way", way, "--options", "patrol=5").returncode == 0
    assert (box.esp / folder / "okram-guardx64.efi").exists()
    assert (box.esp / folder / "okram" / "guard.conf").read_text() == "patrol=5\n"
    assert box.get("DriverOrder", guard.GLOBAL) is None
    assert box.get("Driver0000", guard.GLOBAL) is None
    assert "by another way, " in box.install("--way", "driver").stderr
    assert "All of it is installed" in box.install("--options", "patrol=5").stdout
    assert box.run("remove", "--yes").returncode == 0
    assert box.state() == before


def test_test_says_ok(box, bad):
    before = box.state()
    ran = box.run("test", *bad)
    assert ran.returncode == 0 and ran.stderr == ""
    assert len(ran.stdout.splitlines()) == 7
    assert all(line.startswith("ok ") for line in ran.stdout.splitlines())
    assert box.state() == before
