// SPDX-License-Identifier: MIT
#include "plan/limits.h"

#include "bootcfg/lines.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "memory/arena.h"

static struct grub_map grub_map;

/* The line is for a GRUB that starts as okram was started, on the same map. */
static void make_grub_map(struct plan *plan, const struct boot_info *boot)
{
    struct span *entry = arena_alloc(MEMORY_ENTRIES_MAX(boot->n_regions) * sizeof(*entry));
    size_t n = memory_map_entries(&machine.map, boot->region, boot->n_regions, entry);
    struct page_run *piece = arena_alloc(n * sizeof(*piece));

    ASSERT(grub_map_init(&grub_map, piece, entry, n) == STATUS_OK);
    plan->limits.map = &grub_map;
}

void limits_make(struct plan *plan, const struct boot_info *boot, const struct options *options)
{
    plan->limits.max_patterns = options->max_patterns;
    plan->limits.max_ranges = options->max_ranges;
    if (!options->max_ranges)
        plan->limits.max_ranges =
            lines_map_room(machine.map.n_regions, boot->firmware == BOOT_BIOS);
    plan->newer_grub_takes_more = !options->max_ranges && boot->firmware == BOOT_UEFI;
    /* With more ranges the reader of the patterns is not GRUB. */
    if (boot->firmware == BOOT_BIOS && plan->limits.max_ranges <= GRUB_HOLES_MAX)
        make_grub_map(plan, boot);
}
