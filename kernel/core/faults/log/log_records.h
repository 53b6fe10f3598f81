// SPDX-License-Identifier: MIT
/*
 * The first faults in full, in each copy of the log. Each record has a check of its own: any copy
 * whose check holds is right. Lock-free, for every CPU.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "log/log_damage.h"
#include "log/log_record.h"

#define FAULT_RECORDS 1000

#define LOG_PAGE_RECORDS (LOG_PAGE_WORDS / LOG_RECORD_WORDS)
#define LOG_RECORD_PAGES ((FAULT_RECORDS + LOG_PAGE_RECORDS - 1) / LOG_PAGE_RECORDS)

struct log_records {
    _Atomic uint64_t *copy[LOG_COPIES];
    size_t n_copies;
    atomic_size_t n_taken; /* a hint: where a free position may be looked for */
    size_t n_drained;
    size_t n_settled; /* before this position no record is being written */
};

/* None, in LOG_RECORD_PAGES pages of each copy: of one only, or of all. */
void log_records_init(struct log_records *records, void *const copy[LOG_COPIES], size_t n_copies);

/* Whether another fault may be kept. */
bool log_records_have_room(const struct log_records *records);

/* Keeps a fault, if it is one of the first FAULT_RECORDS. */
void log_records_keep(struct log_records *records, const struct fault *fault);

/*
 * The next in the order of logging. False: none now; one that another CPU is still writing holds
 * back those after it. Boot CPU only.
 */
bool log_records_drain(struct log_records *records, struct fault *ret_fault);

/* Number i, whether it was drained or not. False: there is none, or it is being written. */
bool log_records_read(const struct log_records *records, size_t i, struct fault *ret_fault);

/*
 * While no CPU logs: repairs page `page` of each copy. What a CPU has left half-written is no
 * damage. Boot CPU only.
 */
void log_records_scrub(struct log_records *records, size_t page,
                       struct log_damage damage[LOG_COPIES]);

/*
 * While no CPU logs, and after all pages have been scrubbed: from now on a position that holds no
 * record though it is taken, or a later one is, holds back none. Boot CPU only.
 */
void log_records_settle(struct log_records *records);
