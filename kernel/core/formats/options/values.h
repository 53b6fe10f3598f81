// SPDX-License-Identifier: MIT
/*
 * The values of options that are lists or one word out of a few. Parsers take the whole text, write
 * their output on success only and return false when the text is malformed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define VALUE_IDS_MAX   1024
#define VALUE_SPANS_MAX 16

/* Numbers of nodes or CPUs. */
struct id_set {
    bool all;
    uint64_t bits[VALUE_IDS_MAX / 64]; /* unless all */
};

static inline bool id_set_contains(const struct id_set *set, uint32_t id)
{
    return set->all || (id < VALUE_IDS_MAX && (set->bits[id / 64] >> (id % 64) & 1));
}

/* "all", or numbers and first-last runs with commas between: "0,2-5"; each < VALUE_IDS_MAX. */
bool value_parse_ids(const char *text, struct id_set *ret_set);

/*
 * "all", which is not a span, or START-END[,START-END…], end exclusive, K/M/G/T suffixes; at most
 * VALUE_SPANS_MAX. The spans come out sorted; those that meet or touch as one.
 */
bool value_parse_spans(const char *text, struct span ret_span[VALUE_SPANS_MAX],
                       size_t *ret_n_spans);

/* "all", or names of lines (bootcfg/lines.h) with commas between; bit n is that of kind n. */
bool value_parse_lines(const char *text, uint32_t *ret_kinds);

/* `all`, or some of the n words with commas between; bit n is that of word n. */
bool value_parse_words(const char *text, const char *all, const char *const word[], size_t n,
                       uint32_t *ret_bits);

#define VALUE_BIT_LISTS_MAX 3

/*
 * Address bits with commas between, and / between lists: "6" or "7,14/8,9,12"; each of a list once,
 * from bit 6 on: those below are of one line. ret[i] has the bits of list i.
 */
bool value_parse_bit_lists(const char *text, uint64_t ret[VALUE_BIT_LISTS_MAX], size_t *ret_n);

/*
 * Names with commas between, and + between those of one place: "DIMM_A1+DIMM_A2,DIMM_B1+DIMM_B2".
 * Letters, digits and . - _ # alone.
 */
bool value_is_names(const char *text);

/* Which of the n words text is. */
bool value_parse_word(const char *text, const char *const word[], size_t n, unsigned *ret_index);
