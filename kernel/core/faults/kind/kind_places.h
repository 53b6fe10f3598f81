// SPDX-License-Identifier: MIT
/*
 * Where faulty words are: what can be said of their addresses without the machine's address map.
 *
 * A map from addresses to rows, columns and banks is linear over GF(2). So the addresses of a row
 * are a coset of a linear space whose dimension is the number of column bits, those of a column one
 * with as many dimensions as there are row bits, and those of a chip fill all of a rank.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/kind_words.h"

struct kind_places {
    size_t n_lines;       /* of 64 bytes */
    size_t n_pages;       /* of them, pages */
    size_t most_in_page;  /* lines in one of these */
    unsigned region_bits; /* all words are in one aligned block of 2^n bytes */
    unsigned rank;        /* over GF(2), of the differences of the lines' addresses */
    unsigned n_offsets;   /* how many of a line's 8 words occur */
};

void kind_places_make(const struct kind_words *words, struct kind_places *ret);
