// SPDX-License-Identifier: MIT
/*
 * Bad pages, tested again at the end of a run: a fault that shows each time is one of cells, one
 * that shows now and then may be one of timing, of heat or of a contact. Half of the tries are by
 * the CPU that found the page bad, the others by two of other cores: what shows on one CPU alone is
 * a fault of that CPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_RETEST_MAX   1000 /* pages */
#define PAGE_RETEST_TRIES 8
#define PAGE_RETEST_CPUS  3

/* The tries of one CPU. */
struct page_retest_by {
    uint16_t cpu;
    uint8_t tries, failed;
};

struct page_retest {
    uint64_t addr;
    uint8_t tries;                              /* so far; 0: not tested again */
    uint8_t failed;                             /* of them */
    bool lost_data;                             /* while they were held: page_retest_held's own */
    struct page_retest_by by[PAGE_RETEST_CPUS]; /* the first found it; the same CPU may be twice */
};

struct page_retest_way {
    bool (*is_free)(void *ctx, uint64_t addr);              /* to be written to */
    bool (*is_bad)(void *ctx, uint64_t addr, uint32_t cpu); /* tests it once, on that CPU */
    bool (*has_time)(void *ctx);

    /* For faults of retention; wait is NULL if no test of the run waits. */
    bool (*wait)(void *ctx); /* as long as the run's longest wait; false: it was interrupted */
    void (*fill)(void *ctx, uint64_t addr, bool complement);  /* the page, with its data */
    bool (*holds)(void *ctx, uint64_t addr, bool complement); /* whether it still has them */
    void *ctx;
};

/*
 * Tests each page that is free, all once before any is tested again, up to PAGE_RETEST_TRIES times,
 * while there is time. pages: n of them, with the CPUs of `by`; all else is 0.
 */
void page_retest(struct page_retest *pages, size_t n, const struct page_retest_way *way);

/*
 * After page_retest: the pages that were not bad again are filled, held for one wait and read, once
 * with data and once with their complement. For each of them that is one try more. A page that does
 * not hold its data before the wait is bad again, but has not lost them.
 */
void page_retest_held(struct page_retest *pages, size_t n, const struct page_retest_way *way);
