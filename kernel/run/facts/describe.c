// SPDX-License-Identifier: MIT
#include "facts/describe.h"

#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "clock/clock.h"
#include "event/events.h"
#include "machine/inventory.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/tables.h"
#include "machine_facts/support.h"
#include "serial/serial_ports.h"

static struct support support;
static uint64_t step_tsc[SUPPORT_STEPS_MAX];

void describe_step(const char *name)
{
    if (support.n_steps == SUPPORT_STEPS_MAX)
        return;
    step_tsc[support.n_steps] = tsc_now();
    support.step[support.n_steps++] = (struct support_step){ name, (double)tsc_elapsed_us() / 1e6 };
}

/* Including the steps before the counter's frequency was known. */
static void time_steps(void)
{
    for (size_t i = 0; i < support.n_steps; i++)
        support.step[i].seconds = (double)tsc_elapsed_us_at(step_tsc[i]) / 1e6;
    support.entry_seconds = (double)tsc_start_us() / 1e6;
}

static void add_serial_ports(void)
{
    static struct serial_listed list[SERIAL_PORTS_MAX];
    size_t n = serial_ports_list(list);

    for (size_t i = 0; i < n; i++) {
        const struct uart_place *p = &list[i].place;
        const char *state = list[i].is_used ? "used" : list[i].answers ? "answers" : "no answer";

        if (p->in_memory)
            support_add(&support.ports, list[i].name, "serial, memory 0x%lx, stride %u: %s",
                        p->address, p->stride, state);
        else
            support_add(&support.ports, list[i].name, "serial, 0x%lx: %s", p->address, state);
    }
}

static void add_ports(void)
{
    struct support_facts *p = &support.ports;

    add_serial_ports();
    if (inventory_get()->bus[0])
        support_add(p, "SMBus", "%s", inventory_get()->bus);
    if (platform.clocks.pm_timer_port)
        support_add(p, "PM timer", "0x%x", platform.clocks.pm_timer_port);
    if (platform.power.reset_port)
        support_add(p, "reset", "0x%x", platform.power.reset_port);
}

void describe_firmware(const struct boot_info *boot)
{
    support.is_uefi = boot->firmware == BOOT_UEFI;
    support.names = board.names;
    support.region = boot->region;
    support.n_regions = boot->n_regions;
    support.regions_lost = boot->regions_lost;
    support.framebuffer = boot->framebuffer.base ? &boot->framebuffer : NULL;
    support.has_vga_text = boot->vga_text;
    support.modules = &inventory_get()->modules;
    support.n_tables = tables_list(support.table, SUPPORT_TABLES_MAX);
    add_ports();
}

static const char *yes(bool has)
{
    return has ? "yes" : "no";
}

static void add_cpu(const struct options *o, const struct selection *selection)
{
    const struct cpu_features *f = &machine.cpu;
    struct support_facts *c = &support.cpu;

    support_add(c, "model", "%s", f->brand);
    support_add(c, "CPUID", "0x%08x, %u address bits, hypervisor: %s", cpuid(1, 0).eax,
                f->physical_bits, yes(f->hypervisor));
    support_add(c, "CPUs", "%u of %u started", machine.n_online, machine.n_cpus);
    support_add(c, "line ops", "%s, %s", selection->ops->name,
                o->isa == OPTION_ISA_AUTO ? "the fastest that was measured" : "by isa=");
    support_add(c, "AVX2", "%s; AVX-512: %s", yes(f->avx2), yes(f->avx512));
    support_add(c, "flush", "%s", f->clflushopt ? "clflushopt" : "clflush (no clflushopt)");
    support_add(c, "lanes", "%s", selection->lanes ? "yes, faster" : "no, they are slower here");
    support_add(c, "pages", "no-execute: %s, 1 GiB: %s", yes(f->nx), yes(f->pages_1g));
    support_add(c, "APIC", "x2APIC: %s", yes(f->x2apic));
    support_add(c, "TSC", "%.3f GHz by %s, invariant: %s", (double)tsc_hz() / 1e9, clock_source(),
                yes(f->invariant_tsc));
    if (clock_absent()[0])
        support_add(c, "clocks", "%s", clock_absent());
}

void describe_send(const struct options *options, const struct selection *selection)
{
    add_cpu(options, selection);
    time_steps();
    events_send(
        &(struct event){ .type = EVENT_SUPPORT, .support = { &support, options->support } });
}
