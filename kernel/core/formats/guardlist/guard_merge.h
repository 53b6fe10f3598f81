// SPDX-License-Identifier: MIT
/* Two lists of bad pages as one. */
#pragma once

#include <stddef.h>

#include "guardlist/guard_list.h"

/*
 * Writes the pages of both, with the second one's machine and date; `first` may be NULL. Returns
 * the bytes of the list; 0: it does not fit.
 */
size_t guard_merge(const struct guard_list *first, const struct guard_list *second, void *out,
                   size_t size);

/* Whether each page of `part` is in `whole`. */
bool guard_list_holds(const struct guard_list *whole, const struct guard_list *part);
