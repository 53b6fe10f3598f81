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
        case HMAT_ATTRIBUTES:
        case HMAT_LOCALITY: break;
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
    defects[CUT_OFF] = read_structures(ret_hmat, table, defects);
    warn_counts(warnings, "HMAT", defect_text, defects, DEFECTS);
    return STATUS_OK;
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
