// SPDX-License-Identifier: MIT
/* Adds the bad pages that a patrol has found to the guard's list. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_list.h"

/*
 * Adds to the writer the runs of the list, NULL: there is none, and the pages, which are sorted
 * here; the same page may come several times, and may be in the list.
 */
void patrol_join(const struct guard_list *list, uint64_t *page, size_t n,
                 struct guard_writer *writer);
