# SPDX-License-Identifier: MIT
"""CPUs with APIC IDs beyond 254, which x2APIC alone reaches."""

import pytest

from okramlib import BUILD, Trouble
from okramlib.machine import QEMU
from okramlib.qemu import qemu_version
from system.cpu_code import MSR_APIC_BASE, read_msr, write_msr
from system.harness import attach, follow, from_image
from system.placement import symbols
from system.stopped import stopping

KNOWS_X2APIC = (9, 0)  # without KVM
FETCHED = BUILD / "qemu" / "qemu-system-x86_64"
CPUS = 288
MANY_TIMEOUT_S = 3600

# Sockets of 256 IDs: the CPUs here have 0, 1, 256 and 513.
SPARSE = attach("sparse-sockets")

by_firmware = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


@pytest.fixture(scope="module")
def qemu():
    for path in (QEMU, FETCHED):
        try:
            if qemu_version(path) >= KNOWS_X2APIC:
                return path
        except Trouble:
            continue
    pytest.skip("x2APIC without KVM needs QEMU 9 or later: run `tools/setup qemu`")


def check_all_take_part(outcome, cpus):
    told = outcome.last("machine")
    assert told["cpus"] == cpus
    (node,) = outcome.of_type("node")
    assert node["cpus"] == list(range(cpus))
    assert not [text for text in told["warnings"] if "start" in text or "MADT" in text]
    assert outcome.last("result")["tested_bytes"] == told["testable_bytes"]
    assert outcome.last("result").get("warnings", []) == []
    assert outcome.exit_code == 0


@pytest.mark.slow
@by_firmware
def test_sparse_apic_ids(qemu, uefi):
    """Few CPUs, but okram has to turn x2APIC on, or firmware has."""
    machine = from_image("256M-x2apic", uefi=uefi, qemu=qemu, extra=SPARSE)
    machine.cmdline = "tests=quick bandwidth=off"
    check_all_take_part(follow(machine), 4)


OFF, XAPIC, X2APIC = 0xFEE00000, 0xFEE00800, 0xFEE00C00  # of IA32_APIC_BASE, and:
BOOT_CPU = 0x100


@pytest.mark.slow
@pytest.mark.parametrize(
    "left, extra, cpus",
    [((OFF, XAPIC), SPARSE, 4), ((XAPIC, X2APIC), [], 2)],
    ids=["okram turns it on", "firmware left it on"],
)
def test_all_cpus_are_in_x2apic_mode(qemu, left, extra, cpus):
    """left: what is written to the boot CPU's IA32_APIC_BASE before okram's first instruction."""
    where = symbols()
    machine = from_image("small-x2apic", qemu=qemu, extra=extra)
    machine.cmdline = "tests=mats+ bandwidth=off"
    with stopping(machine) as stops:
        gdb, entry = stops.gdb, where["boot_entry"]
        stops.run_until(entry)
        for value in left:
            write_msr(gdb, gdb.threads()[0], MSR_APIC_BASE, value | BOOT_CPU, entry)
        for number, thread in enumerate(gdb.each_at(where["cpu_pool_serve"], cpus - 1)):
            base = read_msr(gdb, thread, MSR_APIC_BASE, where["kernel_main"])
            assert (number, base) == (number, X2APIC)
        said = stops.rest()
    assert '"status":"pass"' in said and f'"cpus":{cpus},' in said


@pytest.mark.slow
@by_firmware
def test_288_cpus(qemu, uefi):
    machine = from_image("1G-288cpus-x2apic", uefi=uefi, qemu=qemu)
    machine.cmdline = "tests=mats+ bandwidth=off"
    check_all_take_part(follow(machine, timeout=MANY_TIMEOUT_S), CPUS)
