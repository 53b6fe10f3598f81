/*
 * The fault log: which pages are bad, and what was seen.
 *
 * All CPUs add faults at the same time, also from a machine-check handler: every function is
 * lock-free. No bad page is ever dropped, for there is one bit for each page of RAM. Of the first
 * FAULT_RECORDS faults the log keeps the details; the others are counted.
 *
 * One CPU, the boot CPU, reads: it drains records while the others go on logging, and it derives
 * the cover again when fault_log_bad_pages() has grown.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faults/pages.h"

#define FAULT_RECORDS   1000
#define FAULT_TESTS_MAX 64

/* One 64-bit word that did not hold what was written to it. */
struct fault {
    uint64_t addr; /* physical, 8-byte aligned */
    uint64_t expected, found;
    uint32_t test; /* index of the test in the pass */
    uint32_t pass, cpu, node;
};

struct fault_record {
    struct fault fault;
    atomic_bool complete;
};

/* The readers below are for every CPU; the fields are the log's own. */
struct fault_log {
    const struct page_space *space;
    _Atomic uint64_t *bitmap; /* one bit a page, by index */

    _Atomic uint64_t bad_pages;
    _Atomic uint64_t faults;
    _Atomic uint64_t failing_bits;
    _Atomic uint64_t outside;
    _Atomic uint64_t outside_addr;
    _Atomic uint64_t test_faults[FAULT_TESTS_MAX];

    atomic_size_t n_records; /* taken; may run over FAULT_RECORDS */
    size_t n_drained;        /* the boot CPU's own */
    struct fault_record record[FAULT_RECORDS];
};

/* Bytes of bitmap that a page space needs, a multiple of 8. */
size_t fault_log_bitmap_bytes(const struct page_space *space);

/* An empty log. bitmap: 8-byte aligned, fault_log_bitmap_bytes() long, cleared here. */
void fault_log_init(struct fault_log *log, const struct page_space *space, void *bitmap);

/*
 * Logs a fault and marks its page. A test index of FAULT_TESTS_MAX or more is counted in the total
 * only; an address outside the page space is counted there and as outside.
 */
void fault_log_add(struct fault_log *log, const struct fault *fault);

/* Marks the page of addr as bad without any fault, e.g. for a machine check. */
void fault_log_mark_page(struct fault_log *log, uint64_t addr);

/*
 * The next record in the order of logging. False: none now; one that another CPU is still writing
 * holds back those after it. Boot CPU only.
 */
bool fault_log_drain(struct fault_log *log, struct fault *ret_fault);

/*
 * Bad pages so far. It only grows, and it grows after the bitmap: a cover derived after reading n
 * here covers at least these n pages, and is up to date as long as the count is n.
 */
uint64_t fault_log_bad_pages(const struct fault_log *log);

uint64_t fault_log_faults(const struct fault_log *log);
uint64_t fault_log_test_faults(const struct fault_log *log, uint32_t test);

/* OR of expected ^ found over all faults. */
uint64_t fault_log_failing_bits(const struct fault_log *log);

/* Faults and marks at addresses outside the page space, and (when there are any) the first. */
uint64_t fault_log_outside(const struct fault_log *log, uint64_t *ret_first_addr);

/* Whether the page of addr is marked bad; false outside the page space. */
bool fault_log_is_bad(const struct fault_log *log, uint64_t addr);

/*
 * The next run of adjoining bad pages, in address order; it does not cross a gap in RAM. *index is
 * where to look on, at first 0. False: no more.
 */
bool fault_log_next_run(const struct fault_log *log, uint64_t *index, struct page_run *ret_run);
