// SPDX-License-Identifier: MIT
/*
 * Makes a long list of patterns short in linear time, by joining neighbours in address order. It is
 * the coarse step before the careful one (merge.h), where there are more patterns than that can
 * compare all with all. All that was covered stays covered.
 */
#pragma once

#include <stddef.h>

#include "badram/pattern.h"

enum premerge_with {
    PREMERGE_BY_JOIN, /* neighbours become the smallest pattern that covers both */
    PREMERGE_BY_HULL, /* ... the smallest block, so that blocks stay blocks */
};

/* Joins the cheapest neighbours of a sorted list until at most target (1 or more) are left. */
size_t premerge_patterns(struct pattern *pattern, size_t n, size_t target, enum premerge_with with,
                         const struct page_space *space);
