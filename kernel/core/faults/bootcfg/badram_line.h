// SPDX-License-Identifier: MIT
/*
 * GRUB's badram line: `badram=0xADDR,0xMASK[,0xADDR,0xMASK...]`, lower case, without spaces and
 * leading zeros, ADDR == ADDR & MASK, the mask's bits 0-11 and 52-63 clear. Bits above the
 * machine's RAM may be set in a mask.
 */
#pragma once

#include "badram/cover.h"
#include "lib/fmt.h"

/* Bytes, with the closing NUL, that the badram line of n patterns needs at most. */
#define BADRAM_LINE_BYTES(n) (sizeof("badram=") + (n) * sizeof("0xfffffffffffff,0xffffffffff000"))

/* GRUB 2.06 to 2.14 stops where the pairs, in quotes, take more characters. */
#define BADRAM_PAIRS_CHARS_MAX 8188
_Static_assert(BADRAM_LINE_BYTES(COVER_PATTERNS_MAX) - sizeof("badram=") <= BADRAM_PAIRS_CHARS_MAX,
               "no cover is too long for GRUB");

/* Appends the badram line, without an end of line; nothing when the cover is empty. */
void badram_line_append(struct fmt_buffer *out, const struct cover *cover);

/* Appends "0xADDR,0xMASK,...": the pairs alone. */
void badram_line_pairs(struct fmt_buffer *out, const struct cover *cover);
