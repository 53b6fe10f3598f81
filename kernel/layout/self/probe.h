// SPDX-License-Identifier: MIT
/*
 * Memory is tested before okram uses it: a quick march, and the list of bad pages that were found
 * before there is a fault log. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "lib/span.h"
#include "log/fault_log.h"
#include "sweep/line_ops.h"

/* Pages that are listed; others are not used either, and the tests find them again. */
#define PROBE_PAGES_MAX 1024

/* Pages that the loader found bad. */
void probe_begin(const struct boot_info *boot);

/* Adds one more. */
void probe_note_bad_page(uint64_t page_phys);

/*
 * Marches over chunks of unused pages, with solid and alternating bits and with their addresses. A
 * page is bad if it fails now or is known as bad; ret_bad as arena_check has it (memory/arena.h).
 */
void probe_march(const struct span *chunk, size_t n, uint32_t *ret_bad);

/* From here on all CPUs share the work if there is much of it: they must be idle. */
void probe_use_all_cpus(void);

/* From here on with these instructions; before, with SSE2. */
void probe_use(const struct line_ops *fastest);

/* The bad pages known so far, in no order. */
size_t probe_bad_pages(const uint64_t **ret_pages);

/*
 * Like probe_march, over any number of unused pages, once there is a fault log, which gets the bad
 * ones. Returns how many.
 */
size_t probe_and_log(struct fault_log *log, struct span pages);
