// SPDX-License-Identifier: MIT
/*
 * What the fault log counts, in a page of each copy: where one word is damaged, the two others are
 * right. Lock-free, for every CPU.
 *
 * While other CPUs count, the copies may differ briefly.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_damage.h"
#include "log/page_index.h"

#define LOG_COUNT_TESTS 64
#define LOG_COUNT_PAGES 256

enum log_count {
    LOG_COUNT_BAD_PAGES,
    LOG_COUNT_OUTSIDE,
    LOG_COUNT_FAILING_BITS, /* bits that were set, as the next; no number */
    LOG_COUNT_OUTSIDE_ADDR,
    LOG_COUNT_ERRORS,
    LOG_COUNT_TEST, /* and on: LOG_COUNT_TESTS tests, and one for all others */
    LOG_COUNT_PAGE = LOG_COUNT_TEST + LOG_COUNT_TESTS + 1, /* and on: pages without a bit */
    LOG_COUNTS = LOG_COUNT_PAGE + LOG_COUNT_PAGES,
};

struct log_counts {
    _Atomic uint64_t *copy[LOG_COPIES];
    size_t n_copies;
};

/* All 0. Of one copy only, or of all. */
void log_counts_init(struct log_counts *counts, void *const copy[LOG_COPIES], size_t n_copies);

void log_counts_add(struct log_counts *counts, uint32_t count, uint64_t n);
void log_counts_set_bits(struct log_counts *counts, uint32_t count, uint64_t bits);

/* Sets a word that is 0. */
void log_counts_set_once(struct log_counts *counts, uint32_t count, uint64_t value);

uint64_t log_counts_read(const struct log_counts *counts, uint32_t count);

/* While no CPU counts: repairs a copy that differs. */
void log_counts_scrub(struct log_counts *counts, struct log_damage damage[LOG_COPIES]);

/* While no CPU counts: replaces a count. */
void log_counts_write(struct log_counts *counts, uint32_t count, uint64_t value);

/*
 * Bad pages of RAM that have no bit in the fault log, which has bits only for what is tested: their
 * numbers, each a word. Few come: those that a machine check names, and those found bad before
 * okram lived there.
 */
enum log_page_added {
    LOG_PAGE_NEW,
    LOG_PAGE_KNOWN,
    LOG_PAGE_NO_ROOM, /* LOG_COUNT_PAGES others are known */
};

enum log_page_added log_pages_add(struct log_counts *counts, uint64_t page);

bool log_pages_has(const struct log_counts *counts, uint64_t page);

/* The lowest from `page` on; PAGES_MAX when there is none. */
uint64_t log_pages_next(const struct log_counts *counts, uint64_t page);
