// SPDX-License-Identifier: MIT
#include "machine/tables.h"

#include "acpi/acpi.h"
#include "acpi/fadt.h"
#include "acpi/mcfg.h"
#include "acpi/non_ram_ranges.h"
#include "acpi/s5.h"
#include "arch/cpuid.h"
#include "arch/paging.h"
#include "controller/ecc.h"
#include "cpudata/cpu_kind.h"
#include "device/rtc.h"
#include "dma/dma.h"
#include "event/notices.h"
#include "firmware/ipmi.h"
#include "firmware/memory_ecc.h"
#include "firmware/smbios.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "memory/arena.h"

/* No SLIT is longer: 1024 nodes. */
#define KEPT_TABLE_MAX (UINT32_C(2) << 20)

/* Too large for a stack. */
static struct madt madt;
static struct srat srat;
static struct cedt cedt;
static struct smbios_memory slots;

static struct acpi root;
static struct fadt fixed; /* hardware, by the FADT */
static bool has_acpi, has_fixed;

bool tables_is_reachable(uint64_t phys, uint64_t bytes)
{
    uint64_t end = min_u64(UINT64_C(1) << machine.cpu.physical_bits, DIRECT_SIZE);

    return phys < end && bytes <= end - phys;
}

/* Firmware's tables are read where they are, but never where a read could do something. */
static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    const struct memory_region *r = memory_map_at(&machine.map, phys);

    if (!tables_is_reachable(phys, length))
        return NULL;
    if (paging_is_mapped(phys, length))
        return direct(phys);
    if (r && (r->kind == BOOT_REGION_MMIO || r->kind == BOOT_REGION_PERSISTENT ||
              r->kind == BOOT_REGION_UNACCEPTED))
        return NULL;
    /* Page by page: one that holds RAM, too, is mapped already and stays writable. */
    for (uint64_t page = align_down(phys, PAGE_SIZE); page < phys + length; page += PAGE_SIZE) {
        if (!paging_is_mapped(page, PAGE_SIZE))
            paging_map_direct(page, PAGE_SIZE, 0);
    }
    return direct(phys);
}

static const struct phys_reader reader = { .map = map_table };

static bool may_be_registers(uint64_t phys, uint64_t bytes)
{
    return tables_is_reachable(phys, bytes) && !machine_has_memory_at(phys, bytes);
}

bool tables_may_be_registers(const char *what, uint64_t phys, uint64_t bytes)
{
    bool may = may_be_registers(phys, bytes);

    if (!may)
        notice("ACPI: %s at 0x%lx, where no registers can be; not used", what, phys);
    return may;
}

volatile void *tables_map_registers(uint64_t phys, uint64_t bytes)
{
    uint64_t first = align_down(phys, PAGE_SIZE);

    if (!may_be_registers(first, phys + bytes - first))
        return NULL;
    return paging_map_direct(phys, bytes, PAGING_WRITE | PAGING_UNCACHED);
}

/* Registers of a device, mapped. NULL, with a warning: they cannot be there. */
static volatile uint32_t *map_registers(const char *what, uint64_t phys, uint64_t bytes)
{
    if (!tables_may_be_registers(what, phys, bytes))
        return NULL;
    return paging_map_direct(phys, bytes, PAGING_WRITE | PAGING_UNCACHED);
}

static void note_pm_timer(const struct fadt *fadt)
{
    const struct acpi_register *r = &fadt->pm_timer;

    if (!r->address)
        return;
    if (r->space == ACPI_SPACE_IO && r->address <= UINT16_MAX)
        platform.clocks.pm_timer_port = (uint16_t)r->address;
    else if (r->space == ACPI_SPACE_MEMORY)
        platform.clocks.pm_timer_registers =
            map_registers("a PM timer", r->address, sizeof(uint32_t));
    else
        notice("FADT: a PM timer at 0x%lx of address space %u; it is not used", r->address,
               r->space);
}

static void note_hpet(const struct acpi *acpi)
{
    const struct acpi_header *table;
    struct hpet hpet;

    if (acpi_find(acpi, "HPET", &notices, &table) == STATUS_OK &&
        hpet_read(table, &notices, &hpet) == STATUS_OK)
        platform.clocks.hpet = map_registers("an HPET", hpet.address, HPET_REGISTERS_BYTES);
}

static volatile uint32_t *map_iommu(uint64_t phys, uint64_t bytes)
{
    return map_registers("an IOMMU", phys, bytes);
}

/* A register of 8 bits that is written to: its port, or where it is mapped; or neither. */
static void note_register(const char *what, const struct acpi_register *r, uint16_t *ret_port,
                          volatile uint8_t **ret_register)
{
    if (r->space == ACPI_SPACE_IO)
        *ret_port = (uint16_t)r->address;
    else if (r->space == ACPI_SPACE_MEMORY && r->address &&
             tables_may_be_registers(what, r->address, 1))
        *ret_register = paging_map_direct(r->address, 1, PAGING_WRITE | PAGING_UNCACHED);
}

static void note_reset(struct machine_power *p, const struct fadt *fadt)
{
    p->reset_value = fadt->reset_value;
    note_register("a reset register", &fadt->reset, &p->reset_port, &p->reset_register);
}

static void note_control(struct machine_power *p, const struct fadt *fadt)
{
    p->pm1a_control = (uint16_t)fadt->pm1a_control.address;
    p->pm1b_control = (uint16_t)fadt->pm1b_control.address;
    if (fadt->smi_command_port <= UINT16_MAX)
        p->smi_command_port = (uint16_t)fadt->smi_command_port;
    p->acpi_enable = fadt->acpi_enable;
}

/* Of ACPI's, 0 is none. */
static uint16_t port_of(const struct acpi_register *r)
{
    return r->space == ACPI_SPACE_IO && r->address <= UINT16_MAX ? (uint16_t)r->address : 0;
}

static void note_events(struct machine_power *p, const struct fadt *fadt)
{
    p->pm1a_event = port_of(&fadt->pm1a_event);
    p->pm1b_event = port_of(&fadt->pm1b_event);
    p->pm1_enable_at = fadt->pm1_event_bytes / 2;
    p->gpe[0] = port_of(&fadt->gpe0);
    p->gpe[1] = port_of(&fadt->gpe1);
    p->gpe_bytes[0] = fadt->gpe0_bytes / 2;
    p->gpe_bytes[1] = fadt->gpe1_bytes / 2;
    p->power_button = fadt->power_button;
    p->sleep_button = fadt->sleep_button;
}

static void read_power(const struct acpi *acpi)
{
    struct machine_power *p = &platform.power;
    struct s5 s5;

    if (!has_fixed)
        return;
    note_pm_timer(&fixed);
    platform.no_8042 = fixed.no_8042;
    note_reset(p, &fixed);
    note_register("a sleep control register", &fixed.sleep_control, &p->sleep_port,
                  &p->sleep_register);
    note_register("a sleep status register", &fixed.sleep_status, &p->sleep_status_port,
                  &p->sleep_status_register);
    p->is_reduced = fixed.hardware_reduced;
    if (fixed.pm1a_control.space == ACPI_SPACE_IO) {
        note_control(p, &fixed);
        note_events(p, &fixed);
    } else if (!p->sleep_port && !p->sleep_register)
        return;
    if (s5_find_in_all(acpi, fixed.dsdt, &notices, &s5) != STATUS_OK)
        return;
    p->has_s5 = true;
    p->sleep_type_a = s5.slp_typ_a;
    p->sleep_type_b = s5.slp_typ_b;
}

/*
 * For readers that leave data in the table's own memory, which will be tested: turns to a copy.
 * False, with a warning: it is too long to be true.
 */
static bool keep_table(const struct acpi_header **table)
{
    uint32_t length = (*table)->length;

    if (length > KEPT_TABLE_MAX) {
        notice("%.4s: %u bytes are too long for this table; it is ignored", (*table)->signature,
               length);
        return false;
    }
    *table = memcpy(arena_alloc(length), *table, length);
    return true;
}

/* A machine of one node needs no SRAT. */
static void read_srat(void)
{
    const struct acpi_header *table;
    enum status found = acpi_find(&root, "SRAT", &notices, &table);

    if (found == STATUS_OK && srat_read(table, &notices, &srat) == STATUS_OK)
        platform.srat = &srat;
    else if (found != STATUS_NOT_FOUND)
        notice("no usable SRAT: all memory counts as one node");
}

static void read_cedt(void)
{
    const struct acpi_header *table;

    if (acpi_find(&root, "CEDT", &notices, &table) == STATUS_OK &&
        cedt_read(table, &notices, &cedt) == STATUS_OK)
        platform.cedt = &cedt;
}

enum status tables_find(const char *signature, const struct acpi_header **ret_table)
{
    return has_acpi ? acpi_find(&root, signature, &notices, ret_table) : STATUS_NOT_FOUND;
}

void tables_open(const struct boot_info *boot)
{
    const struct acpi_header *table;

    has_acpi = acpi_open(&reader, boot->rsdp, &notices, &root) == STATUS_OK;
    has_fixed =
        tables_find("FACP", &table) == STATUS_OK && fadt_read(table, &notices, &fixed) == STATUS_OK;
    board.started = rtc_seconds(fixed.century);
}

static void list_table(uint64_t phys, struct support_table *t)
{
    const struct acpi_header *h = phys ? phys_map(&reader, phys, sizeof(*h)) : NULL;

    *t = (struct support_table){ .address = phys };
    if (!h)
        return;
    support_copy_id(t->signature, h->signature, sizeof(h->signature));
    support_copy_id(t->oem_id, h->oem_id, sizeof(h->oem_id));
    support_copy_id(t->oem_table_id, h->oem_table_id, sizeof(h->oem_table_id));
    t->bytes = h->length;
    t->revision = h->revision;
    t->oem_revision = h->oem_revision;
}

size_t tables_list(struct support_table *table, size_t max)
{
    size_t n = has_acpi ? root.n_entries : 0;

    for (size_t i = 0; i < n && i < max; i++)
        list_table(acpi_address(&root, i), &table[i]);
    return n;
}

static void read_acpi(void)
{
    const struct acpi_header *table;

    if (!has_acpi) {
        notice(
            "no usable ACPI tables: only the boot CPU is used, and all memory counts as one node");
        return;
    }
    if (acpi_find(&root, "APIC", &notices, &table) != STATUS_OK ||
        madt_read(table, &notices, &madt) != STATUS_OK)
        notice("no usable MADT: only the boot CPU is used");
    read_srat();
    read_cedt();
    if (acpi_find(&root, "SLIT", &notices, &table) == STATUS_OK && keep_table(&table))
        slit_read(table, &notices, &machine.slit);
    if (acpi_find(&root, "HMAT", &notices, &table) == STATUS_OK)
        hmat_read(table, &notices, &platform.hmat);
    read_power(&root);
    note_hpet(&root);
    iommus_turn_off(&root, map_iommu, &notices);
}

static void read_smbios(const struct boot_info *boot)
{
    struct smbios smbios;

    guard_fingerprint_read(NULL, machine.ram_bytes, &board.fingerprint);
    if (smbios_open(&reader, boot->smbios, &notices, &smbios) != STATUS_OK)
        return;
    guard_fingerprint_read(&smbios, machine.ram_bytes, &board.fingerprint);
    smbios_names_read(&smbios, &board.names);
    smbios_ipmi_read(&smbios, &board.ipmi);
    smbios_names_board(&board.names, board.name, sizeof(board.name));
    if (smbios_memory_read(&smbios, &notices, &slots) != STATUS_OK)
        return;
    board.slots = &slots;
    board.installed_bytes = slots.unknown ? 0 : slots.installed_bytes;
}

/* What hides a disk is an entry of the map; a disk in memory that the map has is tested. */
static void note_memdisks(const struct boot_info *boot)
{
    const struct memory_region *r;
    uint64_t disk, at = 0;

    if (boot->firmware != BOOT_BIOS)
        return;
    while (mbft_next(&reader, &at, &disk)) {
        r = memory_map_at(&machine.map, disk);
        if (r && !memory_kind_is_ram(r->kind))
            notice("%s at 0x%lx are held by memdisk's RAM disk and are not tested: start "
                   "okram.lkrn instead of an image",
                   FMT_SIZE(r->span.size), r->span.base);
    }
}

static void read_ecc(const struct boot_info *boot)
{
    struct controller_source source = {
        .cpu = cpu_model_read(cpuid_call, NULL),
        .is_virtual = machine.cpu.hypervisor,
        .map = tables_map_registers,
    };
    const struct acpi_header *table;
    struct ecc_control control;

    if (!source.is_virtual && tables_find("MCFG", &table) == STATUS_OK)
        mcfg_read(table, &notices, &source.mcfg);
    controllers_read(&source);
    control = controller_ecc(&source);
    board.ecc = memory_ecc_judge(board.slots, &control);
    board.repair = memory_repair_find(board.slots, &control, boot->more_reliable_bytes);
}

void tables_read(const struct boot_info *boot)
{
    platform.madt = &madt;
    read_acpi();
    platform.side_cache = side_cache_find(&platform.hmat, cpu_model_read(cpuid_call, NULL));
    read_smbios(boot);
    note_memdisks(boot);
    read_ecc(boot);
}
