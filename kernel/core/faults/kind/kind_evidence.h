// SPDX-License-Identifier: MIT
/*
 * What speaks for a kind of fault: what a run knows of its faults, put together by the 64-bit words
 * of memory that they are of; where these are; how often they come, and what makes them come.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/fault_sample.h"
#include "decoder/dram_map.h"
#include "lib/fmt.h"
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
    uint64_t seed; /* of the first pass; each pass has one more */
    uint64_t
        whole; /* bit n: pass n + 1, no test of which was skipped or cut short; of the first 64 */
};

/* Whether a fault came in a pass that is counted. */
static inline bool kind_reads_have(const struct kind_reads *reads, const struct fault *fault)
{
    return fault->pass - 1 < 64 && reads->whole >> (fault->pass - 1) & 1;
}

struct kind_input {
    const struct fault *record; /* the first faults in full, each time that they came */
    size_t n_records;
    const struct fault *sample; /* one fault each of other pages, chosen at random */
    size_t n_sample;
    uint64_t n_faults, n_bad_pages; /* all */
    const struct kind_test *test;
    size_t n_tests;
    struct kind_reads
        reads; /* tests NULL, or no whole pass: it is not known how often cells were read */
    const struct page_retest *retest; /* bad pages that were tested again */
    size_t n_retests;
    uint64_t alias_pages,
        alias_bits; /* pairs of pages that share cells; by what all differ, or 0 */
    bool is_encrypted;
    bool low_is_scanned; /* below LOW_MEMORY_END there are more reads than kind_reads tells */
    const struct row_map *rows; /* of the memory of all faults, found by timing; NULL: not known */
    const struct dram_map *map; /* by registers that a measurement confirms; NULL: there is none */
    uint64_t map_below;         /* holds for DRAM addresses below this */
    unsigned bus_bits;          /* of a channel: 64, DDR5's subchannel 32; 0: unknown */
    unsigned chip_bits;         /* data pins of a chip: 4, 8, 16; 0: unknown */
};

#define KIND_WORDS_MAX (FAULT_RECORDS + FAULT_SAMPLE_MAX)

struct kind_word {
    uint64_t addr;
    uint64_t rises, falls; /* bits that were 1 instead of 0, and 0 instead of 1 */
    uint32_t count;        /* among the records; 0: of the sample only */
    uint32_t in_whole;     /* of them, in passes of kind_reads */
};

static inline uint64_t kind_word_bits(const struct kind_word *w)
{
    return w->rises | w->falls;
}

/* By address, each once: of FAULT_RECORDS records and FAULT_SAMPLE_MAX of the sample at most. */
struct kind_words {
    struct kind_word word[KIND_WORDS_MAX];
    size_t n;
};

/*
 * Where they are: what can be said of their addresses without the machine's address map.
 *
 * A map from addresses to rows, columns and banks is linear over GF(2), but the addresses that it
 * maps are not always physical ones. Controllers may count those above 4 GiB without the hole below
 * (rows/row_map.h); and where three channels take turns, the address in a channel is about a third.
 * In all published maps the row's number is made of the bits from 18 up, and six or more of the
 * bits below are column bits, unchanged. So a row is in one block of 256 KiB and the row next to it
 * in the next block, and a column is at the same column bits of all its blocks.
 */

/* The last three: the numbers nearest to those of a row or a column, of all ways in which a machine
 * may count addresses. */
struct kind_places {
    size_t n_lines;      /* of 64 bytes */
    size_t n_pages;      /* of them, pages */
    size_t most_in_page; /* lines in one of these */
    uint64_t span_bytes; /* from the first line to the end of the last */
    unsigned n_offsets;  /* how many of a line's 8 words occur */
    uint64_t n_blocks;   /* of 256 KiB, from the first to the last: the fewest */
    unsigned rank;       /* over GF(2), of the differences of the lines' addresses: the lowest */
    unsigned same_bits;  /* of the 12 that choose a line in a block, the same in all: the most */
};

#define KIND_LANE_SHARE 95 /* of 100 words, that are enough to have a lane, or a channel */

/*
 * In which banks, rows and columns they are: by the memory controller's registers, else by timing
 * (rows/row_map.h). Not known without a map of all words, or without words.
 */
struct kind_rows {
    bool known;
    bool by_registers;
    bool one_channel;     /* KIND_LANE_SHARE of 100 words are in one, or it is not known */
    bool one_bank;        /* all words are in it */
    bool one_column;      /* all lines are at the same place of their rows */
    uint64_t first, last; /* rows: the lowest number, and the highest */
    uint32_t bank;        /* of the first word */
    struct dram_place at; /* by registers: where the first word is */
};

/*
 * "; all in row 0x1a2 of bank 5, by timing", "; in rows 0x1a2 to 0x1a5 of bank 5, ...", "; all in
 * row 0x1a2 of bank 5 of rank 0, by the controller's registers"; nothing where nothing is known.
 */
void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows);

/* How often faults come, and what makes them come. */
struct kind_repeats {
    bool all_counted;    /* the records have every fault of the run */
    size_t n_once;       /* words that were wrong once */
    uint32_t most;       /* times that one word was wrong */
    unsigned rate;       /* of its reads while it was to be the other value, per cent; 0: unknown */
    bool is_low;         /* its reads are not known: kind_input.low_is_scanned */
    uint64_t by_waiting; /* faults that tests found which wait */
    uint64_t by_hammering;
    uint64_t by_others;
    bool others_ran;                   /* tests that neither wait nor hammer */
    uint32_t n_again;                  /* pages that were tested again */
    uint32_t always, sometimes, never; /* of them: how often they were bad again */
    uint32_t lost;                     /* of never: bad after a wait only */
};

struct kind_evidence {
    const struct kind_words *words;
    struct kind_places places;
    struct kind_rows rows;
    struct kind_repeats repeats;
};

/* All of it. words: room for the words, which it refers to. */
void kind_evidence_make(const struct kind_input *input, struct kind_words *words,
                        struct kind_evidence *ret);
