// SPDX-License-Identifier: MIT
/*
 * The fault log: which pages are bad, and what was seen.
 *
 * All CPUs add faults at the same time, also from a machine-check handler: every function is
 * lock-free. No bad page is ever dropped, because there is one bit for each page tested. Of the
 * first FAULT_RECORDS faults the log keeps the details; the others are counted.
 *
 * The log is in the memory under test. So it is kept three times, and all that is in it but counts
 * shows by itself whether it is damaged: one sound copy of a word or a record is enough. Damage to
 * two copies is repaired, loses no fault and invents none; where all three are damaged at the same
 * place their majority holds, or the pages of that word are reported as uncertain. Counts have a
 * majority of three. Damaged memory is itself reported and marked as bad.
 *
 * Only the boot CPU reads: it drains records while the others go on logging, scrubs a part of the
 * log at each call, and derives the cover again when fault_log_bad_pages() has grown.
 *
 * The folder: page_index.h numbers the pages of RAM, log_records.h has the first faults in full,
 * log_counts.h the counters and pages without a bit; each finds and repairs its own damage
 * (log_damage.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_counts.h"
#include "log/log_damage.h"
#include "log/log_records.h"
#include "log/page_index.h"

#define FAULT_TESTS_MAX LOG_COUNT_TESTS

/* Memory of the log that was not what had been written to it. */
struct fault_log_damage {
    struct log_damage what;
    uint64_t phys; /* of what.at */

    /* what.lost: whether pages from the first to the last are bad is not known for sure. */
    bool has_pages; /* else what is lost are records */
    uint64_t first_page, last_page;
};

struct fault_log_memory {
    void *copy[LOG_COPIES]; /* [1] NULL: there is one only */

    /* Of an address in these. NULL: nothing is marked or reported. */
    uint64_t (*phys_of)(const void *at);

    /* Called once for each page not yet known as bad, and for all that is lost. May be NULL. */
    void (*damaged)(const struct fault_log_damage *damage);
};

#define LOG_WORD_BITS 40
#define LOG_WORD_MASK ((UINT64_C(1) << LOG_WORD_BITS) - 1) /* of the bits, without the check */

/*
 * A bit for each page, in copies that are alike, word by word. A word holds LOG_WORD_BITS bits and
 * a check of these, and is changed by one atomic operation: so it is sound at any time, and shows
 * by itself whether it has been damaged. What any sound word of the three has set is set, so two of
 * them may be damaged in any way. Where none is sound the majority of the three, bit by bit, is the
 * truth if its check holds, else a guess.
 *
 * Bits are only ever set, by all CPUs at the same time. With one copy alone nothing can be
 * repaired; the rest is the same.
 */
struct log_bits {
    _Atomic uint64_t *copy[LOG_COPIES]; /* [1] NULL: there is one only */
    uint64_t n_words;                   /* of a copy */
};

/* The readers below are for every CPU; the fields are the log's own. */
struct fault_log {
    struct fault_log_memory memory;  /* first: tests/system/placement.py finds the copies by it */
    const struct page_index *space;  /* all RAM: by its indices runs are looked for */
    const struct page_index *marked; /* the pages that have a bit, of space */
    struct log_counts counts;
    struct log_bits bits;
    struct log_records records;
    uint64_t next_page;      /* of bits to be scrubbed */
    uint32_t n_writers_lost; /* in all */
    uint32_t n_half_written; /* of these, those that may have left a count half written */
    bool was_damaged;        /* so that bad pages are to be counted again */
};

/* Bytes that a page space needs of each copy: whole pages. */
size_t fault_log_copy_bytes(const struct page_index *space);

/*
 * An empty log, in memory that is 8-byte aligned and written here. Best each copy is whole pages,
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
    uint64_t errors;        /* likewise: places, that is, pages that come after other pages */
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

/*
 * Faults of one page that one CPU sees in one sweep, one after the other, are one error. What the
 * hardware reports is added.
 */
uint64_t fault_log_errors(const struct fault_log *log);
void fault_log_add_errors(struct fault_log *log, uint64_t n);

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

/* Scrubs the bits of all pages, as before the cover is derived. Boot CPU only. */
void fault_log_scrub_all(struct fault_log *log);

/*
 * n_lost CPUs in all have been stopped for good, maybe while they were logging. At the next
 * fault_log_reconcile what one of them may have left half-written is repaired or skipped. It is not
 * damage: nothing is reported, no page is marked. Boot CPU only.
 */
void fault_log_writers_lost(struct fault_log *log, uint32_t n_lost);

/*
 * While no other CPU logs: scrubs all of it, counts and records, too; from then on no record is
 * held back by one before it. Boot CPU only.
 */
void fault_log_reconcile(struct fault_log *log);
