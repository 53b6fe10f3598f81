// SPDX-License-Identifier: MIT
/*
 * Numbers as options hold them: decimal, or hexadecimal after 0x, without a sign. Readers move *pos
 * past what they took; they return false, and change nothing, when there is no number or it does
 * not fit into 64 bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Plain digits. */
bool number_read(const char **pos, uint64_t *ret_value);

/* With K, M, G or T after it, of either case: times 2^10, 2^20, 2^30 or 2^40. */
bool number_read_size(const char **pos, uint64_t *ret_bytes);

/* With s, m, h or d after it: seconds; a number alone is seconds too. */
bool number_read_time(const char **pos, uint64_t *ret_seconds);

/* The text is one number from min to max. */
bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value);
