// SPDX-License-Identifier: MIT
#include "firmware/memory_map.h"

#include "lib/minmax.h"

#define KINDS (BOOT_REGION_UNACCEPTED + 1)

/* Where regions overlap the kind of higher rank is used. */
static const struct {
    const char *name, *word;
    bool ram;
    uint8_t rank;
} kinds[KINDS] = {
    [BOOT_REGION_USABLE] = { "usable RAM", "usable", true, 1 },
    [BOOT_REGION_SPECIFIC] = { "specific-purpose memory", "specific-purpose", true, 2 },
    [BOOT_REGION_ACPI_RECLAIM] = { "ACPI tables", "ACPI tables", true, 3 },
    [BOOT_REGION_BAD] = { "unusable before okram started", "bad", true, 4 },
    [BOOT_REGION_ACPI_NVS] = { "ACPI NVS", "ACPI NVS", true, 5 },
    [BOOT_REGION_RUNTIME] = { "UEFI runtime services", "UEFI run time", true, 6 },
    [BOOT_REGION_RESERVED] = { "reserved by firmware", "reserved", false, 7 },
    [BOOT_REGION_UNACCEPTED] = { "unaccepted memory: not accepted from the host (confidential guest)",
                                 "unaccepted", false, 8 },
    [BOOT_REGION_PERSISTENT] = { "persistent memory: its data are left alone", "persistent", false,
                                 9 },
    [BOOT_REGION_MMIO] = { "device memory", "device", false, 10 },
};

enum repair { REPAIR_WRAP, REPAIR_UNREACHABLE, REPAIR_KIND, REPAIR_OVERLAP, REPAIR_LOST, REPAIRS };

static const char *const repair_text[REPAIRS] = {
    [REPAIR_WRAP] = "entries that wrap past the end of the address space, dropped",
    [REPAIR_UNREACHABLE] = "entries above the CPU's physical address limit, truncated",
    [REPAIR_KIND] = "entries of an unknown type, treated as reserved",
    [REPAIR_OVERLAP] = "overlapping ranges, the more restrictive type is used",
    [REPAIR_LOST] = "entries beyond the loader's limit, not tested",
};

static bool kind_known(uint32_t kind)
{
    return kind >= BOOT_REGION_USABLE && kind < KINDS;
}

static enum boot_region_kind kind_of(const struct boot_region *r)
{
    return kind_known(r->kind) ? (enum boot_region_kind)r->kind : BOOT_REGION_RESERVED;
}

/* Those that are looked at. */
struct regions {
    const struct boot_region *region;
    size_t n;
    uint64_t limit; /* of the CPU's addresses */
};

/* The part of r that counts; size 0: none. */
static struct span reachable(const struct boot_region *r, uint64_t limit)
{
    uint64_t room;

    if (r->size == 0 || r->base + (r->size - 1) < r->base || r->base >= limit)
        return (struct span){ 0 };
    room = limit - r->base;
    return (struct span){ .base = r->base, .size = min_u64(r->size, room) };
}

static void count_repairs(const struct regions *given, uint64_t count[REPAIRS])
{
    for (size_t i = 0; i < given->n; i++) {
        const struct boot_region *r = &given->region[i];

        if (r->size == 0)
            continue;
        if (r->base + (r->size - 1) < r->base)
            count[REPAIR_WRAP]++;
        else if (reachable(r, given->limit).size < r->size)
            count[REPAIR_UNREACHABLE]++;
        if (!kind_known(r->kind))
            count[REPAIR_KIND]++;
    }
}

static void add_boundary(struct memory_map *map, uint64_t addr)
{
    size_t i = map->n_regions;

    while (i > 0 && map->region[i - 1].span.base > addr)
        i--;
    if (i > 0 && map->region[i - 1].span.base == addr)
        return;
    for (size_t j = map->n_regions++; j > i; j--)
        map->region[j] = map->region[j - 1];
    map->region[i].span.base = addr;
}

/* All ends of all given regions, ascending, each once: between two of them the kind is the same. */
static void collect_boundaries(const struct regions *given, struct memory_map *map)
{
    map->n_regions = 0;
    for (size_t i = 0; i < given->n; i++) {
        struct span s = reachable(&given->region[i], given->limit);

        if (s.size == 0)
            continue;
        add_boundary(map, s.base);
        add_boundary(map, span_end(s));
    }
}

/* The kind at addr, false in a gap. overlap: there is more than one region. */
static bool kind_at(const struct regions *given, uint64_t addr, enum boot_region_kind *ret_kind,
                    bool *ret_overlap)
{
    size_t claims = 0;
    uint8_t rank = 0;

    for (size_t i = 0; i < given->n; i++) {
        enum boot_region_kind kind = kind_of(&given->region[i]);

        if (!span_contains(reachable(&given->region[i], given->limit), addr))
            continue;
        claims++;
        if (kinds[kind].rank > rank) {
            rank = kinds[kind].rank;
            *ret_kind = kind;
        }
    }
    *ret_overlap = claims > 1;
    return rank > 0;
}

void memory_map_make(const struct given_map *given, const struct warnings *warnings,
                     struct memory_map *ret_map)
{
    unsigned bits = min_u64(max_u64(given->physical_bits, 32), 52);
    struct regions regions = { given->region, min_u64(given->n, BOOT_REGIONS_MAX),
                               UINT64_C(1) << bits };
    uint64_t count[REPAIRS] = { [REPAIR_LOST] = given->lost + (given->n - regions.n) };
    size_t n_boundaries, kept = 0;

    count_repairs(&regions, count);

    /* The boundaries are turned into regions where they stand: there are never more regions. */
    collect_boundaries(&regions, ret_map);
    n_boundaries = ret_map->n_regions;
    for (size_t i = 0; i + 1 < n_boundaries; i++) {
        uint64_t base = ret_map->region[i].span.base;
        uint64_t size = ret_map->region[i + 1].span.base - base;
        struct memory_region *last = kept ? &ret_map->region[kept - 1] : NULL;
        enum boot_region_kind kind;
        bool overlap;

        if (!kind_at(&regions, base, &kind, &overlap))
            continue;
        count[REPAIR_OVERLAP] += overlap;
        if (last && last->kind == kind && span_end(last->span) == base)
            last->span.size += size;
        else
            ret_map->region[kept++] =
                (struct memory_region){ .span = { .base = base, .size = size }, .kind = kind };
    }
    ret_map->n_regions = kept;

    warn_counts(warnings, "memory map", repair_text, count, REPAIRS);
}

/* The first end of a given region above addr; at most limit. */
static uint64_t next_boundary(const struct boot_region *given, size_t n, uint64_t addr,
                              uint64_t limit)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t base = given[i].base, end = base + given[i].size;

        if (base > addr && base < limit)
            limit = base;
        if (end > addr && end < limit)
            limit = end;
    }
    return limit;
}

size_t memory_map_entries(const struct memory_map *map, const struct boot_region *given,
                          size_t n_given, struct span *ret_entry)
{
    size_t n = 0;

    for (size_t i = 0; i < map->n_regions; i++) {
        const struct memory_region *r = &map->region[i];
        uint64_t end = span_end(r->span), next;

        for (uint64_t at = r->span.base; at < end; at = next) {
            /* Kinds of RAM are firmware's own; all else may be several of them. */
            next = memory_kind_is_ram(r->kind) ? end : next_boundary(given, n_given, at, end);
            ret_entry[n++] = (struct span){ .base = at, .size = next - at };
        }
    }
    return n;
}

const struct memory_region *memory_map_at(const struct memory_map *map, uint64_t addr)
{
    size_t low = 0, high = map->n_regions;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct memory_region *r = &map->region[middle];

        if (span_contains(r->span, addr))
            return r;
        if (addr < r->span.base)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *memory_kind_name(enum boot_region_kind kind)
{
    return kinds[kind_known(kind) ? kind : BOOT_REGION_RESERVED].name;
}

const char *memory_kind_word(uint32_t kind)
{
    return kind_known(kind) ? kinds[kind].word : "unknown";
}

bool memory_kind_is_ram(enum boot_region_kind kind)
{
    return kinds[kind_known(kind) ? kind : BOOT_REGION_RESERVED].ram;
}

/* A hole for ISA cards, 15 to 16 MiB, has as much. */
#define FEW_BYTES (UINT64_C(256) * PAGE_SIZE)

#define LOW_ROM_BASE (UINT64_C(640) << 10)
#define LOW_ROM_END  (UINT64_C(1) << 20)

static bool is_ram(const struct memory_map *map, size_t i)
{
    return i < map->n_regions && memory_kind_is_ram(map->region[i].kind);
}

static bool is_usable(const struct memory_map *map, size_t i)
{
    return i < map->n_regions && map->region[i].kind == BOOT_REGION_USABLE;
}

static struct span whole_pages(uint64_t base, uint64_t end)
{
    base = align_down(base, PAGE_SIZE);
    return (struct span){ base, align_up(end, PAGE_SIZE) - base };
}

static bool unusable_at(const struct memory_map *map, size_t i, struct span *ret_span)
{
    const struct memory_region *r = &map->region[i];
    bool below = i > 0 && is_ram(map, i - 1) && span_end(r[-1].span) == r->span.base;
    bool above = is_ram(map, i + 1) && r[1].span.base == span_end(r->span);

    if (r->kind != BOOT_REGION_BAD || !(below || above) ||
        (!(below && above) && r->span.size > FEW_BYTES))
        return false;
    *ret_span = whole_pages(r->span.base, span_end(r->span));
    return true;
}

/* Between region i and the next. */
static bool hole_at(const struct memory_map *map, size_t i, struct span *ret_span)
{
    uint64_t base = span_end(map->region[i].span), end;

    if (!is_usable(map, i) || !is_usable(map, i + 1))
        return false;
    end = map->region[i + 1].span.base;
    if (base == end || base % PAGE_SIZE || end % PAGE_SIZE || end - base >= FEW_BYTES ||
        (base >= LOW_ROM_BASE && base < LOW_ROM_END))
        return false;
    *ret_span = (struct span){ base, end - base };
    return true;
}

bool hidden_next(const struct memory_map *map, enum hidden_kind kind, size_t *at,
                 struct span *ret_span)
{
    while (*at < map->n_regions) {
        size_t i = (*at)++;

        if (kind == HIDDEN_UNUSABLE ? unusable_at(map, i, ret_span) : hole_at(map, i, ret_span))
            return true;
    }
    return false;
}

uint64_t hidden_pages(const struct memory_map *map, enum hidden_kind kind)
{
    uint64_t pages = 0;
    struct span span;
    size_t at = 0;

    while (hidden_next(map, kind, &at, &span))
        pages += span.size >> PAGE_SHIFT;
    return pages;
}
