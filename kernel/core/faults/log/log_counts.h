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

#define LOG_COUNT_TESTS 64
#define LOG_COUNT_PAGES 256

enum log_count {
    LOG_COUNT_BAD_PAGES,
    LOG_COUNT_OUTSIDE,
    LOG_COUNT_FAILING_BITS, /* bits that were set, as the next; no number */
    LOG_COUNT_OUTSIDE_ADDR,
    LOG_COUNT_TEST, /* and on: LOG_COUNT_TESTS tests, and one for all others */
    LOG_COUNT_PAGE = LOG_COUNT_TEST + LOG_COUNT_TESTS + 1, /* and on: log/log_pages.h */
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

/* Sets a word that is 0, and returns 0; else what it holds. Of many CPUs one is the first. */
uint64_t log_counts_take(struct log_counts *counts, uint32_t count, uint64_t value);

/* Whether no copy has anything there. */
bool log_counts_is_zero(const struct log_counts *counts, uint32_t count);

uint64_t log_counts_read(const struct log_counts *counts, uint32_t count);

/* While no CPU counts: repairs a copy that differs. */
void log_counts_scrub(struct log_counts *counts, struct log_damage damage[LOG_COPIES]);

/* While no CPU counts: replaces a count. */
void log_counts_write(struct log_counts *counts, uint32_t count, uint64_t value);
