// SPDX-License-Identifier: MIT
/*
 * Memory is tested before okram uses it: a quick march, and the bad pages that were found so early,
 * before there is a fault log. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "lib/span.h"
#include "sweep/line_ops.h"

/* Kept; further ones are passed over, too, and found again by the tests. */
#define PROBE_PAGES_MAX 1024

/* Pages that the loader found bad. */
void probe_begin(const struct boot_info *boot);

/* One more. */
void probe_note_bad_page(uint64_t page_phys);

/*
 * Marches over chunks of unused pages, in solid and alternating bits and with their addresses. Bad
 * is a page that is so now or is known to be from before; for each chunk as arena_check has it
 * (memory/arena.h).
 */
void probe_march(const struct span *chunk, size_t n, uint32_t *ret_bad);

/* From here on all CPUs share the work where there is much of it; all others are idle then. */
void probe_use_all_cpus(void);

/* From here on with these instructions; before, with SSE2. */
void probe_use(const struct line_ops *fastest);

/* The bad pages known so far, in no order. */
size_t probe_bad_pages(const uint64_t **ret_pages);

/*
 * Like probe_march, over any number of unused pages, once there is a fault log: it logs the bad
 * ones. Returns how many.
 */
size_t probe_and_log(struct span pages);
