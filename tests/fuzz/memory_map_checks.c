// SPDX-License-Identifier: MIT
#include "memory_map_checks.h"

#include "firmware/memory_map.h"
#include "fuzz.h"

static struct memory_map map;
static struct span spans[MEMORY_ENTRIES_MAX(MEMORY_REGIONS_MAX)];

/* In what one kind of each region covers, the regions given must do so, too. */
static bool is_given(const struct boot_region *given, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++) {
        if (addr - given[i].base < given[i].size)
            return true;
    }
    return false;
}

/* No firmware that calls an address anything but free has it called free. */
static bool is_only_free(const struct boot_region *given, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++) {
        bool wraps = given[i].base + (given[i].size - 1) < given[i].base;

        if (!wraps && addr - given[i].base < given[i].size && given[i].kind != BOOT_REGION_USABLE)
            return false;
    }
    return true;
}

static void check_entries(const struct boot_region *given, size_t n)
{
    size_t n_entries = memory_map_entries(&map, given, n, spans);
    uint64_t entry_bytes = 0, map_bytes = 0;

    CHECK(n_entries <= MEMORY_ENTRIES_MAX(n));
    fuzz_check_spans(spans, n_entries);
    for (size_t i = 0; i < n_entries; i++)
        entry_bytes += spans[i].size;
    for (size_t i = 0; i < map.n_regions; i++)
        map_bytes += map.region[i].span.size;
    CHECK(entry_bytes == map_bytes);
}

void memory_map_checks(const struct boot_region *given, size_t n, uint64_t lost,
                       unsigned physical_bits)
{
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    unsigned bits = physical_bits < 32 ? 32 : physical_bits > 52 ? 52 : physical_bits;

    memory_map_make(&(struct given_map){ given, n, lost, physical_bits }, &warnings, &map);
    CHECK(map.n_regions <= MEMORY_REGIONS_MAX && (!lost || counted.n > 0));
    if (n > BOOT_REGIONS_MAX)
        n = BOOT_REGIONS_MAX;
    for (size_t i = 0; i < map.n_regions; i++) {
        const struct memory_region *r = &map.region[i];
        uint64_t middle = r->span.base + r->span.size / 2;

        spans[i] = r->span;
        CHECK(span_end(r->span) <= UINT64_C(1) << bits);
        CHECK(memory_map_at(&map, r->span.base) == r);
        CHECK(memory_map_at(&map, span_end(r->span) - 1) == r);
        CHECK(is_given(given, n, r->span.base) && is_given(given, n, span_end(r->span) - 1));
        if (r->kind == BOOT_REGION_USABLE)
            CHECK(is_only_free(given, n, r->span.base) && is_only_free(given, n, middle));
        if (i > 0 && span_end(map.region[i - 1].span) == r->span.base)
            CHECK(map.region[i - 1].kind != r->kind);
    }
    fuzz_check_spans(spans, map.n_regions);
    check_entries(given, n);
}
