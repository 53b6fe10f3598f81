// SPDX-License-Identifier: MIT
#include "machine/uefi_map.h"

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "arch/percpu.h"
#include "firmware/call_tables.h"
#include "lib/minmax.h"
#include "memory/arena.h"

/* Each that is needed is for 2 MiB of memory that are firmware's in part. */
#define TABLES_MAX 512

static struct call_tables tables;

static uint64_t address_of(const void *page)
{
    return paging_translate((uint64_t)page);
}

void uefi_map_begin(const struct memory_map *map, bool acpi_is_tested, uint64_t page)
{
    const struct span shown[] = { { 0, PAGE_SIZE }, { page, PAGE_SIZE } };
    size_t n_shown = sizeof(shown) / sizeof(shown[0]);
    struct span *hidden =
        arena_alloc(CALL_TABLES_HIDDEN_MAX(map->n_regions, n_shown) * sizeof(*hidden));

    tables = (struct call_tables){
        .hidden = hidden,
        .n_hidden = call_tables_hide(map, acpi_is_tested, shown, n_shown, hidden),
        .has_1g = cpu_features_read().pages_1g,
        .address_of = address_of,
    };
    tables.n_pages = min_u64(call_tables_count(&tables), TABLES_MAX);
    tables.page = arena_alloc(tables.n_pages * PAGE_SIZE);
}

uint64_t uefi_map_limit(void)
{
    return call_tables_limit(&tables);
}

uint64_t uefi_map_root(void)
{
    return paging_firmware_root(percpu_self()->number == 0, call_tables_make(&tables));
}
