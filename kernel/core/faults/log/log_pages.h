// SPDX-License-Identifier: MIT
/*
 * Bad pages of RAM that have no bit in the fault log's bitmap, which is only as large as what is
 * tested: their numbers, each a word of the page of counts, and so kept three times. Few come:
 * those that a machine check names, and those found bad before okram lived there. Lock-free, for
 * every CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log/log_counts.h"
#include "log/page_index.h"

enum log_page_added {
    LOG_PAGE_NEW,
    LOG_PAGE_KNOWN,
    LOG_PAGE_NO_ROOM, /* LOG_COUNT_PAGES others are known */
};

enum log_page_added log_pages_add(struct log_counts *counts, uint64_t page);

bool log_pages_has(const struct log_counts *counts, uint64_t page);

/* The lowest from `page` on; PAGES_MAX when there is none. */
uint64_t log_pages_next(const struct log_counts *counts, uint64_t page);
