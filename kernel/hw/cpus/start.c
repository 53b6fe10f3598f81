// SPDX-License-Identifier: MIT
#include "cpus/cpu_pool.h"

#include <stdatomic.h>

#include "arch/lapic.h"
#include "arch/paging.h"
#include "arch/smp.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/idle.h"
#include "interrupt/unexpected.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/tables.h"
#include "memory/arena.h"

/* Registers of an I/O APIC (Intel 82093AA). */
#define IOAPIC_BYTES    0x20u /* that are used here */
#define IOAPIC_SELECT   0
#define IOAPIC_WINDOW   4 /* in 32-bit words */
#define IOAPIC_VERSION  1
#define IOAPIC_REDIRECT 0x10
#define IOAPIC_MASKED   (1u << 16)

static struct percpu *make_cpu(uint32_t number, uint32_t apic_id)
{
    struct percpu *cpu = arena_alloc(sizeof(*cpu));
    uint8_t *stack = arena_alloc(CPU_STACK_BYTES);

    percpu_init(cpu, number, apic_id);
    cpu->stack_top = (uint64_t)(stack + CPU_STACK_BYTES);
    return cpu;
}

static bool any_needs_x2apic(void)
{
    for (size_t i = 0; i < platform.madt->n_cpus; i++) {
        if (platform.madt->cpu[i].apic_id > LAPIC_XAPIC_ID_MAX)
            return true;
    }
    return false;
}

/* The boot CPU first, then the others in the MADT's order. */
static void make_cpus(void)
{
    uint32_t boot_id = lapic_id();
    size_t out_of_reach = 0;
    bool is_listed = false;

    machine.cpus = arena_alloc((platform.madt->n_cpus + 1) * sizeof(*machine.cpus));
    percpu_boot.apic_id = boot_id;
    machine.cpus[machine.n_cpus++] = &percpu_boot;
    for (size_t i = 0; i < platform.madt->n_cpus; i++) {
        uint32_t id = platform.madt->cpu[i].apic_id;

        if (id == boot_id) {
            is_listed = true; /* so that it is not sent an INIT */
        } else if (id > LAPIC_XAPIC_ID_MAX && !machine.cpu.x2apic) {
            out_of_reach++;
        } else {
            machine.cpus[machine.n_cpus] = make_cpu(machine.n_cpus, id);
            machine.n_cpus++;
        }
    }
    if (platform.madt->n_cpus && !is_listed)
        notice("MADT: the boot CPU (APIC ID %u) is not listed; using it and every listed CPU that "
               "starts",
               boot_id);
    if (out_of_reach)
        notice("MADT: CPUs not used, because their APIC ID needs x2APIC, which this CPU lacks: %zu",
               out_of_reach);
}

/* With a wrong MADT many may be absent: one warning for all. */
static void warn_of_absent(uint32_t n, uint32_t first)
{
    uint32_t id = machine.cpus[first]->apic_id;

    if (n == 1)
        notice("cpu %u (APIC ID %u) did not start in time: disabled", first, id);
    else
        notice("%u CPUs did not start in time: disabled; the first is cpu %u (APIC ID %u)", n,
               first, id);
}

static void list_online(void)
{
    uint32_t n_absent = 0, first_absent = 0;

    for (uint32_t i = 0; i < machine.n_cpus; i++) {
        bool is_online = i == 0 || atomic_load(&machine.cpus[i]->state) == CPU_ONLINE;

        if (is_online)
            machine.online[machine.n_online++] = i;
        else if (n_absent++ == 0)
            first_absent = i;
        trace_send(&(struct event_trace){
            .what = OPTION_TRACE_CPUS,
            .state = is_online ? "started" : "absent",
            .cpu = i,
            .apic_id = machine.cpus[i]->apic_id,
        });
    }
    if (n_absent)
        warn_of_absent(n_absent, first_absent);
}

/* Every input (82093AA, 3.2.4): firmware may have left some on, and okram uses none. */
static void mask_io_apic(uint64_t phys)
{
    volatile uint32_t *reg = paging_map_direct(phys, IOAPIC_BYTES, PAGING_WRITE | PAGING_UNCACHED);
    uint32_t last;

    reg[IOAPIC_SELECT] = IOAPIC_VERSION;
    last = reg[IOAPIC_WINDOW] >> 16 & 0xff;
    for (uint32_t i = 0; i <= last; i++) {
        reg[IOAPIC_SELECT] = IOAPIC_REDIRECT + 2 * i;
        reg[IOAPIC_WINDOW] = IOAPIC_MASKED;
    }
}

static void mask_io_apics(void)
{
    for (size_t i = 0; i < platform.madt->n_io_apics; i++) {
        if (tables_may_be_registers("an I/O APIC", platform.madt->io_apic[i].address, IOAPIC_BYTES))
            mask_io_apic(platform.madt->io_apic[i].address);
    }
}

void start_cpus(cpu_pool_explain explain)
{
    uint64_t page = arena_low_page();

    lapic_init();
    if (machine.cpu.x2apic && any_needs_x2apic())
        lapic_use_x2apic();
    make_cpus();
    machine.online = arena_alloc(machine.n_cpus * sizeof(*machine.online));
    pic_mask();
    mask_io_apics();
    lapic_enable();
    idle_begin();
    cpu_pool_init(machine.cpus, machine.n_cpus, explain);
    if (!page && machine.n_cpus > 1) {
        notice("no free page below 1 MiB to start other CPUs from: only the boot CPU is used");
        machine.n_cpus = 1;
    }
    if (machine.n_cpus > 1)
        machine.park_page = page;
    smp_start(machine.cpus, machine.n_cpus, page, cpu_pool_serve);
    list_online();
}
