// SPDX-License-Identifier: MIT
/*
 * Whether a line of memory was written by somebody else: a device or firmware.
 *
 * A device writes all of a line, with data that have nothing to do with a test's. A fault changes
 * some bits, leaves what was there before, or brings another line's data. So a line counts as
 * unrelated to the tests only if all of this holds:
 *
 * - In six or more of its eight words, 12 to 52 of the 64 bits differ from what was expected, and
 *   from each word that any test writes into a background: random data differ in 32, give or take
 *   4. Fewer are faulty cells; more, the other polarity: a lost write or another address's line.
 * - Six or more of its words differ from each other: a bus that nobody drives repeats one.
 * - Each byte lane differs in half of the words: one faulty chip leaves lanes alone.
 * - No word is data of an address or random test of this run, whatever line it was written to: a
 *   wrong address brings those. Both kinds can be traced to the address (sweep/data.h).
 *
 * In doubt it is a fault. This is only a first guess; external.h decides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/data.h"

#define WRITTEN_MAX 16

/* The address and random data that tests have written, the latest of them. */
struct written {
    struct data data[WRITTEN_MAX];
    size_t n;            /* ever; the latest are kept */
    uint64_t memory_end; /* of RAM: no line's address is above */
};

/* A test is about to write this. Other kinds are known without. */
void written_add(struct written *written, const struct data *data);

/* Whether the line at phys, which should be `expected`, holds nothing of the tests. */
bool looks_external(const struct written *written, uint64_t phys, const struct line *expected,
                    const struct line *found);

/* Which of its words, bit i for word i, are neither a test's data nor near what is expected. */
uint32_t unrelated_words(const struct written *written, uint64_t phys, const struct line *expected,
                         const struct line *found);
