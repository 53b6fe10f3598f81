// SPDX-License-Identifier: MIT
/*
 * Regions: patterns in which most pages are bad, grown around bad pages. Where a column or a bank
 * fails in part, tens of thousands of bad pages cannot be merged without loss; a few regions, that
 * hold good pages as well, cover them all.
 */
#pragma once

#include <stddef.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

/*
 * Covers every bad page by regions. A region grows by one address bit at a time, the densest half
 * first, as long as at least 1 of sparseness RAM pages of that half is bad; large halves are judged
 * by samples, always the same ones. Returns the number of regions, or 0 when there are no bad pages
 * or max_regions are not enough.
 */
size_t regions_grow(const struct fault_log *log, unsigned sparseness, struct pattern *ret_region,
                    size_t max_regions);
