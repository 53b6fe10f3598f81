// SPDX-License-Identifier: MIT
#include "firmware/call_tables.h"

#include "lib/panic.h"

#define PTE_PRESENT (UINT64_C(1) << 0)
#define PTE_WRITE   (UINT64_C(1) << 1)
#define PTE_LARGE   (UINT64_C(1) << 7) /* at levels 2 and 3 */

#define TOP_LEVEL     3
#define LIMIT_WITH_1G (UINT64_C(512) << 30)
#define LIMIT         (UINT64_C(4) << 30)

static bool is_hidden(enum boot_region_kind kind, bool acpi_is_tested)
{
    switch (kind) {
    case BOOT_REGION_USABLE:
    case BOOT_REGION_SPECIFIC:
    case BOOT_REGION_BAD:
    case BOOT_REGION_PERSISTENT:
    case BOOT_REGION_UNACCEPTED: return true;
    case BOOT_REGION_ACPI_RECLAIM: return acpi_is_tested;
    case BOOT_REGION_ACPI_NVS:
    case BOOT_REGION_RUNTIME:
    case BOOT_REGION_RESERVED:
    case BOOT_REGION_MMIO: break;
    }
    return false;
}

void call_tables_hide(const struct memory_map *map, bool acpi_is_tested, const struct spans *shown,
                      struct spans *ret_hidden)
{
    for (size_t i = 0; i < map->n_regions; i++) {
        struct span span = map->region[i].span;

        if (is_hidden(map->region[i].kind, acpi_is_tested))
            ASSERT(spans_outside(&(struct spans){ .span = &span, .n = 1 }, shown, ret_hidden));
    }
}

struct walk {
    const struct call_tables *tables;
    size_t n_used, max_used;
    bool fills;
};

static uint64_t hidden_bytes(const struct call_tables *t, struct span s)
{
    uint64_t bytes = 0;

    if (s.base >= call_tables_limit(t))
        return s.size;
    for (size_t i = spans_after(&t->hidden, s.base);
         i < t->hidden.n && t->hidden.span[i].base < span_end(s); i++)
        bytes += span_intersect(t->hidden.span[i], s).size;
    return bytes;
}

/* The bytes that one entry is for: 1: 4 KiB, 2: 2 MiB, 3: 1 GiB. */
static uint64_t entry_bytes(unsigned level)
{
    return PAGE_SIZE << 9 * (level - 1);
}

static uint64_t walk_table(struct walk *w, uint64_t base, unsigned level);

static uint64_t entry_of(struct walk *w, struct span s, unsigned level)
{
    bool may_be_leaf = level < TOP_LEVEL || w->tables->has_1g;
    uint64_t hidden = hidden_bytes(w->tables, s);

    if (hidden == s.size)
        return 0;
    if (level > 1 && (hidden || !may_be_leaf) && w->n_used < w->max_used)
        return walk_table(w, s.base, level - 1) | PTE_PRESENT | PTE_WRITE;
    if (!may_be_leaf)
        return 0;
    return s.base | PTE_PRESENT | PTE_WRITE | (level > 1 ? PTE_LARGE : 0);
}

static uint64_t walk_table(struct walk *w, uint64_t base, unsigned level)
{
    uint64_t *table = w->fills ? w->tables->page[w->n_used] : NULL, bytes = entry_bytes(level);

    w->n_used++;
    for (unsigned i = 0; i < CALL_TABLES_ENTRIES; i++) {
        uint64_t entry = entry_of(w, (struct span){ base + i * bytes, bytes }, level);

        if (table)
            table[i] = entry;
    }
    return table ? w->tables->address_of(table) : 0;
}

uint64_t call_tables_limit(const struct call_tables *tables)
{
    return tables->has_1g ? LIMIT_WITH_1G : LIMIT;
}

size_t call_tables_count(const struct call_tables *tables)
{
    struct walk w = { .tables = tables, .max_used = SIZE_MAX };

    walk_table(&w, 0, TOP_LEVEL);
    return w.n_used;
}

uint64_t call_tables_make(const struct call_tables *tables)
{
    struct walk w = { .tables = tables, .max_used = tables->n_pages, .fills = true };

    return walk_table(&w, 0, TOP_LEVEL);
}
