// SPDX-License-Identifier: MIT
/*
 * Memory is checked before okram takes it: a page that shares cells with one that okram uses must
 * not even be written to, and two that share cells cannot both be used. What is left is marched
 * over (self/probe.h).
 *
 * One word of each page is read from DRAM (self/pages_alias.h), as when pages under test are looked
 * at (self/own_search.h): an unused page whose word is 0 is marked, and okram's own pages are
 * searched for the mark; one whose word equals an own page's is compared with that by changing a
 * bit. Then all are marked, and each must have its own mark. A page that has neither its own mark
 * nor another's is not taken; it counts as bad only if the march finds it bad.
 *
 * Not found: an address that reaches its own cells and another page's as well.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

/*
 * An arena_check (memory/arena.h). Aliases count as bad from then on (probe_bad_pages); a chunk
 * with one is rejected as a whole, and not marched over. Boot CPU only, all others idle.
 */
void candidate_pages_check(const struct span *chunk, size_t n, uint32_t *ret_bad);
