# SPDX-License-Identifier: MIT
"""CPUs that are not alike: of different speed, with other instructions, with other MTRRs."""

import json
import re
import struct
from collections import Counter

import pytest

from okramlib import spec
from okramlib.units import MIB
from system.efi_stick import efi_stick
from system.gdb import Gdb
from system.harness import attach, follow, named
from system.placement import symbols
from system.stopped import stopping
from system.test_waiting import give_options

SHORT = "tests=mats+ bandwidth=off"
FAULTY_CELLS = [16 * MIB + i * MIB // 4 + 0x230 for i in range(32)]


@pytest.mark.parametrize(
    "cpus, slow",
    [
        (2, 1),
        pytest.param(2, 0, marks=pytest.mark.slow),
        pytest.param(4, 2, marks=pytest.mark.slow),
    ],
)
def test_slow_cpu_has_the_smaller_share(cpus, slow):
    """Faults all over memory: each is found, and most not by the slow CPU, whatever the others
    take over of its share."""
    machine = named("32M", cpus=cpus, cmdline=f"{SHORT} range=16M-24M")
    machine.extra = attach("slow-cpu", cpu=slow, ns=1000)
    machine.faults = spec.parse(f"holes@{FAULTY_CELLS[0]:#x}+256K*{len(FAULTY_CELLS)}.3")
    outcome = follow(machine)
    assert {int(fault["addr"], 16) for fault in outcome.of_type("fault")} == set(FAULTY_CELLS)
    assert outcome.last("result")["tested_bytes"] == outcome.last("machine")["testable_bytes"]
    speeds = outcome.last("node")["speed_percent"]
    assert speeds[slow] <= 60 and max(speeds) == 100
    found_by = Counter(cpu for _, cpu in {(f["addr"], f["cpu"]) for f in outcome.of_type("fault")})
    fast = [found_by[cpu] for cpu in range(cpus) if cpu != slow]
    assert found_by[slow] < min(fast)


AVX2, CLFLUSHOPT = 1 << 8, 1 << 16  # bytes 1 and 2 of struct line_features


@pytest.mark.parametrize(
    "others_lack, isa, used",
    [(AVX2, "avx2", False), pytest.param(CLFLUSHOPT, "avx2", True, marks=pytest.mark.slow)],
)
def test_instructions_are_what_all_cpus_have(others_lack, isa, used):
    """What the second CPU has is changed when it is compared with the first one's."""
    machine = named("small", cmdline=f"{SHORT} isa={isa}")
    compared = symbols()["line_features_both"]
    with stopping(machine) as stops:
        stops.run_until(compared)
        stops.run_until(compared)
        stops.add_to(Gdb.RSI, -others_lack)
        said = stops.rest(until='"type":"machine"')
    assert ("isa=avx2: not all CPUs have such instructions" in said) == (not used)


LAST_BASE, LAST_MASK, FIXED_64K, DEF_TYPE = 0x20E, 0x20F, 0x250, 0x2FF
PHYSICAL = (1 << 40) - 1
UNCACHEABLE = [(LAST_BASE, 32 * MIB), (LAST_MASK, PHYSICAL - 16 * MIB + 1 | 0x800)]
LOW = [(FIXED_64K, 0x0606060600060606)]
DEFAULT = [(DEF_TYPE, 0xC00)]
PART = "0x2000000-0x2ffffff"


def mtrr_warnings(tmp_path, msrs, all_cpus, cpus=2):
    image = tmp_path / "stick.img"
    (tmp_path / "msrs").write_bytes(
        struct.pack("<Q", all_cpus) + b"".join(struct.pack("<QQ", *msr) for msr in msrs)
    )
    efi_stick(image, "forged_mtrrs", {"msrs": tmp_path / "msrs"})
    machine = named("uefi-stick-128M", cpus=cpus, image=image, cmdline=f"{SHORT} range=16M-64M")
    outcome = follow(machine)
    assert outcome.exit_code == 0
    return [text for text in outcome.last("machine")["warnings"] if text.startswith("MTRRs")]


def test_mtrrs_that_other_cpus_lack():
    """QEMU's INIT turns them off, which no CPU does; without a hypervisor that is a finding."""
    with stopping(named("small-no-hypervisor")) as stops:
        give_options(stops, f"{SHORT} range=16M-24M serial=jsonl exit=qemu")
        lines = stops.rest().splitlines()
    (found,) = [json.loads(line) for line in lines if '"type":"machine"' in line]
    (unequal,) = [text for text in found["warnings"] if text.startswith("MTRRs")]
    assert re.match(
        r"MTRRs: 6[\d.]+ MiB of RAM has different types for 1 CPU than for the boot CPU: "
        r"0x0-0x[0-9a-f]+ is uncacheable for cpu 1 \(swept at \d+ MB/s\), write-back for cpu 0 "
        r"\(\d+ MB/s\); ",
        unequal,
    )


@pytest.mark.slow
def test_mtrrs_of_all_cpus(tmp_path):
    (own,) = mtrr_warnings(tmp_path, UNCACHEABLE, all_cpus=True)
    assert re.match(
        rf"MTRRs: 16 MiB of RAM is not write-back, {PART} is uncacheable: swept at \d+ MB/s, "
        r"other RAM at \d+ MB/s; ",
        own,
    )


@pytest.mark.slow
def test_fixed_mtrrs(tmp_path):
    (own,) = mtrr_warnings(tmp_path, LOW, all_cpus=True)
    assert "64 KiB of RAM is not write-back, 0x30000-0x3ffff is uncacheable; " in own


@pytest.mark.slow
def test_default_type(tmp_path):
    """Nothing is write-back but what fixed MTRRs make so: there is no other RAM to compare with."""
    (own,) = mtrr_warnings(tmp_path, DEFAULT, all_cpus=True)
    assert re.match(
        r"MTRRs: 1[12]\d MiB of RAM is not write-back, 0x100000-0x[0-9a-f]+ is uncacheable; ", own
    )
