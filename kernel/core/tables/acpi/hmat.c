// SPDX-License-Identifier: MIT
#include "acpi/hmat.h"

#include "lib/string.h"

struct hmat_table {
    struct acpi_header header;
    uint32_t reserved;
    uint8_t structures[];
} __attribute__((packed));
_Static_assert(sizeof(struct hmat_table) == 40, "ACPI 6.5, 5.2.28.1");

struct hmat_head {
    uint16_t type;
    uint16_t reserved;
    uint32_t length; /* bytes, this head included */
} __attribute__((packed));
_Static_assert(sizeof(struct hmat_head) == 8, "ACPI 6.5, 5.2.28.2");

enum hmat_type { HMAT_ATTRIBUTES = 0, HMAT_LOCALITY = 1, HMAT_SIDE_CACHE = 2 };

struct locality_entry {
    struct hmat_head head;
    uint8_t flags; /* bits 3:0: the level of memory */
    uint8_t data;
    uint8_t transfer_min;
    uint8_t reserved1;
    uint32_t n_initiators, n_targets;
    uint32_t reserved2;
    uint64_t unit;
    uint8_t lists[]; /* of initiators, of targets, of values */
} __attribute__((packed));
_Static_assert(sizeof(struct locality_entry) == 32, "ACPI 6.5, 5.2.28.4");

#define HIERARCHY_MASK   0xfu
#define HIERARCHY_MEMORY 0u
#define HIERARCHY_LAST   3u /* a memory side cache of the third level */

/* A second, or an exabyte per second: real units are far smaller, and values cannot overflow. */
#define UNIT_MAX (UINT64_C(1000) * 1000 * 1000 * 1000)

#define VALUE_UNKNOWN     0u
#define VALUE_UNREACHABLE 0xffffu

struct cache_entry {
    struct hmat_head head;
    uint32_t domain;
    uint32_t reserved1;
    uint64_t size_bytes;
    uint32_t attributes;
    uint16_t reserved2;
    uint16_t n_handles;
} __attribute__((packed));
_Static_assert(sizeof(struct cache_entry) == 32, "ACPI 6.5, 5.2.28.5");

enum defect { BROKEN, UNKNOWN, LOST, CUT_OFF, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [BROKEN] = "malformed structures, ignored",
    [UNKNOWN] = "structures of unknown types, ignored",
    [LOST] = "structures beyond okram's limit, ignored",
    [CUT_OFF] = "a structure has an impossible length; bytes not read",
};

static uint32_t load_32(const uint8_t *list, uint32_t i)
{
    uint32_t value;

    memcpy(&value, list + (size_t)i * sizeof(value), sizeof(value));
    return value;
}

/* Whether both lists and the matrix are inside the structure, which is smaller than 2^32 bytes. */
static bool lists_fit(const struct locality_entry *e)
{
    uint64_t room = e->head.length - sizeof(*e), from = e->n_initiators, to = e->n_targets;

    return from <= room && to <= room && 4 * (from + to) + 2 * from * to <= room;
}

static void read_locality(struct hmat *h, const struct hmat_head *head, uint64_t *defects)
{
    const struct locality_entry *e = (const void *)head;
    struct hmat_locality l;

    if (head->length < sizeof(*e) || !lists_fit(e) || e->unit == 0 || e->unit > UNIT_MAX) {
        defects[BROKEN]++;
        return;
    }
    if (e->data >= HMAT_DATA_KINDS || (e->flags & HIERARCHY_MASK) > HIERARCHY_LAST) {
        defects[UNKNOWN]++;
        return;
    }
    if ((e->flags & HIERARCHY_MASK) != HIERARCHY_MEMORY)
        return;
    if (h->n_localities == HMAT_LOCALITIES_MAX) {
        defects[LOST]++;
        return;
    }
    l = (struct hmat_locality){ .data = e->data,
                                .n_initiators = e->n_initiators,
                                .n_targets = e->n_targets,
                                .unit = e->unit,
                                .initiators = e->lists };
    l.targets = l.initiators + (size_t)4 * l.n_initiators;
    l.entries = l.targets + (size_t)4 * l.n_targets;
    h->locality[h->n_localities++] = l;
}

static void read_cache(struct hmat *h, const struct hmat_head *head, uint64_t *defects)
{
    const struct cache_entry *e = (const void *)head;

    if (head->length < sizeof(*e) || e->size_bytes == 0)
        defects[BROKEN]++;
    else if (h->n_caches == HMAT_CACHES_MAX)
        defects[LOST]++;
    else
        h->cache[h->n_caches++] =
            (struct hmat_cache){ .domain = e->domain, .size_bytes = e->size_bytes };
}

/* Reads structure by structure; returns the bytes left from the first malformed one on. */
static size_t read_structures(struct hmat *h, const struct acpi_header *table, uint64_t *defects)
{
    const uint8_t *pos = ((const struct hmat_table *)table)->structures;
    size_t left = table->length - sizeof(struct hmat_table);

    while (left >= sizeof(struct hmat_head)) {
        const struct hmat_head *head = (const void *)pos;

        if (head->length < sizeof(*head) || head->length > left)
            break;
        switch (head->type) {
        case HMAT_ATTRIBUTES: break;
        case HMAT_LOCALITY: read_locality(h, head, defects); break;
        case HMAT_SIDE_CACHE: read_cache(h, head, defects); break;
        default: defects[UNKNOWN]++;
        }
        pos += head->length;
        left -= head->length;
    }
    return left;
}

enum status hmat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hmat *ret_hmat)
{
    uint64_t defects[DEFECTS] = { 0 };

    if (!acpi_table_holds(table, sizeof(struct hmat_table), "HMAT", warnings))
        return STATUS_INVALID;
    memset(ret_hmat, 0, sizeof(*ret_hmat));
    ret_hmat->revision = table->revision;
    defects[CUT_OFF] = read_structures(ret_hmat, table, defects);
    warn_counts(warnings, "HMAT", defect_text, defects, DEFECTS);
    return STATUS_OK;
}

/* The index of a domain in a list of n; n: not found. */
static uint32_t index_of(const uint8_t *list, uint32_t n, uint32_t domain)
{
    uint32_t i = 0;

    while (i < n && load_32(list, i) != domain)
        i++;
    return i;
}

/* In the table's units; 0: not reported. */
static uint64_t value_of(const struct hmat_locality *l, uint32_t from, uint32_t to)
{
    uint32_t row = index_of(l->initiators, l->n_initiators, from);
    uint32_t column = index_of(l->targets, l->n_targets, to);
    uint16_t value;

    if (row == l->n_initiators || column == l->n_targets)
        return 0;
    memcpy(&value, l->entries + ((uint64_t)row * l->n_targets + column) * sizeof(value),
           sizeof(value));
    return value == VALUE_UNKNOWN || value == VALUE_UNREACHABLE ? 0 : value * l->unit;
}

static uint64_t find(const struct hmat *hmat, enum hmat_data data, uint32_t from, uint32_t to)
{
    uint64_t value = 0;

    for (size_t i = 0; i < hmat->n_localities && !value; i++) {
        if (hmat->locality[i].data == data)
            value = value_of(&hmat->locality[i], from, to);
    }
    return value;
}

/* What is said of reads or writes; else of both. */
static uint64_t find_either(const struct hmat *hmat, enum hmat_data one, enum hmat_data both,
                            uint32_t from, uint32_t to)
{
    uint64_t value = find(hmat, one, from, to);

    return value ? value : find(hmat, both, from, to);
}

uint64_t hmat_latency_ps(const struct hmat *hmat, enum hmat_access access, uint32_t from,
                         uint32_t to)
{
    enum hmat_data one = access == HMAT_READ ? HMAT_READ_LATENCY : HMAT_WRITE_LATENCY;
    uint64_t value = find_either(hmat, one, HMAT_ACCESS_LATENCY, from, to);

    return hmat->revision < 2 ? value * 100 : value; /* tenths of a nanosecond (ACPI 6.2) */
}

uint64_t hmat_bandwidth_mb_s(const struct hmat *hmat, enum hmat_access access, uint32_t from,
                             uint32_t to)
{
    enum hmat_data one = access == HMAT_READ ? HMAT_READ_BANDWIDTH : HMAT_WRITE_BANDWIDTH;
    uint64_t value = find_either(hmat, one, HMAT_ACCESS_BANDWIDTH, from, to);

    return hmat->revision < 2 ? value / 10 : value;
}

uint64_t hmat_side_cache_bytes(const struct hmat *hmat, uint32_t domain)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < hmat->n_caches; i++) {
        const struct hmat_cache *c = &hmat->cache[i];

        if (c->domain == domain && c->size_bytes > largest)
            largest = c->size_bytes;
    }
    return largest;
}
