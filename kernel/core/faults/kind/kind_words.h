// SPDX-License-Identifier: MIT
/* Faults, put together by the 64-bit words of memory that they are of, and where these are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/fault_sample.h"
#include "lib/fmt.h"
#include "log/log_records.h"
#include "rows/row_map.h"

#define KIND_WORDS_MAX (FAULT_RECORDS + FAULT_SAMPLE_MAX)

struct kind_word {
    uint64_t addr;
    uint64_t rises, falls; /* bits that were 1 instead of 0, and 0 instead of 1 */
    uint32_t count;        /* among the records; 0: of the sample only */
};

static inline uint64_t kind_word_bits(const struct kind_word *w)
{
    return w->rises | w->falls;
}

/* By address, each once. */
struct kind_words {
    struct kind_word word[KIND_WORDS_MAX];
    size_t n;
};

/* At most FAULT_RECORDS records and FAULT_SAMPLE_MAX of the sample are taken. */
void kind_words_make(struct kind_words *ret, const struct fault *record, size_t n_records,
                     const struct fault *sample, size_t n_sample);

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

void kind_places_make(const struct kind_words *words, struct kind_places *ret);

/* In which banks and rows they are, where that is known (rows/row_map.h). */
struct kind_rows {
    bool known;
    bool one_bank;        /* all words are in it */
    uint32_t bank;        /* of the first word */
    uint64_t first, last; /* rows: the lowest number, and the highest */
};

/* map NULL, or no words: nothing is known. */
void kind_rows_make(const struct kind_words *words, const struct row_map *map,
                    struct kind_rows *ret);

/* "; all in row 0x1a2 of bank 5, by timing", "; in rows 0x1a2 to 0x1a5 of bank 5, ..."; nothing
 * where nothing is known. */
void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows);
