// SPDX-License-Identifier: MIT
#include "acpi/slit.h"

#include <stdbool.h>

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
