# SPDX-License-Identifier: MIT
"""`okram test`: the entry for one start, and what it is refused for; the result; after a crash."""

import json
import os
import struct
import uuid

import pytest

from okramlib import esp as own_esp
from okramlib.guard import GLOBAL
from okramlib.guard.partition import load_option, read, read_option
from okramlib.once import evidence, secure, start
from tools import guard_samples as samples
from tools import saved_samples

PROGRAM = samples.driver(subsystem=10, body=b"sbat,1,...\nokram,1,okram,okram,0.1.0,none\n")
DEFAULTS = "menu=0 exit=reboot after=next save=on watchdog=10m passes=1"
NEXT, ENTRY = "BootNext", "Boot0001"


@pytest.fixture
def box(tmp_path, monkeypatch):
    """A machine with 64-bit UEFI and okram on its EFI system partition."""
    (tmp_path / "okram.efi").write_bytes(PROGRAM)
    monkeypatch.setattr(own_esp, "BUILD", tmp_path)
    monkeypatch.setattr(evidence, "PSTORE", tmp_path / "systemd-pstore")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "calls").write_text("")
    program(tmp_path, "systemctl", f'echo "$@" >>{tmp_path}/calls')
    program(tmp_path, "journalctl", "exit 1")
    (tmp_path / "box").mkdir()
    made = samples.make(tmp_path / "box")
    (made.esp / "EFI" / "okram").mkdir()
    (made.esp / "EFI" / "okram" / "okramx64.efi").write_bytes(PROGRAM)
    (made.root / "run").mkdir()
    return made


def program(folder, name, text):
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def run(box, *arguments):
    where = [*box.options(is_install=False), "--run", box.root / "run", "--state", state(box)]
    return samples.in_process("test", *map(str, [*arguments, *where]))


def state(box):
    return box.root / "state"


def refused(box, why, *arguments):
    """Nothing is written, and why is said."""
    before = box.state()
    ran = run(box, "--next", "--yes", *arguments)
    assert ran.returncode == 2 and why in ran.stderr, ran
    assert box.state() == before and not state(box).exists()


def number_of_next(box):
    data = box.get(NEXT, GLOBAL)
    return data and f"Boot{int.from_bytes(data, 'little'):04X}"


def started(box):
    """Firmware has started the entry."""
    (box.efivars / f"{NEXT}-{GLOBAL}").unlink()


def with_report(box, status, bad_pages=0, left_out=(), part=None, **more):
    """`more` is of the state; left_out: types of records; part: more of the result."""
    path = "badram=0x5000000,0xffffffffff000"
    records = [
        {"t": 9, "type": "state", "started": "2026-11-28T01:02:03", "status": status}
        | {"test": "mats+", "tested_bytes": 1 << 20, "bad_pages": bad_pages}
        | more,
        {"t": 9, "type": "badram", "patterns": [["0x5000000", "0xffffffffff000"]], "line": path},
        {"t": 9, "type": "advice", "text": "Do \x1b[31mthis.", "case": "one-module"},
        {"t": 9, "type": "result", "status": status, "complete": True, "bad_pages": bad_pages}
        | (part or {}),
    ]
    records = [record for record in records if record["type"] not in left_out]
    jsonl = "".join(json.dumps(record) + "\n" for record in records)
    for variable in saved_samples.whole_report(jsonl):
        box.set(variable.name, variable.data)


# --- the next start ---


def test_without_yes_nothing_is_written(box):
    before = box.state()
    ran = run(box, "--next")
    assert ran.returncode == 0 and box.state() == before and not state(box).exists()
    assert f"write   {ENTRY} (NV+BS+RT): 'okram, once', HD(1,GPT," in ran.stdout
    assert f"/\\EFI\\okram\\okramx64.efi, {DEFAULTS}\n" in ran.stdout
    assert ran.stdout.endswith("Nothing is written: --yes does it.\n")


def test_there_and_back(box):
    before = box.state()
    ran = run(box, "--next", "--yes", "tests=quick", "time=8h")
    assert (ran.returncode, ran.stderr) == (0, "")
    option = read_option(box.get(ENTRY, GLOBAL))
    assert option.description == "okram, once" and option.file == "\\EFI\\okram\\okramx64.efi"
    assert option.options == DEFAULTS.replace("passes=1", "tests=quick time=8h")
    assert number_of_next(box) == ENTRY and box.get("BootOrder", GLOBAL) == b"\0\0"
    assert run(box, "--next", "--yes").returncode == 0  # with other options: the same entry
    assert read_option(box.get(ENTRY, GLOBAL)).options == DEFAULTS
    assert "has not run yet" in run(box, "--result").stdout
    ran = run(box, "--cancel")
    assert ran.returncode == 0 and box.state() == before and not list(state(box).iterdir())
    assert "nothing to do" in run(box, "--cancel").stdout


def test_options_are_those_of_the_kernel(box):
    refused(box, "option foo is unknown and ignored; valid options are tests march", "foo=1")
    refused(box, '"bar" is not a test or level', "tests=bar")
    refused(box, "expected key=value", "quick")
    refused(box, "printable ASCII", "march=\u00e4")
    refused(box, "longer than okram takes", "march=" + "x" * 2048)
    ran = run(box, "--next", "passes=0", "exit=wait", "save=off")
    assert ran.returncode == 0
    notes = [line for line in ran.stdout.splitlines() if line.startswith("Note: ")]
    assert len(notes) == 3 and "does not end by itself" in notes[0]


def test_what_is_missing_is_said(box, monkeypatch):
    written = box.esp / "EFI" / "okram" / "okramx64.efi"
    written.write_bytes(PROGRAM + b"older")
    refused(box, "is another okram than this command's")
    written.unlink()
    refused(box, f"okram is not on {box.esp}: `okram esp install --yes` puts it there")
    written.write_bytes(PROGRAM)
    box.set(NEXT, b"\7\0", GLOBAL)
    refused(box, "BootNext is set already, to an entry that is not there (Boot0007)")
    started(box)
    box.set("BootOrder", struct.pack(f"<{1 << 16}H", *range(1 << 16)), GLOBAL)
    refused(box, "all numbers of Boot#### are in use")
    monkeypatch.setattr(start.Variables, "free_bytes", lambda _: 1023)
    refused(box, "room for only 1023 bytes")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(box, "only root can write UEFI variables")
    for file in box.efivars.iterdir():
        file.unlink()
    box.efivars.rmdir()
    assert "this system was not started by UEFI" in run(box, "--next").stderr


def test_a_failure_is_undone(box, monkeypatch):
    """BootNext comes last."""
    before, write = box.state(), start.Variables.write

    def fails_at_boot_next(self, name, *rest):
        if name == NEXT:
            raise OSError(28, os.strerror(28))
        write(self, name, *rest)

    monkeypatch.setattr(start.Variables, "write", fails_at_boot_next)
    ran = run(box, "--next", "--yes")
    assert ran.returncode == 2 and "all is as it was" in ran.stderr and box.state() == before
    assert not list(state(box).iterdir())


def supply(box, name, **files):
    folder = box.root / "sys" / "class" / "power_supply" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(f"{text}\n")


def test_on_battery(box):
    supply(box, "mouse", type="Battery", scope="Device", status="Discharging")
    supply(box, "BAT0", type="Battery", status="Charging")
    assert "plug it in" not in run(box, "--next").stdout
    supply(box, "BAT0", status="Discharging")
    ran = run(box, "--next")
    assert ran.returncode == 0 and "runs on its battery: plug it in" in ran.stdout


def test_32_bit_firmware(box, tmp_path):
    (box.root / "sys" / "firmware" / "efi" / "fw_platform_size").write_text("32\n")
    (tmp_path / "okram-ia32.efi").write_bytes(PROGRAM)
    (box.esp / "EFI" / "okram" / "okramia32.efi").write_bytes(PROGRAM)
    ran = run(box, "--next")
    assert "by 32-bit UEFI okram keeps none" in ran.stdout and "\\okramia32.efi, " in ran.stdout


# --- Secure Boot ---


def signatures(kind, *data):
    each = 16 + len(data[0])
    head = struct.pack("<16sIII", kind.bytes_le, 28 + len(data) * each, 0, each)
    return head + b"".join(bytes(16) + found for found in data)


SHA256 = uuid.UUID("c1c41626-504c-4092-aca9-41f936934328")
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
DB = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")


def by_shim(box):
    """This system was started by shim, from the same partition."""
    box.set("SecureBoot", b"\1", GLOBAL, 6)
    option = load_option("Linux", read(box.root / "disk", 1).partition, "\\EFI\\x\\shimx64.efi", "")
    box.set("Boot0000", option, GLOBAL)
    box.set("BootCurrent", b"\0\0", GLOBAL, 6)


def test_secure_boot_without_shim(box):
    box.set("SecureBoot", b"\1", GLOBAL, 6)
    refused(box, "has not started this system from")
    box.set("db", signatures(SHA256, bytes.fromhex(secure.authenticode(PROGRAM))), DB)
    ran = run(box, "--next")
    assert ran.returncode == 0 and f"/\\EFI\\okram\\okramx64.efi, {DEFAULTS}\n" in ran.stdout


def test_secure_boot_by_shim(box):
    by_shim(box)
    digest = secure.authenticode(PROGRAM)
    box.set("MokListRT", signatures(SHA256, bytes(32)), secure.SHIM, 6)
    refused(box, f"shim would not start okram: enroll it by `mokutil --import-hash {digest}`")
    both = signatures(X509, b"a key") + signatures(SHA256, bytes(32), bytes.fromhex(digest))
    box.set("MokListRT", both, secure.SHIM, 6)
    assert run(box, "--next", "--yes").returncode == 0
    option = read_option(box.get(ENTRY, GLOBAL))
    assert option.file == "\\EFI\\x\\shimx64.efi"
    assert option.options == f"\\EFI\\okram\\okramx64.efi {DEFAULTS}"
    run(box, "--cancel")
    for end in range(len(both)):  # lists that are cut off
        box.set("MokListRT", both[:end], secure.SHIM, 6)
        ran = run(box, "--next")
        assert (ran.returncode == 0) == (end == len(both)), end


def test_esp_install_says_what_secure_boot_needs(box, monkeypatch):
    """The file is written all the same: it can be enrolled then."""
    by_shim(box)
    (box.root / "sys" / "firmware" / "efi" / "efivars").symlink_to(box.efivars)
    written = box.esp / "EFI" / "okram" / "okramx64.efi"
    written.unlink()
    box.mount_esp("vfat")
    partition = read(box.root / "disk", 1).partition
    monkeypatch.setattr(own_esp.esps, "_partition_of", lambda *_: partition)
    where = ["--esp", box.esp, "--sys", box.root / "sys", "--proc", box.root / "proc"]
    ran = samples.in_process("esp", "install", "--yes", *map(str, where))
    assert ran.returncode == 0 and "`mokutil --import-hash " in ran.stderr and written.exists()


def test_another_partitions_shim(box):
    by_shim(box)
    (box.root / "disk").write_bytes(samples.mbr_disk())
    refused(box, "has not started this system from")


# --- the result ---


@pytest.mark.parametrize(
    "status, bad, code, words",
    [
        ("pass", 0, 0, "PASS: no bad page found"),
        ("fail", 3, 1, "FAIL: 3 bad pages"),
        ("fail", 0, 1, "FAIL: uncorrected errors of memory"),
        ("stopped", 0, 3, "stopped before a whole pass"),
        ("corrected", 0, 4, "ECC corrected errors"),
        ("error", 0, 2, "ended with an error"),
    ],
)
def test_result(box, status, bad, code, words):
    before = box.get("BootOrder", GLOBAL), box.get("Boot0000", GLOBAL)
    run(box, "--next", "--yes")
    started(box)
    with_report(box, status, bad)
    ran = run(box, "--result", "--tell")
    assert ran.returncode == code and words in ran.stdout
    assert "of 2026-11-28 01:02:03" in ran.stdout and "\x1b" not in ran.stdout
    assert ran.stdout.endswith("\nbadram=0x5000000,0xffffffffff000\n")
    shown = ran.stdout.partition(f"{ENTRY}\n")[2]  # that it is deleted
    assert (box.root / "run" / "motd.d" / "okram").read_text().startswith(shown)
    assert box.get(ENTRY, GLOBAL) is None and not list(state(box).iterdir())
    assert (box.get("BootOrder", GLOBAL), box.get("Boot0000", GLOBAL)) == before


@pytest.mark.parametrize(
    "complete, code, words",
    [(True, 0, "PASS"), (False, 3, "not all memory was tested"), (None, 3, "not all memory")],
)
def test_the_verdict_alone(box, complete, code, words):
    """A power cut came before the rest of the report: the state says it."""
    run(box, "--next", "--yes")
    started(box)
    more = {} if complete is None else {"complete": complete}
    with_report(box, "pass", left_out=["result"], **more)
    ran = run(box, "--result")
    assert ran.returncode == code and words in ran.stdout


def test_a_pass_of_a_part(box):
    """By range=, nodes= or lowmem=."""
    run(box, "--next", "--yes")
    started(box)
    with_report(box, "pass", part={"part_of_bytes": 255 << 20})
    ran = run(box, "--result")
    assert ran.returncode == 3 and "not all memory was tested" in ran.stdout


def test_okram_did_not_start(box):
    """The report is that of an earlier run."""
    with_report(box, "pass")
    run(box, "--next", "--yes")
    started(box)
    ran = run(box, "--result")
    assert ran.returncode == 2 and "okram did not start" in ran.stdout
    assert box.get(ENTRY, GLOBAL) is None
    assert "PASS" in run(box, "--result").stdout  # of that run


def test_no_report(box):
    ran = run(box, "--result")
    assert ran.returncode == 2 and ran.stdout == "There is no report of okram.\n"


@pytest.mark.parametrize("value", [None, 7, [], {}, "\x1b[2J", True, -1])
def test_records_of_any_form(box, value):
    """It is shown as unknown, or not at all."""
    names = ("status", "bad_pages", "text", "line", "patterns", "started", "complete", "test")
    kinds = ("state", "result", "badram", "advice")
    records = [{"t": 1, "type": kind} | dict.fromkeys(names, value) for kind in kinds]
    jsonl = "".join(json.dumps(record) + "\n" for record in [*records, 7, "x", None, []])
    for variable in saved_samples.whole_report(jsonl):
        box.set(variable.name, variable.data)
    ran = run(box, "--result")
    assert "okram's memory test" in ran.stdout and "\x1b" not in ran.stdout and not ran.stderr


# --- after a crash ---

CHECK = "mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 8: be00000000800400"
CORRECTED = "mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 8: 9c00000000800400"
EDAC = "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0"


def panic(box, name="dmesg-efi-170000000001001", begin="Panic#1 Part1\n"):
    folder = box.root / "sys" / "fs" / "pstore"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"{begin}<0>[    1.0] Kernel panic\n")


def log(tmp_path, *messages):
    lines = "".join(
        json.dumps({"_BOOT_ID": "a", "MESSAGE": text}) + "\n" for text in [*messages, [1, 2]]
    )
    (tmp_path / "log").write_text(f"{lines}no JSON\n")
    program(tmp_path, "journalctl", f'case "$*" in *--boot=-1*) cat {tmp_path}/log;; esac')


def errors_of_edac(box, tmp_path):
    folder = box.root / "sys" / "devices" / "system" / "edac" / "mc" / "mc0"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ue_count").write_text("2\n")


SIGNS = {
    "panic": lambda box, tmp_path: panic(box),
    "mce": lambda box, tmp_path: panic(box, "mce-erst-1", ""),
    "edac": errors_of_edac,
    "machine check": lambda box, tmp_path: log(tmp_path, CHECK),
    "edac in the log": lambda box, tmp_path: log(tmp_path, EDAC),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_a_new_sign_is_acted_on_once(box, sign, tmp_path):
    panic(box, "dmesg-efi-1")  # older than the wish
    assert run(box, "--after-crash", "enable", "tests=quick").returncode == 0
    assert run(box, "--after-crash", "check").returncode == 0 and number_of_next(box) is None
    SIGNS[sign](box, tmp_path)
    assert "Not yet tested after" in run(box, "--after-crash", "status").stdout
    ran = run(box, "--after-crash", "check")
    assert (ran.returncode, ran.stderr) == (0, "") and number_of_next(box) == ENTRY
    assert read_option(box.get(ENTRY, GLOBAL)).options.endswith("passes=1 tests=quick")
    assert "next start tests memory" in (box.root / "run" / "motd.d" / "okram").read_text()
    run(box, "--after-crash", "check")  # at the end of the system
    started(box)
    with_report(box, "pass")
    for _ in range(2):
        assert run(box, "--after-crash", "check").returncode == 0 and number_of_next(box) is None
    assert (tmp_path / "calls").read_text() == "enable --now okram-after-crash.service\n"


def test_what_is_no_sign(box, tmp_path):
    run(box, "--after-crash", "enable")
    panic(box, "dmesg-efi-1", "okram#1 Part1\n")
    panic(box, "dmesg-efi-2", "Oops#1 Part1\n")
    panic(box, "console-ramoops-0")
    log(tmp_path, CORRECTED, "mce: CPU0: Thermal monitoring enabled (TM1)", "EDAC MC0: Giving out")
    ran = run(box, "--after-crash", "check")
    assert (ran.returncode, ran.stdout) == (0, "") and number_of_next(box) is None


def age(box, **changes):
    path = state(box) / "after-crash.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_nothing_loops(box):
    run(box, "--after-crash", "enable")
    for n in range(4):  # panics at each start, and a test that finds nothing
        panic(box, f"dmesg-efi-{n}")
        ran = run(box, "--after-crash", "check")
        assert (number_of_next(box) == ENTRY) == (n == 0)
        if n == 0:
            started(box)
            with_report(box, "pass")
            run(box, "--result")
        elif n > 1:
            assert "the last test was less than a day ago" in ran.stdout
    age(box, last=0)
    panic(box, "dmesg-efi-9")
    run(box, "--after-crash", "check")
    assert number_of_next(box) == ENTRY
    started(box)
    with_report(box, "fail", 1)
    run(box, "--result")
    age(box, last=0)
    panic(box, "dmesg-efi-10")
    ran = run(box, "--after-crash", "check")
    assert "the last test has found faults" in ran.stdout and number_of_next(box) is None
    assert "Paused" in run(box, "--after-crash", "status").stdout
    run(box, "--after-crash", "enable")
    panic(box, "dmesg-efi-11")
    run(box, "--after-crash", "check")
    assert number_of_next(box) == ENTRY


def test_what_cannot_be_done_is_tried_again(box):
    run(box, "--after-crash", "enable")
    panic(box)
    box.set(NEXT, b"\7\0", GLOBAL)
    ran = run(box, "--after-crash", "check")
    assert ran.returncode == 2 and "BootNext is set already" in ran.stderr
    started(box)
    run(box, "--after-crash", "check")
    assert number_of_next(box) == ENTRY


@pytest.mark.parametrize("running, asked", [("running", True), ("stopping", False)])
def test_it_restarts_where_that_was_asked_for(box, running, asked, tmp_path):
    run(box, "--after-crash", "enable", "--restart")
    panic(box)
    program(tmp_path, "systemctl", f'echo "$@" >>{tmp_path}/calls; echo {running}')
    assert run(box, "--after-crash", "check").returncode == 0
    assert ("\nreboot\n" in (tmp_path / "calls").read_text()) == asked


def test_off(box, tmp_path):
    """By default, and after it was taken back."""
    panic(box)
    assert "were not enabled" in run(box, "--after-crash", "check").stdout
    run(box, "--after-crash", "enable")
    assert run(box, "--after-crash", "disable").returncode == 0
    panic(box, "dmesg-efi-2")
    run(box, "--after-crash", "check")
    assert number_of_next(box) is None
    assert (tmp_path / "calls").read_text().endswith("disable --now okram-after-crash.service\n")


def test_what_could_not_test_is_not_enabled(box):
    (box.esp / "EFI" / "okram" / "okramx64.efi").unlink()
    ran = run(box, "--after-crash", "enable")
    assert ran.returncode == 2 and "okram is not on" in ran.stderr and not state(box).exists()


def test_without_systemd_it_is_not_enabled(box, tmp_path):
    program(tmp_path, "systemctl", "echo Nobody is here. >&2; exit 1")
    ran = run(box, "--after-crash", "enable")
    assert ran.returncode == 2 and "failed: Nobody is here." in ran.stderr
    assert not list(state(box).iterdir())


@pytest.mark.parametrize("text", ["", "[]", "{", '{"keys":7,"options":[3],"where":[],"last":"x"}'])
def test_a_damaged_state(box, text):
    run(box, "--after-crash", "enable")
    (state(box) / "after-crash.json").write_text(text)
    ran = run(box, "--after-crash", "check")
    assert ran.returncode == 0 and not ran.stderr
