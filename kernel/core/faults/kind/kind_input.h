// SPDX-License-Identifier: MIT
/* What is known of a run's faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_records.h"
#include "rows/row_map.h"
#include "sweep/page_retest.h"
#include "sweep/tests.h"

/* A test of the run, by its index in the list of tests. */
struct kind_test {
    bool ran;        /* to its end */
    uint64_t faults; /* found by it */
    bool waits;      /* between write and read */
    bool hammers;    /* few rows, very often */
};

/* By which it is known how often a bit is read, and compared. */
struct kind_reads {
    const struct test_list *tests;
    uint64_t seed;   /* of the first pass; each pass has one more */
    uint32_t passes; /* completed */
};

struct kind_input {
    const struct fault *record; /* the first faults in full, each time that they came */
    size_t n_records;
    const struct fault *sample; /* one fault each of other pages, chosen at random */
    size_t n_sample;
    uint64_t n_faults, n_bad_pages; /* all */
    const struct kind_test *test;
    size_t n_tests;
    struct kind_reads reads; /* tests NULL, or no pass: it is not known how often cells were read */
    const struct page_retest *retest; /* bad pages that were tested again */
    size_t n_retests;
    uint64_t alias_pages,
        alias_bits; /* pairs of pages that share cells; by what all differ, or 0 */
    bool is_encrypted;
    const struct row_map *rows; /* of the memory of all faults, found by timing; NULL: not known */
    unsigned bus_bits;          /* of a channel: 64, DDR5's subchannel 32; 0: unknown */
    unsigned chip_bits;         /* data pins of a chip: 4, 8, 16; 0: unknown */
};
