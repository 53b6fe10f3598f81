# SPDX-License-Identifier: MIT
"""What firmware leaves in the registers of CPUs is not what okram runs with: all have the same."""

from data import tables as t
from system import own_tables
from system.cpu_code import (
    MSR_APIC_BASE,
    MSR_PAT,
    read_msr,
    read_xcr0,
    write_memory,
    write_msr,
    write_xcr0,
)
from system.harness import named
from system.placement import symbols
from system.stopped import stopping

CPUS = 3
CMDLINE = "tests=mats+ bandwidth=off"
RUN_TIME = {
    "cr0": 0x80010033,  # PG, WP, NE, ET, MP, PE
    "cr4": 0x40620,  # OSXSAVE, OSXMMEXCPT, OSFXSR, PAE
    "efer": 0xD00,  # NXE, LMA, LME
    "fctrl": 0x37F,
    "mxcsr": 0x1F80,
    "pat": 0x0007040100070406,
    "xcr0": 7,
    "apic base": 0xFEE00800,
}

APIC_ID = 0xFFFF8000FEE00020  # in the direct map


def leave_odd_state(gdb, scratch):
    """As firmware might: exceptions of the FPU are on, it traps, PAT and XCR0 are its own."""
    for thread in gdb.threads():
        gdb.put(thread, "fctrl", 0x340)
        gdb.put(thread, "mxcsr", 0x8000)  # unmasked: an inexact result raises #XM
    boot_cpu = gdb.threads()[0]
    gdb.put(boot_cpu, "cr4", gdb.get(boot_cpu, "cr4") | 0x40186)  # OSXSAVE, PCE, PGE, TSD, PVI
    gdb.put(boot_cpu, "efer", gdb.get(boot_cpu, "efer") | 1)  # SCE
    write_msr(gdb, boot_cpu, MSR_PAT, 0x0606060606060606, scratch)
    write_xcr0(gdb, boot_cpu, 3, scratch)
    gdb.put(boot_cpu, "cr0", gdb.get(boot_cpu, "cr0") & ~0x20 | 0x40008)  # AM, TS, not NE


def state_of(gdb, thread, scratch):
    state = {name: gdb.get(thread, name) for name in ("cr0", "cr4", "efer", "fctrl", "mxcsr")}
    state["pat"] = read_msr(gdb, thread, MSR_PAT, scratch)
    state["xcr0"] = read_xcr0(gdb, thread, scratch)
    state["apic base"] = read_msr(gdb, thread, MSR_APIC_BASE, scratch)
    state["apic base"] &= ~0x100  # the boot CPU's flag
    return state


def test_state_of_all_cpus_is_equal_whatever_firmware_left():
    where = symbols()
    machine = named("small-3cpus", cmdline=CMDLINE)
    with stopping(machine) as stops:
        stops.run_until(where["boot_entry"])
        leave_odd_state(stops.gdb, where["boot_entry"])
        states = {}
        for thread in stops.gdb.each_at(where["mca_enable"], CPUS):
            states[thread] = state_of(stops.gdb, thread, where["kernel_main"])
        assert len(states) == CPUS
        for thread, state in states.items():
            assert (thread, state) == (thread, RUN_TIME)
        assert '"status":"pass"' in stops.rest()


def test_boot_cpu_is_not_sent_an_init_where_firmware_has_changed_its_apic_id(tmp_path):
    """CPUID still has the ID of before; the MADT has the new one."""
    where = symbols()
    machine = named("small-3cpus", cmdline=CMDLINE)
    machine.extra = own_tables.arguments(tmp_path, [t.madt([5, 1, 2])])
    with stopping(machine) as stops:
        stops.run_until(where["boot_entry"])
        boot_cpu = stops.gdb.threads()[0]
        write_memory(stops.gdb, boot_cpu, APIC_ID, 5 << 24, where["boot_entry"])
        said = stops.rest()
    assert '"status":"pass"' in said
    assert f'"cpus":{CPUS},' in said
