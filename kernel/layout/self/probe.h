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

/* From here on all CPUs share the work if there is much of it: they must be idle. */
void probe_use_all_cpus(void);

/* From here on with these instructions; before, with SSE2. */
void probe_use(const struct line_ops *fastest);

/* The bad pages known so far, in no order. */
size_t probe_bad_pages(const uint64_t **ret_pages);

/*
 * Marches over unused pages, any number, with solid and alternating bits and with their addresses.
 * A page is bad if it fails now or is known as bad; the fault log gets the bad ones. Returns how
 * many.
 */
size_t probe_and_log(struct fault_log *log, struct span pages);

/*
 * Memory is checked before okram takes it: a page that shares cells with one that okram uses must
 * not even be written to, and two that share cells cannot both be used. What is left is marched
 * over.
 *
 * One word of each page is read from DRAM (self/pages_alias.h), as when pages under test are looked
 * at (self/own_aliases.c): an unused page whose word is 0 is marked, and okram's own pages are
 * searched for the mark; one whose word equals an own page's is compared with that by changing a
 * bit. Then all are marked, and each must have its own mark. A page that has neither its own mark
 * nor another's is not taken; it counts as bad only if the march finds it bad.
 *
 * Not found: an address that reaches its own cells and another page's as well.
 *
 * An arena_check (memory/arena.h). Aliases count as bad from then on (probe_bad_pages); a chunk
 * with one is rejected as a whole, and not marched over. Boot CPU only, all others idle.
 */
void candidate_pages_check(const struct span *chunk, size_t n, uint32_t *ret_bad);
