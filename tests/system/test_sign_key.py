# SPDX-License-Identifier: MIT
"""The key that signs list and report: where it is in memory, and where it is not."""

import json
import time

import pytest

from okramlib.qemu import Qemu
from okramlib.units import MIB, PAGE
from system import uefi_vars
from system.harness import TIMEOUT_S, from_image

MEMORY = 128 * MIB
OPTIONS = "menu=0 bandwidth=off tests=mats+,march-c- support=on serial=jsonl exit=wait passes=0"
TESTS = 4  # have ended, and okram has moved after each
FIRMWARES_OWN = {0, 5, 6, 10}  # EFI memory types: reserved, runtime code and data, ACPI NVS
KEPT_AFTER_S = 3


def wait_for(qemu, *kinds):
    """The last record of these types, in order."""
    for kind in kinds:
        while f'"type":"{kind}"' not in (line := qemu.line(TIMEOUT_S)):
            pass
    return json.loads(line)


def places_of(key, qemu, path, firmwares):
    """Addresses of the key in RAM that is not firmware's own."""
    qemu.qmp.command("pmemsave", val=0, size=MEMORY, filename=str(path))
    memory, found, at = path.read_bytes(), [], -1
    while (at := memory.find(key, at + 1)) >= 0:
        if not any(begin <= at < end for begin, end in firmwares):
            found.append(at)
    return found


def is_kept(store):
    return uefi_vars.read_report(uefi_vars.after_power_cut(store))[0].phase == uefi_vars.DONE


@pytest.mark.parametrize("where", ["", pytest.param(" range=64M-80M", marks=pytest.mark.slow)])
def test_okram_leaves_no_key_in_memory(tmp_path, where):
    """One copy while it runs, however often okram has moved; none at the end."""
    store = tmp_path / "vars.fd"
    machine = from_image("uefi-128M", vars=store, cmdline=OPTIONS + where)
    with Qemu(machine) as qemu:
        memory_map = wait_for(qemu, "support")["map"]
        firmwares = [
            (int(r["base"], 16), int(r["base"], 16) + r["bytes"])
            for r in memory_map
            if r["type"] in FIRMWARES_OWN
        ]
        wait_for(qemu, *["test"] * TESTS)
        key = uefi_vars.key(uefi_vars.after_power_cut(store))
        (place,) = places_of(key, qemu, tmp_path / "memory", firmwares)
        assert place % PAGE <= PAGE - len(key)
        qemu.press_twice("q")
        assert wait_for(qemu, "result")["status"] == "pass"
        end = time.monotonic() + TIMEOUT_S
        while not is_kept(store) and time.monotonic() < end:
            time.sleep(1)
        time.sleep(KEPT_AFTER_S)
        assert places_of(key, qemu, tmp_path / "memory", firmwares) == []
    kept, jsonl = uefi_vars.read_report(store)
    assert kept.phase == uefi_vars.DONE
    assert key.hex() not in jsonl and repr(key) not in jsonl
