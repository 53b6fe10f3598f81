// SPDX-License-Identifier: MIT
/*
 * Where faulty words are: what can be said of their addresses without the machine's address map.
 *
 * A map from addresses to rows, columns and banks is linear over GF(2), but the addresses that it
 * maps are not always physical ones. Controllers may count those above 4 GiB without the hole below
 * (rows/row_map.h); and where three channels take turns, the address in a channel is about a third.
 * In all published maps the row's number is made of the bits from 18 up, and six or more of the
 * bits below are column bits, unchanged. So a row is in one block of 256 KiB and the row next to it
 * in the next block, and a column is at the same column bits of all its blocks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kind/kind_words.h"

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
