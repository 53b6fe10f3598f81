// SPDX-License-Identifier: MIT
/* Where okram is, or could be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/status.h"
#include "memory/page_list.h"

/* Page tables are separate: when okram moves they are not copied unchanged. */
struct footprint {
    struct page_list data; /* the image first, then what was allocated */
    struct page_list tables;
};

/* STATUS_NO_SPACE: it was not copied. */
enum status footprint_copy(struct footprint *to, const struct footprint *from);

/* Whether a physical address is in a place, data or tables. */
bool footprint_holds(const struct footprint *place, uint64_t phys);
