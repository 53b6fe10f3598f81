# SPDX-License-Identifier: MIT
"""How okram takes over the machine: no other CPU runs firmware's code, and tables of firmware's in
memory that is free are read before anything is written there."""

import json
import re

import pytest

from okramlib.units import MIB
from system.efi_stick import efi_stick
from system.harness import attach, follow, from_image
from system.placement import symbols
from system.stopped import stopping

LOOP = {0, 6}  # of running_cpus.c
RESET = 0xFFF0  # where a CPU waits after an INIT


def where_cpus_are(stops):
    told = stops.monitor("info registers -a")
    return [int(ip, 16) for ip in re.findall(r"[ER]IP=([0-9a-f]+)", told)]


@pytest.mark.slow
def test_other_cpus_are_stopped(tmp_path):
    machine = from_image("uefi-stick-128M-4cpus")
    machine.image = efi_stick(tmp_path / "stick.img", "running_cpus")
    machine.cmdline = "tests=mats+ bandwidth=off"
    with stopping(machine) as stops:
        stops.run_until(symbols()["kernel_main"])
        others = where_cpus_are(stops)[1:]
        assert len(others) == 3 and set(others) <= LOOP
        stops.run_until(symbols()["machine_take_memory"])
        assert where_cpus_are(stops)[1:] == [RESET] * 3
        records = [json.loads(line) for line in stops.rest().splitlines() if line[0] == "{"]
    (told,) = [record for record in records if record["type"] == "machine"]
    assert told["cpus"] == 4 and records[-1]["status"] == "pass"


NAMES = attach("board-x1")


def test_tables_in_boot_services_memory(tmp_path):
    """All of ACPI and SMBIOS; their memory is tested as any other."""
    machine = from_image("uefi-stick-128M-2nodes", extra=NAMES)
    machine.image = efi_stick(tmp_path / "stick.img", "moved_tables")
    machine.cmdline = "tests=mats+ bandwidth=off support=on"
    outcome = follow(machine)
    told = outcome.last("machine")
    assert (told["cpus"], told["nodes"], told["warnings"]) == (2, 2, [])
    assert told["installed_bytes"] == 128 * MIB
    record = outcome.last("support")
    assert (record["board"]["maker"], record["board"]["product"]) == ("Boards", "X1")
    at = [int(table["addr"], 16) for table in record["tables"]]
    assert len(at) > 3
    usable = [r for r in record["map"] if r["kind"] == "usable" and r["type"] == 4]
    for address in at:
        assert any(int(r["base"], 16) <= address < int(r["base"], 16) + r["bytes"] for r in usable)
    result = outcome.last("result")
    assert result["status"] == "pass" and result["complete"]
    untested = [(int(u["base"], 16), int(u["end"], 16)) for u in result["untested"]]
    assert not any(base <= address < end for address in at for base, end in untested)
