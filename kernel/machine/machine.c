// SPDX-License-Identifier: MIT
#include "machine/machine.h"

#include <stdatomic.h>

#include "arch/image.h"
#include "arch/interrupts.h"
#include "arch/lapic.h"
#include "arch/paging.h"
#include "arch/smp.h"
#include "bandwidth/sockets.h"
#include "clock/tsc_rate.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "firmware/acpi.h"
#include "firmware/fadt.h"
#include "firmware/hpet.h"
#include "firmware/madt.h"
#include "firmware/s5.h"
#include "firmware/smbios.h"
#include "firmware/srat.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "memory/arena.h"
#include "memory/outside.h"
#include "options/options.h"
#include "self/probe.h"

#define RAM_WANTED    (UINT64_C(32) << 20)
#define RAM_TOLERANCE (UINT64_C(1) << 20) /* firmware keeps some of 32 MiB for itself */
#define SPANS_MAX     MEMORY_REGIONS_MAX

/* No SLIT is longer: 1024 nodes. */
#define KEPT_TABLE_MAX (UINT32_C(2) << 20)

struct machine machine;

/* Read once from firmware's tables; too large for a stack. */
static struct madt madt;
static struct srat srat;
static struct smbios_memory slots;
static struct tsc_rate_named clocks;
static struct span spans[SPANS_MAX];

/* Fills spans[] with what is wanted of the memory map; touching regions become one span. */
static size_t spans_where(bool (*wanted)(enum boot_region_kind kind))
{
    size_t n = 0;

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];
        struct span reachable = span_intersect(r->span, (struct span){ 0, DIRECT_SIZE });

        if (!wanted(r->kind) || !reachable.size)
            continue;
        if (n && span_end(spans[n - 1]) == reachable.base)
            spans[n - 1].size += reachable.size;
        else
            spans[n++] = reachable;
    }
    return n;
}

static bool is_free(enum boot_region_kind kind)
{
    return kind == BOOT_REGION_USABLE;
}

static bool is_direct(enum boot_region_kind kind)
{
    return memory_kind_is_ram(kind) && kind != BOOT_REGION_BAD;
}

static void note_loaders_bad_pages(const struct boot_info *boot)
{
    for (uint32_t i = 0; i < boot->n_bad_pages; i++)
        probe_note_bad_page(boot->bad_page[i]);
}

void machine_take_memory(const struct boot_info *boot, const struct span *tested, size_t n_tested)
{
    static struct span order[OUTSIDE_MAX(SPANS_MAX, OPTIONS_RANGES_MAX)];
    size_t n;

    machine.cpu = cpu_features_read();
    memory_map_make(boot->region, boot->n_regions, boot->regions_lost, machine.cpu.physical_bits,
                    &notices, &machine.map);
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (memory_kind_is_ram(machine.map.region[i].kind))
            machine.ram_bytes += machine.map.region[i].span.size;
    }
    if (machine.ram_bytes + RAM_TOLERANCE < RAM_WANTED)
        warn_print(&notices, "this machine has %lu KiB of RAM; okram is made for 32 MiB or more",
                   (unsigned long)(machine.ram_bytes >> 10));
    note_loaders_bad_pages(boot);
    n = spans_where(is_free);
    n = outside_first(spans, n, tested, n_tested, order);
    arena_init(boot->kernel_page, (size_t)(image_end - image_start) / PAGE_SIZE, order, n,
               probe_march);
    n = spans_where(is_direct);
    paging_init(spans, n, boot->kernel_page, arena_table_page);
}

/* Whether the CPU has such addresses, and the direct map room for them. */
static bool is_reachable(uint64_t phys, uint64_t bytes)
{
    uint64_t end = UINT64_C(1) << machine.cpu.physical_bits;

    if (end > DIRECT_SIZE)
        end = DIRECT_SIZE;
    return phys < end && bytes <= end - phys;
}

/* Firmware's tables are read where they are, but never where a read could do something. */
static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    const struct memory_region *r = memory_map_at(&machine.map, phys);

    if (!is_reachable(phys, length))
        return NULL;
    if (paging_is_mapped(phys, length))
        return direct(phys);
    if (r && (r->kind == BOOT_REGION_MMIO || r->kind == BOOT_REGION_PERSISTENT))
        return NULL;
    /* Page by page: one that holds RAM, too, is mapped already and stays writable. */
    for (uint64_t page = align_down(phys, PAGE_SIZE); page < phys + length; page += PAGE_SIZE) {
        if (!paging_is_mapped(page, PAGE_SIZE))
            paging_map_direct(page, PAGE_SIZE, 0);
    }
    return direct(phys);
}

static const struct phys_reader reader = { .map = map_table };

/* Whether what a table calls registers can be some: to write to them must not write to RAM. */
static bool may_be_registers(const char *what, uint64_t phys, uint64_t bytes)
{
    const struct span claimed = { phys, bytes };
    bool may = is_reachable(phys, bytes);

    for (size_t i = 0; may && i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (memory_kind_is_ram(r->kind) || r->kind == BOOT_REGION_PERSISTENT)
            may = span_intersect(r->span, claimed).size == 0;
    }
    if (!may)
        warn_print(&notices, "ACPI: %s at 0x%lx, where none can be; it is not used", what,
                   (unsigned long)phys);
    return may;
}

/* Registers of a device, mapped. NULL, with a warning: they cannot be there. */
static volatile uint32_t *map_registers(const char *what, uint64_t phys, uint64_t bytes)
{
    if (!may_be_registers(what, phys, bytes))
        return NULL;
    return paging_map_direct(phys, bytes, PAGING_WRITE | PAGING_UNCACHED);
}

static void note_pm_timer(const struct fadt *fadt)
{
    const struct acpi_register *r = &fadt->pm_timer;

    if (!r->address)
        return;
    clocks.pm_timer_is_32bit = fadt->pm_timer_32bit;
    if (r->space == ACPI_SPACE_IO && r->address <= UINT16_MAX)
        clocks.pm_timer_port = (uint16_t)r->address;
    else if (r->space == ACPI_SPACE_MEMORY)
        clocks.pm_timer_registers = map_registers("a PM timer", r->address, sizeof(uint32_t));
    else
        warn_print(&notices, "FADT: a PM timer at 0x%lx of address space %u; it is not used",
                   (unsigned long)r->address, r->space);
}

static void note_hpet(const struct acpi *acpi)
{
    const struct acpi_header *table;
    struct hpet hpet;

    if (acpi_find(acpi, "HPET", &notices, &table) == STATUS_OK &&
        hpet_read(table, &notices, &hpet) == STATUS_OK)
        clocks.hpet = map_registers("an HPET", hpet.address, HPET_REGISTERS_BYTES);
}

static void read_power(const struct acpi *acpi)
{
    struct machine_power *p = &machine.power;
    const struct acpi_header *table;
    struct fadt fadt;
    struct s5 s5;

    if (acpi_find(acpi, "FACP", &notices, &table) != STATUS_OK ||
        fadt_read(table, &notices, &fadt) != STATUS_OK)
        return;
    note_pm_timer(&fadt);
    if (fadt.reset.space == ACPI_SPACE_IO)
        p->reset_port = (uint16_t)fadt.reset.address;
    else if (fadt.reset.space == ACPI_SPACE_MEMORY && fadt.reset.address &&
             may_be_registers("a reset register", fadt.reset.address, 1))
        p->reset_register =
            paging_map_direct(fadt.reset.address, 1, PAGING_WRITE | PAGING_UNCACHED);
    p->reset_value = fadt.reset_value;
    if (fadt.pm1a_control.space != ACPI_SPACE_IO || !fadt.dsdt ||
        acpi_table_at(&reader, fadt.dsdt, "DSDT", &notices, &table) != STATUS_OK ||
        s5_find(table, &s5) != STATUS_OK)
        return;
    p->has_s5 = true;
    p->sleep_type_a = s5.slp_typ_a;
    p->sleep_type_b = s5.slp_typ_b;
    p->pm1a_control = (uint16_t)fadt.pm1a_control.address;
    p->pm1b_control = (uint16_t)fadt.pm1b_control.address;
}

/*
 * For readers that leave data in the table's own memory, which will be tested: turns to a copy.
 * False, with a warning: it is too long to be true.
 */
static bool keep_table(const struct acpi_header **table)
{
    uint32_t length = (*table)->length;

    if (length > KEPT_TABLE_MAX) {
        warn_print(&notices, "%.4s: a table of %u bytes cannot be; it is ignored",
                   (*table)->signature, length);
        return false;
    }
    *table = memcpy(arena_alloc(length), *table, length);
    return true;
}

static void read_acpi(const struct boot_info *boot)
{
    const struct acpi_header *table;
    struct acpi acpi;
    enum status found = acpi_open(&reader, boot->rsdp, &notices, &acpi);

    if (found != STATUS_OK) {
        warn_print(&notices, "no usable ACPI tables: okram runs on one CPU, as one node");
        return;
    }
    if (acpi_find(&acpi, "APIC", &notices, &table) != STATUS_OK ||
        madt_read(table, &notices, &madt) != STATUS_OK)
        warn_print(&notices, "ACPI names no CPUs (no usable MADT): okram runs on one CPU");
    machine.has_srat = acpi_find(&acpi, "SRAT", &notices, &table) == STATUS_OK &&
                       srat_read(table, &notices, &srat) == STATUS_OK;
    if (!machine.has_srat)
        warn_print(&notices, "ACPI names no nodes (no usable SRAT): all memory counts as one");
    if (acpi_find(&acpi, "SLIT", &notices, &table) == STATUS_OK && keep_table(&table))
        slit_read(table, &notices, &machine.slit);
    if (acpi_find(&acpi, "HMAT", &notices, &table) == STATUS_OK && keep_table(&table))
        hmat_read(table, &notices, &machine.hmat);
    read_power(&acpi);
    note_hpet(&acpi);
}

static void read_smbios(const struct boot_info *boot)
{
    struct smbios smbios;

    if (smbios_open(&reader, boot->smbios, &notices, &smbios) != STATUS_OK ||
        smbios_memory_read(&smbios, &notices, &slots) != STATUS_OK)
        return;
    machine.slots = &slots;
    machine.installed_bytes = slots.unknown ? 0 : slots.installed_bytes;
}

static struct percpu *make_cpu(uint32_t number, uint32_t apic_id)
{
    struct percpu *cpu = arena_alloc(sizeof(*cpu));
    uint8_t *stack = arena_alloc(CPU_STACK_BYTES);

    percpu_init(cpu, number, apic_id);
    cpu->stack_top = (uint64_t)(stack + CPU_STACK_BYTES);
    return cpu;
}

/* The boot CPU first, then the others in the MADT's order. Returns the largest APIC ID. */
static uint32_t make_cpus(void)
{
    uint32_t boot_id = cpuid_apic_id(), largest = boot_id;
    size_t out_of_reach = 0;

    machine.cpus = arena_alloc((madt.n_cpus + 1) * sizeof(*machine.cpus));
    percpu_boot.apic_id = boot_id;
    machine.cpus[machine.n_cpus++] = &percpu_boot;
    for (size_t i = 0; i < madt.n_cpus; i++) {
        uint32_t id = madt.cpu[i].apic_id;

        if (id == boot_id)
            continue;
        if (id > LAPIC_XAPIC_ID_MAX && !machine.cpu.x2apic) {
            out_of_reach++;
            continue;
        }
        machine.cpus[machine.n_cpus] = make_cpu(machine.n_cpus, id);
        machine.n_cpus++;
        largest = id > largest ? id : largest;
    }
    if (out_of_reach)
        warn_print(&notices, "MADT: CPUs whose APIC ID needs x2APIC, which this CPU lacks: %zu",
                   out_of_reach);
    return largest;
}

static void start_cpus(void (*work)(struct percpu *cpu), void (*idle)(void))
{
    uint32_t largest_id = make_cpus();
    uint64_t page = arena_low_page();

    machine.online = arena_alloc(machine.n_cpus * sizeof(*machine.online));
    interrupts_mask_pic();
    for (size_t i = 0; i < madt.n_io_apics; i++) {
        if (may_be_registers("an I/O APIC", madt.io_apic[i].address, IOAPIC_BYTES))
            interrupts_mask_ioapic(madt.io_apic[i].address);
    }
    lapic_init(largest_id);
    lapic_enable();
    lapic_timer_calibrate();
    cpu_pool_init(machine.cpus, machine.n_cpus, idle);
    if (!page && machine.n_cpus > 1) {
        warn_print(&notices,
                   "no free page below 1 MiB to start other CPUs from: okram runs on one");
        machine.n_cpus = 1;
    }
    if (smp_start(machine.cpus, machine.n_cpus, page, work) < machine.n_cpus)
        machine.late_cpu_page = page;
    for (uint32_t i = 0; i < machine.n_cpus; i++) {
        if (i == 0 || atomic_load(&machine.cpus[i]->state) == CPU_ONLINE)
            machine.online[machine.n_online++] = i;
        else
            warn_print(&notices, "cpu %u (APIC ID %u) did not start in time and is left out", i,
                       machine.cpus[i]->apic_id);
    }
}

static void make_nodes(void)
{
    uint32_t *apic_ids = arena_alloc(machine.n_cpus * sizeof(*apic_ids));
    size_t n_ram = spans_where(memory_kind_is_ram);

    for (uint32_t i = 0; i < machine.n_online; i++)
        apic_ids[i] = machine.cpus[machine.online[i]]->apic_id;
    nodes_build(machine.has_srat ? &srat : NULL, spans, n_ram, apic_ids, machine.n_online, &notices,
                &machine.nodes);
    machine.cpu_node = arena_alloc(machine.n_cpus * sizeof(*machine.cpu_node));
    for (uint32_t i = 0; i < machine.n_cpus; i++)
        machine.cpu_node[i] =
            nodes_of_cpu(&machine.nodes, machine.has_srat ? &srat : NULL, machine.cpus[i]->apic_id);
    machine.sockets = sockets_count(cpuid_call, NULL, apic_ids, machine.n_online);
}

void machine_findings(struct findings_node *node, struct findings_input *ret_input)
{
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        node[i] = (struct findings_node){ .domain = machine.nodes.node[i].domain,
                                          .ram_bytes = machine.nodes.node[i].ram_bytes };
    for (uint32_t i = 0; i < machine.n_online; i++)
        node[machine.cpu_node[machine.online[i]]].cpus++;
    *ret_input = (struct findings_input){
        .installed_bytes = machine.installed_bytes,
        .usable_bytes = machine.ram_bytes,
        .slots = machine.slots,
        .sockets = machine.sockets,
        .nodes = machine.nodes.n_nodes,
        .has_srat = machine.has_srat,
        .node = node,
        .hmat = &machine.hmat,
    };
}

static void emit_findings(void)
{
    static struct findings_node node[NODES_MAX];
    struct findings_input in;

    machine_findings(node, &in);
    findings_before(&in, &notices);
}

void machine_discover(const struct boot_info *boot, void (*work)(struct percpu *cpu),
                      void (*idle)(void))
{
    read_acpi(boot);
    tsc_rate_calibrate(&clocks);
    read_smbios(boot);
    start_cpus(work, idle);
    make_nodes();
    emit_findings();
}
