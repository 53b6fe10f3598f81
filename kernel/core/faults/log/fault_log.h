// SPDX-License-Identifier: MIT
/*
 * The fault log: which pages are bad, and what was seen.
 *
 * All CPUs add faults at the same time, also from a machine-check handler: every function is
 * lock-free. No bad page is ever dropped, because there is one bit for each page tested. Of the
 * first FAULT_RECORDS faults the log keeps the details; the others are counted.
 *
 * The log is in the memory under test. So it is kept twice, with parity and checksums: damage to
 * any one of the three is repaired, loses no fault and invents none; damage to both copies of a
 * block is repaired from the parity, or the block's pages are reported as uncertain. Damaged memory
 * is itself reported and marked as bad.
 *
 * Only the boot CPU reads: it drains records while the others go on logging, scrubs a part of the
 * log at each call, and derives the cover again when fault_log_bad_pages() has grown.
 *
 * The folder: page_index.h numbers the pages of RAM, log_block.h is a block with its checksum,
 * log_store.h keeps the bits and words of both copies and the parity, log_records.h (of
 * log_record.h) the first faults in full, log_counts.h the counters, log_pages.h pages without a
 * bit. log_scrub.h finds and repairs damage, by the majority in log_vote.h; pending_bits.h keeps
 * bits that wait for that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_counts.h"
#include "log/log_record.h"
#include "log/log_records.h"
#include "log/log_scrub.h"
#include "log/log_store.h"
#include "log/page_index.h"

#define FAULT_TESTS_MAX LOG_COUNT_TESTS

/* Memory of the log that was not what had been written to it. */
struct fault_log_damage {
    struct log_damage what;
    uint64_t phys; /* of what.at */

    /* what.lost: whether pages from the first to the last are bad is not known for sure. */
    uint64_t first_page, last_page;
};

struct fault_log_memory {
    void *copy[2]; /* [1] NULL: no redundancy */
    void *parity;  /* NULL: none */

    /* Of an address in these. NULL: nothing is marked or reported. */
    uint64_t (*phys_of)(const void *at);

    /* Called once for each page not yet known as bad, and for each lost block. May be NULL. */
    void (*damaged)(const struct fault_log_damage *damage);
};

/* The readers below are for every CPU; the fields are the log's own. */
struct fault_log {
    const struct page_index *space;  /* all RAM: by its indices runs are looked for */
    const struct page_index *marked; /* the pages that have a bit, of space */
    struct fault_log_memory memory;
    struct log_counts counts;
    struct log_store store;
    struct log_records records;
    uint32_t reported_lost;  /* pending bits lost, so far */
    uint32_t n_writers_lost; /* in all */
    uint32_t n_half_written; /* of these, those that may have left something half written */
    bool was_guessed;        /* the bitmap, so that bad pages are to be counted again */
};

/* Bytes that a page space needs of each copy and of the parity: whole pages. */
size_t fault_log_copy_bytes(const struct page_index *space);
size_t fault_log_parity_bytes(const struct page_index *space);

/*
 * An empty log, in memory that is 8-byte aligned and cleared here. Best each part is whole pages,
 * far from the others.
 */
void fault_log_init(struct fault_log *log, const struct page_index *space,
                    const struct fault_log_memory *memory);

/*
 * The RAM of the machine is more than the page space that the log was made for, and holds all of
 * it. Of the other pages LOG_COUNT_PAGES can be marked, too; what is more counts as outside.
 */
void fault_log_set_ram(struct fault_log *log, const struct page_index *ram);

/*
 * Each CPU counts in a tally of its own, and adds it to the log's counts now and then. All CPUs
 * share these: were every fault counted there, it would take longer than all else.
 */
struct fault_tally {
    uint32_t test;          /* FAULT_TESTS_MAX or more: counts in the total only */
    uint64_t n, wrong_bits; /* of faults that are not yet counted in the log */
    uint64_t marked;        /* the number of the page marked last, and 1; 0: none */
};

/* Whether details of a fault are still kept: else fault_log_add_record does nothing. */
bool fault_log_has_room(const struct fault_log *log);
void fault_log_add_record(struct fault_log *log, const struct fault *fault);

/*
 * Marks the page at once and counts the fault in the tally. One outside the page space is counted
 * as outside, too.
 */
void fault_log_tally(struct fault_log *log, struct fault_tally *tally, uint64_t addr,
                     uint64_t wrong_bits);

/* Whether the page of addr is the one that was marked last. */
static inline bool fault_tally_has_marked(const struct fault_tally *tally, uint64_t addr)
{
    return tally->marked == (addr >> PAGE_SHIFT) + 1;
}

/* Counts in the log what is in the tally, which then holds no fault. */
void fault_log_add_tally(struct fault_log *log, struct fault_tally *tally);

/* Marks the page of addr as bad without any fault, e.g. for a machine check. */
void fault_log_mark_page(struct fault_log *log, uint64_t addr);

/*
 * The next record in the order of logging. False: none now; one that another CPU is still writing
 * holds back those after it. Boot CPU only.
 */
bool fault_log_drain(struct fault_log *log, struct fault *ret_fault);

/* Copies all records, drained or not, in the order of logging; ret has room for FAULT_RECORDS. */
size_t fault_log_list(const struct fault_log *log, struct fault *ret);

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

/* Scrubs the next part of the log while others go on logging. Boot CPU only. */
void fault_log_scrub(struct fault_log *log);

/* Scrubs all of it, as before the cover is derived. Boot CPU only. */
void fault_log_scrub_all(struct fault_log *log);

/*
 * n_lost CPUs in all have been stopped for good, maybe while they were logging. At the next
 * fault_log_reconcile what one of them may have left half-written is repaired or skipped. It is not
 * damage: nothing is reported, no page is marked. Boot CPU only.
 */
void fault_log_writers_lost(struct fault_log *log, uint32_t n_lost);

/*
 * While no other CPU logs: scrubs all of it, the counts, too; from then on no record is held back
 * by one before it. Boot CPU only.
 */
void fault_log_reconcile(struct fault_log *log);
