// SPDX-License-Identifier: MIT
#include "acpi/madt.h"

struct madt_table {
    struct acpi_header header;
    uint32_t local_apic_address;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_table) == 44, "ACPI 6.5, 5.2.12");

enum madt_type {
    MADT_LOCAL_APIC = 0,
    MADT_IO_APIC = 1,
    MADT_LOCAL_APIC_ADDRESS = 5,
    MADT_LOCAL_X2APIC = 9,
};

#define MADT_CPU_ENABLED 1u

struct madt_local_apic {
    struct acpi_entry head;
    uint8_t acpi_uid;
    uint8_t apic_id;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_apic) == 8, "ACPI 6.5, 5.2.12.2");

struct madt_io_apic_entry {
    struct acpi_entry head;
    uint8_t id;
    uint8_t reserved;
    uint32_t address;
    uint32_t gsi_base;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_io_apic_entry) == 12, "ACPI 6.5, 5.2.12.3");

struct madt_local_apic_address {
    struct acpi_entry head;
    uint16_t reserved;
    uint64_t address;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_apic_address) == 12, "ACPI 6.5, 5.2.12.8");

struct madt_local_x2apic {
    struct acpi_entry head;
    uint16_t reserved;
    uint32_t apic_id;
    uint32_t flags;
    uint32_t acpi_uid;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_x2apic) == 16, "ACPI 6.5, 5.2.12.12");

/* The IDs that address all CPUs at once. */
#define APIC_BROADCAST   0xffu
#define X2APIC_BROADCAST 0xffffffffu

enum defect { BROKEN, TWICE, CPUS_LOST, IO_APICS_LOST, CUT_OFF, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [BROKEN] = "malformed entries, ignored",
    [TWICE] = "CPUs with a duplicate APIC ID, ignored",
    [CPUS_LOST] = "CPUs beyond the first 1024, not used",
    [IO_APICS_LOST] = "I/O APICs beyond the first 64, ignored",
    [CUT_OFF] = "an entry has an impossible length; bytes not read",
};
_Static_assert(MADT_CPUS_MAX == 1024 && MADT_IO_APICS_MAX == 64, "as in defect_text");

static void add_cpu(struct madt *m, struct madt_cpu cpu, uint64_t *defects)
{
    for (size_t i = 0; i < m->n_cpus; i++) {
        if (m->cpu[i].apic_id == cpu.apic_id) {
            defects[TWICE] += m->cpu[i].is_x2apic == cpu.is_x2apic;
            return;
        }
    }
    if (m->n_cpus < MADT_CPUS_MAX)
        m->cpu[m->n_cpus++] = cpu;
    else
        defects[CPUS_LOST]++;
}

static bool read_cpu(struct madt *m, struct madt_cpu cpu, uint32_t flags, uint64_t *defects)
{
    if (!(flags & MADT_CPU_ENABLED))
        return true;
    if (cpu.apic_id == (cpu.is_x2apic ? X2APIC_BROADCAST : APIC_BROADCAST))
        return false;
    add_cpu(m, cpu, defects);
    return true;
}

static bool read_local_apic(struct madt *m, const struct acpi_entry *e, uint64_t *defects)
{
    const struct madt_local_apic *cpu = (const void *)e;

    return e->length >= sizeof(*cpu) &&
           read_cpu(m, (struct madt_cpu){ cpu->apic_id, cpu->acpi_uid, false }, cpu->flags,
                    defects);
}

static bool read_local_x2apic(struct madt *m, const struct acpi_entry *e, uint64_t *defects)
{
    const struct madt_local_x2apic *cpu = (const void *)e;

    return e->length >= sizeof(*cpu) &&
           read_cpu(m, (struct madt_cpu){ cpu->apic_id, cpu->acpi_uid, true }, cpu->flags, defects);
}

static bool read_io_apic(struct madt *m, const struct acpi_entry *e, uint64_t *defects)
{
    const struct madt_io_apic_entry *io = (const void *)e;

    if (e->length < sizeof(*io))
        return false;
    if (m->n_io_apics < MADT_IO_APICS_MAX)
        m->io_apic[m->n_io_apics++] =
            (struct madt_io_apic){ .address = io->address, .gsi_base = io->gsi_base };
    else
        defects[IO_APICS_LOST]++;
    return true;
}

static bool read_local_apic_address(struct madt *m, const struct acpi_entry *e)
{
    const struct madt_local_apic_address *o = (const void *)e;

    if (e->length < sizeof(*o))
        return false;
    m->local_apic_address = o->address;
    return true;
}

enum status madt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct madt *ret_madt)
{
    const struct madt_table *head = (const void *)table;
    uint64_t defects[DEFECTS] = { 0 };
    const struct acpi_entry *e;
    struct acpi_cursor c;

    if (!acpi_table_holds(table, sizeof(*head), "MADT", warnings))
        return STATUS_INVALID;
    ret_madt->local_apic_address = head->local_apic_address;
    ret_madt->n_cpus = 0;
    ret_madt->n_io_apics = 0;

    c = acpi_entries(table, sizeof(*head));
    while ((e = acpi_next(&c))) {
        bool ok = true;

        switch (e->type) {
        case MADT_LOCAL_APIC: ok = read_local_apic(ret_madt, e, defects); break;
        case MADT_LOCAL_X2APIC: ok = read_local_x2apic(ret_madt, e, defects); break;
        case MADT_IO_APIC: ok = read_io_apic(ret_madt, e, defects); break;
        case MADT_LOCAL_APIC_ADDRESS: ok = read_local_apic_address(ret_madt, e); break;
        }
        defects[BROKEN] += !ok;
    }
    defects[CUT_OFF] = (uint64_t)(c.end - c.pos);
    warn_counts(warnings, "MADT", defect_text, defects, DEFECTS);
    return STATUS_OK;
}
