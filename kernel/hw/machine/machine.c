// SPDX-License-Identifier: MIT
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/platform.h"

#include "acpi/acpi.h"
#include "acpi/table_ranges.h"
#include "arch/image.h"
#include "arch/paging.h"
#include "cpudata/cpu_kind.h"
#include "dma/dma.h"
#include "event/notices.h"
#include "firmware/memory_map.h"
#include "firmware/phys.h"
#include "lib/fmt.h"
#include "lib/panic.h"
#include "lib/spans.h"
#include "memory/arena.h"
#include "options/options.h"

#define RAM_WANTED    (UINT64_C(32) << 20)
#define RAM_TOLERANCE (UINT64_C(1) << 20) /* firmware keeps some of 32 MiB for itself */
#define SPANS_MAX     MEMORY_REGIONS_MAX
#define FREE_MAX      (SPANS_MAX + TABLE_RANGES_MAX)
#define ORDER_MAX     (SPANS_CUT_MAX(FREE_MAX, OPTIONS_RANGES_MAX) + OPTIONS_RANGES_MAX)

struct machine machine;
struct platform platform;
struct board board;

static struct span order[ORDER_MAX];
static struct spans spans = { .span = order, .max = ORDER_MAX };

/* Fills `spans` with the wanted kinds of the memory map; touching regions become one span. */
static void list_where(bool (*wanted)(enum boot_region_kind kind))
{
    spans.n = 0;
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (wanted(r->kind))
            spans_add(&spans, span_intersect(r->span, (struct span){ 0, DIRECT_SIZE }));
    }
}

static bool is_free(enum boot_region_kind kind)
{
    return kind == BOOT_REGION_USABLE;
}

static bool is_direct(enum boot_region_kind kind)
{
    return memory_kind_is_ram(kind) && kind != BOOT_REGION_BAD;
}

/* By BIOS alone: maps of UEFI have gaps of their own, and GRUB makes pages unusable there. */
static void look_for_holes(void)
{
    struct span first;
    size_t at = 0;

    machine.hole_pages = hidden_pages(&machine.map, HIDDEN_HOLE);
    if (hidden_next(&machine.map, HIDDEN_HOLE, &at, &first))
        notice("%lu page%s within RAM %s missing from the memory map, the first at 0x%lx, as after "
               "badram or cutmem in GRUB: %s not tested; if they were hidden before okram started, "
               "keep the old line, and add a new one to it",
               (unsigned long)machine.hole_pages, fmt_plural(machine.hole_pages),
               machine.hole_pages == 1 ? "is" : "are", first.base,
               machine.hole_pages == 1 ? "it is" : "they are");
}

void machine_read_map(const struct boot_info *boot)
{
    machine.cpu = cpu_features_read();
    board.secure_boot = boot->secure_boot == BOOT_SECURE_ON;
    board.is_locked = boot->secure_boot != BOOT_SECURE_OFF;
    board.has_guard = boot->efi_system_table != 0;
    memory_map_make(&(struct given_map){ boot->region, boot->n_regions, boot->regions_lost,
                                         machine.cpu.physical_bits },
                    &notices, &machine.map);
    if (boot->firmware == BOOT_BIOS)
        look_for_holes();
}

bool machine_has_memory_at(uint64_t phys, uint64_t bytes)
{
    const struct span claimed = { phys, bytes };

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if ((memory_kind_is_ram(r->kind) || r->kind == BOOT_REGION_PERSISTENT) &&
            span_intersect(r->span, claimed).size)
            return true;
    }
    return false;
}

/* A read of device memory could do something. */
static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    const struct memory_region *r = memory_map_at(ctx, phys);

    if (!paging_is_mapped(phys, length) ||
        (r && (r->kind == BOOT_REGION_MMIO || r->kind == BOOT_REGION_PERSISTENT)))
        return NULL;
    return direct(phys);
}

/* Firmware's tables while the early page tables are on: those that these reach (arch/paging.h). */
static struct phys_reader early_reader(void)
{
    return (struct phys_reader){ .map = map_table, .ctx = &machine.map };
}

/* A write to registers must not be one to RAM. MTRRs make them uncached. */
static volatile uint32_t *map_registers(uint64_t phys, uint64_t bytes)
{
    return paging_is_mapped(phys, bytes) && !machine_has_memory_at(phys, bytes) ? direct(phys)
                                                                                : NULL;
}

void machine_stop_dma(const struct boot_info *boot)
{
    const struct phys_reader reader = early_reader();
    struct acpi acpi;

    bus_masters_stop(map_registers, &board.bus_masters);
    if (acpi_open(&reader, boot->rsdp, &warnings_silent, &acpi) == STATUS_OK)
        iommus_turn_off(&acpi, map_registers, &warnings_silent);
}

/* Free memory without firmware's tables, which are read where they are. */
static void find_free(const struct boot_info *boot, struct spans *ret_free)
{
    static struct span range[TABLE_RANGES_MAX];
    struct spans tables = { .span = range, .max = TABLE_RANGES_MAX };
    const struct phys_reader reader = early_reader();

    table_ranges_find(&reader, boot->rsdp, boot->smbios, &tables);
    list_where(is_free);
    spans_outside(&spans, &tables, ret_free);
}

void machine_take_memory(const struct boot_info *boot, const struct spans *tested,
                         arena_check check)
{
    static struct span free_span[FREE_MAX];
    struct spans free = { .span = free_span, .max = FREE_MAX };

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (memory_kind_is_ram(machine.map.region[i].kind))
            machine.ram_bytes += machine.map.region[i].span.size;
    }
    if (machine.ram_bytes + RAM_TOLERANCE < RAM_WANTED)
        notice("this machine has %lu KiB of RAM; okram needs 32 MiB or more",
               (unsigned long)(machine.ram_bytes >> 10));
    find_free(boot, &free);
    spans.n = 0;
    ASSERT(spans_outside(&free, tested, &spans) && spans_within(&free, tested, &spans));
    arena_init(boot->kernel_page, (size_t)(image_end - image_start) / PAGE_SIZE, order, spans.n,
               check);
    list_where(is_direct);
    paging_init(order, spans.n, boot->kernel_page, arena_table_page);
}

void machine_findings(struct findings_node *node, struct findings_input *ret_input)
{
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        node[i] = (struct findings_node){ .domain = machine.nodes.node[i].domain,
                                          .ram_bytes = machine.nodes.node[i].ram_bytes };
    for (uint32_t i = 0; i < machine.n_online; i++)
        node[machine.cpu_node[machine.online[i]]].cpus++;
    *ret_input = (struct findings_input){
        .usable_bytes = machine.ram_bytes,
        .unseen = board.unseen,
        .slots = board.slots,
        .ecc = board.ecc,
        .sockets = machine.sockets,
        .nodes = machine.nodes.n_nodes,
        .has_srat = platform.srat != NULL,
        .node = node,
        .hmat = &platform.hmat,
    };
}

void machine_make_nodes(void)
{
    uint32_t *apic_ids = arena_alloc(machine.n_cpus * sizeof(*apic_ids));
    static struct findings_node node[NODES_MAX];
    struct findings_input in;
    uint32_t socket_bits;

    for (uint32_t i = 0; i < machine.n_online; i++)
        apic_ids[i] = machine.cpus[machine.online[i]]->apic_id;
    list_where(memory_kind_is_ram);
    nodes_build(&(struct node_parts){ platform.srat, order, spans.n, apic_ids, machine.n_online },
                &notices, &machine.nodes);
    machine.cpu_node = arena_alloc(machine.n_cpus * sizeof(*machine.cpu_node));
    for (uint32_t i = 0; i < machine.n_cpus; i++)
        machine.cpu_node[i] = nodes_of_cpu(&machine.nodes, platform.srat, machine.cpus[i]->apic_id);
    if (socket_bits_read(cpuid_call, NULL, &socket_bits))
        machine.sockets = apic_ids_groups(apic_ids, machine.n_online, socket_bits);
    machine_findings(node, &in);
    findings_static(&in, &notices);
}
