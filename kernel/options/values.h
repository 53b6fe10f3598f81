// SPDX-License-Identifier: MIT
/*
 * The values of options that are lists or one word out of a few. Parsers take the whole text, write
 * their output on success only and return false when the text is malformed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "options/options.h"

/* "all", or numbers and first-last runs with commas between: "0,2-5"; each < OPTIONS_IDS_MAX. */
bool value_parse_ids(const char *text, struct id_set *ret_set);

/*
 * "all", which is no span, or START-END[,START-END…], end exclusive, K/M/G/T suffixes; at most
 * OPTIONS_RANGES_MAX. The spans come out sorted; those that meet or touch as one.
 */
bool value_parse_spans(const char *text, struct span ret_span[OPTIONS_RANGES_MAX],
                       size_t *ret_n_spans);

/* "all", or names of lines (bootcfg/lines.h) with commas between; bit n is that of kind n. */
bool value_parse_lines(const char *text, uint32_t *ret_kinds);

/* Which of the n words text is. */
bool value_parse_word(const char *text, const char *const word[], size_t n, unsigned *ret_index);
