#include "firmware/slit.h"

struct slit_table {
    struct acpi_header header;
    uint64_t n_localities;
    uint8_t distance[];
} __attribute__((packed));
_Static_assert(sizeof(struct slit_table) == 44, "ACPI 6.5, 5.2.17");

/* The first wrong cell, or NULL. */
static const uint8_t *wrong_distance(const uint8_t *distance, uint32_t n)
{
    for (uint32_t from = 0; from < n; from++) {
        for (uint32_t to = 0; to < n; to++, distance++) {
            if (from == to ? *distance != SLIT_LOCAL : *distance < SLIT_LOCAL)
                return distance;
        }
    }
    return NULL;
}

enum status slit_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct slit *ret_slit)
{
    const struct slit_table *t = (const void *)table;
    const uint8_t *wrong;
    uint64_t n, room;

    if (table->length < sizeof(*t)) {
        warn_print(warnings, "SLIT: %u bytes are too short for one; it is ignored", table->length);
        return STATUS_INVALID;
    }
    n = t->n_localities;
    room = table->length - sizeof(*t);
    if (n > room || n * n > room) { /* n <= room < 2^32: the product does not overflow */
        warn_print(warnings, "SLIT: %lu localities do not fit into %u bytes; it is ignored",
                   (unsigned long)n, table->length);
        return STATUS_INVALID;
    }
    wrong = wrong_distance(t->distance, (uint32_t)n);
    if (wrong) {
        uint64_t cell = (uint64_t)(wrong - t->distance);

        warn_print(warnings, "SLIT: distance %u from node %lu to %lu cannot be; it is ignored",
                   *wrong, (unsigned long)(cell / n), (unsigned long)(cell % n));
        return STATUS_INVALID;
    }
    *ret_slit = (struct slit){ .n_localities = (uint32_t)n, .distance = t->distance };
    return STATUS_OK;
}

uint32_t slit_distance(const struct slit *slit, uint32_t from, uint32_t to)
{
    if (from < slit->n_localities && to < slit->n_localities)
        return slit->distance[(uint64_t)from * slit->n_localities + to];
    return from == to ? SLIT_LOCAL : SLIT_REMOTE;
}
