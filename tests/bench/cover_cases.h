// SPDX-License-Identifier: MIT
/*
 * Machines with bad pages for the cover's benchmark: what DRAM really loses (a row, a column, a
 * bank, behind the XOR of address bits that memory controllers select banks by), and pages at
 * random. The same seed makes the same pages.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "log/fault_log.h"

/* A PC's RAM: gaps below 1 MiB and, where it has more than that, from 3 to 4 GiB. */
struct cover_machine {
    struct page_extent extent[3];
    struct page_index space;
    struct fault_log log;
    void *bitmap;
};

/* A bank's column: which bits of its number are hashed with how many of the row, and how many of
 * its pages are bad: one in `sparse`. */
struct cover_bank {
    unsigned n_hashed, width;
    uint64_t sparse;
};

struct cover_case {
    const char *name;
    uint64_t ram_bytes;
    uint64_t seeds; /* how many machines: 1 to seeds */
    void (*mark)(struct cover_machine *m, uint64_t *random, const struct cover_case *c);
    uint64_t n_pages; /* at random */
    struct cover_bank bank;
};

/* Up to one without a name. */
extern const struct cover_case cover_cases[];

/* 11 bad pages anywhere in 256 MiB. */
extern const struct cover_case cover_case_tiny;

/* So many bad pages, or a few less, anywhere in 16 GiB: for measuring time. */
extern const struct cover_case cover_case_65536, cover_case_million;

struct cover_machine *cover_machine_make(const struct cover_case *c, uint64_t seed);
void cover_machine_free(struct cover_machine *m);
