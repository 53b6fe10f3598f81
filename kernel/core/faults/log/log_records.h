// SPDX-License-Identifier: MIT
/*
 * The first faults in full, in each copy of the log. Each record has a check of its own: any copy
 * whose check holds is right. Lock-free, for every CPU.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_damage.h"

#define LOG_RECORD_WORDS 8

/* The first word while a record is written: no bit that turns over makes it, or makes it 0. */
#define LOG_RECORD_CLAIMED UINT64_C(0x6d696e656d696e65)

/* What the word was when it was read again at once, from DRAM. */
enum fault_again {
    FAULT_AGAIN_UNKNOWN,     /* it was not, or had been written again by then */
    FAULT_AGAIN_RIGHT,       /* right, by the same CPU */
    FAULT_AGAIN_WRONG,       /* wrong, by the same CPU and, if one had time to look, by another */
    FAULT_AGAIN_OTHER_RIGHT, /* wrong by the same CPU, right by another */
    FAULT_AGAINS,
};

/* One 64-bit word that did not hold what was written to it. */
struct fault {
    uint64_t addr; /* physical, 8-byte aligned */
    uint64_t expected, found;
    uint16_t test;  /* index of the test in the pass */
    uint16_t again; /* enum fault_again */
    uint32_t pass, node;
    uint16_t cpu, writer; /* the CPUs that read it, and that wrote it last, as far as is known */
    uint64_t heat;        /* heat_pack: as it came; 0: not known */
};

/* A fault as LOG_RECORD_WORDS of the log, with a check of their own. */
void log_record_pack(const struct fault *fault, uint64_t ret_words[LOG_RECORD_WORDS]);

/* Of a packed one: its address. */
uint64_t log_record_addr(const uint64_t words[LOG_RECORD_WORDS]);

/* False, and nothing is written: the words are not a record. */
bool log_record_unpack(const uint64_t words[LOG_RECORD_WORDS], struct fault *ret_fault);

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
