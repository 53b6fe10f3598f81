// SPDX-License-Identifier: MIT
/*
 * Makes a long list of blocks short in linear time, by joining neighbours in address order. It is
 * the coarse step before the careful one (merge.h), where there are more blocks than that can
 * compare all with all. All that was covered stays covered.
 */
#pragma once

#include <stddef.h>

#include "badram/pattern.h"

/*
 * Joins the cheapest neighbours of a sorted list, each pair to the smallest block that covers both,
 * until at most target (1 or more) are left.
 */
size_t premerge_blocks(struct pattern *block, size_t n, size_t target,
                       const struct page_index *space);
