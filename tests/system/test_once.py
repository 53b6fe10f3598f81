# SPDX-License-Identifier: MIT
"""`okram test` in a running Linux: the next start is okram's, the one after is Linux' again, which
then has the result."""

import json
import shutil
import time
from pathlib import Path

import pytest
from virt.firmware.efi import efivar, guids, ucs16
from virt.firmware.varstore import edk2

from okramlib import BUILD, spec
from okramlib.guard import GLOBAL
from okramlib.machine import OVMF_VARS
from okramlib.once import secure
from okramlib.units import MIB
from system import gpt, uefi_vars
from system.harness import TIMEOUT_S, attach, follow, from_image
from system.linux import guard_guest, guest
from system.placement import symbols
from system.secure_boot import microsoft
from system.sticks import on
from system.stopped import stopping
from tools import guard_samples
from tools.command import okram
from tools.test_once import SHA256, by_shim, run, signatures

BOOT_ORDER, BOOT_NEXT = ((uefi_vars.GLOBAL, f"Boot{name}") for name in ("Order", "Next"))
MEMORY = 512 * MIB
SHORT = "tests=mats+ bandwidth=off serial=jsonl"
FAULT = "stuck1@0x6000040.4"
LINE = "badram=0x6000000,0xffffffffff000"
JUMPS_TO_ITSELF = b"\xeb\xfe"
WATCHDOG_S = 60
SHIM = Path("/usr/lib/shim")


class Host:
    """A machine with Linux on a CD, and a disk with an EFI system partition."""

    def __init__(self, folder):
        self._folder = folder
        self._disk = guard_guest.make_disk(folder / "disk")
        self.store = folder / "vars.fd"
        shutil.copyfile(OVMF_VARS, self.store)

    def linux(self, *commands):
        where = (self._disk, self.store, self._folder)
        return guard_guest.run(commands, *where, memory=MEMORY, of="")

    def machine(self, **settings):
        """No word from outside is given to what it starts."""
        where = (self._disk, self.store, self._folder)
        return guard_guest.machine(*where, memory=MEMORY, menu=True, **settings)

    def okram(self, **settings):
        """Its records, until the machine restarts."""
        said = guest.follow_to_end(self.machine(**settings))
        return [json.loads(line) for line in said if line.startswith('{"t":')]

    def variables(self):
        return uefi_vars.variables(self.store)


@pytest.mark.slow
def test_there_and_back(tmp_path):
    host = Host(tmp_path)
    (none, installed, waits) = host.linux(
        "test --next --yes", "esp install --yes", f"test --next --yes {SHORT}"
    )
    assert none.code == 2 and "`okram esp install --yes` puts it there" in none.lines[-1]
    assert installed.code == 0 and waits.code == 0, waits.lines
    before = host.variables()
    assert BOOT_NEXT in before
    assert "The next start tests memory." in waits.lines[-1]

    records = host.okram(faults=spec.parse(FAULT))
    by_type = {record["type"]: record for record in records}
    assert by_type["result"]["status"] == "fail" and by_type["start"]["boot"] == "uefi"
    after = host.variables()
    assert BOOT_NEXT not in after and after[BOOT_ORDER].data == before[BOOT_ORDER].data

    (result, again) = host.linux("test --result", "test --result")
    assert result.code == again.code == 1, result.lines
    assert result.lines[0].startswith("  delete  Boot")
    assert "FAIL: 1 bad page." in again.lines[0] and again.lines[-1] == LINE
    whole = okram("report", "--efivars", host.store)
    assert whole.returncode == 0 and whole.stdout.endswith(f"{LINE}\n")


@pytest.mark.slow
def test_back_after_a_hang(tmp_path):
    """The chipset's watchdog restarts the machine, and firmware's own order decides again."""
    host = Host(tmp_path)
    *_, asked = host.linux(
        "esp install --yes", f"test --next --yes {SHORT} watchdog={WATCHDOG_S} passes=0"
    )
    assert asked.code == 0, asked.lines
    machine = host.machine()
    machine.extra += attach("tco-resets")
    with stopping(machine) as stops:
        stops.run_until(symbols()["passes_run"])  # that a run has begun is saved by now
        stops.run_until(hangs_at := symbols()["self_check_poll"])
        stops.write(hangs_at, JUMPS_TO_ITSELF)
        begin = time.monotonic()
        said = stops.rest()
    assert WATCHDOG_S * 0.8 < time.monotonic() - begin < WATCHDOG_S * 1.5
    assert '"type":"start"' in said and '"type":"result"' not in said
    (result,) = host.linux("test --result")
    assert result.code == 3 and "it did not come to its end" in result.lines[-1], result.lines


@pytest.mark.slow
@pytest.mark.skipif(not (SHIM / "shimx64.efi.signed").exists(), reason="shim is not installed")
def test_by_shim(tmp_path, monkeypatch):
    """The entry that is made under Secure Boot: shim starts okram, with its options."""
    program = (BUILD / "okram.efi").read_bytes()
    files = [
        (BUILD / "okram.efi", "::/EFI/okram/okramx64.efi"),
        (SHIM / "shimx64.efi.signed", "::/EFI/x/shimx64.efi"),
        (SHIM / "mmx64.efi.signed", "::/EFI/x/mmx64.efi"),
    ]
    disk = tmp_path / "disk.img"
    gpt.make(disk, files, ["::/EFI", "::/EFI/okram", "::/EFI/x"])
    (tmp_path / "box").mkdir()
    box = guard_samples.make(tmp_path / "box")
    shutil.copyfile(disk, box.root / "disk")
    (box.esp / "EFI" / "okram").mkdir()
    (box.esp / "EFI" / "okram" / "okramx64.efi").write_bytes(program)
    by_shim(box)
    enrolled = signatures(SHA256, bytes.fromhex(secure.authenticode(program)))
    box.set("MokListRT", enrolled, secure.SHIM, 6)
    ran = run(box, "--next", "--yes", "tests=address", "range=1M-8M", "bandwidth=off")
    assert (ran.returncode, ran.stderr) == (0, "")

    store = microsoft(tmp_path / "vars.fd", variables=[("MokList", 3, enrolled)])
    listed = edk2.Edk2VarStore(str(store))
    variables = listed.get_varlist()
    for name in ("Boot0001", "BootNext"):
        variables[name] = efivar.EfiVar(
            ucs16.from_string(name),
            guids.parse_str(str(GLOBAL)),
            attr=7,
            data=box.get(name, GLOBAL),
        )
    listed.write_varstore(str(store), variables)
    machine = from_image("uefi-smm-128M-1cpu", vars=store, **on(disk))
    outcome = follow(machine, timeout=8 * TIMEOUT_S)
    start = outcome.last("start")
    assert (
        start["loader"] == "okram.efi" and "watchdog=10m passes=1 tests=address" in start["cmdline"]
    )
    assert outcome.last("result")["status"] == "pass"
