// SPDX-License-Identifier: MIT
/*
 * Whether faults look as if a device had written there. A whole line that holds nothing of the
 * tests is not a fault at first (external/looks_external.h); a device that writes less than a line,
 * or again and again, makes faults. Pure.
 */
#pragma once

#include <stdbool.h>

#include "kind/kind_input.h"
#include "kind/kind_words.h"

/* Devices write to few places: the buffers that a driver gave them. */
#define KIND_WRITTEN_PAGES_MAX 16

/* A chip has one byte lane, of 16 bits two. */
#define KIND_WRITTEN_LANES_MIN 3

/*
 * Few pages are bad, and most of the words are wrong in bits of more byte lanes than a chip has.
 * Never where memory is encrypted, or pages share cells.
 */
bool kind_looks_written(const struct kind_input *input, const struct kind_words *words);
