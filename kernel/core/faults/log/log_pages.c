// SPDX-License-Identifier: MIT
#include "log/log_pages.h"

/* A word that is 0 holds none. */
#define USED UINT64_C(1)

static uint64_t word_of(uint64_t page)
{
    return page << 1 | USED;
}

/* They are taken in order: after a word that no part has there is no other. */
static bool is_end(const struct log_counts *counts, uint32_t i)
{
    return i == LOG_COUNT_PAGES || log_counts_is_zero(counts, LOG_COUNT_PAGE + i);
}

enum log_page_added log_pages_add(struct log_counts *counts, uint64_t page)
{
    for (uint32_t i = 0; i < LOG_COUNT_PAGES; i++) {
        uint64_t held = log_counts_take(counts, LOG_COUNT_PAGE + i, word_of(page));

        if (!held)
            return LOG_PAGE_NEW;
        if (held == word_of(page))
            return LOG_PAGE_KNOWN;
    }
    return LOG_PAGE_NO_ROOM;
}

bool log_pages_has(const struct log_counts *counts, uint64_t page)
{
    for (uint32_t i = 0; !is_end(counts, i); i++) {
        if (log_counts_read(counts, LOG_COUNT_PAGE + i) == word_of(page))
            return true;
    }
    return false;
}

uint64_t log_pages_next(const struct log_counts *counts, uint64_t page)
{
    uint64_t next = PAGES_MAX;

    for (uint32_t i = 0; !is_end(counts, i); i++) {
        uint64_t word = log_counts_read(counts, LOG_COUNT_PAGE + i);

        if (word & USED && word >> 1 >= page && word >> 1 < next)
            next = word >> 1;
    }
    return next;
}
