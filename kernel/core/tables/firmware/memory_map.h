// SPDX-License-Identifier: MIT
/*
 * Firmware's memory map, repaired: sorted, disjoint, nothing empty or beyond the CPU's addresses;
 * and the pages that were taken out of it before okram started.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "lib/span.h"
#include "lib/warn.h"

/* Every given region has two ends, and a new region begins at no other place. */
#define MEMORY_REGIONS_MAX (2 * BOOT_REGIONS_MAX)

struct memory_region {
    struct span span; /* bytes; ends may be inside a page */
    enum boot_region_kind kind;
};

struct memory_map {
    size_t n_regions;
    struct memory_region region[MEMORY_REGIONS_MAX];
};

/* What the loader hands over. */
struct given_map {
    const struct boot_region *region;
    size_t n;
    uint64_t lost;          /* entries beyond the loader's limit */
    unsigned physical_bits; /* of the CPU's addresses: 32 to 52 */
};

/*
 * Repairs the loader's regions. Empty entries and those
 * that wrap past the end of the address space are dropped, entries above the CPU's physical_bits
 * are truncated. Where entries overlap the more restrictive kind is used, from
 * USABLE over SPECIFIC, ACPI_RECLAIM, BAD, ACPI_NVS, RUNTIME, RESERVED, UNACCEPTED and PERSISTENT
 * to MMIO; an unknown kind counts as RESERVED. Neighbours of the same kind become one. Each kind of
 * repair gives one warning with how many there were.
 */
void memory_map_make(const struct given_map *given, const struct warnings *warnings,
                     struct memory_map *ret_map);

/* Entries that n given regions can make. */
#define MEMORY_ENTRIES_MAX(n) (2 * (n))

/*
 * The entries as in firmware's own map: several of its types become RESERVED, so these are split
 * wherever a given region ends. Returns how many there are in ret_entry, which
 * has room for MEMORY_ENTRIES_MAX(n_given). The map is the one made of the given regions.
 */
size_t memory_map_entries(const struct memory_map *map, const struct boot_region *given,
                          size_t n_given, struct span *ret_entry);

/* The region that holds addr, or NULL. */
const struct memory_region *memory_map_at(const struct memory_map *map, uint64_t addr);

/* To print: "usable RAM", "ACPI tables", "UEFI runtime services", … */
const char *memory_kind_name(enum boot_region_kind kind);

/* In one word or two, for lists: "usable", "ACPI tables"; "unknown" of what no region is. */
const char *memory_kind_word(uint32_t kind);

/* Whether it is certainly DRAM; RESERVED may be RAM or not. */
bool memory_kind_is_ram(enum boot_region_kind kind);

/*
 * How a page was taken out, or seems to have been: by GRUB's badram or cutmem, or by the guard. By
 * UEFI, GRUB and the guard make it EfiUnusableMemory; by BIOS, GRUB leaves a gap.
 */
enum hidden_kind {
    HIDDEN_UNUSABLE, /* it is in the map, as unusable */
    HIDDEN_HOLE,     /* it is not in the map: RAM or not */
};

/*
 * The next one from region *at on, in whole pages; moves *at on. False: there is none. Unusable
 * memory counts between RAM on both sides, or, up to 256 pages, beside it: more at an end of RAM
 * may be graphics' memory, which some firmware lists so. A hole of less than 256 pages counts
 * between usable memory on both sides, but not from 640 KiB to 1 MiB.
 */
bool hidden_next(const struct memory_map *map, enum hidden_kind kind, size_t *at,
                 struct span *ret_span);

/* All of a kind. */
uint64_t hidden_pages(const struct memory_map *map, enum hidden_kind kind);
