// SPDX-License-Identifier: MIT
#include "acpi/srat.h"

#include <stdbool.h>

#include "lib/string.h"

/* The header, and 12 reserved bytes. */
#define SRAT_ENTRIES_OFFSET 48u

enum srat_type {
    SRAT_LOCAL_APIC = 0,
    SRAT_MEMORY = 1,
    SRAT_LOCAL_X2APIC = 2,
    SRAT_GENERIC_PORT = 6, /* the last type that ACPI 6.5 has; none after x2APIC concerns x86 */
};

#define SRAT_ENABLED 1u

struct srat_local_apic_entry {
    struct acpi_entry head;
    uint8_t domain_low;
    uint8_t apic_id;
    uint32_t flags;
    uint8_t local_sapic_eid;
    uint8_t domain_high[3]; /* reserved in revision 1 */
    uint32_t clock_domain;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_local_apic_entry) == 16, "ACPI 6.5, 5.2.16.1");

struct srat_memory_entry {
    struct acpi_entry head;
    uint32_t domain;
    uint16_t reserved1;
    uint64_t base, length;
    uint32_t reserved2, flags;
    uint64_t reserved3;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_memory_entry) == 40, "ACPI 6.5, 5.2.16.2");

struct srat_x2apic_entry {
    struct acpi_entry head;
    uint16_t reserved1;
    uint32_t domain;
    uint32_t apic_id;
    uint32_t flags;
    uint32_t clock_domain;
    uint32_t reserved2;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_x2apic_entry) == 24, "ACPI 6.5, 5.2.16.3");

enum defect { BROKEN, UNKNOWN, TWICE, OVERLAP, CPUS_LOST, MEMORY_LOST, CUT_OFF, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [BROKEN] = "malformed entries, ignored",
    [UNKNOWN] = "entries of unknown types, ignored",
    [TWICE] = "CPUs listed again in another proximity domain, which is ignored",
    [OVERLAP] = "overlapping memory ranges, truncated",
    [CPUS_LOST] = "CPUs beyond the first 1024, not assigned to a node",
    [MEMORY_LOST] = "memory ranges beyond the first 512, not assigned to a node",
    [CUT_OFF] = "an entry has an impossible length; bytes not read",
};
_Static_assert(SRAT_CPUS_MAX == 1024 && SRAT_MEMORY_MAX == 512, "as in defect_text");

/* Some firmware lists each CPU by its xAPIC ID, and by its x2APIC ID once more. */
static void add_cpu(struct srat *s, uint32_t apic_id, uint32_t domain, uint64_t *defects)
{
    for (size_t i = 0; i < s->n_cpus; i++) {
        if (s->cpu[i].apic_id == apic_id) {
            defects[TWICE] += s->cpu[i].domain != domain;
            return;
        }
    }
    if (s->n_cpus < SRAT_CPUS_MAX)
        s->cpu[s->n_cpus++] = (struct srat_cpu){ .apic_id = apic_id, .domain = domain };
    else
        defects[CPUS_LOST]++;
}

/* Keeps the list sorted; firmware's order decides between equal bases. */
static void add_memory(struct srat *s, struct span span, uint32_t domain, uint64_t *defects)
{
    size_t i = s->n_memory;

    if (s->n_memory == SRAT_MEMORY_MAX) {
        defects[MEMORY_LOST]++;
        return;
    }
    while (i > 0 && s->memory[i - 1].span.base > span.base)
        i--;
    memmove(&s->memory[i + 1], &s->memory[i], (s->n_memory - i) * sizeof(s->memory[0]));
    s->memory[i] = (struct srat_memory){ .span = span, .domain = domain };
    s->n_memory++;
}

static bool read_local_apic(struct srat *s, const struct acpi_entry *e, uint32_t domain_mask,
                            uint64_t *defects)
{
    const struct srat_local_apic_entry *cpu = (const void *)e;
    uint32_t domain;

    if (e->length < sizeof(*cpu))
        return false;
    if (!(cpu->flags & SRAT_ENABLED))
        return true;
    domain = cpu->domain_low | (uint32_t)cpu->domain_high[0] << 8 |
             (uint32_t)cpu->domain_high[1] << 16 | (uint32_t)cpu->domain_high[2] << 24;
    add_cpu(s, cpu->apic_id, domain & domain_mask, defects);
    return true;
}

static bool read_x2apic(struct srat *s, const struct acpi_entry *e, uint64_t *defects)
{
    const struct srat_x2apic_entry *cpu = (const void *)e;

    if (e->length < sizeof(*cpu))
        return false;
    if (cpu->flags & SRAT_ENABLED)
        add_cpu(s, cpu->apic_id, cpu->domain, defects);
    return true;
}

static bool read_memory(struct srat *s, const struct acpi_entry *e, uint32_t domain_mask,
                        uint64_t *defects)
{
    const struct srat_memory_entry *m = (const void *)e;

    if (e->length < sizeof(*m))
        return false;
    if (!(m->flags & SRAT_ENABLED) || m->length == 0)
        return true;
    if (m->base + (m->length - 1) < m->base)
        return false;
    add_memory(s, (struct span){ .base = m->base, .size = m->length }, m->domain & domain_mask,
               defects);
    return true;
}

/* So that an address belongs to one node only. */
static void separate_memory(struct srat *s, uint64_t *defects)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n_memory; i++) {
        struct srat_memory m = s->memory[i];

        if (kept) {
            struct span before = s->memory[kept - 1].span;
            uint64_t meet = m.span.base - before.base; /* sorted: never negative */

            if (meet < before.size) {
                uint64_t cut = before.size - meet;

                defects[OVERLAP]++;
                if (cut >= m.span.size)
                    continue;
                m.span.base += cut;
                m.span.size -= cut;
            }
        }
        s->memory[kept++] = m;
    }
    s->n_memory = kept;
}

enum status srat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct srat *ret_srat)
{
    uint32_t domain_mask = table->revision < 2 ? 0xff : 0xffffffff;
    uint64_t defects[DEFECTS] = { 0 };
    const struct acpi_entry *e;
    struct acpi_cursor c;

    if (!acpi_table_holds(table, SRAT_ENTRIES_OFFSET, "SRAT", warnings))
        return STATUS_INVALID;
    ret_srat->n_cpus = 0;
    ret_srat->n_memory = 0;

    c = acpi_entries(table, SRAT_ENTRIES_OFFSET);
    while ((e = acpi_next(&c))) {
        bool ok = true;

        switch (e->type) {
        case SRAT_LOCAL_APIC: ok = read_local_apic(ret_srat, e, domain_mask, defects); break;
        case SRAT_MEMORY: ok = read_memory(ret_srat, e, domain_mask, defects); break;
        case SRAT_LOCAL_X2APIC: ok = read_x2apic(ret_srat, e, defects); break;
        default: defects[UNKNOWN] += e->type > SRAT_GENERIC_PORT;
        }
        defects[BROKEN] += !ok;
    }
    separate_memory(ret_srat, defects);
    defects[CUT_OFF] = (uint64_t)(c.end - c.pos);
    warn_counts(warnings, "SRAT", defect_text, defects, DEFECTS);
    return STATUS_OK;
}

struct slit_table {
    struct acpi_header header;
    uint64_t n_localities;
    uint8_t distance[];
} __attribute__((packed));
_Static_assert(sizeof(struct slit_table) == 44, "ACPI 6.5, 5.2.17");

static bool is_wrong(uint64_t from, uint64_t to, uint8_t distance)
{
    return from == to ? distance != SLIT_LOCAL : distance < SLIT_LOCAL;
}

static void report_wrong(const struct slit *slit, const struct warnings *warnings)
{
    uint64_t n = slit->n_localities, n_wrong = 0, first = 0;

    for (uint64_t cell = 0; cell < n * n; cell++) {
        if (is_wrong(cell / n, cell % n, slit->distance[cell]) && n_wrong++ == 0)
            first = cell;
    }
    if (n_wrong)
        warn_print(warnings,
                   "SLIT: invalid distances: %lu, the first %u from node %lu to %lu; "
                   "%u is used instead, %u from a node to itself",
                   (unsigned long)n_wrong, slit->distance[first], (unsigned long)(first / n),
                   (unsigned long)(first % n), SLIT_REMOTE, SLIT_LOCAL);
}

enum status slit_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct slit *ret_slit)
{
    const struct slit_table *t = (const void *)table;
    uint64_t n, room;

    if (!acpi_table_holds(table, sizeof(*t), "SLIT", warnings))
        return STATUS_INVALID;
    n = t->n_localities;
    room = table->length - sizeof(*t);
    if (n > room || n * n > room) { /* n <= room < 2^32: the product does not overflow */
        warn_print(warnings, "SLIT: %lu localities do not fit into %u bytes; it is ignored",
                   (unsigned long)n, table->length);
        return STATUS_INVALID;
    }
    *ret_slit = (struct slit){ .n_localities = (uint32_t)n, .distance = t->distance };
    report_wrong(ret_slit, warnings);
    return STATUS_OK;
}

uint32_t slit_distance(const struct slit *slit, uint32_t from, uint32_t to)
{
    uint8_t distance;

    if (from == to)
        return SLIT_LOCAL;
    if (from >= slit->n_localities || to >= slit->n_localities)
        return SLIT_REMOTE;
    distance = slit->distance[(uint64_t)from * slit->n_localities + to];
    return is_wrong(from, to, distance) ? SLIT_REMOTE : distance;
}
