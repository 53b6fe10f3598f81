// SPDX-License-Identifier: MIT
#include "firmware/madt.h"

#include <stdbool.h>

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

struct trouble {
    size_t broken, twice, cpus_lost, io_apics_lost;
};

static void add_cpu(struct madt *m, uint32_t apic_id, uint32_t acpi_uid, struct trouble *t)
{
    for (size_t i = 0; i < m->n_cpus; i++) {
        if (m->cpu[i].apic_id == apic_id) {
            t->twice++;
            return;
        }
    }
    if (m->n_cpus < MADT_CPUS_MAX)
        m->cpu[m->n_cpus++] = (struct madt_cpu){ .apic_id = apic_id, .acpi_uid = acpi_uid };
    else
        t->cpus_lost++;
}

static bool read_local_apic(struct madt *m, const struct acpi_entry *e, struct trouble *t)
{
    const struct madt_local_apic *cpu = (const void *)e;

    if (e->length < sizeof(*cpu))
        return false;
    if (!(cpu->flags & MADT_CPU_ENABLED))
        return true;
    if (cpu->apic_id == APIC_BROADCAST)
        return false;
    add_cpu(m, cpu->apic_id, cpu->acpi_uid, t);
    return true;
}

static bool read_local_x2apic(struct madt *m, const struct acpi_entry *e, struct trouble *t)
{
    const struct madt_local_x2apic *cpu = (const void *)e;

    if (e->length < sizeof(*cpu))
        return false;
    if (!(cpu->flags & MADT_CPU_ENABLED))
        return true;
    if (cpu->apic_id == X2APIC_BROADCAST)
        return false;
    add_cpu(m, cpu->apic_id, cpu->acpi_uid, t);
    return true;
}

static bool read_io_apic(struct madt *m, const struct acpi_entry *e, struct trouble *t)
{
    const struct madt_io_apic_entry *io = (const void *)e;

    if (e->length < sizeof(*io))
        return false;
    if (m->n_io_apics < MADT_IO_APICS_MAX)
        m->io_apic[m->n_io_apics++] =
            (struct madt_io_apic){ .address = io->address, .gsi_base = io->gsi_base };
    else
        t->io_apics_lost++;
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

static void report(const struct warnings *warnings, const struct trouble *t, size_t cut_off)
{
    if (t->broken)
        warn_print(warnings, "MADT: broken entries, left out: %lu", (unsigned long)t->broken);
    if (t->twice)
        warn_print(warnings, "MADT: CPUs named again under the same APIC ID, left out: %lu",
                   (unsigned long)t->twice);
    if (t->cpus_lost)
        warn_print(warnings, "MADT: CPUs past the first %u, not used: %lu", MADT_CPUS_MAX,
                   (unsigned long)t->cpus_lost);
    if (t->io_apics_lost)
        warn_print(warnings, "MADT: I/O APICs past the first %u, left out: %lu", MADT_IO_APICS_MAX,
                   (unsigned long)t->io_apics_lost);
    if (cut_off)
        warn_print(warnings, "MADT: an entry has an impossible length; the last %lu bytes are lost",
                   (unsigned long)cut_off);
}

enum status madt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct madt *ret_madt)
{
    const struct madt_table *head = (const void *)table;
    struct trouble t = { 0 };
    const struct acpi_entry *e;
    struct acpi_cursor c;

    if (table->length < sizeof(*head)) {
        warn_print(warnings, "MADT: %u bytes are too short for one; it is ignored", table->length);
        return STATUS_INVALID;
    }
    ret_madt->local_apic_address = head->local_apic_address;
    ret_madt->n_cpus = 0;
    ret_madt->n_io_apics = 0;

    c = acpi_entries(table, sizeof(*head));
    while ((e = acpi_next(&c))) {
        bool ok = true;

        switch (e->type) {
        case MADT_LOCAL_APIC:
            ok = read_local_apic(ret_madt, e, &t);
            break;
        case MADT_LOCAL_X2APIC:
            ok = read_local_x2apic(ret_madt, e, &t);
            break;
        case MADT_IO_APIC:
            ok = read_io_apic(ret_madt, e, &t);
            break;
        case MADT_LOCAL_APIC_ADDRESS:
            ok = read_local_apic_address(ret_madt, e);
            break;
        }
        t.broken += !ok;
    }
    report(warnings, &t, (size_t)(c.end - c.pos));
    return STATUS_OK;
}
